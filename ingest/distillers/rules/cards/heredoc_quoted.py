"""A file is written through an unquoted here-document, then again with the delimiter quoted."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit

_OPEN: Final = re.compile(r"<<-?[ \t]*(?P<quote>['\"\\\\]?)(?P<word>\w+)")
_WITHIN: Final = 8
"""Steps to look ahead. Chosen by us."""

_CHARS: Final = 20_000
"""Characters that are looked at. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the file written without quotes and the same file written with them."""
    unquoted: dict[str, int] = {}
    for step in run.steps:
        match = _OPEN.search(step.command[:_CHARS])
        paths = {*step.creates, *step.edits}
        if match is None or not paths:
            continue
        body = step.command[match.end() : match.end() + _CHARS]
        for path in paths:
            if match["quote"] and step.index - unquoted.get(path, -99) <= _WITHIN:
                yield Hit(steps=(unquoted[path], step.index))
                return
            if not match["quote"] and re.search(r"\$[\w({]|`|\\\\", body):
                unquoted[path] = step.index


CARD = Card(
    name="heredoc-quoted",
    title="Quote the delimiter of a here-document so that the shell leaves the text alone",
    situation=(
        "Source code is written to a file from the shell, and it holds dollar signs, "
        "back-ticks or backslashes."
    ),
    seen=(
        "A file was written through a here-document whose delimiter was not quoted, so that "
        "the shell replaced parts of the text. It was written again with a quoted "
        "delimiter."
    ),
    advice=(
        "Put the delimiter in quotes whenever the text is not meant to be expanded, and "
        "look at the file once after writing it."
    ),
    applies_when="Files are written by here-documents.",
    not_when="Variables in the text are to be replaced.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
)
