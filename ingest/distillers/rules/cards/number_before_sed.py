"""Line numbers are printed right before an edit that addresses lines by number."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..hunks import sed_expressions
from ..patterns import before, project_edits, worked

_WITHIN: Final = 2
"""Steps to look ahead. Chosen by us."""

_BY_NUMBER: Final = re.compile(r"^(\d+)(?:,\d+)?\s*[acdis]")
_NUMBERS: Final = re.compile(r"\bnl\b|cat -n|grep [^|;&]*-\w*n|awk [^|;&]*NR|sed [^|;&]*=|\brg\b")
_SHOWN: Final = re.compile(r"^\s*(\d+)[:\t -]", re.MULTILINE)
_NEAR: Final = 5
"""Lines beside the shown ones that are still in sight. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the look that printed line numbers and the edit by number of the same file."""
    for edit in run.steps:
        if not worked(edit) or not project_edits(run, edit):
            continue
        expressions = (e for c in edit.commands for e in sed_expressions(c))
        numbers = [int(m[1]) for e in expressions if (m := _BY_NUMBER.match(e))]
        for look in before(run, edit.index, _WITHIN) if numbers else ():
            if look.edits:
                break
            if {*look.reads} & {*edit.edits} and _shows(look, numbers):
                yield Hit(steps=(look.index, edit.index))
                return


def _shows(look: StepRecord, numbers: list[int]) -> bool:
    """Tell whether a step printed numbered lines at the place of an edit."""
    if not worked(look) or not _NUMBERS.search(look.command):
        return False
    shown = [int(n) for n in _SHOWN.findall(look.observation[:60_000]) if len(n) < 8]
    return bool(shown) and min(shown) - _NEAR <= numbers[0] <= max(shown) + _NEAR


CARD = Card(
    name="number-before-sed",
    title="Print the line numbers right before an edit that addresses lines by number",
    situation="Lines of a file are replaced, inserted or deleted by their numbers.",
    seen=(
        "The lines of a file were shown with their numbers, and the next change of the file "
        "addressed lines by number."
    ),
    advice=(
        "Take the numbers from the file as it is now: every insertion moves what is below. "
        "With several edits go from the bottom to the top, or print the numbers again."
    ),
    applies_when="Edits are made by line number.",
    not_when="The editing tool matches text.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
)
