"""An accepted small change hands an option on to a call that had gone without it."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..hunks import Hunk, small_hunks

_INSERTED: Final = re.compile(
    r"(?:, ?)?(?:\*{1,2}\w+|\w+=[\w.\[\]'\"]+|[\w.]*[A-Z]{3,}\w*)(?:, ?)?\Z"
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the change, where a verdict on the run was good."""
    if run.trajectory.outcome.status != "success":
        return
    for hunk in small_hunks(run):
        if _adds_argument(hunk):
            yield Hit(steps=(hunk.step,))
            return


def _adds_argument(hunk: Hunk) -> bool:
    """Tell whether one line became another by an argument put into a call."""
    if len(hunk.removed) != 1 or len(hunk.added) != 1:
        return False
    old, new = hunk.removed[0].strip(), hunk.added[0].strip()
    if re.match(r"(?:async )?(?:def|class|function|func|fn) ", new) or "(" not in old:
        return False
    size = len(new) - len(old)
    return size > 0 and any(
        new[:at] + new[at + size :] == old
        and _INSERTED.match(new[at : at + size])
        and "(" in new[:at]
        for at in range(len(old) + 1)
    )


CARD = Card(
    name="pass-option",
    title="Pass the option on to the inner call that does the work",
    situation=(
        "A function takes or knows an option, and the result looks as if the option had "
        "been ignored."
    ),
    seen=(
        "A small change that a verifier accepted added an argument to a call that had gone "
        "without it."
    ),
    advice=(
        "Follow the option from where it enters to the call that should obey it, and look "
        "at every call on the way, also the ones for other cases."
    ),
    applies_when="The inner call has a parameter for it.",
    not_when="The option is ignored on purpose.",
    kind="API and interface compliance",
    polarity="do",
    detect=detect,
)
