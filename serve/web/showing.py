"""Text from runs as it is shown in a page: escaped, and nothing in it hidden or able to act."""

import unicodedata
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

_FOLDER: Final = Path(__file__).with_name("templates")
_UNSEEN: Final = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
_KEPT: Final = "\n\t"
_PICTURES: Final = 0x2400


@cache
def environment() -> Environment:
    """The templates; every value in them is made visible and escaped."""
    made = Environment(
        loader=FileSystemLoader(_FOLDER, encoding="utf-8"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "address": node_address,
        "when": when,
        "number": lambda value: f"{value:,}",
        "short": short,
        "part": quoted,
    }
    made.globals |= {"address_of": address_of}
    return made


def visible(text: str) -> str:
    """A text whose characters that cannot be seen, or turn others round, show as signs.

    Line breaks and tabs stay; control characters become their pictures (U+2400 and on), all others
    their number in angle brackets.
    """
    unified = text.replace("\r\n", "\n")
    if unified.isprintable():
        return unified
    return "".join(c if _is_plain(c) else _sign(c) for c in unified)


def node_address(id: str) -> str:
    """Where the page of a node is."""
    return f"/node/{quoted(id)}"


def address_of(path: str, /, **values: Any) -> str:
    """A path with a query; empty values are left out."""
    given = {name: str(v) for name, v in values.items() if v not in ("", None)}
    query = urlencode(given, errors="replace")
    return f"{path}?{query}" if query else path


def quoted(text: str) -> str:
    """A text as one part of an address."""
    return quote(text, safe="", errors="replace")


def when(time: str) -> str:
    """An ISO 8601 time to the minute, as it stands where it is none."""
    try:
        return datetime.fromisoformat(time).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return time


def short(text: str, chars: int = 120) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"


def described(values: Mapping[str, int]) -> str:
    """Counts in words, such as "3 success, 1 failure"."""
    return ", ".join(f"{number:,} {name}" for name, number in values.items())


def _shown(value: Any) -> Any:
    """What a template puts in place of a value."""
    if value is None:
        return ""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return value


def _is_plain(character: str) -> bool:
    return character in _KEPT or unicodedata.category(character) not in _UNSEEN


def _sign(character: str) -> str:
    number = ord(character)
    if number < 0x20:
        return chr(_PICTURES + number)
    return "\u2421" if number == 0x7F else f"⟨{number:04X}⟩"
