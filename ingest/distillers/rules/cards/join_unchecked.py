"""A total over joined tables is handed over without a count of the rows."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..hunks import text_of
from ..patterns import worked
from ..verification import hands_over

_JOIN: Final = re.compile(r"(?i)\bjoin\b.{0,300}\bon\b|\.merge\(")
_TOTAL: Final = re.compile(r"(?i)\b(?:sum|avg)\s*\(|\.sum\(|\.mean\(")
_COUNTS: Final = re.compile(
    r"(?i)\bcount\s*\(|\.shape\b|\bnunique\b|\bduplicated\(|validate ?=|value_counts|\bdistinct\b"
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the file that takes a total over a join in a run that never counted rows."""
    total = next((step for step in run.steps if step.edits and _joins(step)), None)
    if total is None or not worked(total) or not hands_over(run):
        return
    if not any(_COUNTS.search(text_of(step)) for step in run.steps):
        yield Hit(steps=(total.index,))


def _joins(step: StepRecord) -> bool:
    """Tell whether a step writes a total over a join."""
    text = text_of(step)
    if "join" not in text.lower() and ".merge(" not in text:
        return False
    return bool(_JOIN.search(text)) and bool(_TOTAL.search(text))


CARD = Card(
    name="join-unchecked",
    title="Do not hand over a total over joined tables without counting the rows",
    situation=(
        "A report adds up amounts from tables that are joined by a key, and the result "
        "looks plausible."
    ),
    seen="A total over joined tables was written to a file. In the whole run no rows were counted.",
    advice=(
        "A join multiplies rows whose key occurs more than once on the other side. Count "
        "rows and distinct keys, and compare the total with one taken from the source table "
        "alone."
    ),
    applies_when="A key may occur several times on one side.",
    not_when="The keys are unique on both sides.",
    kind="anti-pattern avoidance",
    polarity="avoid",
    detect=detect,
)
