"""A file changed since it was read; it is read again, and the edit works."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, aim, fault_class, is_edit_tool, looked_at, worked

_WITHIN: Final = 8
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the refused edit, the new read, and the edit that worked."""
    for refused in run.steps:
        if not is_edit_tool(refused) or fault_class(refused) != "edit-changed":
            continue
        path, read = aim(refused), -1
        for step in after(run, refused.index, _WITHIN):
            if read < 0 and looked_at(step, path):
                read = step.index
            elif read >= 0 and is_edit_tool(step) and worked(step) and path in step.edits:
                yield Hit(steps=(refused.index, read, step.index))
                break


CARD = Card(
    name="edit-stale",
    title="Read a file again when it changed after you read it",
    situation=(
        "An edit is refused because the file was modified since it was read, by a formatter, "
        "a hook, the user or a command."
    ),
    seen=(
        "The tool refused an edit because the file had changed since it was read. After "
        "another read an edit of it went through."
    ),
    advice=(
        "Read the file again and look at what changed before you edit: it may be the work of "
        "a formatter or of the user. Make formatters run before reading, not between read and "
        "edit."
    ),
    applies_when="An edit tool says that the file was modified since the last read.",
    not_when="The file was never read in the session.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
)
