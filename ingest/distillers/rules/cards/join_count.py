"""Rows are counted after a join before a total over it is believed."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..hunks import text_of
from ..patterns import worked

_JOIN: Final = re.compile(r"(?i)\bjoin\b.{0,300}\bon\b|\.merge\(|\.join\(\w+, *on")
_TOTAL: Final = re.compile(r"(?i)\b(?:sum|avg|total)\s*\(|\.sum\(|\.mean\(|groupby\(|\bgroup by\b")
_COUNTS: Final = re.compile(
    r"(?i)\bcount\s*\(|\blen\(|\.shape\b|\bnunique\b|\bduplicated\(|validate ?=|value_counts"
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the total over a join and the step that counted its rows."""
    totals = [s for s in run.steps if _joins(s) and _TOTAL.search(text_of(s))]
    for total in totals[:1]:
        for step in run.steps[total.index + 1 :]:
            if _COUNTS.search(text_of(step)) and _joins(step) and worked(step):
                yield Hit(steps=(total.index, step.index))
                return


def _joins(step: StepRecord) -> bool:
    text = text_of(step)
    return ("join" in text.lower() or ".merge(" in text) and bool(_JOIN.search(text))


CARD = Card(
    name="join-count",
    title="Count the rows before and after a join before you trust a total over it",
    situation="A sum or an average is taken over two tables that were joined.",
    seen="A total was taken over joined tables. The rows of the join were counted after that.",
    advice=(
        "Compare the number of rows with the number of distinct keys: a key that occurs "
        "twice on one side doubles the other. Use existence instead of a join where only "
        "existence is asked."
    ),
    applies_when="One side of the join may hold several rows for a key.",
    not_when="Both keys are unique by a constraint.",
    kind="algorithmic strategy",
    polarity="do",
    detect=detect,
)
