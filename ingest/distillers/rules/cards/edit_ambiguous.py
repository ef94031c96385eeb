"""The text to replace stands there several times; with more of its surroundings the edit works."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import aim, fault_class, is_edit_tool, worked

_WITHIN: Final = 6
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the last edit that was not unique and the edit of the same file that worked."""
    refused: dict[str, int] = {}
    for step in run.steps:
        path = aim(step) if is_edit_tool(step) else ""
        if path and fault_class(step) == "edit-not-unique":
            refused[path] = step.index
        elif path and worked(step) and path in refused:
            first = refused.pop(path)
            if step.index - first <= _WITHIN:
                yield Hit(steps=(first, step.index))


CARD = Card(
    name="edit-ambiguous",
    title="Give an edit enough surrounding lines that its old text occurs only once",
    situation=(
        "A search-and-replace edit is refused because the old text occurs more than once in "
        "the file."
    ),
    seen=(
        "An edit was refused because its old text stood in the file several times. The next "
        "edit of that file went through."
    ),
    advice=(
        "Take in the lines around the place until the old text is unique, or say plainly that "
        "every occurrence is meant. Check which places were changed."
    ),
    applies_when="An edit tool reports several matches for the text to replace.",
    not_when="The text was not found at all.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
)
