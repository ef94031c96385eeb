"""The summary of a run: what was asked, what was tried, what turned it, how it ended."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from ....kg.ids import content_id
from ....kg.types import Summary
from ...nodes import created_of, scope_of
from ...record import RunRecord, StepRecord
from .asks import ask_of, expectation_of, understood
from .changes import Changes, changed_by, changes_of
from .closing import closing_of, is_cause
from .intent import intent_of, is_goal
from .setting import setting_of
from .templates import FILE_WORK, is_code
from .wording import count, listed

_TURNING_POINTS: Final = 3
_NOUNS: Final = {
    "read": "read", "search": "search", "explore": "listing", "edit": "edit", "test": "test run",
    "run": "script run", "build": "build", "lint": "lint run", "install": "installation",
    "vcs": "version control step", "undo": "undoing", "delegate": "sub-agent",
    "file": "file operation", "plan": "planning step", "submit": "hand-in",
}  # fmt: skip
_NAMED_KINDS: Final = 6
_LATER: Final = 3
_TIMES: Final = {1: "once", 2: "twice"}
_CAUSE_OR_CHANGE: Final = {True: "Cause", False: "Changed"}
_PAST: Final = {"pass": "passed", "fail": "failed", "nothing-ran": "ran nothing"}
_CHECKS: Final = frozenset({"run", "test", "build", "lint"})
_ENDINGS: Final = {
    "submitted": "handed in", "exit_cost": "stopped at the cost limit",
    "exit_context": "stopped at the context limit", "exit_error": "stopped by an error",
    "limitsexceeded": "stopped at a limit", "limits_exceeded": "stopped at a limit",
    "exit_format": "stopped by malformed replies", "exit_forfeit": "given up",
}  # fmt: skip


def summary_of(run: RunRecord) -> Summary:
    """Sum a run up from its step record; the same run gives the same words."""
    ask, changes = ask_of(run), changes_of(run)
    points = list(_turning_points(run, changes))[:_TURNING_POINTS]
    closing = closing_of(run, ask, changes)
    expectation = expectation_of(ask)
    intent = intent_of(ask, run.steps, changes)
    asked = dict.fromkeys(understood(r.text).title for r in run.requests[1:] if is_goal(r.text))
    later = [title for title in asked if title != ask.title][:_LATER]
    parts = (
        f"{intent}{setting_of(run)}. Task: {_sentence(ask.title)}",
        expectation,
        f"Asked later: {'; '.join(later)}." if later else "",
        f"Tried: {_tried(run, changes)}.",
        f"Turning points: {'; '.join(points)}." if points else "",
        f"{_CAUSE_OR_CHANGE[is_cause(closing)]}, in the agent's words: {closing}"
        if closing
        else "",
        f"End: {'; '.join([*_end(run, changes), _verdict(run)])}.",
    )
    return Summary(
        id=content_id("summary", run.trace_id),
        created=created_of(run),
        scope=scope_of(run.project),
        title=ask.title,
        description=f"{_situation(run, changes)} {expectation}".strip(),
        content=" ".join(p for p in parts if p),
        task=run.task_id,
        project=run.project,
        domains=(run.domain,) if run.domain else (),
        languages=(run.language,) if run.language else (),
        outcome=run.trajectory.outcome.status,
    )


def _sentence(text: str) -> str:
    return text if text.endswith(("?", "!", ".", "…")) else f"{text}."


# --- what was done -------------------------------------------------------------------------------


def _tried(run: RunRecord, changes: Changes) -> str:
    """The steps by what they were for, the most frequent first; the counts add up."""
    phases = Counter(_sort_of(s) for s in run.steps)
    named = [p for p, _ in phases.most_common() if p != "other"]
    kinds = [count(phases[p], _NOUNS[p]) for p in named[:_NAMED_KINDS]]
    rest = sum(phases[p] for p in named[_NAMED_KINDS:]) + phases["other"]
    if rest:
        kinds.append(count(rest, "other step"))
    told = f"{count(len(run.steps), 'step')}: {listed(kinds)}"
    touched = _touched(changes)
    made = f"; {listed(touched)}" if touched else ""
    helpers = (
        f"; {count(len(changes.helpers), 'file')} made only on the way" if changes.helpers else ""
    )
    return told + made + helpers


def _sort_of(step: StepRecord) -> str:
    if step.kind in ("plan", "think"):
        return "plan"
    if step.phase == "other" and step.program in FILE_WORK:
        return "file"
    return step.phase if step.phase in _NOUNS else "other"


def _turning_points(run: RunRecord, changes: Changes) -> Iterator[str]:
    if shown := _shown_first(run, changes):
        yield shown
    yield from (f"{name} after {count(edits, 'edit')}" for name, edits in _turned(run))
    undone = sum(s.phase == "undo" and not s.failed for s in run.steps)
    if undone:
        yield (
            "a change was undone"
            if undone == 1
            else f"changes were undone {_TIMES.get(undone, f'{undone} times')}"
        )
    if again := len(run.requests) - 1 if run.requests else 0:
        yield f"the user spoke again {_TIMES.get(again, f'{again} times')}"
    if rejected := len(run.rejected_turns):
        yield f"{count(rejected, 'reply')} refused by the harness"


def _shown_first(run: RunRecord, changes: Changes) -> str:
    """Whether a check said no before anything was changed."""
    first = next((s.index for s in run.steps if changed_by(s, changes)), -1)
    shown = (s for s in run.steps[: max(first, 0)] if _says_no(s))
    step = next(shown, None)
    return f"{_check_name(step)} showed the fault before the change" if step else ""


def _says_no(step: StepRecord) -> bool:
    classes = ("assertion", "test-failure", "reported-by-script", "lint-findings", "type-check")
    return (
        step.check
        and step.verdict == "fail"
        and (step.fault is None or step.fault.error_class in classes)
    )


def _turned(run: RunRecord) -> Iterator[tuple[str, int]]:
    """Checks that failed, then passed with edits in between, and how many; each purpose once."""
    failed: dict[str, StepRecord] = {}
    turned: set[str] = set()
    for step in run.steps:
        if not step.check or not step.purpose or step.purpose in turned:
            continue
        if step.verdict == "fail":
            failed.setdefault(step.purpose, step)
        elif step.verdict == "pass" and step.purpose in failed:
            between = run.steps[failed[step.purpose].index + 1 : step.index]
            edits = sum(s.phase == "edit" and not s.failed for s in between)
            if edits:
                turned.add(step.purpose)
                yield f"{_check_name(step)} went from failing to passing", edits


def _check_name(step: StepRecord) -> str:
    if step.own:
        return "the check script"
    return {"test": "the tests", "build": "the build", "lint": "the linter"}.get(
        step.phase, "a script"
    )


# --- how it ended --------------------------------------------------------------------------------


def _situation(run: RunRecord, changes: Changes) -> str:
    """The course of the run in one line of general words, the same for every field of work."""
    if not changes.files:
        acted = any(_hands_over(s) for s in run.steps)
        how = "what was there was handed over" if acted else "only looked at and tried"
        return f"No file was changed in the end, {how}."
    check = _verdict_after(run, changes)
    if check is None:
        return "The change was not checked at the end."
    if not check.verdict:
        return "The change was checked, what the check said is not recorded."
    if check.verdict == "pass" and next(_turned(run), None):
        return "The change was checked: a check failed before it and passed after it."
    return f"The change was checked, and the check {_PAST[check.verdict]}."


def _hands_over(step: StepRecord) -> bool:
    """Say whether a step commits, pushes or writes to the code host."""
    return not step.failed and any(
        (c.program == "git" and c.subcommand in ("commit", "push", "merge", "tag"))
        or (
            c.program in ("gh", "glab")
            and c.task in ("create", "merge", "comment", "close", "edit")
        )
        for c in step.commands
    )


def _touched(changes: Changes) -> list[str]:
    changed = [f"{count(len(changes.changed), 'file')} changed"] if changes.changed else []
    return [*changed, *([count(len(changes.added), "new file")] if changes.added else [])]


def _end(run: RunRecord, changes: Changes) -> list[str]:
    """How it ended: the last check after the last change, and the exit."""
    told = [*_last_check(run, changes)]
    status = run.trajectory.exit_status.lower().replace(" ", "_")
    told += [words for known, words in _ENDINGS.items() if known in status][:1]
    return told


def _verdict(run: RunRecord) -> str:
    outcome = run.trajectory.outcome
    if outcome.status == "unknown":
        return "no verdict known"
    judge = {"verifier": "the verifier", "human": "a person", "judge": "a judge"}.get(
        outcome.source, "a rule of thumb"
    )
    return f"{'accepted' if outcome.status == 'success' else 'rejected'} by {judge}"


def _last_check(run: RunRecord, changes: Changes) -> Iterator[str]:
    """What the last check after the last change said, or that there was none after it."""
    check = _verdict_after(run, changes)
    if check and check.verdict:
        yield f"the last run of {_check_name(check)} {_PAST[check.verdict]}"
    elif check:
        when = " after the last change" if changes.files else ""
        yield f"{_check_name(check)} ran{when}, its verdict is not recorded"
    elif any(is_code(f) for f in changes.files):
        after = run.steps[_last_change(run, changes) + 1 :]
        if not any(s.phase in _CHECKS for s in after):
            yield "nothing was checked after the last change"


def _verdict_after(run: RunRecord, changes: Changes) -> StepRecord | None:
    """The last check with a verdict after the last change, else the last without one."""
    checks = [s for s in run.steps[_last_change(run, changes) + 1 :] if s.check]
    told = [s for s in checks if s.verdict in ("pass", "fail")]
    return next(reversed(told or checks), None)


def _last_change(run: RunRecord, changes: Changes) -> int:
    return max((s.index for s in run.steps if changed_by(s, changes)), default=-1)
