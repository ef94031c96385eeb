"""A push is rejected because the remote moved on; after taking that over it goes through."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, git, pushes, worked

_WITHIN: Final = 8
"""Steps to look ahead. Chosen by us."""

_BEHIND = re.compile(
    r"\[(?:remote )?rejected\]|non-fast-forward|fetch first|tip of your current branch"
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the rejected push, the pull or rebase, and the push that went through."""
    for rejected in run.steps:
        if git(rejected, "push") is None or worked(rejected):
            continue
        if not _BEHIND.search(rejected.observation):
            continue
        taken: int | None = None
        for step in after(run, rejected.index, _WITHIN):
            if git(step, "pull", "rebase", "merge") and worked(step):
                taken = step.index
            if taken is not None and pushes(step) and not _forces(step):
                yield Hit(steps=tuple(dict.fromkeys((rejected.index, taken, step.index))))
                return


def _forces(step: StepRecord) -> bool:
    command = git(step, "push")
    return command is not None and any(a in ("-f", "--force") for a in command.args)


CARD = Card(
    name="push-rejected",
    title="When a push is rejected, take over what is on the remote and push again",
    situation="A push is rejected because the remote branch holds commits that are not here.",
    seen=(
        "A push was rejected. The remote's commits were pulled, merged or rebased onto, and "
        "the next push went through without force."
    ),
    advice=(
        "Fetch, look at what others pushed, rebase or merge as the project does, and run the "
        "checks once more. Do not force a branch that others use."
    ),
    applies_when="Others push to the same branch.",
    not_when="A hook or a rule of the server rejected the push.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
    tools=("git",),
)
