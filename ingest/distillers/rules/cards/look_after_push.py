"""After a push the remote or its CI is looked at."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, command_of, git, pushes, worked

_WITHIN: Final = 5
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the push and the first look at the remote, the pull request or the CI."""
    for push in run.steps:
        if not pushes(push):
            continue
        look = next((s for s in after(run, push.index, _WITHIN) if _looks(s)), None)
        if look:
            yield Hit(steps=(push.index, look.index))
            return


def _looks(step: StepRecord) -> bool:
    if not worked(step) or not step.observation.strip():
        return False
    gh = command_of(step, "gh", "run", "pr")
    if gh and gh.task in ("list", "view", "watch", "checks", "status"):
        return True
    compared = git(step, "rev-parse", "log", "status", "diff")
    named = compared is not None and any("origin" in arg for arg in compared.args)
    return named or git(step, "ls-remote") is not None


CARD = Card(
    name="look-after-push",
    title="After a push look at the remote and its CI before you report success",
    situation="Commits or tags have been pushed and the work is to be reported.",
    seen="After a push the remote branch, the pull request or the CI runs were looked at.",
    advice=(
        "Compare the remote's commit with yours, and see whether the CI run that the push "
        "started is queued, passed or failed. Report what you saw, also that it is still "
        "running."
    ),
    applies_when="The remote can be queried from here.",
    not_when="There is no remote or CI to look at.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
    tools=("git",),
)
