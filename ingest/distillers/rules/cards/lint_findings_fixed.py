"""A linter reports findings; after an edit the same linter passes."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import fault_class, repaired_by_edit

_WITHIN: Final = 12
"""Steps to look ahead. Source: measured on 342 public runs."""

_NOT_RUN: Final = frozenset(
    {"command-not-found", "no-such-module", "usage-error", "no-such-file", "unknown-target",
     "type-check", "timeout"}
)  # fmt: skip


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the failing linter, the last change, and the linter that passes."""
    for failing in run.steps:
        if failing.phase != "lint" or failing.verdict != "fail":
            continue
        repaired = repaired_by_edit(run, failing, _WITHIN)
        if repaired and fault_class(failing) not in _NOT_RUN:
            yield Hit(steps=(failing.index, *repaired))
            return


CARD = Card(
    name="lint-findings-fixed",
    title="Run the same linter again after you have corrected its findings",
    situation="A linter or formatter check fails on the code that is to be handed over.",
    seen="A linter reported findings. After a change of the code the same command passed.",
    advice=(
        "Correct the named places, and run the very same command again instead of trusting "
        "the edit. Give a reason where you must switch a rule off."
    ),
    applies_when="A linter of the project fails.",
    not_when="The findings have nothing to do with the task and stood there before.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
)
