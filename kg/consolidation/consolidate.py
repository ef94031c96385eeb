"""One consolidation: look, plan, and unless it is a dry run, do it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ..protocols import Embedder, GraphStore
from .apply import Changes, apply_changes
from .links import Links, inferred_links
from .looked_up import look_up_state
from .plan import Consolidation, Limits
from .planner import Planner
from .prints import Prints
from .progress import Progress, considered_up_to, keep_progress
from .record import Record, fingerprint, run_id
from .state import State, is_plain, read_records, read_state
from .statistics import Statistics
from .survey import survey_all, survey_some
from .undo import undo_interrupted

GROWTH: Final = 1.25
"""How much a store may grow until the statistics are taken anew. Chosen by us."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a consolidation is asked to look at.

    `touched` are insights whose groups are looked at again; with `only_touched` nothing else is.
    `statistics` are to be used where everything is looked at, in place of new ones.
    """

    full: bool = False
    statistics: Statistics | None = None
    touched: tuple[str, ...] = ()
    only_touched: bool = False


def consolidate(
    store: GraphStore,
    embedder: Embedder,
    *,
    time: str,
    dry_run: bool = False,
    request: Request | None = None,
    limits: Limits | None = None,
) -> Consolidation:
    """Merge the insights that say the same, propose what may, and record it.

    Only insights that no consolidation has seen are looked at, and what they touch. The first
    time, where `full` is asked for, and after growth by a quarter, all are, with new statistics.

    Raises:
        StoreError: the store could not be read or written.
    """
    request = request or Request()
    limits = limits or Limits()
    records = read_records(store)
    if not dry_run and not all(r.done for r in records):
        undo_interrupted(store, embedder)
        records = read_records(store)
    sequence = store.sequence()
    known = considered_up_to(store, records)
    found = _look(store, records, request=request, known=known)
    planned = _plan(store, embedder, found, request=request, limits=limits, time=time)
    if planned is None:
        return Consolidation(time=time, dry_run=dry_run, considered=len(found.state.insights))
    if not dry_run:
        apply_changes(store, embedder, planned.changes)
        linked = known.linked if request.only_touched and known else sequence
        if request.only_touched:
            sequence = known.sequence if known else -1
        if sequence >= 0:
            keep_progress(
                store,
                (*records, planned.changes.record),
                verified=sequence,
                merged=found.state.merged_count + _more(planned.changes, found.state),
                linked=linked,
                waiting=planned.waiting,
            )
    return replace(planned.result, dry_run=dry_run)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A state, ids of insights that no run considered, and of members of what lost a member."""

    state: State
    known: Progress | None
    new: tuple[str, ...] = ()
    broken: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Planned:
    """What is told, what is to be written, and the domains of runs that wait for an insight."""

    result: Consolidation
    changes: Changes
    waiting: tuple[str, ...]


def _look(
    store: GraphStore, records: tuple[Record, ...], *, request: Request, known: Progress | None
) -> _Found:
    """Read what is new since a sequence, or everything where that is not enough."""
    if known is not None:
        changed = store.changed("Insight", since=known.sequence)
        state = look_up_state(
            store,
            records=records,
            changed=[n for n in changed.memories if is_plain(n)],
            merged=known.merged,
            count=changed.count,
        )
        new = state.new()
        enough = not changed.removed or _none_gone(known, changed.count, new=len(new))
        if enough and not _is_whole(state, request, new=len(new)):
            broken = _broken(state) if changed.removed else frozenset[str]()
            return _Found(state=state, known=known, new=tuple(new), broken=broken)
    state = read_state(store, records=records)
    return _Found(state=state, known=known, new=tuple(state.new()), broken=_broken(state))


def _none_gone(known: Progress, count: int | None, *, new: int) -> bool:
    """Tell whether the insights there are add up, so that only other memories were removed."""
    if known.insights is None or count is None:
        return False
    return count == known.insights + known.merged + new


def _plan(
    store: GraphStore,
    embedder: Embedder,
    found: _Found,
    *,
    request: Request,
    limits: Limits,
    time: str,
) -> _Planned | None:
    state = found.state
    whole = _is_whole(state, request, new=len(found.new))
    new = () if request.only_touched else found.new
    touched = {*request.touched, *found.broken} & state.insights.keys()
    if not state.insights or not (whole or new or touched):
        return None
    if whole:
        survey = survey_all(store, embedder, state, limits=limits, statistics=request.statistics)
        new = tuple(state.insights) if request.full else new
    else:
        survey = survey_some(
            store,
            embedder,
            state,
            statistics=_frozen(state) or Statistics.none(),
            fresh=new,
            touched=touched,
            limits=limits,
        )
    planner = Planner(store, state, survey, limits=limits)
    merges = planner.merges()
    proposed = planner.proposals(merges)
    seen = Prints.of(fingerprint(state.insights[id]) for id in new)
    record = Record(
        id=_free_id(state, run_id(time, seen, request.touched)),
        time=time,
        number=1 + max((r.number for r in state.records), default=0),
        limits=limits,
        statistics=survey.statistics if survey.fresh is None else None,
        seen=seen,
        again=_again(state, found.new, new),
    )
    links = Links(waiting=found.known.waiting if found.known else ())
    if not request.only_touched:
        links = inferred_links(
            store, state, survey.statistics, run=record.id, new=new, known=found.known
        )
    changes = planner.changes(record, merges, proposed, links=links.edges)
    result = planner.result(changes, new=len(new), whole=survey.fresh is None)
    return _Planned(result=result, changes=changes, waiting=links.waiting)


def _again(state: State, unseen: Sequence[str], considered: Sequence[str]) -> tuple[str, ...]:
    """Ids of which a run must say that their words were considered now, whatever was before."""
    if not state.records:
        return ()
    known = {id for r in state.records for id in r.again}
    return tuple(sorted({*unseen, *(id for id in considered if id in known)}))


def _frozen(state: State) -> Statistics | None:
    """The statistics that scores rest on until new ones are taken."""
    return next((r.statistics for r in reversed(state.records) if r.statistics), None)


def _is_whole(state: State, request: Request, *, new: int) -> bool:
    if request.full:
        return True
    if request.only_touched:
        return False
    frozen = _frozen(state)
    if frozen is None:
        return bool(state.insights)
    return max(len(state.insights), new) > GROWTH * frozen.insights


def _more(changes: Changes, state: State) -> int:
    """How many merged insights there are more than before."""
    new = sum(n.id not in state.merged for n in changes.nodes)
    return new - sum(id in state.merged for id in changes.gone)


def _broken(state: State) -> frozenset[str]:
    """Members of merged insights that lost one, among what was changed where not all was read.

    An insight that was removed and came back as it was is no longer below what it was merged into.
    """
    expected = {m.id: m.members for r in state.records for m in r.made}
    ids: Iterable[str] = state.members
    if state.changed is not None:
        changed = set(state.changed)
        ids = [id for id, members in expected.items() if not changed.isdisjoint(members)]
    found: set[str] = set()
    for id in ids:
        if id in state.merged:
            there = state.members[id]
            meant = expected.get(id, there)
            if there != meant:
                found.update(there, meant)
    return frozenset(found)


def _free_id(state: State, id: str) -> str:
    taken = {r.id for r in state.records}
    number = 2
    free = id
    while free in taken:
        free = f"{id}-{number}"
        number += 1
    return free
