"""Runs that are in the store already: which ones, and what they were, for another look at them.

A run is read again from its file where that is there and unchanged. Else its steps are what the
store keeps of them: commands and excerpts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, cast, get_args

from ..kg.errors import ReadError
from ..kg.protocols import GraphStore
from ..kg.types import Edge, LevelName, Memory, Step, Trace, level_name
from .pipeline import content_hash_of, runs_in
from .protocols import TrajectoryReader
from .record import Fault, Phase, RunRecord, StepRecord, Verdict
from .steps.repairs import repairs_of
from .trajectory import Failure, Outcome, ToolCall, Trajectory, Turn
from .where import Fact, Filter

FIELDS: Final = (
    "distiller", "project", "domain", "language", "outcome", "judged", "agent", "model", "format",
    "started", "steps", "id",
)  # fmt: skip
"""What a filter can say of a run. `distiller` is who made what stands above it at the wanted
levels, and `rules` where nothing does; `judged` is who says how it ended."""

_RULES: Final = "rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRun:
    """A run of the store, its steps in order, and the memories that rest on it directly or not."""

    trace: Trace
    steps: tuple[Step, ...]
    above: tuple[Memory, ...]


def choose(
    store: GraphStore, chosen: Filter, *, levels: Sequence[LevelName], limit: int | None = None
) -> list[str]:
    """The runs that a filter holds for, by id; runs without a step are left out."""
    found: list[str] = []
    for trace in store.find("Trace"):
        if limit is not None and len(found) >= limit:
            break
        if isinstance(trace, Trace) and trace.steps:
            facts = _facts(trace, _above(store, trace), levels=levels)
            if chosen.holds(facts):
                found.append(trace.id)
    return found


def kept_run(store: GraphStore, id: str) -> KeptRun | None:
    """The run with this id; None where there is none any more."""
    trace = store.get([id]).get(id)
    if not isinstance(trace, Trace):
        return None
    return KeptRun(trace=trace, steps=tuple(_steps(store, trace)), above=_above(store, trace))


def record_of(kept: KeptRun, *, readers: tuple[TrajectoryReader, ...]) -> RunRecord:
    """The run as distillers see it, with the outcome, project and domain that the store knows."""
    trace = kept.trace
    run = _from_file(trace, readers=readers) or _from_steps(kept)
    outcome = Outcome(
        status=trace.outcome, source=trace.outcome_source, confidence=trace.outcome_confidence
    )
    return replace(
        run,
        trajectory=replace(run.trajectory, outcome=outcome, project=trace.project),
        task_id=trace.task,
        project=trace.project,
        domain="".join(trace.domains[:1]),
        language="".join(trace.languages[:1]),
    )


def _above(store: GraphStore, trace: Trace) -> tuple[Memory, ...]:
    ids = sorted({e.target for e in store.ancestry([trace.id])})
    return tuple(n for n in store.get(ids).values() if isinstance(n, Memory))


def _steps(store: GraphStore, trace: Trace) -> list[Step]:
    edges: list[Edge] = store.edges([trace.id], types=("PART_OF",), direction="in")
    nodes = store.get([e.source for e in edges]).values()
    return sorted((n for n in nodes if isinstance(n, Step)), key=lambda s: s.index)


def _facts(
    trace: Trace, above: Sequence[Memory], *, levels: Sequence[LevelName]
) -> dict[str, Sequence[Fact]]:
    made_by = sorted({m.origin for m in above if level_name(m.level) in levels}) or [_RULES]
    return {
        "distiller": made_by,
        "project": [trace.project],
        "domain": trace.domains or [""],
        "language": trace.languages or [""],
        "outcome": [trace.outcome],
        "judged": [trace.outcome_source],
        "agent": [trace.agent],
        "model": trace.models or [""],
        "format": [trace.format],
        "started": [trace.started],
        "steps": [trace.steps],
        "id": [trace.id],
    }


def _from_file(trace: Trace, *, readers: tuple[TrajectoryReader, ...]) -> RunRecord | None:
    """The run as its file tells it, where that is still the run that was kept."""
    file = Path(trace.source).expanduser()
    try:
        if not trace.source or not file.is_file():
            return None
        found = (r for r in runs_in(file, readers=readers) if r.trace_id == trace.id)
        return next((r for r in found if content_hash_of(r.trajectory) == trace.content_hash), None)
    except (OSError, ReadError):
        return None


def _from_steps(kept: KeptRun) -> RunRecord:
    trace = kept.trace
    records = tuple(_step(s) for s in kept.steps)
    asked = Turn(role="user", text=trace.content)
    turns = (asked, *(Turn(role="agent", calls=(r.call,), timestamp=r.call.timestamp)
                      for r in records))  # fmt: skip
    trajectory = Trajectory(
        id=trace.session,
        format=trace.format,
        source=trace.source,
        agent=trace.agent,
        models=trace.models,
        task=trace.content,
        turns=turns,
        started=trace.started,
        ended=trace.ended,
    )
    return RunRecord(
        trajectory=trajectory,
        trace_id=trace.id,
        task_id=trace.task,
        project=trace.project,
        domain="",
        language="",
        steps=records,
        repairs=repairs_of(records, frozenset()),
        requests=(asked,) if trace.content else (),
    )


def _step(step: Step) -> StepRecord:
    phase = step.phase if step.phase in get_args(Phase) else "other"
    failure = step.failure if step.failure in get_args(Failure) else ""
    fault = None
    if step.error_class:
        fault = Fault(
            error_class=step.error_class, signature=step.error_signature,
            message=step.error_signature,
        )  # fmt: skip
    return StepRecord(
        index=step.index,
        turn=step.index + 1,
        call=ToolCall(name=step.tool, uid=step.uid, timestamp=step.time),
        kind="other",
        phase=cast(Phase, phase),
        command=step.command,
        edits=step.files if phase in ("edit", "undo") else (),
        reads=step.files if phase not in ("edit", "undo") else (),
        check=bool(step.verdict),
        purpose=step.command,
        observation=step.observation,
        exit_code=step.exit_code,
        failure=cast(Failure, failure),
        failed=bool(failure or step.exit_code or fault),
        verdict=cast(Verdict, step.verdict),
        fault=fault,
    )
