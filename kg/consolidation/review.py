"""What people and agents ask and decide: proposals, verdicts on pairs, the runs of the past."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from ..errors import UsageError
from ..protocols import Embedder, GraphStore
from ..types import Batch, Edge, EdgeType, Insight, Support
from .consolidate import Request, consolidate
from .decisions import Decisions, pair_of
from .looked_up import look_up
from .plan import Compared, Consolidation, Limits, RunSummary
from .settle import between_domains
from .state import REVIEW, State, edges_of, read_blocks, read_records, read_state
from .statistics import Statistics
from .survey import pool_of, scorer_of

Verdict = Literal["same", "broader", "narrower", "opposite", "apart"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)

_OF_PAIRS: Final[tuple[EdgeType, ...]] = ("SIMILAR_TO", "CONTRADICTS", "KEEP_APART")


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """Two insights that may be the same, side by side, with what stands behind each.

    `proposed` is what the words speak for: `broader` means that `a` is the broader one. `note`
    says what keeps them from being merged unattended.
    """

    a: Insight
    b: Insight
    nearness: float
    proposed: Verdict
    note: str = ""
    across: bool = False
    support_a: Support
    support_b: Support


def suggestions(store: GraphStore, *, limit: int | None = None) -> list[Suggestion]:
    """The pairs that wait for a verdict, those from different domains first, then the nearest."""
    state = read_state(store)
    edges = _nearest(list(_open(store, state)), state)
    nodes = {**state.insights, **state.merged}
    order = sorted(
        edges,
        key=lambda e: (
            not between_domains(nodes[e.source], nodes[e.target]),
            -(e.score or 0.0),
            e.source,
            e.target,
        ),
    )[:limit]
    support = store.support(sorted({id for e in order for id in (e.source, e.target)}))
    return [_suggestion(e, nodes[e.source], nodes[e.target], support=support) for e in order]


def _open(store: GraphStore, state: State) -> Iterable[Edge]:
    """Proposals on which nobody decided and whose ends no merge brought together."""
    ids = [*state.insights, *state.merged]
    edges = [e for e in edges_of(store, ids, ("SIMILAR_TO",)) if e.merge_run != REVIEW]
    blocks = read_blocks(store, ids, state.decisions)
    for edge in edges:
        together = state.levels_up(edge.source) & state.levels_up(edge.target)
        if not together and blocks.between(edge.source, edge.target) is None:
            yield edge


def _nearest(edges: Sequence[Edge], state: State) -> list[Edge]:
    """Without those proposed because each was the other's nearest, where by now one is nearer."""
    limits = {r.id: r.limits for r in state.records}
    best: dict[str, float] = {}
    for edge in edges:
        for end in (edge.source, edge.target):
            best[end] = max(best.get(end, 0.0), edge.score or 0.0)
    return [
        edge
        for edge in edges
        if (score := edge.score or 0.0) >= limits.get(edge.merge_run, Limits()).suggestion
        or score >= max(best[edge.source], best[edge.target])
    ]


def _suggestion(edge: Edge, a: Insight, b: Insight, *, support: dict[str, Support]) -> Suggestion:
    proposed: Verdict = "same"
    if edge.quote.startswith("opposite"):
        proposed = "opposite"
    elif edge.quote.startswith("narrower"):
        proposed = "broader" if len(a.full) < len(b.full) else "narrower"
    return Suggestion(
        a=a,
        b=b,
        nearness=edge.score or 0.0,
        proposed=proposed,
        note=edge.quote,
        across=between_domains(a, b),
        support_a=support.get(a.id, Support()),
        support_b=support.get(b.id, Support()),
    )


def compare(store: GraphStore, embedder: Embedder, a: str, b: str) -> Compared:
    """Two insights side by side, scored by the statistics of the last consolidation.

    Raises:
        UsageError: one of them is no insight, or both are one.
    """
    return compare_pairs(store, embedder, [(a, b)])[0]


def compare_pairs(
    store: GraphStore, embedder: Embedder, pairs: Sequence[tuple[str, str]]
) -> tuple[Compared, ...]:
    """Pairs of insights side by side, in the order given, by the last consolidation's statistics.

    Raises:
        UsageError: one of them is no insight, or both of a pair are one.
    """
    state = look_up(store)
    same = next((a for a, b in pairs if a == b), None)
    if same is not None:
        raise UsageError(f"{same!r} and {same!r} are one insight.")
    asked = {id: _insight(state, id) for pair in pairs for id in pair}
    frozen = next((r.statistics for r in reversed(state.records) if r.statistics), None)
    scorer = scorer_of(store, embedder, frozen or Statistics.none())
    pool = pool_of(store, replace(state, insights=asked), scorer, asked)
    return pool.compared([(pool.place[a], pool.place[b]) for a, b in pairs])


