"""After the last change a linter or type check of the project passes."""

from collections.abc import Iterator

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import base_name, passed


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the last change and the first linter or type check after it that passes."""
    if run.last_edit < 0:
        return
    for step in run.steps[run.last_edit + 1 :]:
        ours = step.own or step.program == base_name(run.project)
        if step.phase == "lint" and passed(step) and not ours:
            yield Hit(steps=(run.last_edit, step.index))
            return


CARD = Card(
    name="lint-last",
    title="Run the project's linter or type check after the last change",
    situation="A change is finished and about to be handed over or committed.",
    seen=(
        "After the last change to the project its linter, formatter check or type check was "
        "run and passed."
    ),
    advice=(
        "Run the check that the project itself defines over the files you touched, and again "
        "after any later edit. It does not replace the tests or the task's own criteria."
    ),
    applies_when="The project has a linter, formatter or type check.",
    not_when="No code or configuration was changed.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
)
