"""After the last change, tests that were there before are run and pass."""

from collections.abc import Iterator

from ....record import RunRecord
from ..card import Card, Hit
from ..verification import passes, tests_project


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the last change and the last passing run of existing tests after it."""
    if run.last_edit < 0:
        return
    for step in reversed(run.steps[run.last_edit :]):
        if tests_project(run, step) and passes(step):
            yield Hit(steps=tuple(sorted({run.last_edit, step.index})))
            return


CARD = Card(
    name="existing-tests",
    title="After the last change run tests that were there before, not only your own",
    situation=(
        "A fault is fixed or a feature is added in a project that has tests, and the change "
        "looks finished."
    ),
    seen=(
        "After the last change to the project tests that it already had were run, and they passed."
    ),
    advice=(
        "Check the task's own criteria first. Then run the existing tests around the "
        "changed code with the project's own runner, since your own script shows only what "
        "you thought of."
    ),
    applies_when="The project has tests that can be run.",
    not_when="The task forbids running tests, or they take longer than the task allows.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
)
