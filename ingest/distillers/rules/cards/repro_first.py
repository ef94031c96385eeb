"""A script shows the fault before the first change and passes after the last one."""

from collections.abc import Iterator

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..verification import passes, shows_fault


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the failing run, the first change, and the passing run of the same script."""
    if run.first_edit < 0:
        return
    before_change: dict[str, StepRecord] = {}
    for step in run.steps[: run.first_edit]:
        if _is_script(step):
            before_change[step.purpose] = step
    last_runs: dict[str, StepRecord] = {}
    for step in run.steps[run.last_edit :]:
        if _is_script(step):
            last_runs[step.purpose] = step
    for purpose, failing in before_change.items():
        passing = last_runs.get(purpose)
        if shows_fault(failing) and passing is not None and passes(passing):
            yield Hit(steps=(failing.index, run.first_edit, passing.index))
            return


def _is_script(step: StepRecord) -> bool:
    return step.own and step.check and bool(step.purpose) and step.phase in ("run", "test")


CARD = Card(
    name="repro-first",
    title="Show the fault with a small script before the change, and run it again after",
    situation=(
        "A bug is reported with an example or a description, and the code has to be changed "
        "so that it goes away."
    ),
    seen=(
        "A small script of the agent failed before the first change to the code. The same "
        "script passed after the last one."
    ),
    advice=(
        "Write the reported case as a script and see it fail for the reported reason before "
        "you touch the code. That it passes later counts beside the task's own criteria, "
        "not in their place."
    ),
    applies_when="The wrong behaviour can be shown by running code.",
    not_when="The task gives a failing test or check already: run that one.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
)
