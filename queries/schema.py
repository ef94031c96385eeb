"""What a graph holds, in words and numbers: labels, relationships and properties."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Final, get_args

from ..kg.cypher import CypherLimits, Rows
from ..kg.types import NODE_TYPES, EdgeType

_FILE: Final = Path(__file__).with_name("schema.toml")
_LIMITS: Final = CypherLimits(rows=100_000, timeout_s=60.0, size_bytes=10_000_000)
_TYPES: Final[Mapping[str, str]] = {
    "int": "whole number",
    "int | None": "whole number",
    "float": "decimal number",
    "bool": "truth value",
    "tuple[str, ...]": "list of texts",
}
_EDGE_TYPES: Final[Mapping[str, str]] = {
    "quote": "text",
    "score": "decimal number",
    "rank": "whole number",
    "merge_run": "text",
}
_NOT_EMPTY: Final[Mapping[str, str]] = {"text": "n.{0} <> ''", "list of texts": "size(n.{0}) > 0"}

_LINKS: Final = """
MATCH (a)-[r]->(b)
RETURN
  type(r) AS type,
  labels(a)[0] AS source,
  labels(b)[0] AS target,
  count(r) AS number,
  count(r.quote) AS quote,
  count(r.score) AS score,
  count(r.rank) AS rank,
  count(r.merge_run) AS merge_run
ORDER BY type, source, target
"""

Ask = Callable[..., Rows]
"""Runs a statement with `limits`, as `CypherDoor.run` does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyInfo:
    """A property: what it means, its type in words, and in how many places it is not empty."""

    name: str
    type: str
    about: str
    filled: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelInfo:
    """A kind of node and how many there are."""

    name: str
    about: str
    count: int
    properties: tuple[PropertyInfo, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkInfo:
    """Between which labels relationships of a type stand, and how many."""

    source: str
    target: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationshipInfo:
    """A type of relationship and how many there are."""

    type: str
    about: str
    count: int
    links: tuple[LinkInfo, ...]
    properties: tuple[PropertyInfo, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """Every label and relationship there can be; counts are 0 for those there are none of."""

    labels: tuple[LabelInfo, ...]
    relationships: tuple[RelationshipInfo, ...]


def describe(ask: Ask) -> Schema:
    """Describe a graph by asking it.

    Raises:
        StoreError: the store could not answer.
    """
    found = ask(_LINKS, {}, limits=_LIMITS)
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    return Schema(
        labels=tuple(_label(ask, name) for name in NODE_TYPES),
        relationships=tuple(_relationship(type, rows) for type in get_args(EdgeType)),
    )


@cache
def meanings() -> Mapping[str, Mapping[str, str]]:
    """What labels, relationships and properties mean, by kind and name; the file is read once."""
    data: dict[str, dict[str, str]] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return data


def _label(ask: Ask, label: str) -> LabelInfo:
    types = {f.name: _type_in_words(f.type) for f in fields(NODE_TYPES[label])}
    counted = ask(_counting(label, types), {}, limits=_LIMITS)
    filled = dict(zip(counted.columns, counted.rows[0], strict=True))
    about = meanings()["properties"]
    return LabelInfo(
        name=label,
        about=meanings()["labels"][label],
        count=filled["_nodes"],
        properties=tuple(
            PropertyInfo(name=name, type=type, about=about[name], filled=filled[f"_{name}"] or 0)
            for name, type in types.items()
        ),
    )


def _counting(label: str, types: Mapping[str, str]) -> str:
    """The statement that counts a label; a label and a property cannot be parameters."""
    tests = {name: _NOT_EMPTY.get(type, "n.{0} IS NOT NULL") for name, type in types.items()}
    columns = [
        f"sum(CASE WHEN {test.format(name)} THEN 1 ELSE 0 END) AS _{name}"
        for name, test in tests.items()
    ]
    return f"MATCH (n:{label})\nRETURN count(n) AS _nodes, {', '.join(columns)}"


def _relationship(type: str, rows: Sequence[Mapping[str, Any]]) -> RelationshipInfo:
    own = [row for row in rows if row["type"] == type]
    about = meanings()["properties"]
    filled = {name: sum(row[name] for row in own) for name in _EDGE_TYPES}
    return RelationshipInfo(
        type=type,
        about=meanings()["relationships"][type],
        count=sum(row["number"] for row in own),
        links=tuple(
            LinkInfo(source=row["source"], target=row["target"], count=row["number"]) for row in own
        ),
        properties=tuple(
            PropertyInfo(name=name, type=_EDGE_TYPES[name], about=about[name], filled=number)
            for name, number in filled.items()
            if number
        ),
    )


def _type_in_words(annotation: object) -> str:
    named = getattr(annotation, "__name__", "") if isinstance(annotation, type) else ""
    return _TYPES.get(named or str(annotation), "text")
