"""In a review a build or test is run besides reading."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import command_of, fault_class, git, worked

_NOT_RUN: Final = frozenset(
    {"command-not-found", "dependency-conflict", "no-such-module", "usage-error", "unknown-target"}
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the diff and the first test, build or linter after it, in a run without changes."""
    if run.first_edit >= 0 or run.own_files:
        return
    diff: StepRecord | None = None
    for step in run.steps:
        gh = command_of(step, "gh", "pr")
        shown = git(step, "diff") is not None or (gh is not None and gh.task == "diff")
        if diff is None and shown and worked(step) and step.observation.strip():
            diff = step
        elif diff and _gave_a_result(step):
            yield Hit(steps=(diff.index, step.index))
            return


def _gave_a_result(step: StepRecord) -> bool:
    """Say whether a test, build or linter ran and said yes or no."""
    ran = step.phase in ("test", "build", "lint") and step.verdict in ("pass", "fail")
    return ran and fault_class(step) not in _NOT_RUN


CARD = Card(
    name="review-runs-check",
    title="Run the build or the tests as part of a review",
    situation="Changes are to be judged, and the project can be built or tested here.",
    seen=(
        "In a run that changed nothing a diff was read, and a test, build or linter was run "
        "besides."
    ),
    advice=(
        "Run the checks that the change touches and report the command and its result apart "
        "from what you only read."
    ),
    applies_when="The version under review is checked out and its checks run here.",
    not_when="Running code of the change is not safe.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
)
