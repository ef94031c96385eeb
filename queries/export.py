"""A whole graph as a file for another program: GraphML, or a script of Cypher.

Both hold every node and relationship with all properties, and neither holds vectors. What was
written is counted and summed up in a checksum that depends on no order; `read_graphml` gives the
same from a file, so that both can be compared.
"""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import networkx as nx

from ..kg.errors import StoreError
from ..kg.protocols import GraphStore
from ..kg.types import EVERYTHING, NODE_TYPES, Edge, Node, Scope, label_of
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


def export(store: GraphStore, form: str, file: Path, *, scope: Scope = EVERYTHING) -> Exported:
    """Write what a scope holds of a store to a file; a file that is there is replaced at the end.

    `form` is one of `FORMS`.

    Raises:
        StoreError: the store could not be read, or the file not be written.
    """
    partial = file.with_name(f".{file.name}.partial")
    try:
        with closing(store.export(scope=scope)) as exported:
            written = FORMS[form](exported, partial)
        partial.replace(file)
    except OSError as error:
        raise StoreError(f"The file {file} could not be written: {error.strerror}.") from error
    finally:
        partial.unlink(missing_ok=True)
    return written


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


def write_cypher(exported: Iterable[Node | Edge], file: Path) -> Exported:
    """Write a graph as a script of Cypher, one statement a line, and return what is in it.

    The script makes what is missing and changes what is there, so that it may be run again:
    `cypher-shell -f out.cypher`.
    """
    tally = _Tally()
    with file.open("w", encoding="utf-8", errors="replace", newline="\n") as out:
        out.write("// Run with: cypher-shell -f FILE. It may be run again.\n")
        for label in NODE_TYPES:
            out.write(f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:{label}) REQUIRE n.id IS UNIQUE;\n")
        for kind, rows in _runs(exported, tally):
            out.write(_statement(kind, rows))
    return tally.result()


FORMS: Final[Mapping[str, Callable[[Iterable[Node | Edge], Path], Exported]]] = {
    "graphml": write_graphml,
    "cypher": write_cypher,
}
"""How each form is written."""

_Kind = tuple[str, ...]


def _runs(
    exported: Iterable[Node | Edge], tally: _Tally
) -> Iterator[tuple[_Kind, list[Mapping[str, Any]]]]:
    """Rows of the same kind, at most `_BATCH` at a time; relationships are gathered by kind."""
    labels: dict[str, str] = {}
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
    listed = ", ".join(cypher_literal(row) for row in rows)
    if len(kind) == 1:
        return f"UNWIND [{listed}] AS row MERGE (n:{kind[0]} {{id: row.id}}) SET n = row;\n"
    type, source, target = kind
    return (
        f"UNWIND [{listed}] AS row "
        f"MATCH (a:{source} {{id: row.source}}) MATCH (b:{target} {{id: row.target}}) "
        f"MERGE (a)-[r:{type}]->(b) SET r = row.properties;\n"
    )


def cypher_literal(value: Any) -> str:
    """A value as Cypher writes it, on one line; a number that is none becomes null."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return "null"
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
