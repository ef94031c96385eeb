"""A whole graph as one document of records, which kglite reads in one go."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any, Final

from ..kg.types import NODE_TYPES, Edge, Node, label_of

# ASCII, because Python takes four bytes for every character of a text that holds one emoji.
_encode: Final = json.JSONEncoder(separators=(",", ":")).encode
_SURROGATE: Final = "\\ud"
_ENDS: Final = ('"source_id_field":"source"', '"target_id_field":"target"')


def document(exported: Iterable[Node | Edge]) -> bytes:
    """The nodes and, after them, the edges of a graph as JSON in ASCII.

    A property that is None is left out, as Neo4j keeps none; empty texts and lists stay.
    Text that is no Unicode (half of a surrogate pair) is replaced by a question mark.
    """
    labels: dict[str, str] = {}
    nodes: dict[str, list[str]] = {}
    edges: dict[tuple[str, str, str], list[str]] = {}
    for item in exported:
        if isinstance(item, Edge):
            between = (item.type, labels[item.source], labels[item.target])
            edges.setdefault(between, []).append(_written(_edge_record(item)))
        else:
            label = labels[item.id] = label_of(item)
            nodes.setdefault(label, []).append(_written(_node_record(item)))
    parts = (
        '{"on_missing_endpoint":"error","nodes":[',
        ",".join(_node_table(label, records) for label, records in nodes.items()),
        '],"connections":[',
        ",".join(_edge_table(*between, records) for between, records in edges.items()),
        "]}",
    )
    return "".join(parts).encode("ascii")


def node_properties(node: Node) -> dict[str, Any]:
    """What a node shows in Cypher: all its fields but those that are None."""
    names = _field_names(label_of(node))
    return {n: v for n in names if (v := getattr(node, n)) is not None}


def edge_properties(edge: Edge) -> dict[str, str | float | int]:
    """What a relationship shows in Cypher: what it carries, nothing that is empty."""
    values = {
        "quote": edge.quote or None,
        "score": edge.score,
        "rank": edge.rank,
        "merge_run": edge.merge_run or None,
    }
    return {name: value for name, value in values.items() if value is not None}


def _written(record: Mapping[str, Any]) -> str:
    text = _encode(record)
    if _SURROGATE not in text:
        return text
    whole = json.dumps(record, ensure_ascii=False).encode("utf-8", errors="replace")
    return _encode(json.loads(whole))


def _node_record(node: Node) -> Mapping[str, Any]:
    # kglite makes up a title for a node without one, unless it is said to be null.
    return {"title": None, **node_properties(node)}


def _edge_record(edge: Edge) -> Mapping[str, Any]:
    return {"source": edge.source, "target": edge.target, **edge_properties(edge)}


def _node_table(label: str, records: list[str]) -> str:
    named = f'"type":"{label}","id_field":"id","title_field":"title"'
    return f'{{{named},"records":[{",".join(records)}]}}'


def _edge_table(type: str, source: str, target: str, records: list[str]) -> str:
    named = f'"type":"{type}","source_type":"{source}","target_type":"{target}"'
    return f'{{{named},{",".join(_ENDS)},"records":[{",".join(records)}]}}'


@cache
def _field_names(label: str) -> tuple[str, ...]:
    return tuple(f.name for f in fields(NODE_TYPES[label]))
