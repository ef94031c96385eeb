"""A print put into the project's code to see a value is taken out again."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..hunks import Hunk, hunks_of, sed_expressions
from ..verification import is_source

_PRINTS: Final = re.compile(
    r"\bprint\(|console\.(?:log|error)\(|fmt\.Print|System\.out|eprintln!|dbg!"
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the edit that added a print, the run that used it, and its removal."""
    for add in run.steps:
        paths = {h.path for h in hunks_of(add) if _adds_print(h) and h.path not in run.own_files}
        paths = {path for path in paths if is_source(path)}
        if not paths:
            continue
        ran = next((s for s in run.steps[add.index + 1 :] if s.check), None)
        if ran is None:
            return
        for step in run.steps[ran.index + 1 :]:
            if paths & {*step.edits} and _takes_out(step):
                yield Hit(steps=(add.index, ran.index, step.index))
                return


def _adds_print(hunk: Hunk) -> bool:
    new, old = (len(_PRINTS.findall("\n".join(t))) for t in (hunk.added, hunk.removed))
    return new > old


def _takes_out(step: StepRecord) -> bool:
    """Tell whether an edit restores the file, deletes lines, or replaces a print."""
    if step.phase == "undo":
        return not step.failed
    expressions = [e for c in step.commands for e in sed_expressions(c)]
    if any(re.search(r"(?:/|\d|\$) ?d\Z", e.strip()) for e in expressions):
        return True
    hunks = list(hunks_of(step))
    return any(_PRINTS.search("\n".join(h.removed)) and not _adds_print(h) for h in hunks)


CARD = Card(
    name="debug-print-removed",
    title="Print a value inside the code to see it, then take the line out",
    situation=(
        "A result is wrong, and reading the code does not tell which values occur on the way."
    ),
    seen=(
        "A line that prints was added to the project's code and the code was run. The line "
        "was taken out again."
    ),
    advice=(
        "Mark such lines with one word that occurs nowhere else, so that you can find and "
        "delete them all, and search for it before you hand over."
    ),
    applies_when="The state at a place in the code is unknown.",
    not_when="A debugger or an existing log shows the value.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
)
