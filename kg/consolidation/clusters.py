"""Groups of texts: copies first, then average link inside each component of near pairs."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

_NEVER: Final = 1e6
"""A distance that no average of other distances makes up for."""
LARGEST: Final = 2000
"""Texts of a component that are clustered at once; a larger one is cut at a higher nearness."""
_STEP: Final = 0.02

Nearness = Callable[[Sequence[int]], NDArray[np.float64]]
"""Gives the nearness of all pairs of some texts, shape (n, n); -inf where a pair must be apart."""


def components(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The connected components of two and more texts, each in order, ordered by their first."""
    graph = nx.Graph()
    graph.add_edges_from(pairs)
    return sorted(sorted(c) for c in nx.connected_components(graph))


def average_link(
    members: Sequence[int], nearness: Nearness, *, min_nearness: float
) -> list[list[int]]:
    """Groups of one and more, joined while the mean nearness between two is `min_nearness`.

    No group holds a pair that must be apart. Single link is never used: one pair must not chain
    two groups together.
    """
    if len(members) > LARGEST:
        return _cut_finer(members, nearness, min_nearness=min_nearness)
    if len(members) < 2:
        return [list(members)]
    near = nearness(members)
    distance = np.where(np.isneginf(near), _NEVER, np.maximum(1.0 - near, 0.0))
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), "average")
    labels = fcluster(tree, 1.0 - min_nearness + 1e-9, "distance")
    groups: dict[int, list[int]] = {}
    for member, label in zip(members, labels, strict=True):
        groups.setdefault(int(label), []).append(member)
    return sorted(groups.values())


def _cut_finer(
    members: Sequence[int], nearness: Nearness, *, min_nearness: float
) -> list[list[int]]:
    """Split a component that is too large by the pairs that are nearer still."""
    limit = min_nearness + _STEP
    graph = nx.Graph()
    graph.add_nodes_from(members)
    for start in range(0, len(members), LARGEST):
        for other in range(start, len(members), LARGEST):
            rows = members[start : start + LARGEST]
            columns = members[other : other + LARGEST]
            both = list(dict.fromkeys([*rows, *columns]))
            near = nearness(both)
            i, j = np.nonzero(np.triu(near >= limit, 1))
            graph.add_edges_from((both[a], both[b]) for a, b in zip(i, j, strict=True))
    groups: list[list[int]] = []
    for part in sorted(sorted(c) for c in nx.connected_components(graph)):
        if limit >= 1.0 and len(part) > LARGEST:
            groups.extend([m] for m in part)
        else:
            groups.extend(average_link(part, nearness, min_nearness=limit))
    return sorted(groups)


def mutual(
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    nearness: NDArray[np.float32],
    *,
    unit: NDArray[np.intp],
) -> NDArray[np.bool_]:
    """Tell of the pairs (first[k], second[k]) which are each other's nearest.

    `unit` gives each text the number of the group of copies it is in. What is nearest to any of
    a group is nearest to all of it, and texts of one group are no neighbours of each other.
    """
    a, b = unit[first], unit[second]
    between = a != b
    best = np.full(int(unit.max(initial=0)) + 1, -np.inf)
    for side in (a, b):
        np.maximum.at(best, side[between], nearness[between])
    return np.asarray(between & (nearness >= best[a]) & (nearness >= best[b]))


def joined(groups: Sequence[Sequence[int]], links: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Groups of which those that hold both ends of a link are one group."""
    graph = nx.Graph()
    for group in groups:
        graph.add_nodes_from(group)
        graph.add_edges_from((group[0], other) for other in group[1:])
    graph.add_edges_from((a, b) for a, b in links if a in graph and b in graph)
    return sorted(sorted(c) for c in nx.connected_components(graph))
