"""An edit by pattern hit several places; it is undone and made at one line."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..hunks import hunks_of, sed_expressions
from ..patterns import after

_LOOK_WITHIN: Final = 4
_EDIT_WITHIN: Final = 8
"""Steps to look ahead. Chosen by us."""

_BY_NUMBER: Final = re.compile(r"^\d+")
_LENGTH: Final = 20
"""Characters that an inserted text must have to be told apart. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the edit by pattern, the look that showed its text twice, and the edit by number."""
    for edit in run.steps:
        hunks = [h for h in hunks_of(edit) if len("".join(h.added).strip()) >= _LENGTH]
        expressions = [e for c in edit.commands for e in sed_expressions(c)]
        if len(hunks) != 1 or not expressions or any(_BY_NUMBER.match(e) for e in expressions):
            continue
        first = next(line.strip() for line in hunks[0].added if line.strip())
        look = next(
            (
                s
                for s in after(run, edit.index, _LOOK_WITHIN)
                if not s.edits and s.observation.count(first) >= 2
            ),
            None,
        )
        for again in after(run, look.index, _EDIT_WITHIN) if look else ():
            numbered = any(_BY_NUMBER.match(e) for c in again.commands for e in sed_expressions(c))
            if numbered and look and {*again.edits} & {*edit.edits}:
                yield Hit(steps=(edit.index, look.index, again.index))
                return


CARD = Card(
    name="pattern-too-wide",
    title="Address an edit by line number when its pattern occurs in several places",
    situation=(
        "Lines are inserted or replaced by a pattern, and the same words stand in more than "
        "one place of the file."
    ),
    seen=(
        "After an edit by a pattern the new text stood in more than one place. The file was "
        "then edited by line number."
    ),
    advice=(
        "Count the matches before the edit. Where there are several, restore the file and "
        "name the line, or take a pattern that holds the neighbouring lines."
    ),
    applies_when="Edits are made by patterns.",
    not_when="All places are meant.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
)
