"""A check that still fails after a change is run again after the next change, until it passes."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import project_edits
from ..verification import is_source, key_of, passes, shows_fault

_LOOKS: Final = re.compile(r"DEBUG|\bprint\(|print_exc|console\.log")
"""Edits that only show something, or take that out again."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the first change, the check that still failed, the next change, and the pass."""
    failing: dict[str, tuple[int, int]] = {}
    change = -1
    for step in run.steps:
        if _changes_code(run, step):
            change = step.index
        if not step.check or step.phase not in ("run", "test"):
            continue
        key = key_of(step)
        if shows_fault(step) and change >= 0:
            failing[key] = change, step.index
        elif passes(step) and key in failing:
            first, failed = failing.pop(key)
            if first < failed < change < step.index:
                yield Hit(steps=(first, failed, change, step.index))
                return


def _changes_code(run: RunRecord, step: StepRecord) -> bool:
    """Tell whether a step changes what code of the project does."""
    changed = any(is_source(path) for path in project_edits(run, step))
    return changed and not _LOOKS.search(step.command)


CARD = Card(
    name="check-until-pass",
    title="Run the same check after every change and go on until it passes",
    situation="The first change does not make a failing check pass, or breaks another one.",
    seen=(
        "A check failed although the code had been changed. After another change of the "
        "code the same check passed."
    ),
    advice=(
        "Keep one check that decides, run it after each single change, and read what is "
        "different in its output. Do not stop at the first change that looks right."
    ),
    applies_when="A check exists that shows whether the task is done.",
    not_when="The output does not move at all: then find out first whether the change is loaded.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
)
