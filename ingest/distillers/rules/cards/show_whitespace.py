"""Tabs and line ends are made visible before an edit."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, worked

_VISIBLE: Final = re.compile(
    r"\bcat +-\w*[ATvet]|\bod +-\w*c|\bxxd\b|\bhexdump\b|\brepr\(|sed -n ['\"]?l"
)
_WITHIN: Final = 3
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the look with visible whitespace and the edit of the same file after it."""
    for look in run.steps:
        if look.phase != "read" or not worked(look) or not _VISIBLE.search(look.command):
            continue
        for edit in after(run, look.index, _WITHIN):
            if {*look.reads} & {*edit.edits} and edit.phase == "edit":
                yield Hit(steps=(look.index, edit.index))
                return


CARD = Card(
    name="show-whitespace",
    title="Make tabs and line ends visible when a text does not match",
    situation=(
        "A text that looks the same is not found, or the kind of indentation matters for an edit."
    ),
    seen=(
        "A file was shown with its tabs, line ends or bytes made visible. It was edited after that."
    ),
    advice=(
        "Show the lines with control characters visible before you match them or insert "
        "beside them. Keep the file's own indentation and line ends."
    ),
    applies_when="The file mixes or uses tabs, or comes from another system.",
    not_when="The text matched already.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
)
