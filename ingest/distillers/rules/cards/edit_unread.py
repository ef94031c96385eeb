"""A file tool refuses to edit a file that was not read; after a read the edit works."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, aim, fault_class, is_edit_tool, looked_at, worked

_WITHIN: Final = 6
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the refused edit, the read, and the edit that worked."""
    for refused in run.steps:
        if not is_edit_tool(refused) or fault_class(refused) != "edit-unread":
            continue
        path, read = aim(refused), -1
        for step in after(run, refused.index, _WITHIN):
            if read < 0 and looked_at(step, path):
                read = step.index
            elif read >= 0 and is_edit_tool(step) and worked(step) and path in step.edits:
                yield Hit(steps=(refused.index, read, step.index))
                break


CARD = Card(
    name="edit-unread",
    title="Read a file before the first edit of it, even one you know",
    situation=(
        "An edit tool refuses to change or overwrite an existing file because it has not been "
        "read in this session."
    ),
    seen=(
        "The tool refused an edit because the file had not been read yet. After the file was "
        "read an edit of it went through."
    ),
    advice=(
        "Read the file, or the part to be changed, with the file tool first. A look through "
        "the shell or by a sub-agent may not count for the tool."
    ),
    applies_when="The edit tool keeps track of which files were read in the session.",
    not_when="The file is new, or the tool has no such rule.",
    kind="interaction protocol adherence",
    polarity="do",
    detect=detect,
)
