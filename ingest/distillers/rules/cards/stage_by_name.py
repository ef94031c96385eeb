"""Files are staged by name, and an unrelated file stays out of the commit."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import base_name, git, worked

_UNTRACKED = re.compile(r"^\?\? (.+)$|^\t([^\s:][^:\n]*)$", re.MULTILINE)
_ALL: Final = frozenset({".", "-A", "--all", "-u", "--update", ":/", "*", "-a", "-am"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the status with an unrelated file, the staging by name, and the commit."""
    status: tuple[int, frozenset[str]] | None = None
    added: set[str] = set()
    staged = -1
    for step in run.steps:
        if git(step, "status") and worked(step):
            others = frozenset(_untracked(step.observation))
            status = (step.index, others) if others else None
        add = git(step, "add")
        if add and worked(step):
            added.update(base_name(arg) for arg in add.args[1:])
            staged = -1 if _ALL & set(add.args) else step.index
        commit = git(step, "commit")
        if commit and worked(step):
            left = status and any(name not in added for name in status[1])
            if status and left and staged > status[0] and not _ALL & set(commit.args):
                yield Hit(steps=tuple(dict.fromkeys((status[0], staged, step.index))))
                return
            added, staged = set(), -1


def _untracked(text: str) -> Iterator[str]:
    """Yield the names of files that version control does not know, of both forms of a status."""
    _, mark, rest = text.partition("Untracked files:")
    for short, long in _UNTRACKED.findall(rest if mark else text):
        name = short or (long if mark else "")
        if name:
            yield base_name(name)


CARD = Card(
    name="stage-by-name",
    title="Stage files by name so that unrelated files stay out of the commit",
    situation=(
        "The working copy holds files that do not belong to the change, and a commit is to be made."
    ),
    seen=(
        "The status showed an untracked file that was not part of the work. Files were staged "
        "by name, and the commit left it out."
    ),
    advice=(
        "Read the status first, then add the files of the change one by one. Leave other "
        "people's files where they are and mention them."
    ),
    applies_when="There are untracked or unrelated changes in the working copy.",
    not_when="Everything in the working copy belongs to the change.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
    tools=("git",),
)
