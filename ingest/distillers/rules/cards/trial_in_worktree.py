"""A change is tried in a separate worktree that is removed afterwards."""

from collections.abc import Iterator

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import answered, worked


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the step that makes a worktree and the one that removes it, often the same."""
    made: int | None = None
    for step in run.steps:
        trees = [c for c in step.commands if c.program == "git" and c.subcommand == "worktree"]
        for command in trees:
            if command.task == "add" and answered(step):
                made = step.index if made is None else made
            elif command.task == "remove" and made is not None and worked(step):
                yield Hit(steps=tuple(dict.fromkeys((made, step.index))))
                return


CARD = Card(
    name="trial-in-worktree",
    title="Try risky steps in a separate worktree and remove it afterwards",
    situation=(
        "Something has to be tried on another commit or with effects on many files, and the "
        "working copy holds changes."
    ),
    seen=(
        "A separate worktree was made for a trial and removed again; the working copy itself "
        "was left alone."
    ),
    advice=(
        "Add a detached worktree in a temporary folder, run the trial there, and remove it "
        "also when the trial fails."
    ),
    applies_when="The repository is a git clone with room for a second checkout.",
    not_when="The trial needs files that are not under version control.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
    tools=("git",),
)
