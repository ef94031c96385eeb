"""The edges of a node, bounded: a program that every step uses has as many as there are steps."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..kg.types import Edge


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """The edges that are given, and how many more there are by `TYPE>` (out) and `TYPE<` (in)."""

    edges: tuple[Edge, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)


def bounded(edges: Sequence[Edge], id: str, *, most: int | None) -> Links:
    """At most `most` edges of each type and direction as seen from `id`, in their order."""
    if most is None:
        return Links(edges=tuple(edges))
    seen: Counter[str] = Counter()
    kept = []
    for edge in edges:
        way = f"{edge.type}{'>' if edge.source == id else '<'}"
        seen[way] += 1
        if seen[way] <= most:
            kept.append(edge)
    left_out = {way: number - most for way, number in sorted(seen.items()) if number > most}
    return Links(edges=tuple(kept), left_out=left_out)
