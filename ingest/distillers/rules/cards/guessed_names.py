"""File names are guessed one after the other and none is there."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import fault_class, found_nothing, sought

_TIMES: Final = 4


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the first run of look-ups for different names that all find nothing."""
    misses: list[StepRecord] = []
    for step in run.steps:
        if _misses(step):
            misses.append(step)
        elif step.kind not in ("plan", "think"):
            if len(misses) >= _TIMES:
                break
            misses = []
    if len(misses) >= _TIMES:
        yield Hit(steps=(misses[0].index, misses[1].index, misses[-1].index))


def _misses(step: StepRecord) -> bool:
    listed = step.kind == "list" or (step.phase == "explore" and bool(sought(step)))
    if listed and found_nothing(step):
        return True
    return step.kind in ("read", "list") and fault_class(step) == "no-such-file"


CARD = Card(
    name="guessed-names",
    title="List the folder once instead of looking for guessed file names one by one",
    situation=(
        "An unknown project or folder is explored by asking for files that such projects "
        "usually have."
    ),
    seen=(
        "Several look-ups in a row asked for file names that might be there, and each found "
        "nothing."
    ),
    advice=(
        "List the top folder or all tracked files first, then ask only for what is there. An "
        "empty listing answers all guesses at once."
    ),
    applies_when="The layout of the project is not known yet.",
    not_when="One certain file is looked for that may lie anywhere.",
    kind="repository exploration",
    polarity="avoid",
    detect=detect,
)
