"""Where a run turned: failures that were repaired, corrections by the user, changes undone.

These are the places that a lesson can be drawn from. They are read off the step record; what the
agent says of itself is not looked at.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from .record import Repair, RunRecord, StepRecord

Turn = Literal["repaired failure", "correction by the user", "change undone"]

MOST: Final = 8
"""Turning points given of a run at most. Chosen by us: lessons are asked for three."""

_TEXT_CHARS: Final = 200
_LONG_MESSAGE: Final = 600
"""Characters from which a message is a specification and no correction. Chosen by us."""

_CORRECTS: Final = re.compile(
    r"(?i)\A\W*(?:no\b|nope|wrong|stop\b|wait\b|don'?t\b|do not\b|never\b|undo\b|revert\b"
    r"|that'?s (?:not|wrong)|this is (?:not|wrong)|not what|instead\b|please (?:don'?t|do not|use))"
    r"|\b(?:i (?:said|told you|meant|asked)|you (?:forgot|missed|broke|should(?:n'?t| not)?)"
    r"|instead of|rather than|from now on|still (?:fails|broken|not|doesn'?t))\b"
)
_TRIVIAL: Final = frozenset({"edit-unread", "no-such-file", "edit-changed"})
"""Faults that are part of everyday work and whose repair teaches nothing new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurningPoint:
    """A place where a run turned: its steps in order, and what the record says of each.

    `lines` are words from the run: untrusted.
    """

    turn: Turn
    steps: tuple[int, ...]
    lines: tuple[str, ...]


def turning_points(run: RunRecord) -> tuple[TurningPoint, ...]:
    """Return the turning points of a run, in the order of their first step, at most `MOST`.

    A repaired failure says what was tried in vain. Where there are too many, repairs without
    anything tried in vain are left out first.
    """
    found = [*_corrections(run), *_undone(run), *_repaired(run)]
    kept = sorted(found, key=lambda p: (_weight(p), p.steps))[:MOST]
    return tuple(sorted(kept, key=lambda p: (p.steps, p.turn)))


def _weight(point: TurningPoint) -> int:
    if point.turn != "repaired failure":
        return 0
    return 1 if any("did not help" in line for line in point.lines) else 2


def _repaired(run: RunRecord) -> Iterator[TurningPoint]:
    last = -1
    for repair in run.repairs:
        failing = run.steps[repair.failing]
        trivial = failing.fault is None or failing.fault.error_class in _TRIVIAL
        if repair.failing <= last or repair.by == "re-run" or (trivial and not repair.tried):
            continue
        last = repair.passing
        yield TurningPoint(
            turn="repaired failure",
            steps=tuple(
                sorted({repair.failing, *repair.tried[:3], *repair.changed[-2:], repair.passing})
            ),
            lines=tuple(_repair_lines(run.steps, repair)),
        )


def _repair_lines(steps: Sequence[StepRecord], repair: Repair) -> Iterator[str]:
    failing = steps[repair.failing]
    why = failing.fault.message if failing.fault else f"exit code {failing.exit_code}"
    yield f"step {failing.index} failed: {_short(failing.command)}: {_short(why)}"
    for index in repair.tried[:3]:
        yield f"step {index} did not help: {_short(steps[index].command)}"
    for index in repair.changed[-2:]:
        yield f"step {index} changed: {_short(_change(steps[index]))}"
    yield f"step {repair.passing} worked: {_short(steps[repair.passing].command)}"


def _change(step: StepRecord) -> str:
    return ", ".join(step.edits) if step.edits else step.command


def _corrections(run: RunRecord) -> Iterator[TurningPoint]:
    for step in run.steps:
        if step.failure == "rejected":
            line = f"step {step.index} was refused by the user: {_short(step.command)}"
            yield TurningPoint(turn="correction by the user", steps=(step.index,), lines=(line,))
    numbers = {id(turn): n for n, turn in enumerate(run.trajectory.turns)}
    for request in run.requests[1:]:
        number = numbers.get(id(request), -1)
        before = [s for s in run.steps if s.turn < number][-1:]
        after = [s for s in run.steps if s.turn > number][:1]
        told = request.text.strip()
        if before and after and len(told) <= _LONG_MESSAGE and _CORRECTS.search(told):
            yield TurningPoint(
                turn="correction by the user",
                steps=(before[0].index, after[0].index),
                lines=(
                    f"before, step {before[0].index}: {_short(before[0].command)}",
                    f"the user said: {_short(told)}",
                    f"then, step {after[0].index}: {_short(after[0].command)}",
                ),
            )


def _undone(run: RunRecord) -> Iterator[TurningPoint]:
    changed: dict[str, int] = {}
    for step in run.steps:
        if step.phase == "undo" and not step.failed and changed:
            of = sorted({changed[p] for p in step.edits if p in changed}) or [max(changed.values())]
            yield TurningPoint(
                turn="change undone",
                steps=(*of[-2:], step.index),
                lines=(
                    *(f"step {i} changed: {_short(_change(run.steps[i]))}" for i in of[-2:]),
                    f"step {step.index} undid it: {_short(step.command)}",
                ),
            )
            changed.clear()
        elif step.phase == "edit" and not step.failed:
            changed |= dict.fromkeys(step.edits, step.index)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TEXT_CHARS else f"{line[:_TEXT_CHARS]} …"
