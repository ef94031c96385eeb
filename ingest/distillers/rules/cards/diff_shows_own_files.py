"""The diff shows the agent's own scripts, and they are removed."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, answered, git, worked

_WITHIN: Final = 6
"""Steps to look ahead. Chosen by us."""

_HEADER = re.compile(r"^(?:\+\+\+ b/|diff --git a/\S+ b/)(\S+)", re.MULTILINE)
_STATUS = re.compile(r"^\?\? (\S+)|^\t(\S+)$", re.MULTILINE)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the diff or status that names an own file and the removal of that file."""
    for shown in run.steps:
        if not answered(shown) or shown.phase not in ("vcs", "submit", "run"):
            continue
        named = {name for name in _named(shown) if name in run.own_files}
        for step in after(run, shown.index, _WITHIN) if named else ():
            removes = step.phase == "other" and any(c.program == "rm" for c in step.commands)
            if removes and named & set(step.edits) and worked(step):
                yield Hit(steps=(shown.index, step.index))
                return


def _named(step: StepRecord) -> Iterator[str]:
    yield from _HEADER.findall(step.observation)
    if git(step, "status"):
        yield from (short or long for short, long in _STATUS.findall(step.observation))


CARD = Card(
    name="diff-shows-own-files",
    title="Look for your own helper scripts in the diff before you hand over",
    situation=(
        "Scripts were written to reproduce or check something, and the work is about to be "
        "handed in."
    ),
    seen=("The diff or status showed a helper script of the agent. It was removed before the end."),
    advice=(
        "List the changed and new files once more at the end. Remove what only served you, "
        "and keep what the task asks for."
    ),
    applies_when="Temporary scripts were written inside the repository.",
    not_when="The script is a test that is meant to stay.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
)
