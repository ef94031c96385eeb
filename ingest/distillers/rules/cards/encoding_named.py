"""A file cannot be decoded; its encoding is found out and named."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..hunks import text_of
from ..patterns import after, fault_class, worked

_WITHIN: Final = 6
"""Steps to look ahead. Chosen by us."""

_NAMES: Final = re.compile(
    r"(?i)encoding ?= ?[\'\"]|\biconv\b|errors ?= ?[\'\"]|\.decode\([\'\"]|--encoding|Encoding\."
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the file that could not be decoded and the step that named an encoding."""
    for failing in run.steps:
        if fault_class(failing) != "encoding-error" or "can't decode" not in failing.observation:
            continue
        for step in after(run, failing.index, _WITHIN):
            if _NAMES.search(text_of(step)) and worked(step):
                yield Hit(steps=(failing.index, step.index))
                return


CARD = Card(
    name="encoding-named",
    title="Look at the bytes and name the encoding when a file cannot be decoded",
    situation="Reading a data file or a source file stops with an error about its characters.",
    seen="A file could not be decoded. A later step named the encoding explicitly, and it worked.",
    advice=(
        "Show the bytes around the position that the error names, and see which encoding "
        "gives the right letters. Keep files that were readable before readable: an "
        "encoding that never fails may give wrong letters."
    ),
    applies_when="The file comes from another program or system.",
    not_when="The file is binary.",
    kind="input validation and robustness",
    polarity="do",
    detect=detect,
)
