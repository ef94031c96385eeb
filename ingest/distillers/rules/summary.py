"""The summary of a run: what was asked, what was tried, what turned it, how it ended."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from ....kg.ids import content_id
from ....kg.types import Summary
from ...nodes import created_of, scope_of
from ...record import RunRecord, StepRecord
from .language import closing_of, expectation_of, title_of
from .situation import count, display_name, intent_of, last_check, setting_of

_CLOSING_TURNS: Final = 6
_TURNING_POINTS: Final = 3
_COUNTED: Final = (
    ("read", "read"),
    ("search", "search"),
    ("edit", "edit"),
    ("test", "test run"),
    ("run", "script run"),
    ("build", "build"),
    ("lint", "lint run"),
    ("install", "installation"),
    ("vcs", "version control step"),
)


def summary_of(run: RunRecord) -> Summary:
    """Sum a run up from its step record; the same run gives the same words."""
    task = title_of(run.trajectory.task) or "A task without words"
    points = list(_turning_points(run))[:_TURNING_POINTS]
    closing = closing_of(_last_words(run))
    expectation = expectation_of(run.trajectory.task)
    parts = (
        f"Task: {task.rstrip('.')}.",
        expectation,
        f"Tried: {_tried(run)}.",
        f"Turning points: {'; '.join(points)}." if points else "",
        f"Changed, in the agent's words: {closing}" if closing else "",
        f"End: {_end(run)}.",
    )
    return Summary(
        id=content_id("summary", run.trace_id),
        created=created_of(run),
        scope=scope_of(run.project),
        title=f"{intent_of(run)} {setting_of(run)}: {points[0] if points else _end(run)}",
        description=f"{task.rstrip('.')}. {expectation}".strip(),
        content=" ".join(p for p in parts if p),
        task=run.task_id,
        project=run.project,
        domains=(run.domain,) if run.domain else (),
        languages=(run.language,) if run.language else (),
        outcome=run.trajectory.outcome.status,
    )


def _tried(run: RunRecord) -> str:
    phases = Counter(s.phase for s in run.steps)
    counts = [count(phases[p], noun) for p, noun in _COUNTED if phases[p]]
    changed = {f for s in run.steps for f in (*s.edits, *s.creates)} - run.own_files
    where = f" in {count(len(changed), 'project file')}" if changed else ""
    language = f" ({display_name(run.language)})" if run.language else ""
    listed = f": {', '.join(counts)}" if counts else ""
    return f"{count(len(run.steps), 'step')}{listed}{where}{language}"


def _turning_points(run: RunRecord) -> Iterator[str]:
    yield from _turned_checks(run)
    undone = sum(s.phase == "undo" and not s.failed for s in run.steps)
    if undone:
        yield "a change was undone" if undone == 1 else f"changes were undone {undone} times"
    corrections = len(run.requests) - 1
    if corrections > 0:
        yield f"the user spoke again {'once' if corrections == 1 else f'{corrections} times'}"
    if rejected := len(run.rejected_turns):
        yield f"{count(rejected, 'reply').replace('replys', 'replies')} rejected by the harness"


def _turned_checks(run: RunRecord) -> Iterator[str]:
    """Checks that failed, then passed with edits in between; each purpose once."""
    failed: dict[str, StepRecord] = {}
    turned: set[str] = set()
    for step in run.steps:
        if not step.check or step.purpose in turned:
            continue
        if step.verdict == "fail":
            failed.setdefault(step.purpose, step)
        elif step.verdict == "pass" and step.purpose in failed:
            between = run.steps[failed[step.purpose].index + 1 : step.index]
            edits = sum(s.phase == "edit" and not s.failed for s in between)
            if edits:
                turned.add(step.purpose)
                yield f"{_check_name(step)} went from failing to passing after {count(edits, 'edit')}"


def _check_name(step: StepRecord) -> str:
    if step.own:
        return "the check script"
    names = {"test": "the tests", "build": "the build", "lint": "the linter"}
    return names.get(step.phase, "a check")


def _end(run: RunRecord) -> str:
    outcome = run.trajectory.outcome
    parts = []
    if run.trajectory.exit_status:
        parts.append(run.trajectory.exit_status.lower().replace("_", " "))
    if check := last_check(run):
        parts.append(f"the last check {'passed' if check.verdict == 'pass' else 'failed'}")
    if outcome.status == "unknown":
        parts.append("no verdict known")
    else:
        judged = "accepted" if outcome.status == "success" else "rejected"
        parts.append(f"{judged} by the {outcome.source}")
    return ", ".join(parts)


def _last_words(run: RunRecord) -> list[str]:
    said = [t.text or t.thought for t in run.trajectory.turns if t.role == "agent"]
    return [s for s in said if s][-_CLOSING_TURNS:]
