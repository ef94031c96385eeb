"""An accepted small change looks for a missing value before it is used."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..hunks import Hunk, joined, small_hunks

_GUARD: Final = re.compile(
    r"\bis (?:not )?None\b|[!=]==? ?(?:null|undefined)\b|\?\?|\?\.\w|\bis_none\(|[!=]= nil\b"
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the change, where a verdict on the run was good."""
    if run.trajectory.outcome.status != "success":
        return
    for hunk in small_hunks(run):
        if _adds_guard(hunk):
            yield Hit(steps=(hunk.step,))
            return


def _adds_guard(hunk: Hunk) -> bool:
    added, removed = joined(hunk.added), joined(hunk.removed)
    branches = re.search(r"\bif\b|\band\b|\bor\b|&&|\|\||\?", added)
    more = len(_GUARD.findall(added)) > len(_GUARD.findall(removed))
    return bool(branches) and more and not re.search(r"\bis_?instance\b", added)


CARD = Card(
    name="none-guard",
    title="Ask whether a value is missing before you use it",
    situation=(
        "Code fails or gives a wrong result because a value that is usually there can be absent."
    ),
    seen=(
        "A small change that a verifier accepted asked whether a value was missing and "
        "treated that case by itself."
    ),
    advice=(
        "Find out where the missing value comes from and whether it is legal there. If it "
        "is, treat it explicitly at the place where it matters; test for absence, not for "
        "falsity."
    ),
    applies_when="Absence is a legal state of the value.",
    not_when="The value should never be missing: then repair what lets it be.",
    kind="input validation and robustness",
    polarity="do",
    detect=detect,
)
