"""One consolidation: look, plan, and unless it is a dry run, do it."""

from dataclasses import dataclass, replace
from typing import Final

from ..protocols import Embedder, GraphStore
from .apply import Changes, apply_changes
from .links import inferred_links
from .looked_up import look_up_state
from .plan import Consolidation, Limits
from .planner import Planner
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
    state = _read(store, records, request=request, known=known)
    planned = _plan(store, embedder, state, request=request, limits=limits, time=time)
    if planned is None:
        return Consolidation(time=time, dry_run=dry_run, considered=len(state.insights))
    result, changes = planned
    if not dry_run:
        apply_changes(store, embedder, changes)
        if request.only_touched:
            sequence = known.sequence if known else -1
        if sequence >= 0:
            keep_progress(
                store,
                (*records, changes.record),
                verified=sequence,
                merged=state.merged_count + _more(changes, state),
            )
    return replace(result, dry_run=dry_run)


def _read(
    store: GraphStore, records: tuple[Record, ...], *, request: Request, known: Progress | None
) -> State:
    """Read what is new since a sequence, or everything where that is not enough."""
    if known is not None:
        changed = store.changed("Insight", since=known.sequence)
        if not changed.removed:  # a merged insight that lost a member is found by reading all
            found = [n for n in changed.memories if is_plain(n)]
            state = look_up_state(store, records=records, changed=found, merged=known.merged)
            if not _is_whole(state, request):
                return state
    return read_state(store, records=records)


def _plan(
    store: GraphStore,
    embedder: Embedder,
    state: State,
    *,
    request: Request,
    limits: Limits,
    time: str,
) -> tuple[Consolidation, Changes] | None:
    frozen = _frozen(state)
    new = [] if request.only_touched else state.new()
    touched = {*request.touched, *_broken(state)} & state.insights.keys()
    whole = _is_whole(state, request)
    if not state.insights or not (whole or new or touched):
        return None
    if whole:
        survey = survey_all(store, embedder, state, limits=limits, statistics=request.statistics)
        new = list(state.insights) if request.full else new
    else:
        survey = survey_some(
            store,
            embedder,
            state,
            statistics=frozen or Statistics.none(),
            fresh=new,
            touched=touched,
            limits=limits,
        )
    planner = Planner(store, state, survey, limits=limits)
    merges = planner.merges()
    found = planner.proposals(merges)
    seen = frozenset(fingerprint(state.insights[id]) for id in new)
    record = Record(
        id=_free_id(state, run_id(time, seen, request.touched)),
        time=time,
        number=1 + max((r.number for r in state.records), default=0),
        limits=limits,
        statistics=survey.statistics if survey.fresh is None else None,
        seen=seen,
    )
    links = (
        []
        if request.only_touched
        else inferred_links(store, state, survey.statistics, run=record.id)
    )
    changes = planner.changes(record, merges, found, links=links)
    return planner.result(changes, new=len(new), whole=survey.fresh is None), changes


def _frozen(state: State) -> Statistics | None:
    """The statistics that scores rest on until new ones are taken."""
    return next((r.statistics for r in reversed(state.records) if r.statistics), None)


def _is_whole(state: State, request: Request) -> bool:
    if request.full:
        return True
    if request.only_touched:
        return False
    frozen = _frozen(state)
    if frozen is None:
        return bool(state.insights)
    return max(len(state.insights), len(state.new())) > GROWTH * frozen.insights


def _more(changes: Changes, state: State) -> int:
    """How many merged insights there are more than before."""
    new = sum(n.id not in state.merged for n in changes.nodes)
    return new - sum(id in state.merged for id in changes.gone)


def _broken(state: State) -> set[str]:
    """Members of merged insights that lost one; none where nothing was removed."""
    if state.changed is not None:
        return set()
    expected = {m.id: m.members for r in state.records for m in r.made}
    return {
        leaf
        for id, members in state.members.items()
        if members != expected.get(id, members)
        for leaf in members
    }


def _free_id(state: State, id: str) -> str:
    taken = {r.id for r in state.records}
    number = 2
    free = id
    while free in taken:
        free = f"{id}-{number}"
        number += 1
    return free
