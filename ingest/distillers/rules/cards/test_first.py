"""A test is written and fails; the code is changed, and the test passes."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ....steps.error_classes import SETUP
from ....steps.phases import is_test_file
from ..card import Card, Hit
from ..patterns import base_name, fault_class, in_project, project_edits, repaired_by_edit, worked

_WITHIN: Final = 14
"""Steps to look ahead from the failing test. Source: measured on 342 public runs."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the test that was written, its failure, the change of the code, and its pass."""
    written: StepRecord | None = None
    names: list[str] = []
    for step in run.steps:
        if worked(step) and _kept_tests(step):
            written, names = step, _kept_tests(step)
        elif any(not is_test_file(path) for path in project_edits(run, step)):
            written = None
        failed = step.phase == "test" and step.verdict == "fail"
        shown = failed and fault_class(step) not in SETUP
        if written and shown and any(name in step.command for name in names):
            repaired = repaired_by_edit(run, step, _WITHIN)
            if repaired and _changes_code(run, repaired[0]):
                yield Hit(steps=(written.index, step.index, *repaired))
                return


def _kept_tests(step: StepRecord) -> list[str]:
    """Return the names, without suffix, of the test files in folders that a step wrote."""
    paths = dict.fromkeys((*step.edits, *step.creates))
    kept = [path for path in paths if is_test_file(path) and "/" in path and in_project(path)]
    return [base_name(path).partition(".")[0] for path in kept]


def _changes_code(run: RunRecord, index: int) -> bool:
    return any(not is_test_file(path) for path in project_edits(run, run.steps[index]))


CARD = Card(
    name="test-first",
    title="Write the test first, see it fail, then change the code until it passes",
    situation="A behaviour is to be added or corrected in a project that has tests.",
    seen=(
        "A test was added or changed and failed. The code was changed after that, and the "
        "same test passed."
    ),
    advice=(
        "Write the test from the words of the task, and see that it fails for the reason the "
        "task describes. Then change the code and run that test and its neighbours."
    ),
    applies_when="The project has tests that can be run here.",
    not_when="The task says that tests must not be changed.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
)
