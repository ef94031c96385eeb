"""A state of which only what is asked for is read, so that its cost is that of what is new."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from ..protocols import GraphStore
from ..types import Insight
from .decisions import Decisions
from .members import ORIGIN
from .record import Record
from .rewording import rewordings
from .state import State, chunks, edges_of, is_merge, is_plain, read_records

V = TypeVar("V")
Read = Callable[[Sequence[str]], Mapping[str, V]]


class LookedUp(Mapping[str, V]):
    """Values by id that are read when they are asked for, and kept.

    `read` gives those of some ids, `everything` all there are, `count` how many there are. Without
    the latter two the values can only be asked for by id. `known` was read already.
    """

    def __init__(
        self,
        read: Read[V],
        *,
        everything: Callable[[], Mapping[str, V]] | None = None,
        count: Callable[[], int] | None = None,
        known: Mapping[str, V] | None = None,
    ) -> None:
        self._read = read
        self._everything = everything
        self._count = count
        self._length: int | None = None
        self._known: dict[str, V | None] = dict(known or {})

    def fetch(self, ids: Collection[str]) -> None:
        """Read those of some ids that are not known yet."""
        missing = sorted({id for id in ids if id not in self._known})
        for some in chunks(missing):
            found = self._read(some)
            self._known.update({id: found.get(id) for id in some})

    def __getitem__(self, id: str) -> V:
        self.fetch((id,))
        value = self._known[id]
        if value is None:
            raise KeyError(id)
        return value

    def __iter__(self) -> Iterator[str]:
        if self._everything is None:
            raise TypeError("These values can only be asked for by id.")
        found = self._everything()
        self._known.update(found)
        return iter(found)

    def __len__(self) -> int:
        if self._length is None:
            if self._count is None:
                raise TypeError("These values can only be asked for by id.")
            self._length = self._count()
        return self._length


def look_up(store: GraphStore) -> State:
    """The state of a store for questions about insights that are named."""
    return look_up_state(store, records=read_records(store), changed=(), merged=0)


def look_up_state(
    store: GraphStore,
    *,
    records: tuple[Record, ...],
    changed: Sequence[Insight],
    merged: int,
    count: int | None = None,
) -> State:
    """The state of a store, of which nothing but records and decisions is read at once.

    `changed` are the insights among which the new ones are, in the order of their ids; `merged`
    counts merged insights, `count` all there are, where that is known.
    """
    over = LookedUp(lambda ids: _merged(store, ids))

    def above(ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        edges = [e for e in edges_of(store, ids, ("GENERALIZES_TO",)) if is_merge(e)]
        over.fetch({e.target for e in edges})
        ends = [(e.source, e.target) for e in edges if e.target in over]
        return _grouped(ends)

    def members(ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        over.fetch(ids)
        wanted = [id for id in ids if id in over]
        edges = edges_of(store, wanted, ("GENERALIZES_TO",), incoming=True)
        nothing: dict[str, tuple[str, ...]] = dict.fromkeys(wanted, ())
        return nothing | _grouped((e.target, e.source) for e in edges if is_merge(e))

    insights = LookedUp(
        lambda ids: {id: n for id, n in store.get(ids).items() if is_plain(n)},
        everything=lambda: {n.id: n for n in store.find("Insight") if is_plain(n)},
        count=lambda: _count(store, count) - merged,
        known={i.id: i for i in changed},
    )
    parents = LookedUp(above)
    children = LookedUp(members)

    def fetch(ids: Collection[str]) -> None:
        insights.fetch(ids)
        parents.fetch(ids)
        children.fetch({parent for id in ids for parent in parents.get(id, ())})

    return State(
        insights=insights,
        merged=over,
        merged_count=merged,
        members=children,
        above=parents,
        records=records,
        decisions=Decisions.read(store),
        reworded=rewordings(store),
        changed=tuple(i.id for i in changed),
        fetch=fetch,
    )


def _count(store: GraphStore, known: int | None) -> int:
    return store.counts().labels.get("Insight", 0) if known is None else known


def _merged(store: GraphStore, ids: Sequence[str]) -> dict[str, Insight]:
    found = store.get(ids).items()
    return {id: n for id, n in found if isinstance(n, Insight) and n.origin == ORIGIN}


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return {key: tuple(sorted(values)) for key, values in found.items()}
