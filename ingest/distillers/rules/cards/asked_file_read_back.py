"""A file that the task asks for by name is written, and shown before the run ends."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, base_name, looked_at, worked

_WITHIN: Final = 20
"""Steps to look ahead. Chosen by us."""

_NAME: Final = re.compile(r"[\w.-]*\w\.[A-Za-z]\w{0,4}")


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the making of a file that was asked for and the last look at what stands in it."""
    asked = {name for turn in run.requests for name in _NAME.findall(turn.text)}
    for step in run.steps if asked else ():
        for path in step.creates:
            look = _last_look(run, step, path) if base_name(path) in asked else None
            if look and worked(step):
                yield Hit(steps=(step.index, look.index))
                return


def _last_look(run: RunRecord, made: StepRecord, path: str) -> StepRecord | None:
    """The look at a file that no change of it follows, where there is one."""
    looks = [s for s in after(run, made.index, _WITHIN) if looked_at(s, path)]
    if not looks or not looks[-1].observation.strip() or not worked(looks[-1]):
        return None
    changed = any(path in s.edits for s in run.steps if s.index > looks[-1].index)
    return None if changed or looks[-1].edits else looks[-1]


CARD = Card(
    name="asked-file-read-back",
    title="Show the file the task asked for once it is written, and compare",
    situation="The task asks for a file of a given name, with contents that it describes.",
    seen=(
        "A file that the task names was made by a command or an edit. Its contents were shown "
        "afterwards, and it was not changed any more."
    ),
    advice=(
        "Print what stands in the file and hold it against the words of the task: name, place, "
        "every value, and the end of the last line."
    ),
    applies_when="The result of the task is a file whose name and contents the task prescribes.",
    not_when="The file is long or binary; let a program compare it then.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
)
