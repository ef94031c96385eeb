"""The way down: from a memory to a run that bears it out."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ..kg.protocols import GraphStore
from ..kg.types import Edge, Scope

_LEAVES: Final = 3
"""Leaves that a path is looked for to; the nearest is in scope as a rule."""


def paths_down(
    store: GraphStore, ids: Sequence[str], *, towards: Mapping[str, Sequence[str]], scope: Scope
) -> dict[str, tuple[str, ...]]:
    """For each id one path down to a leaf of the graph, the id first, as far as `scope` allows.

    `towards` names leaves below an id that its path should lead to, best first; where none of
    them can be reached, the first id in order is followed.
    """
    leaves = {id: towards.get(id, ())[:_LEAVES] for id in ids}
    wanted = sorted({leaf for some in leaves.values() for leaf in some})
    parents = _parents(store.ancestry(wanted, scope=scope)) if wanted else {}
    paths = {id: _towards(id, leaves[id], parents) for id in ids}
    below = store.descents(sorted({path[-1] for path in paths.values()}), scope=scope)
    return {id: tuple(dict.fromkeys((*path, *below[path[-1]]))) for id, path in paths.items()}


def _parents(edges: Iterable[Edge]) -> dict[str, list[str]]:
    parents: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        parents[edge.source].append(edge.target)
    return parents


def _towards(id: str, leaves: Sequence[str], parents: Mapping[str, Sequence[str]]) -> list[str]:
    """The shortest path from an id down to the first leaf that stands below it, or the id alone."""
    return next((path for leaf in leaves if (path := _climbing(leaf, id, parents))), [id])


def _climbing(leaf: str, top: str, parents: Mapping[str, Sequence[str]]) -> list[str]:
    """The shortest path from `top` down to `leaf`, found upwards; empty where there is none."""
    below: dict[str, str] = {}
    level = [leaf]
    while level and top not in below:
        above: list[str] = []
        for node in level:
            for parent in sorted(parents.get(node, ())):
                if parent not in below and parent != leaf:
                    below[parent] = node
                    above.append(parent)
        level = above
    if top not in below:
        return []
    path = [top]
    while path[-1] != leaf:
        path.append(below[path[-1]])
    return path