def decide(
    store: GraphStore, embedder: Embedder, a: str, b: str, verdict: Verdict, *, time: str
) -> Consolidation:
    """Keep a verdict on two insights and do what follows from it at once.

    `same` merges them, `broader` says that `a` is the broader one, `narrower` that `b` is,
    `opposite` that they contradict each other, `apart` that they must never be merged. An earlier
    verdict on the pair is taken back first.

    Raises:
        UsageError: no such verdict, one of them is no insight, or both are one.
    """
    if verdict not in VERDICTS:
        raise UsageError(f"Unknown verdict {verdict!r}. Available: {', '.join(VERDICTS)}.")
    state = look_up(store)
    first, second = _insight(state, a), _insight(state, b)
    if first.id == second.id:
        raise UsageError(f"{a!r} and {b!r} are one insight.")
    _forget(store, state, first.id, second.id)
    if verdict == "same":
        _keep_same(store, state, first.id, second.id)
    else:
        _refuse_loop(store, first.id, second.id, verdict)
        store.write(Batch(edges=(_edge(first.id, second.id, verdict),)))
    leaves = (*state.leaves(first.id), *state.leaves(second.id))
    request = Request(touched=tuple(sorted(leaves)), only_touched=True)
    return consolidate(store, embedder, time=time, request=request)


def reconsider(store: GraphStore, a: str, b: str) -> bool:
    """Take back what was decided on two insights, and tell whether there was anything.

    A merge that follows from it stays until it is taken back itself.

    Raises:
        UsageError: one of them is no insight.
    """
    state = look_up(store)
    first, second = _insight(state, a), _insight(state, b)
    return _forget(store, state, first.id, second.id)


def runs(store: GraphStore) -> list[RunSummary]:
    """The consolidations that stand, oldest first."""
    return [
        RunSummary(
            id=r.id,
            time=r.time,
            merges=len(r.made),
            suggested=r.counts.get("suggested", 0),
            merged=tuple(m.id for m in r.made),
            crossings=tuple(m.id for m in r.made if m.promoted),
        )
        for r in read_records(store)
    ]


def _insight(state: State, id: str) -> Insight:
    found = state.insights.get(id) or state.merged.get(id)
    if found is None:
        raise UsageError(f"{id!r} is no insight.", hint="Find one with: stepladder query 'a task'")
    return found


def _edge(a: str, b: str, verdict: Verdict) -> Edge:
    if verdict == "broader":
        return Edge(source=b, type="GENERALIZES_TO", target=a, merge_run=REVIEW)
    if verdict == "narrower":
        return Edge(source=a, type="GENERALIZES_TO", target=b, merge_run=REVIEW)
    source, target = pair_of(a, b)
    type: EdgeType = "CONTRADICTS" if verdict == "opposite" else "KEEP_APART"
    return Edge(source=source, type=type, target=target, merge_run=REVIEW)


def _refuse_loop(store: GraphStore, a: str, b: str, verdict: Verdict) -> None:
    """Do not put an insight above one that stands above it."""
    if verdict not in ("broader", "narrower"):
        return
    low, high = (b, a) if verdict == "broader" else (a, b)
    above = {e.target for e in store.ancestry([high])}
    if low in above:
        raise UsageError(f"{low!r} stands above {high!r} already.")


def _keep_same(store: GraphStore, state: State, a: str, b: str) -> None:
    decisions = Decisions.read(store)
    if a in state.merged and b in state.merged:
        decided = decisions.with_topic(state.leaves(a)[0], state.leaves(b)[0])
    else:
        decided = decisions.with_same(state.leaves(a)[0], state.leaves(b)[0])
    decided.write(store)


def _forget(store: GraphStore, state: State, a: str, b: str) -> bool:
    """Take back every verdict on a pair."""
    decisions = Decisions.read(store)
    kept = decisions
    for one in state.leaves(a):
        for other in state.leaves(b):
            kept = kept.without(one, other)
    if kept != decisions:
        kept.write(store)
    types: tuple[EdgeType, ...] = (*_OF_PAIRS, "GENERALIZES_TO")
    edges = [
        e
        for e in store.edges([a, b], types=types)
        if {e.source, e.target} == {a, b} and (e.merge_run == REVIEW or e.type == "KEEP_APART")
    ]
    return bool(store.delete_edges(edges)) or kept != decisions
