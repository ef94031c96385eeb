"""From a survey of insights to what is to be written and what is to be told."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ..protocols import GraphStore
from ..types import Edge, EdgeType, Project
from .apply import Changes
from .clusters import components
from .decisions import Pair, pair_of
from .evidence import backing, shared_evidence
from .plan import Compared, Consolidation, Limits, Merge, Withheld
from .promotion import merges_of, principle
from .record import Made, Record, Removed
from .rewording import in_kept_words
from .settle import Grouping, Proposals, Proposed, across_domains, near_enough, proposals
from .state import REVIEW, State, edges_of
from .survey import Survey

_MOVED: Final[tuple[EdgeType, ...]] = ("SHOWED", "USED", "WITHHELD", "KEEP_APART", "CONTRADICTS")
"""Edges that a merged insight hands on to the one that takes its place."""

_SHOWN: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The merges that should stand among what was looked at, and what may not cross scopes.

    `standing` are ids of merged insights that are there already and stay as they are.
    """

    merges: tuple[Merge, ...]
    withheld: tuple[Withheld, ...] = ()
    standing: frozenset[str] = frozenset()
    together: Mapping[str, str] = field(default_factory=dict)


class Planner:
    """Plans one consolidation over one survey."""

    def __init__(self, store: GraphStore, state: State, survey: Survey, *, limits: Limits) -> None:
        self._store = store
        self._state = state
        self._survey = survey
        self._near = near_enough(survey.pool, survey.pairs, limits=limits)
        self._limits = limits

    def merges(self) -> Planned:
        """Decide what is to be merged."""
        survey = self._survey
        grouping = Grouping(
            survey.pool,
            survey.pairs.where(
                self._near | across_domains(survey.pool, survey.pairs, limits=self._limits)
            ),
            limits=self._limits,
            same=self._state.decisions.same,
            quorum=lambda pairs: shared_evidence(self._store, pairs),
        )
        projects = [n.name for n in self._store.find("Project") if isinstance(n, Project)]
        found, withheld = merges_of(
            survey.pool,
            grouping.groups(survey.touched),
            regroup=grouping.within,
            backings=lambda ids: backing(self._store, ids),
            projects=projects,
        )
        found = [self._in_kept_words(m) for m in found]
        together = {m.id: merge.insight.id for merge in found for m in merge.members}
        standing = frozenset(m.insight.id for m in found if self._stands(m))
        return Planned(
            merges=tuple(found), withheld=tuple(withheld), standing=standing, together=together
        )

    def _stands(self, merge: Merge) -> bool:
        """Tell whether a merged insight is there as it should be, above all of its members."""
        id = merge.insight.id
        if self._state.merged.get(id) != merge.insight:
            return False
        return set(self._state.members[id]) == set(_member_ids(merge))

    def _in_kept_words(self, merge: Merge) -> Merge:
        """A merge in the words that a model wrote for it, as long as its leaves say the same."""
        state, id = self._state, merge.insight.id
        if id not in state.reworded or id not in state.merged:
            return merge
        leaves = [state.insights[i] for i in _leaf_ids(merge, state) if i in state.insights]
        kept = in_kept_words(
            merge.insight, state.merged[id], reworded=state.reworded[id], leaves=leaves
        )
        return replace(merge, insight=kept)

    def proposals(self, planned: Planned) -> Proposals:
        """Decide what is to be proposed."""
        ids = self._survey.pool.ids
        known = self._proposed()

        def is_new(found: Iterable[Proposed]) -> tuple[Proposed, ...]:
            return tuple(p for p in found if pair_of(ids[p.a], ids[p.b]) not in known)

        found = proposals(
            self._survey.pool,
            self._survey.pairs.where(self._near),
            limits=self._limits,
            together=lambda a, b: self._together(planned, a, b),
            fresh=self._survey.fresh,
        )
        return replace(
            found, suggested=is_new(found.suggested), contradictions=is_new(found.contradictions)
        )

    def _together(self, planned: Planned, a: int, b: int) -> bool:
        """Tell whether two places stand, or are going to stand, below one merged insight."""
        survey, touched = self._survey, self._survey.touched
        ids = survey.pool.ids
        if touched is None or a in touched or b in touched:
            above = planned.together.get(ids[a])
            return above is not None and above == planned.together.get(ids[b])
        return ids[b] in self._state.siblings(ids[a])

    def _proposed(self) -> frozenset[Pair]:
        """Pairs that have an edge of a proposal or a decision already."""
        types: tuple[EdgeType, ...] = ("SIMILAR_TO", "CONTRADICTS")
        edges = edges_of(self._store, self._survey.pool.ids, types)
        return frozenset(pair_of(e.source, e.target) for e in edges)

    def changes(
        self, record: Record, planned: Planned, found: Proposals, *, links: Sequence[Edge] = ()
    ) -> Changes:
        """What is to be written and removed, with everything that undoing it needs.

        `links` are inferred edges from runs to insights.
        """
        stale = self._stale(planned)
        heirs = _heirs(stale, planned, self._state)
        principles, stale_principles = self._principles(planned, stale)
        stale = [*stale, *stale_principles]
        heirs |= _heirs(stale_principles, principles, self._state)
        new = [m for m in planned.merges if m.insight.id not in planned.standing]
        new += [m for m in principles.merges if m.insight.id not in principles.standing]
        removed = {id: self._removed(id) for id in stale}
        made: list[Made] = []
        edges: list[Edge] = []
        for merge in new:
            mine = [id for id in stale if heirs.get(id) == merge.insight.id]
            gone = _joined([*(removed[id] for id in mine), self._between(merge)])
            made.append(_made(merge, gone))
            edges.extend(self._edges(merge, record.id))
            edges.extend(_moved(merge.insight.id, mine, gone))
        left = _joined([removed[id] for id in stale if id not in heirs])
        edges.extend(self._proposal_edges(found, record.id))
        edges.extend(links)
        counts = {
            "considered": len(self._state.insights),
            "new": len(record.seen),
            "kept_apart": len(found.kept_apart),
            "suggested": len(found.suggested),
            "contradictions": len(found.contradictions),
            "withheld": len(planned.withheld),
            "links": len(links),
            "dissolved": sum(id not in heirs for id in stale),
        }
        written = {m.insight.id for m in new}
        return Changes(
            record=replace(record, made=tuple(made), removed=left, counts=counts),
            nodes=tuple(m.insight for m in new),
            edges=tuple(edges),
            gone=tuple(id for id in stale if id not in written),
            gone_edges=tuple(e for m in made for e in m.removed.edges if e.type == "SIMILAR_TO"),
            merges=tuple(
                replace(m, replaces=tuple(i for i in stale if heirs.get(i) == m.insight.id))
                for m in new
            ),
            withheld=planned.withheld,
            proposals=found,
            dissolved=tuple(id for id in stale if id not in heirs),
        )

    def result(self, changes: Changes, *, new: int, whole: bool) -> Consolidation:
        """What is told of the changes."""
        found = changes.proposals
        return Consolidation(
            merge_run=changes.record.id,
            time=changes.record.time,
            full=whole,
            considered=len(self._state.insights),
            new=new,
            merged=changes.merges,
            kept_apart=self._compared(found.kept_apart),
            suggested=self._compared(found.suggested),
            contradictions=self._compared(found.contradictions),
            counts=changes.record.counts,
            withheld=changes.withheld,
            dissolved=changes.dissolved,
        )

    def _compared(self, found: Sequence[Proposed]) -> tuple[Compared, ...]:
        return self._survey.pool.compared([(p.a, p.b) for p in found[:_SHOWN]])

    def _stale(self, planned: Planned) -> list[str]:
        """Merged insights over what was looked at that should not stand as they are."""
        state, survey = self._state, self._survey
        if survey.touched is None:
            looked_at = {
                id for id, ms in state.members.items() if not set(ms) & state.merged.keys()
            }
        else:
            ids = (survey.pool.ids[p] for p in survey.touched)
            looked_at = {above for id in ids for above in state.above.get(id, ())}
        return sorted(looked_at - planned.standing)

    def _principles(self, planned: Planned, stale: Collection[str]) -> tuple[Planned, list[str]]:
        """Merged insights above merged insights, where somebody said that they belong together.

        Returns those that should stand, and ids of those that should not.
        """
        state = self._state
        over = {
            leaf: state.merged[id]
            for leaf in sorted({leaf for pair in state.decisions.topics for leaf in pair})
            if leaf in state.insights
            for id in state.above.get(leaf, ())
            if id not in stale
        }
        over |= {id: m.insight for m in planned.merges for id in _member_ids(m)}
        pairs = [(over.get(a), over.get(b)) for a, b in sorted(state.decisions.topics)]
        links = [(a, b) for a, b in pairs if a is not None and b is not None and a.id != b.id]
        by_id = {i.id: i for pair in links for i in pair}
        order = sorted(by_id)
        place = {id: k for k, id in enumerate(order)}
        groups = components((place[a.id], place[b.id]) for a, b in links)
        found = [principle([by_id[order[k]] for k in group]) for group in groups]
        merges = tuple(self._in_kept_words(m) for m in found if m is not None)
        standing = frozenset(m.insight.id for m in merges if self._stands(m))
        return Planned(merges=merges, standing=standing), sorted(state.principles() - standing)

    def _removed(self, id: str) -> Removed:
        """A merged insight as it is, with all its edges."""
        edges = self._store.edges([id])
        return Removed(nodes=(self._state.merged[id],), edges=tuple(edges))

    def _between(self, merge: Merge) -> Removed:
        """Proposals between members that are no longer proposals."""
        ids = _member_ids(merge)
        inside = set(ids)
        edges = edges_of(self._store, ids, ("SIMILAR_TO",))
        return Removed(edges=tuple(e for e in edges if e.target in inside))

    def _edges(self, merge: Merge, run: str) -> list[Edge]:
        insight, ids = merge.insight, _member_ids(merge)
        edges = [
            Edge(source=id, type="GENERALIZES_TO", target=insight.id, merge_run=run) for id in ids
        ]
        types: tuple[EdgeType, ...] = ("APPLIES_TO",)
        if insight.project:
            types = ("APPLIES_TO", "IN_PROJECT")
        ends = {(e.type, e.target) for e in edges_of(self._store, ids, types)}
        edges += [
            Edge(source=insight.id, type=type, target=target, merge_run=run)
            for type, target in sorted(ends)
        ]
        return edges

    def _proposal_edges(self, found: Proposals, run: str) -> list[Edge]:
        kinds: tuple[tuple[EdgeType, Sequence[Proposed]], ...] = (
            ("SIMILAR_TO", found.suggested),
            ("CONTRADICTS", found.contradictions),
        )
        return [self._proposal_edge(type, p, run) for type, some in kinds for p in some]

    def _proposal_edge(self, type: EdgeType, proposed: Proposed, run: str) -> Edge:
        pool = self._survey.pool
        veto = pool.veto(proposed.a, proposed.b)
        return Edge(
            source=pool.ids[proposed.a],
            type=type,
            target=pool.ids[proposed.b],
            score=round(proposed.nearness, 4),
            quote=f"{veto.kind}: {veto.words}" if veto else "",
            merge_run=run,
        )


