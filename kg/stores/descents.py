"""The way down from a memory, one child at a time, as every store walks it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from ..types import Edge

_DEEPEST = 12
"""Steps down at most; ladders have four or five. Chosen by us."""


def walk_down(
    paths: Mapping[str, Sequence[str]], edges_below: Callable[[list[str]], Iterable[Edge]]
) -> dict[str, list[str]]:
    """Lead each path on from its last node, the first child by id that is not on it yet.

    `edges_below` returns the edges that come from below some nodes.
    """
    found = {id: list(path) for id, path in paths.items()}
    walking = list(found)
    for _ in range(_DEEPEST):
        ends = sorted({found[id][-1] for id in walking})
        if not ends:
            break
        children: dict[str, set[str]] = defaultdict(set)
        for edge in edges_below(ends):
            children[edge.target].add(edge.source)
        walking = [id for id in walking if _step_down(found[id], children[found[id][-1]])]
    return found


def _step_down(path: list[str], children: set[str]) -> bool:
    options = children.difference(path)
    if options:
        path.append(min(options))
    return bool(options)
