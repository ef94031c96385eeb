"""A failing check names a file; it is read, a change is made, and the check passes."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ....steps.error_classes import SETUP
from ..card import Card, Hit
from ..patterns import after, base_name, fault_class, repaired_by_edit, worked

_READ_WITHIN: Final = 4
_PASS_WITHIN: Final = 14
"""Steps to look ahead, for the read and for the check. Source: measured on 342 public runs."""

_TAIL: Final = 6_000
"""Characters at the end of the output, where failures are summed up. Chosen by us."""

_CODE: Final = frozenset({"compile-error", "link-error", "import-error"})
"""Faults of the code itself among those that otherwise mean that nothing was really tried."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the failing check, the read of a file that it names, the change, and the pass."""
    for failing in run.steps:
        if not failing.check or failing.verdict != "fail" or not failing.purpose:
            continue
        if fault_class(failing) in SETUP - _CODE:
            continue
        tail = failing.observation[-_TAIL:]
        read = next(
            (s for s in after(run, failing.index, _READ_WITHIN) if _named(run, s, tail)), None
        )
        repaired = repaired_by_edit(run, failing, _PASS_WITHIN)
        if read and repaired and read.index < repaired[0]:
            yield Hit(steps=(failing.index, read.index, *repaired))
            return


def _named(run: RunRecord, step: StepRecord, tail: str) -> bool:
    if step.phase not in ("read", "search") or not worked(step):
        return False
    mine = run.own_files
    return any("." in base_name(p) and p not in mine and base_name(p) in tail for p in step.reads)


CARD = Card(
    name="failure-names-file",
    title="Read the file that a failing check names before you change anything",
    situation="A test, linter, build or script fails and its output names a file and often a line.",
    seen=(
        "A check failed and named a file of the project. That file was read, a change was "
        "made, and the same check passed."
    ),
    advice=(
        "Go from the first message that is about the project's own code to that place and "
        "read around it. Change the cause there, then run the same check."
    ),
    applies_when="The output of the failure points into the code.",
    not_when="The named place is only where a wrong value arrives.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
)
