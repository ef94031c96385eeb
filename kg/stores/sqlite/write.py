"""Writes a batch: nodes by id, edges once, everything derived from them kept exact."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, TypeVar

import apsw

from ...errors import StoreError
from ...protocols import WriteReport
from ...terms import TermCounts, count_terms
from ...types import Batch, Edge, Memory, Node, Trace
from ..encoding import kept_text, to_terms, vector_blob
from . import evidence
from .connection import fetch
from .index import IndexChanges, geometry
from .removal import Retraction, begin_retraction, finish_retraction
from .rows import NodeRow, edge_properties, json_columns, json_texts, to_row

_CHUNK: Final = 1000

_STORED = """
    SELECT node.id, node.number, node.label, node.scope, node.created, node.properties,
        memory.position, memory.key_length, memory.full_length, memory.terms
    FROM json_each(?) AS wanted
    CROSS JOIN node ON node.id = wanted.value
    LEFT JOIN memory ON memory.node = node.number
"""

_ADD_NODE = """
    INSERT INTO node (id, label, level, scope, created, uid, properties)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""

_SET_NODE = """
    UPDATE node SET level = ?, scope = ?, created = ?, uid = ?, properties = ? WHERE number = ?
"""

_NUMBERS = """
    SELECT node.id, node.number FROM json_each(?) AS wanted
    CROSS JOIN node ON node.id = wanted.value
"""

_ADD_EDGE = "INSERT OR IGNORE INTO edge (source, type, target, properties) VALUES (?, ?, ?, ?)"

_SET_EDGE = """
    UPDATE edge SET properties = ?4
    WHERE source = ?1 AND type = ?2 AND target = ?3 AND properties IS NOT ?4
"""

_STORED_VECTORS = """
    SELECT node.id, node.level, node.scope, memory.position, memory.full_length, vector.vector
    FROM json_each(?) AS wanted
    CROSS JOIN node ON node.id = wanted.value
    JOIN memory ON memory.node = node.number
    LEFT JOIN vector ON vector.position = memory.position
"""

_SEQUENCE = "SELECT value FROM total WHERE name = 'sequence'"

