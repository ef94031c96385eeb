"""An accepted small change raises an error with a message for input that cannot be handled."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..hunks import Hunk, joined, small_hunks

_RAISES: Final = re.compile(
    r"\b(?:raise [\w.]+\(\s*(?:f|_\()?[\"']|throw new \w+\(\s*[`\"']|fmt\.Errorf\()"
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the change, where a verdict on the run was good."""
    if run.trajectory.outcome.status != "success":
        return
    for hunk in small_hunks(run):
        if _adds_error(hunk):
            yield Hit(steps=(hunk.step,))
            return


def _adds_error(hunk: Hunk) -> bool:
    added, removed = joined(hunk.added), joined(hunk.removed)
    return len(_RAISES.findall(added)) > len(_RAISES.findall(removed))


CARD = Card(
    name="clear-error",
    title="Refuse input that you cannot handle with an error that says what was wrong",
    situation=(
        "Wrong input leads to a strange failure later, or to a wrong result without any failure."
    ),
    seen=(
        "A small change that a verifier accepted raised an error with a message for input "
        "that the code cannot handle."
    ),
    advice=(
        "Check at the door, name the argument and what was expected, and use the kind of "
        "error that callers of this code catch already."
    ),
    applies_when="The input can never be valid.",
    not_when="Existing callers rely on the input being accepted.",
    kind="input validation and robustness",
    polarity="do",
    detect=detect,
)
