"""A failing test is run again without the change, to see whose failure it is."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, git, project_edits
from ..verification import shows_fault

_WITHIN: Final = 4
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the failure, the step that set the change aside, and the same test without it."""
    if run.first_edit < 0:
        return
    for failing in run.steps[run.first_edit :]:
        if failing.phase != "test" or failing.own or not shows_fault(failing):
            continue
        for undo in after(run, failing.index, _WITHIN):
            if undo.phase != "undo" or undo.failed or not git(undo, "stash", "checkout"):
                continue
            again = next(
                (s for s in run.steps[undo.index : undo.index + 4] if _same(failing, s)), None
            )
            if again and _comes_back(run, undo.index, again.index):
                yield Hit(steps=tuple(sorted({failing.index, undo.index, again.index})))
                return


def _same(failing: StepRecord, step: StepRecord) -> bool:
    """Tell whether a step runs the same tests and gets a verdict."""
    told = step.verdict in ("pass", "fail") and step.check
    return told and (
        step.purpose == failing.purpose
        or failing.command in step.command
        or bool({*failing.reads} & {*step.reads})
    )


def _comes_back(run: RunRecord, undo: int, again: int) -> bool:
    """Tell whether the change was brought back after the comparison."""
    for step in run.steps[undo : again + 4]:
        stash = git(step, "stash")
        if stash and {"pop", "apply"} & {*stash.args}:
            return True
        if step.index > again and project_edits(run, step):
            return True
    return False


CARD = Card(
    name="baseline-compare",
    title="Run a failing test without your change before you call it an old failure",
    situation="A test fails after a change, and it is not clear whether the change is to blame.",
    seen=(
        "A test failed after a change. The change was set aside, the same test was run "
        "again without it, and the change was brought back."
    ),
    advice=(
        "Set the change aside, run the very same test, and bring the change back at once. A "
        "failure that is there without the change is not yours; any other is."
    ),
    applies_when="The change can be set aside and brought back, as with a stash.",
    not_when="The test is new and checks the change itself.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
    tools=("git",),
)
