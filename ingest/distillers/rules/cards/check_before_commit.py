"""A check passes between the last change and the commit."""

from collections.abc import Iterator

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import commits, passed, project_edits


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield a change, the check that passes after it, and the commit, with no change between."""
    edit: StepRecord | None = None
    check: StepRecord | None = None
    for step in run.steps:
        if project_edits(run, step):
            edit, check = step, None
        elif edit and check is None and step.phase in ("test", "build", "lint") and passed(step):
            check = step
        if edit and check and commits(step):
            yield Hit(steps=(edit.index, check.index, step.index))
            return


CARD = Card(
    name="check-before-commit",
    title="Run the project's checks between the last change and the commit",
    situation="A change is ready and is about to be committed.",
    seen=("After the last change a test, build or linter passed, and only then a commit was made."),
    advice=(
        "Run what the project runs on a commit or in CI, as far as it concerns the change, "
        "and commit when it passes. After another edit run it again."
    ),
    applies_when="The work ends in a commit.",
    not_when="A hook runs the same checks on every commit.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
    tools=("git",),
)
