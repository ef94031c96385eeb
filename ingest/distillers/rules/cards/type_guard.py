"""An accepted small change looks at the type or the attributes of a value before it is used."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..hunks import Hunk, joined, small_hunks

_GUARD: Final = re.compile(
    r"\b(?:isinstance|issubclass|hasattr|callable)\(|\btypeof \w|\binstanceof\b|\bArray\.isArray\("
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
    branches = re.search(r"\b(?:el)?if\b|&&|\band\b", added)
    return bool(branches) and len(_GUARD.findall(added)) > len(_GUARD.findall(removed))


CARD = Card(
    name="type-guard",
    title="Ask for the type or the attribute before you rely on it",
    situation=(
        "A function receives values of several types, and one of them does not have what "
        "the code takes for granted."
    ),
    seen=(
        "A small change that a verifier accepted asked for the type, or for an attribute, "
        "of a value before using it."
    ),
    advice=(
        "Check which types really arrive, and treat the one that fails by itself. Ask as "
        "widely as the code means it: for the base class or the ability, not for one class "
        "by name."
    ),
    applies_when="Several types are legal at this place.",
    not_when="The caller passes something wrong: then the caller is to be changed.",
    kind="input validation and robustness",
    polarity="do",
    detect=detect,
)