def _member_ids(merge: Merge) -> tuple[str, ...]:
    return tuple(m.id for m in merge.members)


def _made(merge: Merge, removed: Removed) -> Made:
    return Made(
        id=merge.insight.id,
        members=_member_ids(merge),
        why=merge.why,
        nearness=merge.nearness,
        promoted=merge.promoted,
        tasks=merge.tasks,
        projects=merge.projects,
        removed=removed,
    )


def _joined(some: Iterable[Removed]) -> Removed:
    """Several as one; an edge between two removed nodes counts once."""
    parts = list(some)
    edges = {(e.source, e.type, e.target): e for r in parts for e in r.edges}
    return Removed(
        nodes=tuple(n for r in parts for n in r.nodes),
        edges=tuple(edges[key] for key in sorted(edges)),
    )


def _heirs(stale: Iterable[str], planned: Planned, state: State) -> dict[str, str]:
    """For merged insights that go, the one that takes the place: that with most of the leaves."""
    found: dict[str, str] = {}
    for id in stale:
        leaves = set(state.leaves(id))
        shares = [
            (len(leaves & set(_leaf_ids(m, state))), m.insight.id)
            for m in planned.merges
            if m.insight.id not in planned.standing
        ]
        share, heir = max(shares, key=lambda s: (s[0], s[1]), default=(0, ""))
        if share:
            found[id] = heir
    return found


def _leaf_ids(merge: Merge, state: State) -> set[str]:
    return {leaf for m in merge.members for leaf in state.leaves(m.id)}


def _moved(heir: str, stale: Collection[str], removed: Removed) -> list[Edge]:
    """What somebody said or did with merged insights that go, said of the one that comes."""
    edges: list[Edge] = []
    for edge in removed.edges:
        if edge.type not in _MOVED or edge.merge_run not in ("", REVIEW):
            continue
        moved = replace(
            edge,
            source=heir if edge.source in stale else edge.source,
            target=heir if edge.target in stale else edge.target,
        )
        if moved.source != moved.target:
            edges.append(moved)
    return edges
