"""Memories made elsewhere, one JSON object each, as nodes at their level."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ..kg.errors import UsageError
from ..kg.ids import content_id
from ..kg.types import (
    LEVELS,
    SHARED,
    Domain,
    Edge,
    Insight,
    Memory,
    Node,
    Project,
    Summary,
    Task,
    Trace,
    Workflow,
)
from .nodes import domain_id, project_id, task_id
from .redact import Redactor

_TYPES: Final[Mapping[str, type[Memory]]] = {
    "trace": Trace,
    "workflow": Workflow,
    "summary": Summary,
    "insight": Insight,
}
_NO_TIME = "1970-01-01T00:00:00Z"
_TRACE_OUTCOMES = {"success": "success", "failure": "failure"}
_WITH_OUTCOME = frozenset({"trace", "workflow", "summary"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRow:
    """A row that could not be taken, by its position from 1, and why."""

    row: int
    reason: str


@dataclass(slots=True, kw_only=True)
class Imported:
    """Rows as graph: memories with what they hang from, edges to more abstract ones, bad rows.

    `rows` maps the id of each memory to the position of its row, from 1.
    """

    nodes: dict[str, Node] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    failed: list[BadRow] = field(default_factory=list)
    redacted: Counter[str] = field(default_factory=Counter)


def from_rows(
    rows: Iterable[Mapping[str, Any]], *, pack: str = "", untrusted: bool = False
) -> Imported:
    """Turn rows into nodes and edges.

    A row has `level` (trace, workflow, summary, insight) and `title`, or at least `content`; and
    where known `id`, `description`, `domain`, `project`, `language`, `polarity`, `task`,
    `outcome`, `kind`, `applies_when`, `not_when` and `parents` (ids of more abstract memories).
    A row's id is kept as it is. A row without a project is shared. `pack` names the pack they come
    from; with `untrusted` they are marked as somebody else's words.
    """
    made = Imported()
    redactor = Redactor()
    for position, row in enumerate(rows, start=1):
        try:
            for part in _parts(row, redactor, pack=pack, untrusted=untrusted):
                if isinstance(part, Edge):
                    made.edges.append(part)
                else:
                    made.nodes[part.id] = part
                    if isinstance(part, Memory):
                        made.rows[part.id] = position
        except UsageError as error:
            made.failed.append(BadRow(row=position, reason=str(error)))
    made.redacted.update(redactor.counts)
    return made


def _parts(
    row: Mapping[str, Any], redactor: Redactor, *, pack: str, untrusted: bool
) -> Iterator[Node | Edge]:
    if not isinstance(row, Mapping):
        raise UsageError(f"Expected an object, got {type(row).__name__}.")
    text = {name: redactor.text(value) for name, value in row.items() if isinstance(value, str)}
    level = text.get("level", "insight")
    if level not in _TYPES:
        raise UsageError(f"Unknown level {level!r}. Expected one of {', '.join(LEVELS)}.")
    memory = _memory(level, row, text, pack=pack, untrusted=untrusted)
    yield memory
    if memory.task:
        name = text["task"]
        yield Task(
            id=memory.task, created=_NO_TIME, scope=memory.scope, title=name[:200], text=name
        )
        yield Edge(source=memory.id, type="ATTEMPTS", target=memory.task)
    for name in memory.domains:
        yield Domain(id=domain_id(name), created=_NO_TIME, name=name)
        yield Edge(source=memory.id, type="APPLIES_TO", target=domain_id(name))
    if memory.project:
        id = project_id(memory.project)
        yield Project(id=id, created=_NO_TIME, scope=memory.project, name=memory.project)
        yield Edge(source=memory.id, type="IN_PROJECT", target=id)
    for parent in _words(row.get("parents")):
        yield Edge(source=memory.id, type="GENERALIZES_TO", target=redactor.text(parent))


def _memory(
    level: str, row: Mapping[str, Any], text: Mapping[str, str], *, pack: str, untrusted: bool
) -> Memory:
    title, content = text.get("title", ""), text.get("content", "")
    if not (title or content):
        raise UsageError("Neither `title` nor `content`: nothing to remember.")
    project = text.get("project", "")
    scope = project or SHARED
    polarity = text.get("polarity", "")
    values: dict[str, Any] = {
        "id": text.get("id") or content_id(level, scope, title, content),
        "created": text.get("created") or _NO_TIME,
        "scope": scope,
        "title": title or " ".join(content.split()[:15]),
        "description": text.get("description", ""),
        "content": content,
        "task": task_id(scope, "", text["task"]) if text.get("task") else "",
        "project": project,
        "domains": _words(row.get("domain")),
        "languages": _words(row.get("language")),
        "tools": _words(row.get("tools")),
        "polarity": polarity if polarity in ("do", "avoid") else "",
        "origin": "import",
        "untrusted": untrusted,
    }
    if level in _WITH_OUTCOME:
        values["outcome"] = _TRACE_OUTCOMES.get(text.get("outcome", ""), "unknown")
    if level == "insight":
        told = ("kind", "applies_when", "not_when")
        values |= {name: text.get(name, "") for name in told} | {"pack": pack}
    return _TYPES[level](**values)


def _words(value: Any) -> tuple[str, ...]:
    """One word or a list of words as a tuple, empty ones left out."""
    if isinstance(value, str):
        return (value,) if value else ()
    if isinstance(value, (list, tuple)):
        return tuple(v for v in value if isinstance(v, str) and v)
    return ()
