"""A change is undone with version control and made again in another way."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, git, project_edits

_WITHIN: Final = 5
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the change, its undoing, and the new change of the same file."""
    last: dict[str, int] = {}
    for step in run.steps:
        if step.phase == "undo" and not step.failed and git(step, "checkout", "restore", "reset"):
            undone = [p for p in last if p in step.edits] or _whole_tree(step, last)
            for edit in after(run, step.index, _WITHIN):
                if edit.check and not edit.edits:
                    break
                again = [p for p in undone if p in project_edits(run, edit)]
                if again:
                    yield Hit(steps=(last[again[0]], step.index, edit.index))
                    return
        for path in project_edits(run, step):
            last[path] = step.index


def _whole_tree(step: StepRecord, last: dict[str, int]) -> list[str]:
    command = git(step, "checkout", "restore", "reset")
    words = command.args if command else ()
    return list(last) if {"--hard", "."} & {*words} else []


CARD = Card(
    name="undo-retry",
    title="Undo a change that went wrong with version control and start from the original",
    situation=(
        "An edit of a file turned out wrong or broke it, and the file has to be changed again."
    ),
    seen="A file was changed, put back to its committed state, and then changed again.",
    advice=(
        "Do not pile repairs on a broken edit. Restore the file, make sure that nothing "
        "else of yours is lost with it, look at the original lines and make the change "
        "anew."
    ),
    applies_when="The file is under version control and the wrong change is not committed.",
    not_when="The file holds other changes that are to be kept.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
    tools=("git",),
)
