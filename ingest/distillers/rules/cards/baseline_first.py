"""Existing tests are run before the first change and again after the last one."""

from collections.abc import Iterator

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..verification import key_of, passes, shows_fault, tests_project


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the run of existing tests before the first change and after the last one."""
    if run.first_edit < 0:
        return
    early: dict[str, StepRecord] = {}
    for step in run.steps[: run.first_edit]:
        if tests_project(run, step) and (passes(step) or shows_fault(step)):
            early[key_of(step)] = step
    for step in reversed(run.steps[run.last_edit :]):
        known = early.get(key_of(step))
        if known and tests_project(run, step) and (passes(step) or shows_fault(step)):
            yield Hit(steps=(known.index, step.index))
            return


CARD = Card(
    name="baseline-first",
    title="Run the existing tests before the first change to know what fails already",
    situation="A change is about to be made in a project with tests whose state is not known.",
    seen="The same existing tests were run before the first change and after the last one.",
    advice=(
        "Run the tests around the code that you will touch once before you edit anything, "
        "and keep the result. Whatever fails later and did not fail then is yours."
    ),
    applies_when="The tests run in reasonable time.",
    not_when="The state of the tests is given with the task.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
)
