"""Which fields of work share insights."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations

from ..kg.protocols import GraphStore
from ..kg.types import EVERYTHING, Domain, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainPair:
    """Two domains by name, in order, and how many insights apply to both."""

    a: str
    b: str
    shared: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainMap:
    """The ids of the insights that apply to each domain, and which domains share some.

    `insights` is ordered by how many there are, the most first, ties by name; so are `pairs`.
    """

    insights: Mapping[str, frozenset[str]] = field(default_factory=dict)
    pairs: tuple[DomainPair, ...] = ()

    def shared(self, a: str, b: str) -> tuple[str, ...]:
        """Ids of the insights that apply to both, in order; of one alone where both are one."""
        nothing: frozenset[str] = frozenset()
        return tuple(sorted(self.insights.get(a, nothing) & self.insights.get(b, nothing)))


def domain_map(store: GraphStore, *, scope: Scope = EVERYTHING) -> DomainMap:
    """Read which insights apply to which domains.

    Raises:
        StoreError: the store could not be read.
    """
    names = {n.id: n.name for n in store.find("Domain", scope=scope) if isinstance(n, Domain)}
    found: dict[str, set[str]] = {name: set() for name in names.values()}
    edges = store.edges(sorted(names), types=("APPLIES_TO",), direction="in", scope=scope)
    for edge in edges:
        found[names[edge.target]].add(edge.source)
    order = sorted(found, key=lambda name: (-len(found[name]), name))
    insights = {name: frozenset(found[name]) for name in order}
    pairs = [
        DomainPair(a=a, b=b, shared=len(insights[a] & insights[b]))
        for a, b in combinations(sorted(order), 2)
    ]
    pairs.sort(key=lambda p: (-p.shared, p.a, p.b))
    return DomainMap(insights=insights, pairs=tuple(p for p in pairs if p.shared))
