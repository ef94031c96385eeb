"""What the store knows when a consolidation begins: insights, merges, runs, decisions."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, TypeGuard, TypeVar

from ..protocols import GraphStore
from ..types import LEVELS, Edge, EdgeType, Insight, MergeRun
from .decisions import Decisions, Pair, pair_of
from .guards import Veto
from .members import ORIGIN
from .record import Considered, Record, read_record
from .rewording import Rewording, rewordings

REVIEW: Final = "review"
"""`merge_run` of an edge that a person or an agent decided on."""

CHUNK: Final = 1000
_BETWEEN: Final[tuple[EdgeType, ...]] = ("KEEP_APART", "CONTRADICTS", "GENERALIZES_TO")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The insights of a store and what was done with them so far.

    `insights` are those that no merge made, by id; `merged` those that one made, by id; `members`
    maps each of the latter to the ids directly below it; `above` maps back. `records` are the
    runs, oldest first. `reworded` says of merged insights whose words a model wrote from what.

    Where `changed` is not None, only what is asked for is read: `insights` and the other mappings
    look up what they do not hold yet, and `changed` are ids of insights among which the new ones
    are. `fetch` looks up many at once. `merged_count` counts merged insights.
    """

    insights: Mapping[str, Insight] = field(default_factory=dict)
    merged: Mapping[str, Insight] = field(default_factory=dict)
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    above: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    records: tuple[Record, ...] = ()
    decisions: Decisions = field(default_factory=Decisions)
    reworded: Mapping[str, Rewording] = field(default_factory=dict)
    changed: tuple[str, ...] | None = None
    merged_count: int = 0
    fetch: Callable[[Collection[str]], None] = field(default=lambda _: None, compare=False)

    def new(self) -> list[str]:
        """Ids of insights that no run considered as they are now."""
        considered = Considered(self.records)
        asked = self.insights if self.changed is None else self.changed
        return [id for id in asked if self.insights[id] not in considered]

    def principles(self) -> set[str]:
        """Ids of merged insights that stand above merged insights."""
        if self.changed is None:
            return {id for id, ms in self.members.items() if set(ms) & self.merged.keys()}
        made = {m.id: m.members for r in self.records for m in r.made}
        return {id for id, ms in made.items() if set(ms) & made.keys() and id in self.merged}

    def siblings(self, id: str) -> frozenset[str]:
        """The insights that are merged with one, itself among them."""
        return frozenset({id, *(m for a in self.above.get(id, ()) for m in self.members[a])})

    def levels_up(self, id: str) -> frozenset[str]:
        """Every merged insight above an insight."""
        found: set[str] = set()
        waiting = [id]
        while waiting:
            for parent in self.above.get(waiting.pop(), ()):
                if parent not in found:
                    found.add(parent)
                    waiting.append(parent)
        return frozenset(found)

    def leaves(self, id: str) -> tuple[str, ...]:
        """The insights that no merge made below a merged one, or the one itself."""
        if id not in self.members:
            return (id,)
        return tuple(sorted({leaf for m in self.members[id] for leaf in self.leaves(m)}))


def is_plain(node: object) -> TypeGuard[Insight]:
    """Tell whether a node is an insight that no merge made."""
    if not isinstance(node, Insight):
        return False
    return node.origin != ORIGIN and node.level == LEVELS["insight"]


def is_merge(edge: Edge) -> bool:
    """Tell whether an edge leads from a member to a merged insight, if its target is one."""
    return edge.merge_run not in ("", REVIEW)


def read_state(store: GraphStore, *, records: tuple[Record, ...] | None = None) -> State:
    """Read everything that a consolidation starts from; `records` where they are read already."""
    found = [n for n in store.find("Insight") if isinstance(n, Insight)]
    merged = {n.id: n for n in found if n.origin == ORIGIN}
    members: dict[str, list[str]] = {id: [] for id in merged}
    above: dict[str, list[str]] = {}
    for edge in edges_of(store, list(merged), ("GENERALIZES_TO",), incoming=True):
        if is_merge(edge):
            members[edge.target].append(edge.source)
            above.setdefault(edge.source, []).append(edge.target)
    return State(
        insights={n.id: n for n in found if is_plain(n)},
        merged=merged,
        merged_count=len(merged),
        members={id: tuple(sorted(ms)) for id, ms in members.items()},
        above={id: tuple(sorted(ms)) for id, ms in above.items()},
        records=read_records(store) if records is None else records,
        decisions=Decisions.read(store),
        reworded=rewordings(store),
    )


def read_records(store: GraphStore) -> tuple[Record, ...]:
    """Every run, oldest first."""
    found = (read_record(n) for n in store.find("MergeRun") if isinstance(n, MergeRun))
    records = (r for r in found if r is not None)
    return tuple(sorted(records, key=lambda r: (r.number, r.id)))


def edges_of(
    store: GraphStore, ids: Sequence[str], types: Sequence[EdgeType], *, incoming: bool = False
) -> Iterator[Edge]:
    """The edges of some types that leave some nodes, or come in to them."""
    for some in chunks(ids):
        yield from store.edges(some, types=types, direction="in" if incoming else "out")


def chunks(values: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """Values in lists of at most `size`."""
    rest = iter(values)
    while some := list(islice(rest, size)):
        yield some


class Blocked:
    """What the graph and people have against merging pairs of insights."""

    def __init__(self, vetoes: Mapping[Pair, Veto], decisions: Decisions) -> None:
        self._vetoes = vetoes
        self._decisions = decisions
        self._mentioned = {id for pair in vetoes for id in pair}
        self._mentioned |= {id for group in decisions.rejected for id in group}
        self._mentioned |= {id for pair in decisions.same for id in pair}

    def between(self, a: str, b: str) -> Veto | None:
        """What stands against merging two ids."""
        found = self._vetoes.get(pair_of(a, b))
        if found is None and self._decisions.rejects(a, b):
            return Veto("rejected", "a merge of both was taken back")
        return found

    def mentions(self, id: str) -> bool:
        """Tell whether anything is said of an id."""
        return id in self._mentioned


def read_blocks(store: GraphStore, ids: Collection[str], decisions: Decisions) -> Blocked:
    """Read what stands between some insights: edges of theirs, and what was decided."""
    vetoes: dict[Pair, Veto] = {}
    wanted = set(ids)
    for edge in edges_of(store, sorted(wanted), _BETWEEN):
        if edge.target not in wanted:
            continue
        pair = pair_of(edge.source, edge.target)
        if edge.type == "KEEP_APART":
            vetoes[pair] = Veto("apart", edge.quote or "kept apart by decision")
        elif edge.type == "CONTRADICTS":
            vetoes.setdefault(pair, Veto("contradicts", edge.quote or "they contradict each other"))
        else:
            vetoes.setdefault(pair, Veto("related", "one is more general than the other"))
    return Blocked(vetoes, decisions)
