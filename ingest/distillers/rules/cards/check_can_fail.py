"""The change is taken away to see that the check fails without it."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after
from ..verification import key_of, passes, shows_fault

_WITHIN: Final = 6
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the passing check, the step without the change, and the failing check."""
    for passing in run.steps[max(run.first_edit, 0) :]:
        if run.first_edit < 0 or not passes(passing):
            continue
        for undo in after(run, passing.index, _WITHIN):
            if undo.phase != "undo" or undo.failed:
                continue
            for step in run.steps[undo.index : undo.index + 4]:
                if shows_fault(step) and key_of(step) == key_of(passing):
                    yield Hit(steps=tuple(sorted({passing.index, undo.index, step.index})))
                    return


CARD = Card(
    name="check-can-fail",
    title="Take the change away once to see that your check fails without it",
    situation="A new test or script passes after a change, and it was never seen to fail.",
    seen="A check passed with the change. The change was set aside, and the same check failed.",
    advice=(
        "Set the change aside, run the check, see it fail for the expected reason, and "
        "bring the change back. A check that passes both ways proves nothing."
    ),
    applies_when="The check was written together with the change.",
    not_when="The check was seen to fail before the change.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
)
