"""Version control does not find a path; with the right one the command works."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, fault_class, git, worked

_WITHIN: Final = 4
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the command with the wrong path and the one of the same kind that worked."""
    for failed in run.steps:
        command = git(failed, "add", "rm", "mv", "checkout", "restore", "commit", "diff", "stash")
        if command is None or fault_class(failed) != "pathspec":
            continue
        for step in after(run, failed.index, _WITHIN):
            if git(step, command.subcommand) and worked(step):
                yield Hit(steps=(failed.index, step.index))
                return


CARD = Card(
    name="pathspec-checked",
    title="When git does not match a path, check folder and spelling first",
    situation="A git command reports that a pathspec did not match any files.",
    seen=(
        "A git command did not find the given path. The same command with another path, or "
        "from another folder, worked."
    ),
    advice=(
        "Paths count from the current folder: ask for the status there, or name the "
        "repository with git -C. The rest of the failed line may not have run."
    ),
    applies_when="Git is used from a sub-folder or with paths written from memory.",
    not_when="The file was never created.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
    tools=("git",),
)
