"""A type check fails; after an edit the same check passes."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import fault_class, repaired_by_edit

_WITHIN: Final = 12
"""Steps to look ahead. Source: measured on 342 public runs."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the failing type check, the last change, and the check that passes."""
    for failing in run.steps:
        if not failing.check or fault_class(failing) != "type-check":
            continue
        repaired = repaired_by_edit(run, failing, _WITHIN)
        if repaired:
            yield Hit(steps=(failing.index, *repaired))
            return


CARD = Card(
    name="type-errors-fixed",
    title="Run the type check after an edit and clear its errors before going on",
    situation="Code of a typed language is changed, and its type checker reports errors.",
    seen="A type check reported errors. After a change of the code the same check passed.",
    advice=(
        "Run the project's type check after each group of edits and start with its first "
        "error. Do not silence an error by a cast or an ignore mark unless the type is known "
        "to be wrong."
    ),
    applies_when="The project has a type check that runs by one command.",
    not_when="The errors stood there before your change and are not part of the task.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
)
