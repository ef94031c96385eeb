"""A filter in words, such as `distiller = 'rules' AND outcome != 'success'`.

It is read into values and applied to values; it never becomes part of a query of a store.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, Literal, cast

from ..kg.errors import UsageError

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "~"]
Fact = str | int
Facts = Mapping[str, Collection[Fact]]

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<quoted>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")|(?P<operator>!=|<=|>=|[=<>~])"
    r"|(?P<word>[^\s'\"=<>~!]+))"
)
_MAX_CHARS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison of a field with a value."""

    field: str
    operator: Operator
    value: str

    def holds(self, facts: Facts) -> bool:
        """Tell whether it holds: for any of the field's values, and `!=` for all of them."""
        values = facts[self.field]
        if self.operator == "!=":
            return all(not _compared(v, "=", self.value) for v in values)
        return any(_compared(v, self.operator, self.value) for v in values)


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions of which all must hold; none at all hold for everything."""

    conditions: tuple[Condition, ...] = ()

    def holds(self, facts: Facts) -> bool:
        """Tell whether every condition holds."""
        return all(c.holds(facts) for c in self.conditions)


def parse_where(text: str, *, fields: Collection[str]) -> Filter:
    """Read a filter: `field operator value`, several joined by AND.

    Operators are `=`, `!=`, `<`, `<=`, `>`, `>=`, and `~` for "contains". A value with spaces
    stands in quotes. Case does not matter.

    Raises:
        UsageError: it is something else, or there is no such field.
    """
    if not text.strip():
        return Filter()
    tokens = _tokens(text)
    conditions = []
    for start in range(0, len(tokens), 4):
        part = tokens[start : start + 4]
        if [kind for kind, _ in part[:2]] != ["word", "operator"] or len(part) < 3:
            raise _unreadable(text)
        if part[2][0] == "operator" or (len(part) == 4 and part[3][1].upper() != "AND"):
            raise _unreadable(text)
        if len(part) == 4 and start + 4 == len(tokens):
            raise _unreadable(text)
        name = part[0][1].lower()
        _demand_field(name, fields)
        conditions.append(Condition(name, cast(Operator, part[1][1]), _unquoted(part[2])))
    return Filter(tuple(conditions))


def _tokens(text: str) -> list[tuple[str, str]]:
    if len(text) > _MAX_CHARS:
        raise _unreadable(text)
    found: list[tuple[str, str]] = []
    position = 0
    end = len(text.rstrip())
    while position < end:
        token = _TOKEN.match(text, position)
        if token is None:
            raise _unreadable(text)
        kind = str(token.lastgroup)
        found.append((kind, token[kind]))
        position = token.end()
    return found


def _unquoted(token: tuple[str, str]) -> str:
    kind, text = token
    return text[1:-1].replace(text[0] * 2, text[0]) if kind == "quoted" else text


def _compared(known: Fact, operator: Operator, wanted: str) -> bool:
    if isinstance(known, int):
        try:
            return _ordered(known, operator, float(wanted))
        except ValueError:
            return False
    if operator == "~":
        return wanted.lower() in known.lower()
    return _ordered(known.lower(), operator, wanted.lower())


def _ordered(known: str | float, operator: Operator, wanted: str | float) -> bool:
    less, equal = known < wanted, known == wanted  # type: ignore[operator]
    return {
        "=": equal, "~": equal, "!=": not equal, "<": less, "<=": less or equal,
        ">": not less and not equal, ">=": not less,
    }[operator]  # fmt: skip


def _demand_field(name: str, fields: Collection[str]) -> None:
    if name not in fields:
        close = get_close_matches(name, fields, n=1)
        guess = f" Did you mean {close[0]!r}?" if close else ""
        raise UsageError(f"Unknown field {name!r}.{guess} Available: {', '.join(fields)}.")


def _unreadable(text: str) -> UsageError:
    return UsageError(
        f"Not a filter: {text[:100]!r}.",
        hint="Write field, operator and value, such as: \"distiller = 'rules' AND steps > 20\"",
    )
