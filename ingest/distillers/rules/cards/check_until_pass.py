"""A check that still fails after a change is run again after the next change, until it passes."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import project_edits
from ..verification import edits_between, is_source, key_of, passes, shows_fault


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the first change, the check that still failed, the next change, and the pass."""
    failing: dict[str, StepRecord] = {}
    for step in run.steps:
        if not step.check or step.phase not in ("run", "test"):
            continue
        key = key_of(step)
        if shows_fault(step) and run.first_edit >= 0 and step.index > run.first_edit:
            failing[key] = step
        elif passes(step) and key in failing:
            earlier = failing.pop(key)
            first = _code(run, run.first_edit - 1, earlier.index)
            second = _code(run, earlier.index, step.index)
            if first and second:
                yield Hit(steps=(first[-1].index, earlier.index, second[-1].index, step.index))
                return


def _code(run: RunRecord, first: int, last: int) -> list[StepRecord]:
    """Return the steps between two indexes that change what code of the project does."""
    steps = (s for s in edits_between(run, first, last) if not _LOOKS.search(s.command))
    return [s for s in steps if any(is_source(path) for path in project_edits(run, s))]


_LOOKS: Final = re.compile(r"DEBUG|\bprint\(|print_exc|console\.log")
"""Edits that only show something, or take that out again."""


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
