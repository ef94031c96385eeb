"""A script cannot print text that is not ASCII; with the encoding set it works."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, fault_class, worked

_WITHIN: Final = 5
"""Steps to look ahead. Chosen by us."""

_SETS: Final = re.compile(
    r"PYTHONIOENCODING|PYTHONUTF8|-X utf8|encoding ?= ?[\'\"]utf|reconfigure\(|LC_ALL|LANG=|chcp"
    r"|\.encode\(|ascii\(|repr\(|ensure_ascii"
)
_CHARS: Final = 20_000
"""Characters that are looked at. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the output that failed and the run in which the encoding was set."""
    for failing in run.steps:
        if fault_class(failing) != "encoding-error" or "encode" not in failing.observation[-3_000:]:
            continue
        if "can't encode" not in failing.observation[-3_000:]:
            continue
        sets = -1
        for step in after(run, failing.index, _WITHIN):
            if sets < 0 and _SETS.search(step.command[:_CHARS]) and worked(step):
                sets = step.index
            if sets >= 0 and step.check and worked(step):
                yield Hit(steps=tuple(sorted({failing.index, sets, step.index})))
                return


CARD = Card(
    name="encode-out",
    title="Set the output encoding before you print text that is not ASCII",
    situation=(
        "A script prints symbols or letters with accents, and the terminal's encoding does "
        "not have them."
    ),
    seen=(
        "A script failed because a character could not be encoded for the output. With the "
        "encoding named it ran."
    ),
    advice=(
        "Name the encoding by the environment variable or in the script, or print an "
        "escaped form. Such an error says nothing about the code under test."
    ),
    applies_when="The locale of the environment is plain ASCII or unknown.",
    not_when="The encoding is part of the reported fault.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
    languages=("python",),
)
