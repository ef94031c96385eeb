"""The last check before the hand-over failed."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import before, fault_class
from ..verification import hands_over, says_no, shows_fault

_UNDOING: Final = 3
"""Steps before a check in which an undo makes it a comparison. Source: measured on 342 public
runs."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the last change and the failing check after which nothing was checked any more."""
    if run.last_edit < 0 or not hands_over(run):
        return
    checks = [s for s in run.steps[run.last_edit :] if _tells(s)]
    if not checks or not _by_itself(checks[-1]):
        return
    last = checks[-1]
    if any(s.phase == "undo" for s in before(run, last.index, _UNDOING)):
        return
    yield Hit(steps=tuple(sorted({run.last_edit, last.index})))


def _tells(step: StepRecord) -> bool:
    return step.check and (step.verdict in ("pass", "fail") or says_no(step))


def _by_itself(step: StepRecord) -> bool:
    """Tell whether the check failed by exit code, error or summary, not by words alone."""
    if fault_class(step) == "timeout":
        return True
    return shows_fault(step) and (step.failed or step.exit_code is None)


CARD = Card(
    name="submit-failing",
    title="Do not hand over while the last check after your change is failing",
    situation=(
        "Time or ideas run out, and the last test or script after the change ended with a failure."
    ),
    seen=(
        "The last check after the last change failed or ran out of time, and the work was "
        "handed over after that."
    ),
    advice=(
        "Find out whether the failure comes from your change: run the same check without "
        "it. If you cannot resolve it, undo the part that breaks or say plainly in the "
        "hand-over what fails."
    ),
    applies_when="A check that concerns the change fails.",
    not_when="The same failure was there before the change and has nothing to do with the task.",
    kind="anti-pattern avoidance",
    polarity="avoid",
    detect=detect,
)
