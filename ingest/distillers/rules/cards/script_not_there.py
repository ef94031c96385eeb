"""A script that was meant to exist is not there; it is written and then run."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, base_name, fault_class

_WITHIN: Final = 5
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the run of a missing script, the step that wrote it, and the run that worked."""
    for missing in run.steps:
        if fault_class(missing) != "script-not-there":
            continue
        wanted = {base_name(path) for path in missing.reads}
        written = -1
        for step in after(run, missing.index, _WITHIN):
            if written < 0 and any(base_name(path) in wanted for path in step.creates):
                written = step.index
            runs = any(base_name(path) in wanted for path in step.reads)
            if written >= 0 and step.check and runs and fault_class(step) != "script-not-there":
                yield Hit(steps=tuple(sorted({missing.index, written, step.index})))
                return


CARD = Card(
    name="script-not-there",
    title="Make sure a script was really written before you run it",
    situation="A script that should have been written a moment ago cannot be found.",
    seen="A script could not be opened because it was not there. It was written, and then it ran.",
    advice=(
        "The step that should have written it may have been refused or may have failed. "
        "Look at what became of that step, write the file again, and run it in the same "
        "line."
    ),
    applies_when="An earlier step was meant to make the file.",
    not_when="The name or the folder is wrong.",
    kind="interaction protocol adherence",
    polarity="do",
    detect=detect,
)
