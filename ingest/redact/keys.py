"""Private keys in armour (PEM, OpenSSH, PGP), whole, escaped or torn."""

import re
from bisect import bisect_left
from collections.abc import Iterator

from .patterns import Span, secret_span

_BEGIN = re.compile(r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_END = re.compile(r"-{4,5} ?END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_LONGEST = 20_000
"""Characters of armour that are looked through for its end. Source: chosen by us; an RSA key of
16,384 bits takes 12,700."""

# What may stand between two lines of armour: line breaks (escaped ones too), quotes, marks of
# diffs and quotations, line numbers.
_BETWEEN = r"(?:[\s\"'`+,>|:]|\\{1,4}[nrt]|\d{1,5}(?=[\t:| ])){0,24}"
_HEADERS = (
    rf"(?:{_BETWEEN}(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash):[^\n\\]{{0,200}}){{0,5}}"
)
_BODY = re.compile(
    rf"{_HEADERS}(?:{_BETWEEN}[A-Za-z0-9+/=]{{20,}})+(?:{_BETWEEN}[A-Za-z0-9+/=]{{1,19}}(?=\W{{0,4}}\Z))?"
)
_MATERIAL = re.compile(r"[A-Za-z0-9+/]{24}")
_ARMOUR_LINE = re.compile(r"[\s\"'+,>|\d:]{0,12}[A-Za-z0-9+/]{16,80}={0,2}[\s\"'+,]{0,4}\Z")

_ARMOUR_REST = re.compile(r"(?<=[\"'`\s])[A-Za-z0-9+/]{16,80}={0,2}\Z")


def private_keys(text: str) -> Iterator[Span]:
    """Yield each private key; of a torn one, the part that is there."""
    if "PRIVATE KEY" not in text:
        return
    begins = list(_BEGIN.finditer(text))
    ends = list(_END.finditer(text))
    closed: set[int] = set()
    for number, begin in enumerate(begins):
        start = begin.end()
        following = begins[number + 1].start() if number + 1 < len(begins) else len(text)
        index = bisect_left(ends, start, key=lambda end: end.start())
        stop = min(following, start + _LONGEST)
        if index < len(ends) and ends[index].end() <= stop:
            closed.add(index)
            stop = ends[index].end()
            whole = _MATERIAL.search(text, start, ends[index].start())
        else:
            whole = _BODY.match(text, start, stop)
            stop = whole.end() if whole else start
        if whole:
            yield secret_span(begin.start(), stop, "private-key")
    for index, end in enumerate(ends):
        if index not in closed:
            start = _start_of(text, end.start(), ends[index - 1].end() if index else 0)
            if start < end.start():
                yield secret_span(start, end.end(), "private-key")


def _start_of(text: str, end: int, lowest: int) -> int:
    """Return where the lines of armour before a lone END line start."""
    lines = re.split(r"(\n|(?:\\{1,4}[nr])+)", text[max(lowest, end - _LONGEST) : end])
    start = end
    for line in reversed(lines):
        breaks = not line or line == "\n" or line[0] == "\\"
        if not breaks and not _ARMOUR_LINE.match(line):
            rest = _ARMOUR_REST.search(line)
            start -= len(rest[0]) if rest else 0
            break
        start -= len(line)
    return start if _MATERIAL.search(text, start, end) else end
