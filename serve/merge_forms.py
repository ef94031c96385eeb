"""The JSON of consolidations: what was merged, what waits for a verdict, what was taken back."""

from typing import Any

from ..kg.consolidation.plan import Compared, Consolidation, Merge, RunSummary, Undone, Withheld
from ..kg.consolidation.review import Suggestion
from ..kg.types import Insight
from .json_forms import support_json


def consolidation_json(found: Consolidation) -> dict[str, Any]:
    """One consolidation; `merge_run` is empty where there was nothing to do."""
    return {
        "merge_run": found.merge_run,
        "time": found.time,
        "dry_run": found.dry_run,
        "full": found.full,
        "considered": found.considered,
        "new": found.new,
        "merged": [_merge(m) for m in found.merged],
        "kept_apart": [compared_json(c) for c in found.kept_apart],
        "suggested": [compared_json(c) for c in found.suggested],
        "contradictions": [compared_json(c) for c in found.contradictions],
        "withheld": [_withheld(w) for w in found.withheld],
        "dissolved": list(found.dissolved),
        "counts": dict(found.counts),
    }


def _merge(merge: Merge) -> dict[str, Any]:
    insight = merge.insight
    return {
        "id": insight.id,
        "title": insight.title,
        "level": insight.level,
        "scope": insight.scope,
        "why": merge.why,
        "nearness": merge.nearness,
        "members": [_member(m) for m in merge.members],
        "least": compared_json(merge.least),
        "promoted": merge.promoted,
        "tasks": merge.tasks,
        "projects": merge.projects,
        "replaces": list(merge.replaces),
    }


def _member(insight: Insight) -> dict[str, Any]:
    return {
        "id": insight.id,
        "title": insight.title,
        "scope": insight.scope,
        "domains": list(insight.domains),
    }


def compared_json(found: Compared) -> dict[str, Any]:
    """Two insights side by side; `veto` is null where nothing stands against a merge."""
    veto = found.veto
    return {
        "a": found.a,
        "b": found.b,
        "nearness": found.nearness,
        "cosine": found.cosine,
        "terms": found.terms,
        "lead": found.lead,
        "crowd": found.crowd,
        "veto": {"kind": veto.kind, "words": veto.words} if veto else None,
        "shared": list(found.shared),
        "only_a": list(found.only_a),
        "only_b": list(found.only_b),
        "title_a": found.title_a,
        "title_b": found.title_b,
    }


def _withheld(withheld: Withheld) -> dict[str, Any]:
    return {
        "members": list(withheld.members),
        "reason": withheld.reason,
        "title": withheld.title,
    }


def runs_json(found: list[RunSummary]) -> list[dict[str, Any]]:
    """The consolidations that stand, oldest first."""
    return [
        {
            "id": r.id,
            "time": r.time,
            "merges": r.merges,
            "suggested": r.suggested,
            "merged": list(r.merged),
            "crossings": list(r.crossings),
        }
        for r in found
    ]


def undone_json(undone: Undone) -> dict[str, Any]:
    """What was taken back, and what came back in its place."""
    return {
        "runs": list(undone.runs),
        "insights": list(undone.insights),
        "edges": undone.edges,
        "restored": list(undone.restored),
    }


def suggestions_json(found: list[Suggestion]) -> list[dict[str, Any]]:
    """The pairs that wait for a verdict."""
    return [
        {
            "a": _full(s.a, support_json(s.support_a)),
            "b": _full(s.b, support_json(s.support_b)),
            "nearness": s.nearness,
            "proposed": s.proposed,
            "note": s.note,
            "across": s.across,
        }
        for s in found
    ]


def _full(insight: Insight, support: dict[str, Any]) -> dict[str, Any]:
    return {
        **_member(insight),
        "description": insight.description,
        "content": insight.content,
        "untrusted": insight.untrusted,
        "support": support,
    }
