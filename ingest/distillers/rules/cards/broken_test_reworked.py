"""A change breaks an existing test; the test is read and the change is reworked."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ....steps.phases import is_test_file
from ..card import Card, Hit
from ..patterns import after, project_edits, worked
from ..verification import is_source, passes, shows_fault, tests_project

_WITHIN: Final = 14
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the failing test, the look at it, the new change, and the passing test."""
    if run.first_edit < 0:
        return
    for failing in run.steps[run.first_edit :]:
        if not tests_project(run, failing) or not shows_fault(failing):
            continue
        look, change = -1, -1
        for step in after(run, failing.index, _WITHIN):
            edited = project_edits(run, step)
            if any(is_test_file(path) for path in edited):
                break
            if look < 0 and _reads_test(run, step):
                look = step.index
            elif look >= 0 and any(is_source(path) for path in edited):
                change = step.index
            elif change >= 0 and passes(step) and step.purpose == failing.purpose:
                yield Hit(steps=(failing.index, look, change, step.index))
                return


def _reads_test(run: RunRecord, step: StepRecord) -> bool:
    if step.phase not in ("read", "search") or not worked(step):
        return False
    return any(is_test_file(path) and path not in run.own_files for path in step.reads)


CARD = Card(
    name="broken-test-reworked",
    title="When your change breaks an existing test, read the test and rework the change",
    situation="A fix solves the reported case, and a test that passed before fails now.",
    seen=(
        "An existing test failed after a change. The test was read, the code was changed "
        "once more and the test was not, and the test passed."
    ),
    advice=(
        "See what the test demands and why, and change your code so that both hold. Alter "
        "the test only where the task itself says that the old behaviour is wrong."
    ),
    applies_when="The test checks behaviour that the task does not change.",
    not_when="The task changes exactly what the test pins down.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
)
