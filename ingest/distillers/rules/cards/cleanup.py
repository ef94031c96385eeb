"""The own scripts are removed and the change is looked at before hand-over."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import git, worked
from ..verification import hands_over, made_files, removes

_LAST: Final = 8
"""Steps at the end of a run that belong to the hand-over. Source: measured on 342 public runs."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the removal of own files and the look at what is left."""
    if run.last_edit < 0 or not hands_over(run):
        return
    made = made_files(run)
    removal = -1
    for step in run.steps[-_LAST:]:
        gone = [p for p in made if removes(step, p)] if worked(step) or step.edits else []
        if gone and step.index >= run.last_edit:
            removal = step.index
        shows = git(step, "diff", "status") is not None and step.phase != "submit"
        if removal >= 0 and shows and worked(step):
            yield Hit(steps=tuple(sorted({removal, step.index})))
            return


CARD = Card(
    name="cleanup",
    title="Remove your own scripts and look at the change before you hand it over",
    situation=(
        "The work is done, and files that were written only to try things out are still in "
        "the project."
    ),
    seen=(
        "Files that the agent had made were removed at the end. The state of the project or "
        "the difference was looked at after that."
    ),
    advice=(
        "Delete what you wrote only for yourself, then read the list of changed files and "
        "the diff. Only what the task asks for may be left."
    ),
    applies_when="The whole working tree or a diff of it is handed over.",
    not_when="The new files are part of what the task asks for.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
    tools=("git",),
)
