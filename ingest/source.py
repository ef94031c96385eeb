"""A file as readers see it: its head, its JSON document or its JSON lines, in whatever state."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

_HEAD_BYTES = 65_536
_BOM = b"\xef\xbb\xbf"
_SURROGATES = re.compile(
    r"(\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
"""A backslash that is meant, a pair of surrogates, or one that stands alone."""


@dataclass(frozen=True, slots=True)
class Record:
    """A JSON value of a JSON-lines file and the line it stands on, counted from 1."""

    line: int
    value: Any


class Source:
    """A file that a reader may read; each form of its content is made once and kept.

    Decoding never fails: bytes that are no UTF-8 become U+FFFD. `warnings` grows while the
    content is read and names the lines that were left out.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.warnings: list[str] = []

    @cached_property
    def head(self) -> bytes:
        """The first 64 KiB, without a byte-order mark."""
        with self.path.open("rb") as file:
            return file.read(_HEAD_BYTES).removeprefix(_BOM)

    @cached_property
    def data(self) -> bytes:
        """The whole file, without a byte-order mark."""
        return self.path.read_bytes().removeprefix(_BOM)

    @cached_property
    def text(self) -> str:
        """The whole file as text."""
        return self.data.decode("utf-8", errors="replace")

    @cached_property
    def document(self) -> Any:
        """The file as one JSON value; of a damaged one the part before the damage.

        None where not even a part can be read, or where it holds JSON lines.
        """
        if self.head.lstrip()[:1] not in (b"{", b"["):
            return None
        try:
            return json.loads(_paired(self.text))
        except json.JSONDecodeError as error:
            return None if self._holds_lines() else self._salvage(error)
        except (ValueError, RecursionError):
            if not self._holds_lines():
                self.warnings.append("nested too deeply, or with a number too long, to be read")
            return None

    def _holds_lines(self) -> bool:
        """Tell whether a line by itself is a JSON object or array, whatever the others are."""
        lines = [line.rstrip() for line in self.data.split(b"\n") if line.strip()]
        if lines and lines[0].strip() in (b"{", b"["):
            return False
        whole = (line for line in lines if line[:1] in (b"{", b"[") and line[-1:] in (b"}", b"]"))
        return any(_is_json(line.decode("utf-8", errors="replace")) for line in whole)

    def _salvage(self, error: json.JSONDecodeError) -> Any:
        import jiter

        try:
            value = jiter.from_json(
                _paired(self.text)[: error.pos].encode("utf-8", errors="replace"),
                partial_mode="trailing-strings",
            )
        except ValueError:
            return None
        self.warnings.append(f"line {error.lineno}: damaged JSON ({error.msg}); read up to there")
        return value

    @cached_property
    def outline(self) -> Any:
        """What the head holds of the file's first JSON value: enough to recognise a format.

        None where the file does not begin with one.
        """
        import jiter

        if self.head.lstrip()[:1] not in (b"{", b"["):
            return None
        head = _paired(self.head.decode("utf-8", errors="replace")).encode("utf-8")
        try:
            return jiter.from_json(head, partial_mode="trailing-strings")
        except ValueError:
            return None

    @cached_property
    def samples(self) -> list[Any]:
        """The outline and the first whole records: any of them may tell the format.

        The first line of a file may be damaged while those after it are whole.
        """
        found = [self.outline, *(r.value for r in self.first_records[:8])]
        return [v for v in found if v is not None]

    @cached_property
    def records(self) -> list[Record]:
        """The JSON values of a JSON-lines file.

        Lines end at the byte `\\n` alone; a line may hold several values. A line that is none is
        left out with a warning, the last one silently: a write was cut short.
        """
        found: list[Record] = []
        lines = self.data.split(b"\n")
        last = max((i for i, line in enumerate(lines) if line.strip()), default=0)
        for number, line in enumerate(lines, start=1):
            try:
                found.extend(Record(number, v) for v in _values(line.decode("utf-8", "replace")))
            except (ValueError, RecursionError):
                if number - 1 != last:
                    self.warnings.append(f"line {number}: not JSON; left out")
        return found

    @cached_property
    def first_records(self) -> list[Record]:
        """The JSON values that stand whole in the head: enough to recognise a format."""
        found: list[Record] = []
        for number, line in enumerate(self.head.split(b"\n"), start=1):
            try:
                found.extend(Record(number, v) for v in _values(line.decode("utf-8", "replace")))
            except (ValueError, RecursionError):
                continue
        return found


def _is_json(line: str) -> bool:
    try:
        return bool(list(_values(line)))
    except (ValueError, RecursionError):
        return False


def _paired(text: str) -> str:
    """JSON text in which half a character, which no file could hold, is U+FFFD; of equal length."""
    if "\\ud" not in text and "\\uD" not in text:
        return text
    return _SURROGATES.sub(lambda match: match[1] or r"\ufffd", text)


def _values(line: str) -> Iterator[Any]:
    """Yield the JSON values of a line, which may stand side by side."""
    decoder, at = json.JSONDecoder(), 0
    line = _paired(line.strip())
    while at < len(line):
        value, at = decoder.raw_decode(line, at)
        yield value
        while at < len(line) and line[at].isspace():
            at += 1
