"""A branch is made before the first commit."""

from collections.abc import Iterator

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import commits, git, worked


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the step that makes a branch and the first commit after it, none before."""
    branch: StepRecord | None = None
    for step in run.steps:
        if branch is None and worked(step) and _makes_branch(step):
            branch = step
        if commits(step):
            if branch:
                yield Hit(steps=tuple(dict.fromkeys((branch.index, step.index))))
            return


def _makes_branch(step: StepRecord) -> bool:
    checkout, switch = git(step, "checkout"), git(step, "switch")
    made = checkout is not None and "-b" in checkout.args
    return made or (switch is not None and bool({"-c", "--create"} & set(switch.args)))


CARD = Card(
    name="branch-first",
    title="Make a branch for the work before the first commit",
    situation="A change is to be committed and will go through a pull request or review.",
    seen="A new branch was made before the first commit of the run.",
    advice=(
        "Look at the current branch first, bring the main branch up to date, and branch off "
        "from it with a name that says what the work is. Commit there."
    ),
    applies_when="The project works with branches and reviews.",
    not_when="The user wants the commit on the current branch.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
    tools=("git",),
)
