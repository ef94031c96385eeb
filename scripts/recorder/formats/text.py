"""What file tools and JSON files have in common across formats."""

import difflib
import json
from collections.abc import Iterable
from typing import Any

_AROUND = 4


def document(value: Any) -> str:
    """Write one JSON document, indented as the tools write theirs."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def lines(values: Iterable[Any]) -> str:
    """Write JSON lines."""
    return "".join(compact(v) + "\n" for v in values)


def compact(value: Any) -> str:
    """Write one JSON value without spaces."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def numbered(text: str, *, mark: str = "\t", first: int = 1) -> str:
    """Number the lines of a text as `cat -n` does."""
    return "\n".join(f"{n:>6}{mark}{line}" for n, line in enumerate(text.splitlines(), first))


def snippet(after: str, new: str) -> str:
    """Number the lines around an edit, as editing tools show them."""
    at = after[: after.index(new)].count("\n") if new in after else 0
    first = max(0, at - _AROUND)
    shown = after.splitlines()[first : at + new.count("\n") + 1 + _AROUND]
    return numbered("\n".join(shown), first=first + 1)


def diff(path: str, before: str, after: str, *, context: int = 3) -> str:
    """Return a unified diff of a file."""
    return "\n".join(
        difflib.unified_diff(
            before.splitlines(), after.splitlines(), path, path, lineterm="", n=context
        )
    )


def first_sentence(text: str) -> str:
    """Return the first sentence, for fields that describe a command in a few words."""
    return text.split("\n")[0].split(". ")[0].rstrip(".:")
