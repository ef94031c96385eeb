"""A patch does not apply; its target is looked at again, and a new edit works."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, fault_class, worked

_WITHIN: Final = 10
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the failed patch, the look at a file, and the edit of that file that worked."""
    for failed in run.steps:
        if fault_class(failed) != "patch-failed":
            continue
        look: StepRecord | None = None
        for step in after(run, failed.index, _WITHIN):
            if look is None and step.reads and worked(step) and not step.edits:
                look = step
            elif look and worked(step) and set(look.reads) & set(step.edits):
                yield Hit(steps=(failed.index, look.index, step.index))
                break


CARD = Card(
    name="patch-context",
    title="When a patch does not apply, look at its target and make a smaller change",
    situation=(
        "A patch or diff is rejected because a hunk does not match the file or the patch is "
        "malformed."
    ),
    seen=(
        "A patch did not apply. A file was looked at again and then changed by another edit "
        "that went through."
    ),
    advice=(
        "Compare the context lines with the file as it stands and write a smaller change from "
        "them. Make sure that no part of the failed patch was left behind."
    ),
    applies_when="A patch program or patch tool reports failed hunks or a malformed patch.",
    not_when="The patch belongs to another version of the code; get that version first.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
    tools=("git",),
)
