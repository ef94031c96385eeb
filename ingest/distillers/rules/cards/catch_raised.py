"""An accepted small change catches the exception that is really raised."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..hunks import Hunk, joined, small_hunks

_CATCHES: Final = re.compile(r"^\s*(?:except\b(.*):|\}? ?catch \((.*)\))", re.MULTILINE)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the change, where a verdict on the run was good."""
    if run.trajectory.outcome.status != "success":
        return
    for hunk in small_hunks(run):
        if _catches_more(hunk):
            yield Hit(steps=(hunk.step,))
            return


def _catches_more(hunk: Hunk) -> bool:
    """Tell whether an except clause names another exception than before, or is new."""
    before, after = (_CATCHES.findall(joined(lines)) for lines in (hunk.removed, hunk.added))
    new = bool(before) or re.search(r"\btry\b", joined(hunk.added)) is not None
    return new and before != after and any("".join(named).strip() for named in after)


CARD = Card(
    name="catch-raised",
    title="Catch the exception that is really raised, and name it",
    situation=(
        "An error passes through a place that was meant to handle it, or is handled in the "
        "wrong way."
    ),
    seen=(
        "A small change that a verifier accepted added a clause that catches a named "
        "exception, or made one name another exception."
    ),
    advice=(
        "Let the failing case show which exception arrives there, and name exactly that "
        "one. Look at what the handler then returns to its caller."
    ),
    applies_when="The place is meant to handle such failures.",
    not_when="The exception tells of a fault that should be repaired.",
    kind="input validation and robustness",
    polarity="do",
    detect=detect,
)
