"""The text to replace is not found; the file is looked at again, and the edit works."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import aim, fault_class, is_edit_tool, looked_at, worked

_WITHIN: Final = 8
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the last failed edit of a file, the look at it, and the edit that worked."""
    missed: dict[str, int] = {}
    looked: dict[str, int] = {}
    for step in run.steps:
        path = aim(step) if is_edit_tool(step) else ""
        if path and fault_class(step) == "edit-not-found":
            missed[path] = step.index
            looked.pop(path, None)
        elif path and worked(step) and path in missed:
            first, look = missed.pop(path), looked.pop(path, -1)
            if look >= 0 and step.index - first <= _WITHIN:
                yield Hit(steps=(first, look, step.index))
        else:
            for shown in step.reads if not path else ():
                if shown in missed and looked_at(step, shown):
                    looked.setdefault(shown, step.index)


CARD = Card(
    name="edit-exact",
    title="When the text to replace is not found, look again and copy it exactly",
    situation=(
        "A search-and-replace edit or a patch fails because the old text does not stand in "
        "the file as it was given."
    ),
    seen=(
        "An edit failed because the text to be replaced was not in the file. After another "
        "look at the file an edit of it went through."
    ),
    advice=(
        "Show the lines as they stand now and take them over exactly, with their indentation, "
        "tabs and quotes. Do not send the same old text again."
    ),
    applies_when="An edit tool or a patch reports that the old text or its context was not found.",
    not_when="The text was found several times; then more context is needed.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
)
