"""A run as text within a limit: what tells most is kept, never simply what comes first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ...llm.tokens import estimate
from ...record import RunRecord, StepRecord
from ...turning_points import turning_points

_COMMAND_CHARS: Final = 400
_EXCERPT_CHARS: Final = 160
_FULL_CHARS: Final = 1_200
_SHORT_CHARS: Final = 20
_TASK_SHARE: Final = 0.25
"""Part of the limit that the task and later requests may take. Chosen by us."""

_LAST: Final = 3
_GAP_TOKENS: Final = 12


@dataclass(frozen=True, slots=True)
class Cut:
    """A run as text, and the indexes of the steps that stand in it."""

    text: str
    steps: frozenset[int]


def cut(run: RunRecord, *, limit_tokens: int) -> Cut:
    """Write a run down in at most about `limit_tokens`.

    Turning points come first, then errors, the end, edits and checks, then the rest; what came
    before in the run comes before where two tell as much. First as many steps as fit are named
    with a line of what they gave, then those that tell most are written out.
    """
    head = _head(run, limit_chars=int(limit_tokens * _TASK_SHARE) * 3)
    left = limit_tokens - estimate(head)
    values = _values(run)
    order = sorted(run.steps, key=lambda s: (-values[s.index], s.index))
    chosen: dict[int, str] = {}
    for wide in (False, True):
        for step in order:
            text = step_text(step, wide=wide)
            before = chosen.get(step.index)
            if wide and (before is None or values[step.index] < 2):
                continue
            more = estimate(text) - (estimate(before) if before else -_GAP_TOKENS)
            if more <= left:
                chosen[step.index] = text
                left -= more
    return Cut("\n".join((head, *_lines(run.steps, chosen))), frozenset(chosen))


def _values(run: RunRecord) -> dict[int, int]:
    """How much each step tells of a run, from 0 to 5."""
    turning = {i for point in turning_points(run) for i in point.steps}
    last = len(run.steps) - _LAST
    return {
        s.index: 5 if s.index in turning else _value(s, at_end=s.index >= last) for s in run.steps
    }


def _value(step: StepRecord, *, at_end: bool) -> int:
    if step.failed or step.fault or step.verdict == "fail" or at_end:
        return 4
    if step.phase in ("edit", "undo") or step.check:
        return 3
    return 1 if step.phase in ("install", "vcs", "submit", "run", "build") else 0


def step_text(step: StepRecord, *, wide: bool) -> str:
    """A step as a few lines: what was done, what it gave back, and how it ended.

    What a step did and gave stands alone after its label, so that it can be quoted as it stood.
    """
    parts = [f"[{step.index}] {step.phase}", f"did: {_shortened(step.command, _COMMAND_CHARS)}"]
    if wide:
        parts += [f"{name}: {_shortened(text, _FULL_CHARS)}" for name, text in _written(step)]
    if gave := step.observation.strip():
        parts.append(f"gave: {_shortened(gave, _FULL_CHARS if wide else _EXCERPT_CHARS)}")
    if ended := step.verdict or ("failed" if step.failed else ""):
        parts.append(f"ended: {ended}{f', exit code {step.exit_code}' if step.exit_code else ''}")
    return "\n".join(parts)


def _written(step: StepRecord) -> Iterator[tuple[str, str]]:
    """What an edit took and wrote, by the names of the tool's arguments."""
    if step.kind not in ("edit", "write"):
        return
    for name, value in step.call.arguments.items():
        if isinstance(value, str) and len(value) > _SHORT_CHARS and value not in step.command:
            yield name, value


def _head(run: RunRecord, *, limit_chars: int) -> str:
    outcome = run.trajectory.outcome
    requests = [r.text for r in run.requests] or [run.trajectory.task]
    share = max(200, limit_chars // max(1, min(len(requests), 4)))
    asked = [f"Task: {_shortened(requests[0], share)}"]
    asked += [f"Asked later: {_shortened(text, share)}" for text in requests[1:][-3:]]
    said = [t.text for t in run.trajectory.turns if t.role == "agent" and t.text.strip()][-1:]
    closing = [f"The agent's last words: {_shortened(text, share)}" for text in said]
    told = f"Outcome: {outcome.status} (says: {outcome.source})"
    return "\n".join((*asked, *closing, told, f"{len(run.steps)} steps:"))


def _lines(steps: Sequence[StepRecord], chosen: dict[int, str]) -> Iterator[str]:
    missing = 0
    for step in steps:
        if step.index not in chosen:
            missing += 1
            continue
        if missing:
            yield f"... {missing} steps left out ..."
            missing = 0
        yield chosen[step.index]
    if missing:
        yield f"... {missing} steps left out ..."


def _shortened(text: str, chars: int) -> str:
    """The beginning and the end of a text on one line each, as messages stand at the end."""
    text = text.strip()
    if len(text) <= chars:
        return text
    return f"{text[: chars // 3]} ... {text[-(chars - chars // 3) :]}"
