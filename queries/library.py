"""The named queries: one `.cypher` file each, whose header says what it answers and what it takes.

A header has a title, a paragraph, a line for each parameter and the columns:

    // Insights that hold in several domains
    //
    // Which insights apply to at least so many domains, the widest first.
    //
    // $min_domains  integer = 2  fewest domains
    //
    // Columns: id, title, domains, names

A parameter without a default must be given.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Final

from ..kg.errors import UsageError

_FOLDER: Final = Path(__file__).with_name("library")
_PARAMETER: Final = re.compile(
    r'\$(?P<name>\w+) +(?P<type>\w+)(?: = (?P<default>"[^"]*"|\S+))? +(?P<text>\S.*)'
)
_TRUTHS: Final = {"true": True, "false": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """What a named query takes; `type` is one of text, integer, decimal, truth."""

    name: str
    type: str
    text: str
    required: bool
    default: str | int | float | bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedQuery:
    """A statement with a name, what it answers, and what it takes."""

    name: str
    title: str
    answers: str
    parameters: tuple[Parameter, ...]
    columns: tuple[str, ...]
    statement: str

    def values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters to run it with: those given, turned into their types, and defaults.

        Raises:
            UsageError: one is missing, unknown, or not of its type.
        """
        known = {p.name: p for p in self.parameters}
        for name in given:
            if name not in known:
                raise UsageError(
                    f"The query {self.name} has no parameter {name!r}."
                    f" It has: {', '.join(known) or 'none'}."
                )
        return {p.name: _value(self.name, p, given) for p in self.parameters}


@cache
def named_queries() -> tuple[NamedQuery, ...]:
    """Every named query, by name; the files are read once."""
    return tuple(
        parse(path.stem, path.read_text(encoding="utf-8"))
        for path in sorted(_FOLDER.glob("*.cypher"))
    )


def named_query(name: str) -> NamedQuery:
    """The query of a name.

    Raises:
        UsageError: there is none.
    """
    known = {q.name: q for q in named_queries()}
    if name in known:
        return known[name]
    close = get_close_matches(name, known, n=1)
    guess = f" Did you mean {close[0]!r}?" if close else ""
    raise UsageError(
        f"There is no query named {name!r}.{guess}", hint="List them with: stepladder cypher --list"
    )


def is_name(text: str) -> bool:
    """Tell whether a text can only be meant as the name of a query: no statement is one word."""
    return re.fullmatch(r"[A-Za-z0-9_-]+", text) is not None


def parse(name: str, text: str) -> NamedQuery:
    """A named query from the text of its file.

    Raises:
        ValueError: the header is not as it should be.
    """
    lines = text.splitlines()
    size = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    header = [line.removeprefix("//").strip() for line in lines[:size]]
    title, *paragraphs = "\n".join(header).split("\n\n")
    *prose, last = paragraphs
    if not last.startswith("Columns: "):
        raise ValueError(f"The header of {name} does not end with its columns.")
    parameters = tuple(_parameter(name, line) for part in prose[1:] for line in part.splitlines())
    return NamedQuery(
        name=name,
        title=title,
        answers=" ".join(prose[0].split()),
        parameters=parameters,
        columns=tuple(" ".join(last.removeprefix("Columns: ").split()).split(", ")),
        statement="\n".join(lines[size:]),
    )


def _parameter(query: str, line: str) -> Parameter:
    match = _PARAMETER.fullmatch(line)
    if match is None or match["type"] not in _READ:
        raise ValueError(f"The header of {query} has a parameter that cannot be read: {line}")
    default = match["default"]
    return Parameter(
        name=match["name"],
        type=match["type"],
        text=match["text"],
        required=default is None,
        default=None if default is None else json.loads(default),
    )


def _value(query: str, parameter: Parameter, given: Mapping[str, Any]) -> Any:
    if parameter.name not in given:
        if parameter.required:
            raise UsageError(
                f"The query {query} needs {parameter.name}: {parameter.text}.",
                hint=f"Give it with: --param {parameter.name}=...",
            )
        return parameter.default
    value = given[parameter.name]
    try:
        return _READ[parameter.type](value)
    except (TypeError, ValueError):
        raise UsageError(
            f"The parameter {parameter.name} of {query} is to be of type {parameter.type}, "
            f"not {value!r}."
        ) from None


def _integer(value: Any) -> int:
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise ValueError
    return int(value)


def _decimal(value: Any) -> float:
    if isinstance(value, bool):
        raise ValueError
    return float(value)


def _truth(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in _TRUTHS:
        return _TRUTHS[value.lower()]
    raise ValueError


_READ: Final[Mapping[str, Callable[[Any], Any]]] = {
    "text": str,
    "integer": _integer,
    "decimal": _decimal,
    "truth": _truth,
}
