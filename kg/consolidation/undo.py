"""Takes merges back, so that the graph is what it was before them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Final

from ..errors import UsageError
from ..protocols import Embedder, GraphStore
from ..types import Batch, Domain, Edge, EdgeType, Insight, Project
from .apply import write_edges, write_insights
from .decisions import Decisions
from .plan import Undone
from .record import Made, Record, Removed
from .state import REVIEW, State, chunks, edges_of, read_records, read_state

_PROPOSED: Final[tuple[EdgeType, ...]] = ("SIMILAR_TO", "CONTRADICTS")
Key = tuple[str, str]
"""A run and a merged insight that it made."""


def undo(store: GraphStore, embedder: Embedder, id: str, *, remember: bool = True) -> Undone:
    """Take back a whole run, or one merged insight, and what was built on it later.

    What a merge took the place of comes back. What is taken back is remembered, so that no later
    consolidation makes it again, unless `remember` is False.

    Raises:
        UsageError: the id is of no run and of no merged insight.
        StoreError: the store could not be read or written.
    """
    state = read_state(store)
    run = next((r for r in state.records if r.id == id), None)
    if run is not None:
        return _Undoing(store, embedder, state).take_back(run=run, remember=remember)
    makers = [r for r in state.records if any(m.id == id for m in r.made)]
    if makers and id in state.merged:
        return _Undoing(store, embedder, state).take_back(
            merges=[(makers[-1].id, id)], remember=remember
        )
    raise UsageError(
        f"{id!r} is neither a consolidation nor a merged insight.",
        hint="List them with: stepladder merges",
    )


def undo_interrupted(store: GraphStore, embedder: Embedder) -> None:
    """Take back runs that were stopped before they were done."""
    while run := next((r for r in reversed(read_records(store)) if not r.done), None):
        _Undoing(store, embedder, read_state(store)).take_back(run=run, remember=False)


@dataclass(slots=True)
class _Told:
    """What was taken back so far."""

    insights: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    edges: int = 0


class _Undoing:
    """One undo over one state of the store."""

    def __init__(self, store: GraphStore, embedder: Embedder, state: State) -> None:
        self._store = store
        self._embedder = embedder
        self._state = state
        self._records = {r.id: r for r in state.records}
        self._merge_of = {(r.id, m.id): m for r in state.records for m in r.made}
        self._told = _Told()

    def take_back(
        self, *, run: Record | None = None, merges: Sequence[Key] = (), remember: bool
    ) -> Undone:
        """Take back a run, or some merges of runs."""
        asked = [(run.id, m.id) for m in run.made] if run else list(merges)
        if remember:
            self._remember(asked)
        self._merges(self._with_dependents(asked))
        if run is not None:
            self._run(run)
        return Undone(
            runs=(run.id,) if run else (),
            insights=tuple(self._told.insights),
            edges=self._told.edges,
            restored=tuple(self._told.restored),
        )

    def _made(self, key: Key) -> Made:
        return self._merge_of[key]

    def _with_dependents(self, keys: Iterable[Key]) -> list[Key]:
        """Some merges and those that took their place or stand on them, the latest first."""
        replacing: dict[str, list[Key]] = {}
        standing: dict[str, list[Key]] = {}
        for key, made in self._merge_of.items():
            for node in made.removed.nodes:
                replacing.setdefault(node.id, []).append(key)
            for member in made.members:
                standing.setdefault(member, []).append(key)
        found = set(keys)
        waiting = list(found)
        while waiting:
            run, id = waiting.pop()
            number = self._records[run].number
            later = (k for k in replacing.get(id, ()) if self._records[k[0]].number > number)
            dependents = {*later, *standing.get(id, ())} - found
            found |= dependents
            waiting.extend(dependents)
        return sorted(found, key=lambda k: (-self._records[k[0]].number, k[1]))

    def _merges(self, keys: Sequence[Key]) -> None:
        """Take back merges, run by run, the latest run first."""
        hung: set[str] = set()
        # What stands on a merged insight of the same run goes before it.
        order = sorted(keys, key=lambda k: (-self._records[k[0]].number, self._depth(k)))
        for run, some in groupby(order, key=itemgetter(0)):
            made = [self._made(key) for key in some]
            hung |= self._take_out([m.id for m in made])
            self._records[run] = self._records[run].without({m.id for m in made})
            number = self._records[run].number
            self._restore((m.removed for m in made), before=number)
        self._drop_unused(hung)
        for run in dict.fromkeys(run for run, _ in keys):
            self._store.write(Batch(nodes=(self._records[run].node(),)))

    def _take_out(self, ids: Sequence[str]) -> set[str]:
        """Delete merged insights; return the ids of the domains and projects they pointed at."""
        types: tuple[EdgeType, ...] = ("APPLIES_TO", "IN_PROJECT")
        hung = {e.target for e in edges_of(self._store, ids, types)}
        for some in chunks(ids):
            there = self._store.get(some)
            self._store.delete(some)
            self._told.insights.extend(id for id in some if id in there)
        return hung

    def _depth(self, key: Key) -> int:
        """0 for what stands highest."""
        made = self._made(key)
        return 0 if any(m in self._state.merged for m in made.members) else 1

    def _run(self, run: Record) -> None:
        """Take back what a run did besides its merges, and its record."""
        ids = [*self._state.insights, *self._state.merged]
        proposed = edges_of(self._store, ids, _PROPOSED)
        linked = edges_of(self._store, ids, ("GENERALIZES_TO",), incoming=True)
        own = [e for way in (proposed, linked) for e in way if e.merge_run == run.id]
        for some in chunks(own):
            self._told.edges += self._store.delete_edges(some)
        del self._records[run.id]
        self._restore([run.removed], before=run.number)
        self._store.delete([run.id])

    def _restore(self, removed: Iterable[Removed], *, before: int) -> None:
        """Put back what was taken out, as far as what it hangs on is still there.

        A merged insight comes back where an earlier run still says that it made it; an edge where
        the run that made it is still there.
        """
        earlier = {m.id for r in self._records.values() if r.number < before for m in r.made}
        parts = [r for r in removed if r]
        found = (n for r in parts for n in r.nodes)
        nodes = [n for n in found if isinstance(n, Insight) and n.id in earlier]
        write_insights(self._store, self._embedder, nodes)
        self._told.restored.extend(n.id for n in nodes)
        write_edges(self._store, (e for r in parts for e in r.edges if self._is_known(e)))

    def _is_known(self, edge: Edge) -> bool:
        return edge.merge_run in ("", REVIEW) or edge.merge_run in self._records

    def _drop_unused(self, ids: Collection[str]) -> None:
        """Take out domains and projects that only merged insights still pointed at."""
        used = {e.target for some in chunks(sorted(ids)) for e in self._pointing_at(some)}
        nodes: Mapping[str, object] = self._store.get(sorted(set(ids) - used))
        self._store.delete([id for id, n in nodes.items() if isinstance(n, (Domain, Project))])

    def _pointing_at(self, ids: Sequence[str]) -> Iterable[Edge]:
        return self._store.edges(ids, direction="in", most=1)

    def _remember(self, keys: Iterable[Key]) -> None:
        """Keep what must not be merged again: members that were not together before."""
        decisions = Decisions.read(self._store)
        apart: list[tuple[str, ...]] = []
        for key in keys:
            made = self._made(key)
            if any(m in self._state.merged for m in made.members):
                decisions = decisions.without_topics(
                    {leaf for m in made.members for leaf in self._state.leaves(m)}
                )
            else:
                apart.extend(_apart(made))
        if apart:
            decisions = decisions.with_rejected(apart)
        decisions.write(self._store)


def _apart(made: Made) -> list[tuple[str, ...]]:
    """Groups of members that a merge brought together."""
    before = {
        e.source: e.target
        for e in made.removed.edges
        if e.type == "GENERALIZES_TO" and e.source in made.members
    }
    blocks: dict[str, list[str]] = {}
    for member in made.members:
        blocks.setdefault(before.get(member, member), []).append(member)
    parts = list(blocks.values())
    if all(len(p) == 1 for p in parts):
        return [made.members]
    return [
        (a, b)
        for number, part in enumerate(parts)
        for other in parts[number + 1 :]
        for a in part
        for b in other
    ]
