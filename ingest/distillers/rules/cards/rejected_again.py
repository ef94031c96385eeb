"""The user rejects a call and gets the same call again."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, same_call, user_spoke

_WITHIN: Final = 6
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield a rejected call and its repetition, if the user said nothing in between."""
    for rejected in run.steps:
        if rejected.failure != "rejected":
            continue
        for step in after(run, rejected.index, _WITHIN):
            if same_call(rejected, step) and not user_spoke(run, rejected.index, step.index):
                yield Hit(steps=(rejected.index, step.index))
                return


CARD = Card(
    name="rejected-again",
    title="Do not send a call again that the user has just rejected",
    situation="A tool call was rejected by the user and the same step still seems needed.",
    seen=(
        "A call was rejected by the user. The very same call was made again although the user "
        "had said nothing in between."
    ),
    advice=(
        "Ask what was wrong with it, or propose something else. A rejection is no error that "
        "a second try repairs."
    ),
    applies_when="A person approves calls and has just turned one down.",
    not_when="The user then said that the call may be made.",
    kind="interaction protocol adherence",
    polarity="avoid",
    detect=detect,
)
