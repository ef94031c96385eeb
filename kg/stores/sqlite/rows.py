"""Nodes, edges, term counts and vectors as rows, and back. Knows no connection."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache, partial
from typing import Any, Final, SupportsInt

from ...errors import StoreError, UsageError
from ...protocols import Candidate
from ...types import (
    NODE_TYPES,
    SHARED,
    Edge,
    Memory,
    Node,
    Scope,
    Step,
    Vector,
    label_of,
    to_properties,
)
from ..encoding import has_surrogate, kept_text, original_text, to_terms

CANDIDATE: Final = """
    node.id, node.label, node.scope, node.created, node.properties, node.level,
    memory.task, memory.language, memory.key_length, memory.full_length, memory.terms
"""
"""The columns of a candidate in `node` and `memory`."""

_COLUMNS: Final = ("id", "created", "scope")


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRow:
    """A node as the columns of its row."""

    id: str
    label: str
    level: int | None
    scope: str
    created: str
    uid: str | None
    task: str = ""
    language: str = ""
    properties: str


def json_texts(values: Iterable[str]) -> str:
    """Texts as one parameter, for `json_each`; they are escaped as in columns."""
    return json_columns(map(kept_text, values))


def json_columns(values: Iterable[str]) -> str:
    """Column texts as one parameter, for `json_each`."""
    return json.dumps(list(values), ensure_ascii=False)


def json_numbers(values: Iterable[SupportsInt]) -> str:
    """Whole numbers as one parameter, for `json_each`."""
    return json.dumps([int(v) for v in values])


def scope_list(scope: Scope) -> str | None:
    """The scopes a reader may see as one parameter, None for all of them."""
    return None if scope.projects is None else json_texts(sorted({SHARED, *scope.projects}))


def to_row(node: Node) -> NodeRow:
    """A node as its row."""
    label = label_of(node)
    if label not in NODE_TYPES:
        raise UsageError(f"A node of unknown kind {label!r} cannot be written.")
    empty = empty_defaults(label)
    properties = {
        name: value
        for name, value in to_properties(node).items()
        if name not in _COLUMNS and not (name in empty and is_empty(value, empty[name]))
    }
    return NodeRow(
        id=kept_text(node.id),
        label=label,
        level=node.level if isinstance(node, Memory) else None,
        scope=kept_text(node.scope),
        created=kept_text(node.created),
        uid=kept_text(node.uid) if isinstance(node, Step) and node.uid else None,
        task=kept_text(node.task) if isinstance(node, Memory) else "",
        language=kept_text(node.sole_language) if isinstance(node, Memory) else "",
        properties=to_json(properties),
    )


def to_node(id: str, label: str, scope: str, created: str, properties: str) -> Node:
    """The node of a row."""
    if label not in NODE_TYPES:
        raise StoreError(f"The store holds a node of unknown kind {label!r}.")
    values: dict[str, Any] = json.loads(properties)
    known = _field_names(label)
    if not known.issuperset(values):
        values = {name: value for name, value in values.items() if name in known}
    for name, value in values.items():
        if type(value) is list:
            values[name] = tuple(value)
    return NODE_TYPES[label](
        id=original_text(id), scope=original_text(scope), created=original_text(created), **values
    )


def to_json(values: Mapping[str, Any]) -> str:
    """Properties as JSON text, the same for equal properties."""
    text = json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    if has_surrogate(text):
        return json.dumps(values, sort_keys=True, separators=(",", ":"))
    return text


@cache
def empty_defaults(label: str) -> dict[str, object]:
    """The fields whose default is an empty value; where they have it they are left out of a row."""
    return {f.name: f.default for f in fields(NODE_TYPES[label]) if f.default in _EMPTY}


@cache
def _field_names(label: str) -> frozenset[str]:
    return frozenset(f.name for f in fields(NODE_TYPES[label]))


def is_empty(value: object, default: object) -> bool:
    """Tell whether a value is the empty default of its field: None and 0 are two values."""
    return not value and (value is None) == (default is None)


_EMPTY: Final[tuple[object, ...]] = ("", (), None, 0, 0.0, False)


def edge_properties(edge: Edge) -> str | None:
    """What an edge carries besides its ends, None where that is nothing."""
    values = {
        "quote": edge.quote or None,
        "score": edge.score,
        "rank": edge.rank,
        "merge_run": edge.merge_run or None,
    }
    kept = {name: value for name, value in values.items() if value is not None}
    return to_json(kept) if kept else None


def to_edge(source: str, type: Any, target: str, properties: str | None) -> Edge:
    """The edge of a row whose ends were replaced by their ids."""
    values: dict[str, Any] = json.loads(properties) if properties else {}
    return Edge(source=original_text(source), type=type, target=original_text(target), **values)


def to_candidate(row: tuple[Any, ...], vector: Vector | None) -> Candidate:
    """A candidate from a row that begins with `CANDIDATE`; its node is decoded when asked for."""
    level, task, language, key_length, full_length, terms = row[5:11]
    return Candidate(
        id=original_text(row[0]),
        level=level,
        scope=original_text(row[2]),
        task=original_text(task) if task else "",
        language=original_text(language).casefold() if language else "",
        terms=to_terms(terms, key_length=key_length, full_length=full_length),
        vector=vector,
        read=partial(_to_memory, *row[:5]),
    )


def _to_memory(id: str, label: str, scope: str, created: str, properties: str) -> Memory:
    node = to_node(id, label, scope, created, properties)
    assert isinstance(node, Memory)
    return node
