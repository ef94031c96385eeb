"""The way down: from a memory to a run that bears it out."""

from collections.abc import Mapping, Sequence
from typing import Final

from ..kg.protocols import GraphStore
from ..kg.types import Scope

_DEEPEST: Final = 12


def paths_down(
    store: GraphStore,
    ids: Sequence[str],
    *,
    towards: Mapping[str, Sequence[str]],
    above: Mapping[str, frozenset[str]],
    scope: Scope,
) -> dict[str, tuple[str, ...]]:
    """For each id one path down to a leaf of the graph, the id first, as far as `scope` allows.

    `towards` names leaves that a path should lead to, best first, and `above` what stands above
    each of them; where none of them can be reached, the first id in order is followed.
    """
    paths = {id: [id] for id in ids}
    walking = list(paths)
    for _ in range(_DEEPEST):
        ends = sorted({paths[id][-1] for id in walking})
        if not ends:
            break
        children: dict[str, list[str]] = {}
        for edge in store.edges(ends, types=("GENERALIZES_TO",), direction="in", scope=scope):
            children.setdefault(edge.target, []).append(edge.source)
        still = []
        for id in walking:
            options = [c for c in children.get(paths[id][-1], ()) if c not in paths[id]]
            if options:
                paths[id].append(_choose(options, towards.get(id, ()), above))
                still.append(id)
        walking = still
    return {id: tuple(path) for id, path in paths.items()}


def _choose(
    options: Sequence[str], towards: Sequence[str], above: Mapping[str, frozenset[str]]
) -> str:
    for leaf in towards:
        over = above.get(leaf, frozenset())
        leading = [o for o in options if o == leaf or o in over]
        if leading:
            return min(leading)
    return min(options)
