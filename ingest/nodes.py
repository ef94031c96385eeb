"""A run as nodes and edges of level 0: its trace, its steps and what they hang from."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ..kg.ids import content_id
from ..kg.types import (
    UNASSIGNED,
    Domain,
    Edge,
    Error,
    Node,
    Project,
    Step,
    Task,
    Tool,
    Trace,
)
from .record import RunRecord, StepRecord

_HEAD_CHARS = 400
_TAIL_CHARS = 800
_COMMAND_CHARS = 600
_TITLE_WORDS = 20
_TASK_CHARS = 4000
_REST_CHARS = 60
_NAMED = 4
"""Tools and files that a trace's key names at most."""

_NO_TIME = "1970-01-01T00:00:00Z"


def trace_id(format: str, session: str) -> str:
    """The id of the trace that a run of this format and with this own id becomes."""
    return content_id("trace", format, session)


def task_id(scope: str, name: str, text: str) -> str:
    """The id of a task in a scope: by its own name where it has one, else by its words."""
    return content_id("task", scope, name or " ".join(text.split())[:2000])


def domain_id(name: str) -> str:
    """The id of a domain's node."""
    return content_id("domain", name)


def project_id(name: str) -> str:
    """The id of a project's node."""
    return content_id("project", name)


def scope_of(project: str) -> str:
    """The scope of what must stay with a run of this project; runs without one share a scope."""
    return project or UNASSIGNED


def trace_of(run: RunRecord, *, content_hash: str) -> Trace:
    """The trace node of a run."""
    t = run.trajectory
    first_line, _, rest = t.task.strip().partition("\n")
    words = first_line.split()
    return Trace(
        id=run.trace_id,
        created=created_of(run),
        scope=scope_of(run.project),
        title=" ".join(words[:_TITLE_WORDS]) or f"A run of {t.agent}",
        description=_place_of(run, (*words[_TITLE_WORDS:], *rest.split())),
        content=t.task[:_TASK_CHARS],
        task=run.task_id,
        project=run.project,
        domains=(run.domain,) if run.domain else (),
        languages=(run.language,) if run.language else (),
        format=t.format,
        session=t.id,
        source=t.source,
        content_hash=content_hash,
        agent=t.agent,
        agent_version=t.agent_version,
        models=t.models,
        started=t.started,
        ended=t.ended,
        steps=len(run.steps),
        input_tokens=t.usage.input_tokens,
        output_tokens=t.usage.output_tokens,
        cost_usd=t.cost_usd,
        outcome=t.outcome.status,
        outcome_source=t.outcome.source,
        outcome_confidence=t.outcome.confidence,
        exit_status=t.exit_status,
        warnings=t.warnings,
    )


def _place_of(run: RunRecord, words: Sequence[str]) -> str:
    """Where a run took place, what it used and changed, and the task's further words.

    A trace is the most concrete of all memories: project, tools and files are what it is found by.
    """
    tools = Counter(s.program for s in run.steps if s.main and s.program)
    files = dict.fromkeys(f for s in run.steps for f in s.edits if s.phase == "edit")
    parts = (
        f"In {run.project}" if run.project else "",
        run.language,
        ", ".join(name for name, _ in tools.most_common(_NAMED)),
        " ".join(list(files)[:_NAMED]),
    )
    place = "; ".join(p for p in parts if p)
    return " ".join((f"{place}." if place else "", " ".join(words)[:_REST_CHARS])).strip()


def created_of(run: RunRecord) -> str:
    """The time of everything a run gives: its end, its start, or a fixed one where it has none."""
    return run.trajectory.ended or run.trajectory.started or _NO_TIME


def step_id(run: RunRecord, index: int) -> str:
    """The id of the step node at `index`."""
    return content_id("step", run.trace_id, str(index))


def level_zero(run: RunRecord, trace: Trace) -> tuple[tuple[Node, ...], tuple[Edge, ...]]:
    """The nodes and edges that hold the run itself."""
    nodes: dict[str, Node] = {trace.id: trace}
    edges: list[Edge] = []
    for node, edge in (*_surroundings(run, trace), *_steps(run)):
        if node is not None:
            nodes.setdefault(node.id, node)
        edges.append(edge)
    return tuple(nodes.values()), tuple(edges)


def _surroundings(run: RunRecord, trace: Trace) -> Iterator[tuple[Node | None, Edge]]:
    task = Task(
        id=run.task_id,
        created=trace.created,
        scope=trace.scope,
        title=trace.title,
        text=trace.content,
    )
    yield task, Edge(source=trace.id, type="ATTEMPTS", target=task.id)
    if run.domain:
        domain = Domain(id=domain_id(run.domain), created=_NO_TIME, name=run.domain)
        yield domain, Edge(source=task.id, type="IN_DOMAIN", target=domain.id)
    if run.project:
        project = Project(
            id=project_id(run.project), created=_NO_TIME, scope=run.project, name=run.project
        )
        yield project, Edge(source=trace.id, type="IN_PROJECT", target=project.id)


def _steps(run: RunRecord) -> Iterator[tuple[Node | None, Edge]]:
    for step in run.steps:
        node = _step(run, step)
        yield node, Edge(source=node.id, type="PART_OF", target=run.trace_id)
        if step.index:
            yield None, Edge(source=step_id(run, step.index - 1), type="NEXT", target=node.id)
        if step.program:
            name = step.program
            tool = Tool(
                id=content_id("tool", scope_of(run.project), name),
                created=_NO_TIME,
                scope=scope_of(run.project),
                name=name,
            )
            yield tool, Edge(source=node.id, type="USES", target=tool.id)
        if step.fault:
            error = Error(
                id=content_id("error", scope_of(run.project), step.fault.signature),
                created=_NO_TIME,
                scope=scope_of(run.project),
                error_class=step.fault.error_class,
                signature=step.fault.signature,
            )
            yield error, Edge(source=node.id, type="RAISES", target=error.id)


def _step(run: RunRecord, step: StepRecord) -> Step:
    return Step(
        id=step_id(run, step.index),
        created=step.call.timestamp or created_of(run),
        scope=scope_of(run.project),
        index=step.index,
        phase=step.phase,
        tool=step.call.name,
        command=step.command[:_COMMAND_CHARS],
        program=step.program,
        subcommand=step.subcommand,
        files=step.files[:20],
        observation=excerpt(step.observation),
        exit_code=step.exit_code,
        failure=step.failure,
        verdict=step.verdict,
        error_class=step.fault.error_class if step.fault else "",
        error_signature=step.fault.signature if step.fault else "",
        time=step.call.timestamp,
        raw_ref=step.call.raw_ref,
        uid=step.call.uid,
    )


def excerpt(text: str) -> str:
    """The head and the tail of a long text, with what was left out counted between them."""
    text = text.strip()
    if len(text) <= _HEAD_CHARS + _TAIL_CHARS:
        return text
    left_out = len(text) - _HEAD_CHARS - _TAIL_CHARS
    return f"{text[:_HEAD_CHARS]}\n[… {left_out} characters left out …]\n{text[-_TAIL_CHARS:]}"