_NEXT = "UPDATE total SET value = value + 1 WHERE name = 'sequence' RETURNING value"

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A batch with everything worked out that needs no lock; the last of equal ids counts."""

    batch: Batch
    nodes: dict[str, tuple[NodeRow, Node]]
    terms: dict[str, TermCounts]


def prepare(batch: Batch) -> Prepared:
    """Turn nodes into rows and count their terms."""
    nodes: dict[str, tuple[NodeRow, Node]] = {}
    for node in batch.nodes:
        row = to_row(node)
        known = nodes.get(row.id)
        if known is not None:
            row = replace(row, created=earliest(known[0].created, row.created))
        nodes[row.id] = (row, node)
    terms = {
        id: count_terms(node.key, node.full)
        for id, (_, node) in nodes.items()
        if isinstance(node, Memory)
    }
    return Prepared(batch=batch, nodes=nodes, terms=terms)


def write(connection: apsw.Connection, prepared: Prepared) -> WriteReport:
    """Write a batch within the transaction that is open on the connection.

    Raises:
        StoreError: an edge's end, or the memory a vector is for, is missing.
        EmbeddingError: a vector does not fit the store.
    """
    batch = prepared.batch
    changes = IndexChanges()
    edges = {(e.source, e.type, e.target): e for e in batch.edges}
    retraction = Retraction()
    if batch.retract:
        retraction = begin_retraction(
            connection, batch.retract, nodes=prepared.nodes, edges=edges, changes=changes
        )
    added, changed = _write_nodes(connection, prepared, changes)
    edges_added, edges_changed = _write_edges(connection, list(edges.values()))
    changed |= _write_vectors(connection, batch, changes)
    removed = finish_retraction(connection, retraction, nodes=prepared.nodes, changes=changes)
    report = WriteReport(
        added=len(added),
        changed=len(changed - added) + edges_changed,
        removed=removed,
        edges_added=edges_added,
    )
    if report != WriteReport() or retraction.edges_removed:
        changes.flush(connection, sequence=next_sequence(connection))
    return report


def next_sequence(connection: apsw.Connection) -> int:
    """Count one more transaction that changes something."""
    (value,) = fetch(connection, _NEXT)[0]
    return int(value)


def sequence(connection: apsw.Connection) -> int:
    """The number of transactions that changed something."""
    (value,) = fetch(connection, _SEQUENCE)[0]
    return int(value)


def numbers_of(connection: apsw.Connection, ids: Iterable[str]) -> dict[str, int]:
    """Map the ids that are there to the numbers of their nodes."""
    found: dict[str, int] = {}
    unique = list(dict.fromkeys(ids))
    for some in chunks(unique):
        rows = fetch(connection, _NUMBERS, (json_texts(some),))
        by_column = dict(rows)
        found.update({id: by_column[c] for id in some if (c := kept_text(id)) in by_column})
    return found


def chunks(values: Iterable[T]) -> Iterator[list[T]]:
    """Values in lists of at most 1,000."""
    rest = iter(values)
    while some := list(islice(rest, _CHUNK)):
        yield some


def earliest(a: str, b: str) -> str:
    """The earlier of two times as text; an empty one is no time."""
    return min(a, b) if a and b else a or b


def _write_nodes(
    connection: apsw.Connection, prepared: Prepared, changes: IndexChanges
) -> tuple[set[str], set[str]]:
    """Return the ids of the nodes that are new and of those that are different now."""
    added: set[str] = set()
    changed: set[str] = set()
    for some in chunks(prepared.nodes.items()):
        stored = {
            r[0]: r for r in fetch(connection, _STORED, (json_columns(id for id, _ in some),))
        }
        for id, (row, node) in some:
            terms = prepared.terms.get(id)
            if id not in stored:
                _add_node(connection, row, node, terms=terms, changes=changes)
                added.add(node.id)
            elif _change_node(connection, stored[id], row, node, terms=terms, changes=changes):
                changed.add(node.id)
    return added, changed


def _add_node(
    connection: apsw.Connection,
    row: NodeRow,
    node: Node,
    *,
    terms: TermCounts | None,
    changes: IndexChanges,
) -> None:
    values = (row.id, row.label, row.level, row.scope, row.created, row.uid, row.properties)
    connection.execute(_ADD_NODE, values)
    number = connection.last_insert_rowid()
    if terms is not None and row.level is not None:
        changes.add(connection, number, row, terms=terms)
    if isinstance(node, Trace):
        evidence.describe(connection, number, node)


def _change_node(
    connection: apsw.Connection,
    stored: tuple[Any, ...],
    row: NodeRow,
    node: Node,
    *,
    terms: TermCounts | None,
    changes: IndexChanges,
) -> bool:
    """Overwrite a node where it is different, and tell whether it was."""
    _, number, label, scope, created, properties, position, key_length, full_length, blob = stored
    if label != row.label:
        raise StoreError(f"The node {node.id} has label {label} and cannot take {row.label}.")
    row = replace(row, created=earliest(created, row.created))
    if (scope, created, properties) == (row.scope, row.created, row.properties):
        return False
    values = (row.level, row.scope, row.created, row.uid, row.properties, number)
    connection.execute(_SET_NODE, values)
    if terms is not None and row.level is not None:
        old = to_terms(blob, key_length=key_length, full_length=full_length)
        changes.change(connection, position, row, old=old, new=terms)
    if isinstance(node, Trace):
        evidence.describe(connection, number, node)
    return True


def _write_edges(connection: apsw.Connection, edges: Sequence[Edge]) -> tuple[int, int]:
    """Return how many edges are new and how many are different now."""
    numbers = numbers_of(connection, (id for e in edges for id in (e.source, e.target)))
    added = changed = 0
    upward: list[tuple[int, int]] = []
    for edge in edges:
        for id in (edge.source, edge.target):
            if id not in numbers:
                raise StoreError(
                    f"An edge {edge.source} {edge.type} {edge.target} was written, "
                    f"but there is no node {id}.",
                    hint="Write both ends before the edge, or in the same batch.",
                )
        source, target = numbers[edge.source], numbers[edge.target]
        values = (source, edge.type, target, edge_properties(edge))
        connection.execute(_ADD_EDGE, values)
        if connection.changes():
            added += 1
            if edge.type == "GENERALIZES_TO":
                upward.append((source, target))
        else:
            connection.execute(_SET_EDGE, values)
            changed += connection.changes()
    evidence.carry_up(connection, upward)
    return added, changed


def _write_vectors(connection: apsw.Connection, batch: Batch, changes: IndexChanges) -> set[str]:
    """Return the ids of the memories whose vector is new or different."""
    changed: set[str] = set()
    shape = geometry(connection)
    assert shape is not None
    for some in chunks(batch.vectors.items()):
        rows = fetch(connection, _STORED_VECTORS, (json_texts(id for id, _ in some),))
        stored = {row[0]: row[1:] for row in rows}
        for id, vector in some:
            blob = vector_blob(vector, dim=shape.dim)
            if kept_text(id) not in stored:
                raise StoreError(
                    f"A vector was written for {id}, but there is no such memory.",
                    hint="Write the memory before its vector, or in the same batch.",
                )
            level, scope, position, length, known = stored[kept_text(id)]
            if known != blob:
                changes.vectors[position] = blob
                changes.place(position, level=level, scope=scope, length=length)
                changed.add(id)
    return changed
