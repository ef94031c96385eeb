"""A search gives line numbers, and only the lines around one of them are read."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, head, worked

_WITHIN: Final = 4
"""Steps to look ahead: the read follows the search. Chosen by us."""

_MOST: Final = 2
_WINDOW: Final = 100
"""Lines that a windowed editor shows after a jump."""

_WIDEST: Final = 400
"""Lines; a wider read is no look at one place. Chosen by us."""

_NUMBERED = re.compile(r"^(?:\S{0,300}?:)?(?:Line )?(\d{1,6})[:\t]", re.MULTILINE)
_SHOWN = re.compile(r"\[File: (\S{1,300}) ")
"""What a windowed editor says of the file that is open, where the call names none."""

_SED = re.compile(r"(\d{1,6}),\s*\+?(\d{1,6})p")


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield searches whose hit lies in the range that is read next of the same file."""
    found = 0
    for search in run.steps:
        if found == _MOST:
            return
        if search.phase != "search" or not worked(search):
            continue
        numbers = [int(n) for n in _NUMBERED.findall(head(search))[:200]]
        read = next(
            (s for s in after(run, search.index, _WITHIN) if _reads(s, search, numbers)), None
        )
        if read:
            found += 1
            yield Hit(steps=(search.index, read.index))


def _reads(step: StepRecord, search: StepRecord, numbers: list[int]) -> bool:
    if step.phase != "read" or not worked(step):
        return False
    shown = _SHOWN.match(step.observation)
    path = next(iter(step.reads), shown[1] if shown else "")
    if not path or (path not in search.reads and path not in head(search)):
        return False
    first, last = _range(step)
    return first > 1 and last - first <= _WIDEST and any(first <= n <= last for n in numbers)


def _range(step: StepRecord) -> tuple[int, int]:
    """Return the first and last line that a read asked for; (0, 0) where it asked for all."""
    arguments = step.call.arguments
    view = arguments.get("view_range")
    if isinstance(view, list) and len(view) == 2 and all(isinstance(n, int) for n in view):
        return view[0], view[1]
    first, count = arguments.get("offset"), arguments.get("limit")
    if isinstance(first, int) and isinstance(count, int):
        return first, first + count
    first, last = arguments.get("start_line"), arguments.get("end_line")
    if isinstance(first, int) and isinstance(last, int):
        return first, last
    line = str(arguments.get("line_number", ""))
    if line.isdigit():
        return int(line) - 1, int(line) + _WINDOW
    match = _SED.search(step.command) if step.kind == "shell" else None
    if match:
        return int(match[1]), int(match[2])
    return 0, 0


CARD = Card(
    name="search-then-range",
    title="Find the line by a search, then read only the part around it",
    situation=(
        "Something has to be understood or changed in a file that is too long to read as a whole."
    ),
    seen=(
        "A search gave line numbers in a file. Only a limited range of that file around one "
        "of them was read next."
    ),
    advice=(
        "Search with line numbers first and read the surrounding function with a line range. "
        "Widen the range when the block is not complete."
    ),
    applies_when="A long file has to be looked at for one definition or use.",
    not_when="The file is short, or its whole structure matters.",
    kind="repository exploration",
    polarity="do",
    detect=detect,
)
