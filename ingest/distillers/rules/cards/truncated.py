"""Output was cut; the next look at the same place is narrower."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, found_nothing, worked

_WITHIN: Final = 2
"""Steps to look ahead. Chosen by us."""

_MOST: Final = 2
"""Hits of one run. Chosen by us."""

_LOOKS: Final = frozenset({"read", "search", "explore"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the cut output and the narrower look at the same file."""
    found = 0
    for cut in run.steps:
        if not _is_cut(cut) or cut.edits or found >= _MOST:
            continue
        for step in after(run, cut.index, _WITHIN):
            if _narrows(cut, step):
                found += 1
                yield Hit(steps=(cut.index, step.index))
                break


def _is_cut(step: StepRecord) -> bool:
    return step.call.observation is not None and step.call.observation.truncated


def _narrows(cut: StepRecord, step: StepRecord) -> bool:
    if _is_cut(step) or len(step.observation) >= len(cut.observation):
        return False
    looks = cut.phase in _LOOKS and step.phase in _LOOKS
    if looks and worked(step) and not found_nothing(step):
        return bool({*cut.reads} & {*step.reads} - {"", "."})
    again = bool(cut.main and step.main) and cut.program == step.program and "/" in step.program
    return again and any(command.piped for command in step.commands)


CARD = Card(
    name="truncated",
    title="When output is cut, ask again for the part you need",
    situation="A file or a command's output is too long, and its middle or end is left out.",
    seen=(
        "The output of a command was cut. The next look at the same thing asked for less "
        "and was shown in full."
    ),
    advice=(
        "Search for the name or show a range of lines; do not conclude anything from what "
        "the cut left out."
    ),
    applies_when="The harness limits the length of an output.",
    not_when="The part that matters was shown.",
    kind="repository exploration",
    polarity="do",
    detect=detect,
)
