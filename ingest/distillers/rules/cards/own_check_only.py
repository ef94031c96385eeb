"""After the last change only own checks passed; no test of the project was run at all."""

from collections.abc import Iterator

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import project_edits
from ..verification import hands_over, is_source, passes


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the last change and the own check that was taken for a proof."""
    if run.last_edit < 0 or not hands_over(run):
        return
    if not any(is_source(path) for step in run.steps for path in project_edits(run, step)):
        return
    if any(step.phase == "test" and not step.own for step in run.steps):
        return
    own = [s for s in run.steps[run.last_edit :] if s.own and passes(s)]
    if own:
        yield Hit(steps=tuple(sorted({run.last_edit, own[-1].index})))


CARD = Card(
    name="own-check-only",
    title="Do not take your own check alone as proof that a change is right",
    situation=(
        "A fix works in a script that was written for it, and the work is about to be handed over."
    ),
    seen=(
        "After the last change only checks written in this run passed. No test of the "
        "project was run at all."
    ),
    advice=(
        "An own script shares the assumptions of the change. Look for the project's tests "
        "of the changed code and run them, and read the task's criteria once more."
    ),
    applies_when="The project has tests of its own.",
    not_when="There are no tests, or the task says not to run them.",
    kind="anti-pattern avoidance",
    polarity="avoid",
    detect=detect,
)
