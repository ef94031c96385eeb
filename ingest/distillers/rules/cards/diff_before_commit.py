"""The diff is read between the last change and the commit."""

from collections.abc import Iterator

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import commits, git, project_edits, worked


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the look at the diff and the commit, with no change of a file in between."""
    look: StepRecord | None = None
    for step in run.steps:
        if project_edits(run, step) or (step.creates and step.phase == "edit"):
            look = None
        if git(step, "diff") and git(step, "commit") is None and worked(step):
            look = step if step.observation.strip() else look
        if look and commits(step):
            yield Hit(steps=(look.index, step.index))
            return


CARD = Card(
    name="diff-before-commit",
    title="Read the diff of what you are about to commit",
    situation="Changes are about to be committed.",
    seen=(
        "The diff, or a summary of it, was looked at before the commit, and no file was "
        "changed in between."
    ),
    advice=(
        "Look at the staged diff and at the list of files: it should hold what the task asks "
        "for and nothing else. Take out debug output, stray files and changes of formatting."
    ),
    applies_when="The work ends in a commit.",
    not_when="The commit is empty on purpose.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
    tools=("git",),
)
