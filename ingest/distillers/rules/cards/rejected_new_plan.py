"""The user rejects a call; what comes next is another one, and it works."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, asks_user, same_call, worked

_WITHIN: Final = 4
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the rejected call and the first call after it that is another one and works."""
    for rejected in run.steps:
        if rejected.failure != "rejected" or asks_user(rejected):
            continue
        later = [s for s in after(run, rejected.index, _WITHIN) if s.failure != "rejected"]
        if later and worked(later[0]) and not same_call(rejected, later[0]):
            yield Hit(steps=(rejected.index, later[0].index))
            return


CARD = Card(
    name="rejected-new-plan",
    title="Take a rejected call as an answer and go on in another way",
    situation="The user rejects or interrupts a tool call that the agent proposed.",
    seen=(
        "The user rejected a call. The agent did not repeat it; its next call was another one "
        "and went through."
    ),
    advice=(
        "Take the rejection and any words with it as an instruction: change the plan, or ask "
        "what is wanted. Do not reach the same effect by another tool."
    ),
    applies_when="A person approves calls and has just turned one down.",
    not_when="The call failed by itself, without a decision of the user.",
    kind="interaction protocol adherence",
    polarity="do",
    detect=detect,
)
