"""A whole graph as a file for another program: GraphML, or a script of Cypher.

Both hold every node and relationship with all properties, and neither holds vectors. What was
written is counted and summed up in a checksum that depends on no order; `read_graphml` gives the
same from a file, so that both can be compared.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, TextIO

import networkx as nx

from ..kg.errors import StoreError
from ..kg.types import NODE_TYPES, Edge, Node, label_of
from .view_document import edge_properties, node_properties

_BATCH: Final = 200
_NO_XML: Final = {
    **dict.fromkeys((*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF), "\ufffd"),
    13: "\n",
}
_ESCAPES: Final = {
    "\\": "\\\\",
    "'": "\\'",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What a file holds: nodes by label, relationships by type, and a checksum of all of it."""

    nodes: Mapping[str, int]
    edges: Mapping[str, int]
    checksum: str


class _Tally:
    """Counts nodes and edges, and adds up their fingerprints."""

    def __init__(self) -> None:
        self._nodes: Counter[str] = Counter()
        self._edges: Counter[str] = Counter()
        self._sum = 0

    def add_node(self, label: str, properties: Mapping[str, Any]) -> None:
        self._nodes[label] += 1
        self._add([label, properties])

    def add_edge(self, source: str, type: str, target: str, properties: Mapping[str, Any]) -> None:
        self._edges[type] += 1
        self._add([source, type, target, properties])

    def result(self) -> Exported:
        return Exported(
            nodes=dict(sorted(self._nodes.items())),
            edges=dict(sorted(self._edges.items())),
            checksum=f"{self._sum:032x}",
        )

    def _add(self, item: Sequence[Any]) -> None:
        text = json.dumps(item, sort_keys=True)
        digest = hashlib.blake2b(text.encode("ascii"), digest_size=16).digest()
        self._sum = (self._sum + int.from_bytes(digest, "big")) % 2**128


def write_graphml(exported: Iterable[Node | Edge], file: Path) -> Exported:
    """Write a graph as GraphML and return what is in it.

    A label is the attribute `label`, a type the attribute `type`. GraphML has no lists: they are
    written as JSON, with `[` at their beginning. Characters XML cannot hold become U+FFFD.

    Raises:
        StoreError: what was read back from the file is not what was written.
    """
    graph = nx.MultiDiGraph()
    tally = _Tally()
    for item in exported:
        if isinstance(item, Edge):
            own = _attributes(edge_properties(item))
            graph.add_edge(_xml(item.source), _xml(item.target), type=item.type, **own)
            tally.add_edge(_xml(item.source), item.type, _xml(item.target), own)
        else:
            own = _attributes(node_properties(item))
            graph.add_node(_xml(item.id), label=label_of(item), **own)
            tally.add_node(label_of(item), own)
    nx.write_graphml(graph, file, encoding="utf-8", infer_numeric_types=False)
    written = tally.result()
    if read_graphml(file) != written:
        raise StoreError(f"The file {file} does not hold what was written to it.")
    return written


def read_graphml(file: Path) -> Exported:
    """What a GraphML file of ours holds."""
    graph = nx.read_graphml(file, force_multigraph=True)
    tally = _Tally()
    for _, data in graph.nodes(data=True):
        own = dict(data)
        tally.add_node(own.pop("label"), own)
    for source, target, data in graph.edges(data=True):
        own = {name: value for name, value in data.items() if name != "id"}
        tally.add_edge(source, own.pop("type"), target, own)
    return tally.result()


def write_cypher(exported: Iterable[Node | Edge], out: TextIO) -> Exported:
    """Write a graph as a script of Cypher, one statement a line, and return what is in it.

    The script makes what is missing and changes what is there, so that it may be run again:
    `cypher-shell -f out.cypher`.
    """
    tally = _Tally()
    labels: dict[str, str] = {}
    out.write("// Run with: cypher-shell -f FILE. It may be run again.\n")
    for label in NODE_TYPES:
        name = f"{label.lower()}_export_id"
        out.write(
            f"CREATE CONSTRAINT {name} IF NOT EXISTS FOR (n:{label}) REQUIRE n.id IS UNIQUE;\n"
        )
    for kind, items in _runs(exported, labels, tally):
        out.write(_statement(kind, items))
    return tally.result()


_Kind = tuple[str, ...]


def _runs(
    exported: Iterable[Node | Edge], labels: dict[str, str], tally: _Tally
) -> Iterator[tuple[_Kind, list[Mapping[str, Any]]]]:
    """Rows of the same kind, at most `_BATCH` at a time; relationships are gathered by kind."""
    edges: dict[_Kind, list[Mapping[str, Any]]] = {}
    nodes: dict[_Kind, list[Mapping[str, Any]]] = {}
    for item in exported:
        if isinstance(item, Edge):
            yield from _emptied(nodes, at_least=1)
            own = edge_properties(item)
            tally.add_edge(item.source, item.type, item.target, own)
            kind = (item.type, labels[item.source], labels[item.target])
            row = {"source": item.source, "target": item.target, "properties": own}
            edges.setdefault(kind, []).append(row)
            yield from _emptied(edges, at_least=_BATCH)
        else:
            label = labels[item.id] = label_of(item)
            own = node_properties(item)
            tally.add_node(label, own)
            nodes.setdefault((label,), []).append(own)
            yield from _emptied(nodes, at_least=_BATCH)
    yield from _emptied(nodes, at_least=1)
    yield from _emptied(edges, at_least=1)


def _emptied(
    gathered: dict[_Kind, list[Mapping[str, Any]]], *, at_least: int
) -> Iterator[tuple[_Kind, list[Mapping[str, Any]]]]:
    for kind in [k for k, rows in gathered.items() if len(rows) >= at_least]:
        yield kind, gathered.pop(kind)


def _statement(kind: _Kind, rows: Iterable[Mapping[str, Any]]) -> str:
    listed = ", ".join(cypher_literal(row) for row in islice(rows, None))
    if len(kind) == 1:
        return f"UNWIND [{listed}] AS row MERGE (n:{kind[0]} {{id: row.id}}) SET n = row;\n"
    type, source, target = kind
    return (
        f"UNWIND [{listed}] AS row "
        f"MATCH (a:{source} {{id: row.source}}) MATCH (b:{target} {{id: row.target}}) "
        f"MERGE (a)-[r:{type}]->(b) SET r = row.properties;\n"
    )


def cypher_literal(value: Any) -> str:
    """A value as Cypher writes it.

    A backslash before a `u` would be read as the beginning of a Unicode escape even where it is
    escaped itself, so that each backslash and each character below 32 is written as one.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return f"'{''.join(_escaped(c) for c in value)}'"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{n}: {cypher_literal(v)}" for n, v in value.items()) + "}"
    return "[" + ", ".join(cypher_literal(v) for v in value) + "]"


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return f"\\u{ord(character):04x}" if ord(character) < 32 else character


def _attributes(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Properties as GraphML can hold them."""
    return {name: _attribute(value) for name, value in properties.items()}


def _attribute(value: Any) -> Any:
    if isinstance(value, str):
        return _xml(value)
    if isinstance(value, tuple):
        return json.dumps([_xml(v) for v in value], ensure_ascii=False)
    return value


def _xml(text: str) -> str:
    """Text as XML can hold it."""
    return text.encode("utf-8", errors="replace").decode("utf-8").translate(_NO_XML)
