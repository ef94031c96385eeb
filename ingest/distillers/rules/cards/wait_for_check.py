"""A check that is still running is waited for, and its result is read."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import before

_WITHIN: Final = 12
"""Steps to look back. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the start of a check that gave no result yet and the look that gave it."""
    for look in run.steps:
        if look.main is None or not look.check or not look.verdict or _line(look):
            continue
        for start in before(run, look.index, _WITHIN):
            same = (
                start.purpose == look.purpose and _line(start) and start.commands == look.commands
            )
            if same and not start.verdict:
                yield Hit(steps=(start.index, look.index))
                return


def _line(step: StepRecord) -> bool:
    """Say whether a step gave a command line itself and did not only ask for more output."""
    return any(name in step.call.arguments for name in ("command", "cmd", "commands"))


CARD = Card(
    name="wait-for-check",
    title="Wait for the result of a check that is still running before you conclude anything",
    situation=(
        "A test, build or type check takes longer than one tool call and goes on in the background."
    ),
    seen=(
        "A check had not ended when its tool call came back. Its output was asked for again "
        "until it showed a result."
    ),
    advice=(
        "Poll the running check until it says passed or failed; do independent look-ups "
        "meanwhile. Silence so far is no result."
    ),
    applies_when="Long commands keep running after the call returns.",
    not_when="The process is a server that never ends.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
)
