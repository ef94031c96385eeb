"""An accepted small change moves a comparison or an index by one."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..hunks import Hunk, small_hunks

_RELATION: Final = re.compile(r"(?<![<>=!-])(<=?|>=?)(?![<>=])")
_BY_ONE: Final = re.compile(r" ?[+-] ?1\b")


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the change, where a verdict on the run was good."""
    if run.trajectory.outcome.status != "success":
        return
    for hunk in small_hunks(run):
        if _moves_boundary(hunk):
            yield Hit(steps=(hunk.step,))
            return


def _moves_boundary(hunk: Hunk) -> bool:
    """Tell whether one line became another only by `<` for `<=`, or by one more or less."""
    if len(hunk.removed) != 1 or len(hunk.added) != 1:
        return False
    old, new = hunk.removed[0].strip(), hunk.added[0].strip()
    if old == new or "->" in old:
        return False
    strict = _RELATION.findall(old), _RELATION.findall(new)
    moved = strict[0] != strict[1] and [s[0] for s in strict[0]] == [s[0] for s in strict[1]]
    if moved and _RELATION.sub("?", old) == _RELATION.sub("?", new):
        return True
    return _BY_ONE.sub("", old) == _BY_ONE.sub("", new) and "(" in old + "["


CARD = Card(
    name="boundary",
    title="Check a comparison exactly at its boundary",
    situation="A result is right except at the first, the last or an exactly full case.",
    seen="A small change that a verifier accepted moved a comparison or an index by one.",
    advice=(
        "Write down what must hold just below, at and just above the limit, and run the "
        "three cases. An off-by-one usually shows in only one of them."
    ),
    applies_when="A limit, a length or an index decides.",
    not_when="The limit itself is part of the task and stays.",
    kind="algorithmic strategy",
    polarity="do",
    detect=detect,
)
