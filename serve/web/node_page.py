"""The page of a node: its words, its ladder, its evidence, what became of it, its links."""

from collections.abc import Mapping
from typing import Any, Final

from starlette.exceptions import HTTPException

from ...facade import Shown
from ...ingest.editing import EDITABLE, why_not_editable
from ...kg.errors import UsageError
from ...kg.types import KINDS, Insight, Memory, MergeRun, Node, Retrieval, Step, Trace, label_of
from ..explorer_forms import ladder_json, named_json, use_json
from ..json_forms import evidence_json, node_json, shown_json
from .ladder_drawing import drawing
from .site import Asked, Page, Site

LINKS: Final = 12
"""Links of each type and direction on a page, at most."""

STEPS: Final = 40
_ORIGIN_OF_MERGES: Final = "merge"
_ELSEWHERE: Final = {"GENERALIZES_TO", "CITES", "PART_OF"}
"""Links of memories that the ladder and the steps show."""

_WORDS: Final = {
    "PART_OF<": "Steps",
    "PART_OF>": "Step of",
    "NEXT>": "Next step",
    "NEXT<": "Step before",
    "ATTEMPTS>": "Attempts",
    "ATTEMPTS<": "Attempted by",
    "IN_DOMAIN>": "Domain",
    "IN_DOMAIN<": "Tasks of this domain",
    "IN_PROJECT>": "Project",
    "IN_PROJECT<": "Of this project",
    "CONTINUES>": "Continues",
    "CONTINUES<": "Continued by",
    "GENERALIZES_TO>": "Stands below",
    "GENERALIZES_TO<": "Stands above",
    "CITES>": "Cites",
    "CITES<": "Cited by",
    "SIMILAR_TO>": "May say the same as",
    "SIMILAR_TO<": "May say the same as",
    "CONTRADICTS>": "Contradicts",
    "CONTRADICTS<": "Contradicts",
    "KEEP_APART>": "Kept apart from",
    "KEEP_APART<": "Kept apart from",
    "APPLIES_TO>": "Applies to",
    "APPLIES_TO<": "Insights that apply",
    "USES>": "Uses",
    "USES<": "Used by steps",
    "RAISES>": "Raises",
    "RAISES<": "Raised by",
    "SHOWED>": "Showed",
    "SHOWED<": "Shown in",
    "WITHHELD>": "Withheld",
    "WITHHELD<": "Withheld in",
    "USED>": "Used",
    "USED<": "Used in",
    "IN_TRACE>": "Seen by the run",
    "IN_TRACE<": "Answers it saw",
}


def node(site: Site, asked: Asked) -> Page:
    """Any node; of a memory with its ladder and the way down to the steps."""
    id = found(site, asked.path["id"])
    shown = site.kept(("show", id), lambda: site.kb.show(id, most=LINKS))
    data: dict[str, Any] = shown_json(shown)
    beside: dict[str, Any] = {"links": _links(shown), "merged": _merged(shown)}
    if isinstance(shown.node, Memory):
        evidence = site.kept(("why", id), lambda: site.kb.why(id))
        ladder = site.kb.ladder(evidence, trace=asked.text("trace"))
        data |= {
            "evidence": evidence_json(evidence),
            "ladder": ladder_json(ladder),
            "use": use_json(site.kb.use(shown.node.id)),
        }
        beside |= {"drawing": drawing(ladder), "editable": not why_not_editable(shown.node)}
    if isinstance(shown.node, Trace):
        data |= _steps(site, shown.node.id, page=asked.page)
    return Page(template=_template(shown.node), title=_title(shown.node), data=data, beside=beside)


def edit(site: Site, asked: Asked) -> Page:
    """The form in which a person puts an insight into other words."""
    id = found(site, asked.text("id"))
    insight = site.kb.nodes([id])[id]
    reason = why_not_editable(insight)
    data = {**node_json(insight), "editable": not reason, "reason": reason}
    beside = {"fields": EDITABLE, "kinds": KINDS}
    return Page(template="edit.html", title="Edit", data=data, beside=beside)


def forget(site: Site, asked: Asked) -> Page:
    """What would go with a memory, before it goes."""
    id = found(site, asked.text("id"))
    shown = site.kb.show(id, most=LINKS)
    if not isinstance(shown.node, Memory):
        raise UsageError("Only memories can be taken out: insights, summaries, workflows, runs.")
    data = {**node_json(shown.node), "is_run": isinstance(shown.node, Trace)}
    return Page(template="forget.html", title="Take out", data=data)


def found(site: Site, id: str) -> str:
    """The whole id of a node.

    Raises:
        HTTPException: there is none of this id, or several.
    """
    if not id:
        raise HTTPException(404, "No id was given.")
    try:
        return site.kb.resolve(id)
    except UsageError as error:
        raise HTTPException(404, str(error)) from error


def _steps(site: Site, trace: str, *, page: int) -> dict[str, Any]:
    steps = site.kb.steps(trace)
    start = (page - 1) * STEPS
    return {
        "step_list": [node_json(s) for s in steps[start : start + STEPS]],
        "page": page,
        "more": len(steps) > start + STEPS,
    }


def _merged(shown: Shown) -> dict[str, list[dict[str, Any]]]:
    """The insights that a merge brought together here, and what this one was merged into."""
    members: list[dict[str, Any]] = []
    into: list[dict[str, Any]] = []
    for edge in shown.edges:
        if edge.type != "GENERALIZES_TO" or not edge.merge_run:
            continue
        below = edge.target == shown.node.id
        other = shown.neighbours.get(edge.source if below else edge.target)
        if other is not None and not below and getattr(other, "origin", "") != _ORIGIN_OF_MERGES:
            continue
        if other is not None:
            (members if below else into).append({**named_json(other), "run": edge.merge_run})
    is_merge = isinstance(shown.node, Insight) and shown.node.origin == _ORIGIN_OF_MERGES
    return {"members": members if is_merge else [], "into": into}


def _links(shown: Shown) -> list[dict[str, Any]]:
    """The links of a node by type and direction, those that are shown elsewhere left out."""
    groups: dict[str, dict[str, Any]] = {}
    memory = isinstance(shown.node, Memory)
    for edge in sorted(shown.edges, key=lambda e: e.rank or 0):
        if memory and edge.type in _ELSEWHERE:
            continue
        out = edge.source == shown.node.id
        way = f"{edge.type}{'>' if out else '<'}"
        other = shown.neighbours.get(edge.target if out else edge.source)
        if other is None:
            continue
        words = _WORDS.get(way, way)
        group = groups.setdefault(words, {"words": words, "nodes": [], "more": 0})
        group["nodes"].append({**named_json(other), "label": label_of(other)})
        group["more"] = shown.left_out.get(way, 0)
    return [groups[words] for words in sorted(groups)]


def _template(node: Node) -> str:
    if isinstance(node, Memory):
        return "memory.html"
    if isinstance(node, Step):
        return "step.html"
    return "retrieval.html" if isinstance(node, Retrieval) else "node.html"


def _title(node: Node) -> str:
    if isinstance(node, MergeRun):
        return "Consolidation"
    named: Mapping[str, Any] = named_json(node)
    return str(named["title"]) or node.id
