"""The same check fails with the same output after two different changes."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..verification import edits_between, outcome_text, restored, shows_fault

_TIMES: Final = 3
"""Equal failures in a row. Source: measured on 342 public runs."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield three runs of one check with the same output and changes between them."""
    runs: dict[str, list[StepRecord]] = {}
    found = 0
    for step in run.steps:
        if not step.check:
            continue
        earlier = runs.setdefault(step.command, [])
        if not shows_fault(step) or not step.observation.strip():
            earlier.clear()
            continue
        if earlier and outcome_text(earlier[-1]) != outcome_text(step):
            earlier.clear()
        if not earlier or _changed(run, earlier[-1].index, step.index):
            earlier.append(step)
        if len(earlier) == _TIMES and found < 2:
            found += 1
            yield Hit(steps=tuple(s.index for s in earlier))


def _changed(run: RunRecord, first: int, last: int) -> bool:
    return bool(edits_between(run, first, last)) and not restored(run, first, last)


CARD = Card(
    name="fix-no-effect",
    title="Stop changing code when the failure stays exactly the same; prove that it runs",
    situation=(
        "A check fails in the same way after each change, and one idea after another is tried."
    ),
    seen=(
        "The same check failed with the same output three times, although project files had "
        "been changed before the second and the third time."
    ),
    advice=(
        "After the second unchanged failure stop editing. Prove that the changed file is "
        "the one that is loaded, by a print or a deliberate error, and look for a build, a "
        "copy or another file that wins."
    ),
    applies_when="The output of a check does not change at all after a change.",
    not_when="The message is the same but its details move.",
    kind="anti-pattern avoidance",
    polarity="avoid",
    detect=detect,
)
