"""What the HTTP API can do: each operation with what it takes, what it gives, and its work."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, cast

from pydantic import BaseModel
from starlette.exceptions import HTTPException

from ...ingest.lessons import Lesson
from ...kg.cypher import DEFAULT_LIMITS
from ...kg.types import Memory
from ..cypher_json import rows_json, schema_json
from ..explorer_forms import hits_json, lessons_json, log_json
from ..json_forms import answer_json, evidence_json, node_json, shown_json, stats_json
from ..merge_forms import consolidation_json, runs_json, suggestions_json, undone_json
from . import api_types as t
from .node_page import found
from .site import Site

Work = Callable[[Site, Any, str], Any]
"""What an operation does with the site, what it was given, and the id in its path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation of the API; `writes` tells whether, given its body, it needs the token."""

    name: str
    method: Literal["GET", "POST"]
    path: str
    summary: str
    takes: type[BaseModel]
    gives: type[BaseModel]
    work: Work
    writes: Callable[[Any], bool] = lambda given: False
    always_writes: bool = False


def _search(site: Site, given: t.Searched, id: str) -> Any:
    hits = site.kb.search(
        given.q,
        k=given.k,
        levels=(given.level,) if given.level else None,
        scope=given.project or None,
        language=given.language,
    )
    return {"hits": hits_json(hits)}


def _retrieve(site: Site, given: t.Task, id: str) -> Any:
    return answer_json(site.kb.retrieve(**given.model_dump()))


def _show(site: Site, given: t.Linked, id: str) -> Any:
    return shown_json(site.kb.show(found(site, id), most=given.most))


def _why(site: Site, given: t.Nothing, id: str) -> Any:
    full_id = found(site, id)
    if not isinstance(site.kb.nodes([full_id])[full_id], Memory):
        raise HTTPException(404, f"{full_id} is no memory.")
    return evidence_json(site.kb.why(full_id))


def _suggestions(site: Site, given: t.Paged, id: str) -> Any:
    waiting = site.kept("suggestions", site.kb.suggestions)
    some = waiting[given.offset : given.offset + given.limit]
    return {"total": len(waiting), "suggestions": suggestions_json(some)}


def _feedback(site: Site, given: t.Reported, id: str) -> Any:
    full_id = found(site, given.retrieval_id)
    credited = site.kb.feedback(full_id, outcome=given.outcome, used=given.used)
    return {"retrieval_id": full_id, "outcome": given.outcome, "credited": list(credited)}


def _lessons(site: Site, given: t.Lessons, id: str) -> Any:
    trace = found(site, given.trace)
    lessons = [Lesson(**{**x.model_dump(), "cites": tuple(x.cites)}) for x in given.lessons]
    return lessons_json(trace, site.kb.record_lessons(lessons, trace=trace))


def _unmerge(site: Site, given: t.Unmerged, id: str) -> Any:
    return undone_json(site.kb.unmerge(found(site, given.id), remember=given.remember))


def _decide(site: Site, given: t.Decided, id: str) -> Any:
    a, b = found(site, given.a), found(site, given.b)
    return consolidation_json(site.kb.decide(a, b, given.verdict))


def _edit(site: Site, given: t.Edited, id: str) -> Any:
    return node_json(site.kb.edit(found(site, given.id), cast(dict[str, str], given.changes)))


def _cypher(site: Site, given: t.Statement, id: str) -> Any:
    limits = replace(DEFAULT_LIMITS, rows=given.rows)
    return rows_json(site.kb.cypher(given.statement, given.parameters, limits=limits))


OPERATIONS: Final = (
    Operation(
        name="stats",
        method="GET",
        path="/api/stats",
        summary="Count what is kept.",
        takes=t.Nothing,
        gives=t.Stats,
        work=lambda site, given, id: site.kept("stats", lambda: stats_json(site.kb.stats())),
    ),
    Operation(
        name="search",
        method="GET",
        path="/api/search",
        summary="Find memories by words and meaning, whatever their level.",
        takes=t.Searched,
        gives=t.Hits,
        work=_search,
    ),
    Operation(
        name="retrieve",
        method="POST",
        path="/api/retrieve",
        summary="Answer a task with the most abstract memories that apply, or with none.",
        takes=t.Task,
        gives=t.Answer,
        work=_retrieve,
        writes=lambda given: bool(given.record),
    ),
    Operation(
        name="show",
        method="GET",
        path="/api/nodes/{id}",
        summary="Show a node, what supports it and what it is linked to.",
        takes=t.Linked,
        gives=t.ShownNode,
        work=_show,
    ),
    Operation(
        name="why",
        method="GET",
        path="/api/nodes/{id}/evidence",
        summary="Show why a memory is believed, down to the steps.",
        takes=t.Nothing,
        gives=t.EvidenceFound,
        work=_why,
    ),
    Operation(
        name="retrievals",
        method="GET",
        path="/api/retrievals",
        summary="List the answers that were given, newest first.",
        takes=t.Paged,
        gives=t.Log,
        work=lambda site, given, id: log_json(
            site.kb.retrievals(limit=given.limit, offset=given.offset)
        ),
    ),
    Operation(
        name="feedback",
        method="POST",
        path="/api/feedback",
        summary="Say how the work went that an answer was given for.",
        takes=t.Reported,
        gives=t.Credited,
        work=_feedback,
        always_writes=True,
    ),
    Operation(
        name="lessons",
        method="POST",
        path="/api/lessons",
        summary="Record what an agent learned in a run, as candidates.",
        takes=t.Lessons,
        gives=t.LessonsTold,
        work=_lessons,
        always_writes=True,
    ),
    Operation(
        name="merges",
        method="GET",
        path="/api/merges",
        summary="List the consolidations that stand.",
        takes=t.Nothing,
        gives=t.Runs,
        work=lambda site, given, id: {"runs": runs_json(site.kb.merges())},
    ),
    Operation(
        name="unmerge",
        method="POST",
        path="/api/unmerge",
        summary="Take back a merged insight or a consolidation.",
        takes=t.Unmerged,
        gives=t.Undone,
        work=_unmerge,
        always_writes=True,
    ),
    Operation(
        name="suggestions",
        method="GET",
        path="/api/suggestions",
        summary="List pairs of insights that may say the same.",
        takes=t.Paged,
        gives=t.Suggestions,
        work=_suggestions,
    ),
    Operation(
        name="decide",
        method="POST",
        path="/api/decide",
        summary="Keep a verdict on two insights, and do what follows from it.",
        takes=t.Decided,
        gives=t.Consolidated,
        work=_decide,
        always_writes=True,
    ),
    Operation(
        name="edit",
        method="POST",
        path="/api/edit",
        summary="Put an insight into other words.",
        takes=t.Edited,
        gives=t.NodeProperties,
        work=_edit,
        always_writes=True,
    ),
    Operation(
        name="cypher",
        method="POST",
        path="/api/cypher",
        summary="Run a Cypher statement that reads, or a named query.",
        takes=t.Statement,
        gives=t.CypherRows,
        work=_cypher,
    ),
    Operation(
        name="schema",
        method="GET",
        path="/api/schema",
        summary="Say what the graph holds, in words and numbers.",
        takes=t.Nothing,
        gives=t.GraphSchema,
        work=lambda site, given, id: site.kept("schema", lambda: schema_json(site.kb.schema())),
    ),
)
"""Every operation, in the order of the description."""


def needs_token(operation: Operation, given: BaseModel) -> bool:
    """Tell whether an operation, given this, changes the store."""
    return operation.always_writes or operation.writes(given)
