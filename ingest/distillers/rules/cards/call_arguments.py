"""A tool call is refused for its arguments; with corrected ones it works."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, fault_class, worked

_WITHIN: Final = 4
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the refused call and the call of the same tool that worked."""
    for refused in run.steps:
        if refused.kind == "shell" or fault_class(refused) != "invalid-arguments":
            continue
        for step in after(run, refused.index, _WITHIN):
            if step.call.name == refused.call.name and worked(step):
                yield Hit(steps=(refused.index, step.index))
                break


CARD = Card(
    name="call-arguments",
    title="Correct exactly the argument that the tool's validation message names",
    situation=(
        "A tool call is rejected because a required parameter is missing or an argument has "
        "the wrong form."
    ),
    seen=(
        "A tool refused a call because of its arguments. The same tool was called again with "
        "other arguments and worked."
    ),
    advice=(
        "Read which parameter the message names, and send the call again with that one put "
        "right. Nothing of the refused call was carried out."
    ),
    applies_when="A tool validates its arguments and says what is wrong with them.",
    not_when="The call was refused by the user or for lack of permission.",
    kind="interaction protocol adherence",
    polarity="do",
    detect=detect,
)
