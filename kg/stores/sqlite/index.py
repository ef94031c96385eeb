"""Gathers what a write changes for search, and lays it down at the end of the transaction."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import apsw
import numpy as np
from numpy.typing import NDArray

from ... import codes
from ...terms import TermCounts
from ...types import Vector
from ..encoding import terms_blob, to_terms, to_vector
from . import catalogue, postings
from .catalogue import Entry
from .connection import fetch
from .rows import NodeRow, json_numbers

_GEOMETRY = "SELECT dim, centre FROM geometry"

_SET_GEOMETRY = "INSERT OR REPLACE INTO geometry (only, dim, centre) VALUES (1, ?, ?)"

_ADD_MEMORY = """
    INSERT INTO memory (node, task, language, key_length, full_length, terms)
    VALUES (?, ?, ?, ?, ?, ?)
"""

_SET_FACETS = "UPDATE memory SET task = ?, language = ? WHERE position = ?"

_SET_TERMS = "UPDATE memory SET key_length = ?, full_length = ?, terms = ? WHERE position = ?"

_MEMORIES = """
    SELECT position, key_length, full_length, terms FROM memory
    WHERE node IN (SELECT value FROM json_each(?))
"""

_SET_VECTOR = """
    INSERT INTO vector (position, vector) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET vector = excluded.vector
"""

_REMOVE_VECTORS = "DELETE FROM vector WHERE position IN (SELECT value FROM json_each(?))"

_REMOVE_MEMORIES = "DELETE FROM memory WHERE position IN (SELECT value FROM json_each(?))"

_SET_REMOVED = """
    INSERT INTO total (name, value) VALUES ('removed', ?)
    ON CONFLICT DO UPDATE SET value = excluded.value
"""

_ALL_ENTRIES = """
    SELECT memory.position, node.level, node.scope, memory.full_length
    FROM memory JOIN node ON node.number = memory.node
"""


@dataclass(frozen=True, slots=True)
class Geometry:
    """The length of the store's vectors and the point their codes are centred on."""

    dim: int
    centre: Vector

    @property
    def code_bytes(self) -> int:
        """Bytes of one code."""
        return int(self.encode(np.zeros((0, self.dim), np.float32)).shape[1])

    def encode(self, vectors: Vector) -> NDArray[np.uint8]:
        """Codes of vectors, uint8 of shape (len(vectors), code_bytes)."""
        return codes.encode(vectors, self.centre)


def geometry(connection: apsw.Connection) -> Geometry | None:
    """How vectors are kept in this store, None where it was never opened in full."""
    rows = fetch(connection, _GEOMETRY)
    return Geometry(rows[0][0], to_vector(rows[0][1])) if rows else None


def reset(connection: apsw.Connection, new: Geometry, *, sequence: int) -> None:
    """Forget all vectors and keep those to come in another geometry."""
    connection.execute("DELETE FROM vector")
    connection.execute("DELETE FROM catalogue")
    connection.execute(_SET_GEOMETRY, (new.dim, np.asarray(new.centre, "<f4").tobytes()))
    rows = fetch(connection, _ALL_ENTRIES)
    numbers = catalogue.scope_numbers(connection, (scope for _, _, scope, _ in rows))
    entries: dict[int, Entry | None] = {
        position: Entry(level=level, scope=numbers[scope], length=length)
        for position, level, scope, length in rows
    }
    catalogue.write_entries(connection, entries, sequence=sequence, code_bytes=new.code_bytes)


@dataclass(slots=True)
class IndexChanges:
    """What happened to memories within one transaction, by position."""

    removed: dict[int, TermCounts] = field(default_factory=dict)
    added: dict[int, TermCounts] = field(default_factory=dict)
    cleared: set[int] = field(default_factory=set)
    placed: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Level and scope of the memories that are new or whose record changes."""
    lengths: dict[int, int] = field(default_factory=dict)
    vectors: dict[int, bytes] = field(default_factory=dict)

    def add(
        self, connection: apsw.Connection, node: int, row: NodeRow, *, terms: TermCounts
    ) -> None:
        """Take a new memory in."""
        lengths = (terms.key_length, terms.full_length)
        values = (node, row.task, row.language, *lengths, terms_blob(terms))
        connection.execute(_ADD_MEMORY, values)
        position = connection.last_insert_rowid()
        self.added[position] = terms
        self._place_row(position, row, terms)

    def change(
        self,
        connection: apsw.Connection,
        position: int,
        row: NodeRow,
        *,
        old: TermCounts,
        new: TermCounts,
    ) -> None:
        """Take over what a memory says now."""
        connection.execute(_SET_FACETS, (row.task, row.language, position))
        if not _same_terms(old, new):
            values = (new.key_length, new.full_length, terms_blob(new), position)
            connection.execute(_SET_TERMS, values)
            self.removed[position], self.added[position] = old, new
        self._place_row(position, row, new)

    def place(self, position: int, *, level: int, scope: str, length: int) -> None:
        """Set what the record of a memory says."""
        self.placed[position] = (level, scope)
        self.lengths[position] = length

    def _place_row(self, position: int, row: NodeRow, terms: TermCounts) -> None:
        assert row.level is not None
        self.place(position, level=row.level, scope=row.scope, length=terms.full_length)

    def remove(self, connection: apsw.Connection, nodes: Iterable[int]) -> None:
        """Take the memories among these nodes out."""
        positions = []
        for position, key_length, full_length, blob in fetch(
            connection, _MEMORIES, (json_numbers(nodes),)
        ):
            positions.append(position)
            self.removed[position] = to_terms(blob, key_length=key_length, full_length=full_length)
        self.cleared.update(positions)
        connection.execute(_REMOVE_VECTORS, (json_numbers(positions),))
        connection.execute(_REMOVE_MEMORIES, (json_numbers(positions),))

    def flush(self, connection: apsw.Connection, *, sequence: int) -> None:
        """Bring postings, frequencies, totals, vectors and catalogue up to date."""
        if not (self.removed or self.added or self.placed or self.vectors or self.cleared):
            return
        postings.apply(connection, removed=self.removed, added=self.added)
        connection.executemany(_SET_VECTOR, sorted(self.vectors.items()))
        shape = geometry(connection)
        assert shape is not None
        if self.cleared:
            connection.execute(_SET_REMOVED, (sequence,))
            catalogue.write_entries(
                connection,
                dict.fromkeys(self.cleared),
                sequence=sequence,
                code_bytes=shape.code_bytes,
            )
        catalogue.write_entries(
            connection,
            self._entries(connection, shape),
            sequence=sequence,
            code_bytes=shape.code_bytes,
        )

    def _entries(self, connection: apsw.Connection, shape: Geometry) -> dict[int, Entry | None]:
        numbers = catalogue.scope_numbers(connection, (scope for _, scope in self.placed.values()))
        encoded: dict[int, bytes] = {}
        if self.vectors:
            rows = np.stack([to_vector(v) for v in self.vectors.values()])
            encoded = dict(
                zip(self.vectors, (c.tobytes() for c in shape.encode(rows)), strict=True)
            )
        return {
            position: Entry(
                level=level,
                scope=numbers[scope],
                length=self.lengths[position],
                code=encoded.get(position),
            )
            for position, (level, scope) in self.placed.items()
        }


def _same_terms(a: TermCounts, b: TermCounts) -> bool:
    return (
        (a.key_length, a.full_length) == (b.key_length, b.full_length)
        and a.ids.tobytes() == b.ids.astype("<u4").tobytes()
        and a.key.tobytes() == b.key.tobytes()
        and a.full.tobytes() == b.full.tobytes()
    )
