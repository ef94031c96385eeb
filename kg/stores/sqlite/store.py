"""The store: `GraphStore` over one SQLite file."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path

import apsw
import numpy as np

from ...errors import StoreError, UsageError
from ...protocols import (
    Candidate,
    CandidateQuery,
    Changed,
    Citing,
    Counts,
    Direction,
    TermStatistics,
    WriteReport,
)
from ...types import EVERYTHING, Batch, Edge, EdgeType, Node, Scope, Support, Vector
from ..encoding import kept_text, original_text
from . import evidence, index, read, removal, search
from .catalogue import CatalogueCache
from .connection import Connections, fetch
from .index import Geometry, IndexChanges
from .migrations import migrate, version
from .revector import demand_embedder, switch
from .write import next_sequence, numbers_of, prepare, sequence, write

_SETTING = "SELECT value FROM setting WHERE name = ?"

_SET_SETTING = """
    INSERT INTO setting (name, value) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET value = excluded.value WHERE value <> excluded.value
"""

_ANY_VECTOR = "SELECT EXISTS (SELECT 1 FROM vector)"


class SQLiteStore:
    """A graph in one file that several processes and threads may read and write at once.

    A finished write outlives the process. Use `open`; `close` when done, or a `with` block.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._cache = CatalogueCache()
        self._embedder = ""

    @classmethod
    def open(
        cls,
        address: str | Path,
        *,
        dim: int = 256,
        centre: Vector | None = None,
        timeout_s: float = 30.0,
    ) -> "SQLiteStore":
        """Open a file, creating it and its folder where they are missing.

        Args:
            address: the path of the file, with or without `sqlite://` before it.
            dim: length of the vectors to be kept; a store that holds vectors keeps its own.
            centre: mean of typical vectors, shape (dim,); zeros where it is not given.
            timeout_s: how long a call waits while another process writes.

        Raises:
            SchemaError: a later version of the program wrote the file.
            StoreError: the file cannot be opened, or is no store.
        """
        path = Path(str(address).removeprefix("sqlite://")).absolute()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"The folder {path.parent} could not be made: {error.strerror}.",
                hint="Give a path in a folder where you may write.",
            ) from error
        store = cls(Connections(path, timeout_s=timeout_s, check=version, migrate=migrate))
        store._settle(_geometry(dim, centre))
        return store

    def __enter__(self) -> "SQLiteStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, batch: Batch) -> WriteReport:
        """Write a batch as one transaction: upsert by id, edges once, earliest `created` kept.

        A node or edge that is equal to what is stored is not touched. A vector is kept until
        another one is written for its memory.

        Raises:
            StoreError: an edge's end, or the memory a vector is for, is missing.
            EmbeddingError: a vector does not fit the store.
        """
        prepared = prepare(batch)
        with self._connections.writing() as connection:
            if batch.vectors and self._embedder:
                demand_embedder(connection, self._embedder)
            return write(connection, prepared)

    def delete(self, ids: Sequence[str]) -> int:
        """Delete nodes with all their edges; return how many nodes there were."""
        with self._connections.writing() as connection:
            changes = IndexChanges()
            numbers = list(numbers_of(connection, ids).values())
            removed = removal.delete_nodes(connection, numbers, changes)
            if removed:
                changes.flush(connection, sequence=next_sequence(connection))
            return removed

    def delete_edges(self, edges: Sequence[Edge]) -> int:
        """Delete the edges with these sources, types and targets; return how many there were."""
        with self._connections.writing() as connection:
            numbers = numbers_of(connection, (id for e in edges for id in (e.source, e.target)))
            removed = removal.delete_edges(connection, edges, numbers)
            if removed:
                next_sequence(connection)
            return removed

    def get(self, ids: Sequence[str], *, scope: Scope = EVERYTHING) -> dict[str, Node]:
        """Return the nodes with these ids, in the order of `ids`."""
        with self._connections.reading() as connection:
            return read.get(connection, ids, scope=scope)

    def find(
        self,
        label: str,
        *,
        where: Mapping[str, str | int] | None = None,
        scope: Scope = EVERYTHING,
        limit: int | None = None,
    ) -> list[Node]:
        """Return the nodes of a label whose properties equal `where`, ordered by id.

        Raises:
            UsageError: there is no such label or property.
        """
        with self._connections.reading() as connection:
            return read.find(connection, label, where=where or {}, scope=scope, limit=limit)

    def resolve(self, prefix: str, *, limit: int = 10) -> list[str]:
        """Return ids that begin with `prefix`, in order."""
        with self._connections.reading() as connection:
            return read.resolve(connection, prefix, limit=limit)

    def edges(
        self,
        ids: Sequence[str],
        *,
        types: Sequence[EdgeType] = (),
        direction: Direction = "both",
        scope: Scope = EVERYTHING,
        most: int | None = None,
    ) -> list[Edge]:
        """Return edges that touch these nodes, both ends in scope, by source, type and target."""
        with self._connections.reading() as connection:
            return read.edges(
                connection, ids, types=types, direction=direction, scope=scope, most=most
            )

    def ancestry(self, ids: Sequence[str], *, scope: Scope = EVERYTHING) -> list[Edge]:
        """Return every GENERALIZES_TO edge on a path upward from these nodes."""
        with self._connections.reading() as connection:
            return read.ancestry(connection, ids, scope=scope)

    def descents(self, ids: Sequence[str], *, scope: Scope = EVERYTHING) -> dict[str, list[str]]:
        """Return a path down GENERALIZES_TO edges from each of these nodes, the node first."""
        with self._connections.reading() as connection:
            return read.descents(connection, ids, scope=scope)

    def statistics(self, term_ids: Sequence[int]) -> TermStatistics:
        """Return the lexical statistics of the store for these terms."""
        with self._connections.reading() as connection:
            return search.statistics(connection, term_ids)

    def candidates(self, *queries: CandidateQuery) -> list[list[Candidate]]:
        """Return of each query the union of the lexical and the nearest memories, ordered by id.

        Raises:
            EmbeddingError: the query's vector has another length than the store's.
        """
        with self._connections.reading() as connection:
            if self._embedder and any(q.vector is not None for q in queries):
                demand_embedder(connection, self._embedder)
            return [search.candidates(connection, q, cache=self._cache) for q in queries]

    def features(self, ids: Sequence[str], *, scope: Scope = EVERYTHING) -> list[Candidate]:
        """Return memories with their terms and vectors, in the order of `ids`."""
        with self._connections.reading() as connection:
            return read.features(connection, ids, scope=scope)

    def citing(
        self, error_class: str, signature: str, *, scope: Scope = EVERYTHING
    ) -> list[Citing]:
        """Return the memories that cite steps which raise an error of a class, ordered by id."""
        with self._connections.reading() as connection:
            return read.citing(connection, error_class, signature, scope=scope)

    def support(self, ids: Sequence[str]) -> dict[str, Support]:
        """Count the distinct traces below each memory, by what they were.

        A trace stands behind itself. Empty values are not counted.
        """
        with self._connections.reading() as connection:
            return evidence.support(connection, ids)

    def known_actions(self, uids: Sequence[str]) -> dict[str, str]:
        """Map those of the actions' own ids that are stored already to the trace holding them."""
        with self._connections.reading() as connection:
            return read.known_actions(connection, uids)

    def counts(self, *, scope: Scope = EVERYTHING) -> Counts:
        """Count nodes and edges."""
        with self._connections.reading() as connection:
            return read.counts(connection, scope=scope)

    def export(self, *, scope: Scope = EVERYTHING) -> Generator[Node | Edge, None, None]:
        """Yield every node, by label and id, then every edge with both ends in scope.

        One read transaction is open until the iterator is exhausted or closed.
        """
        with self._connections.reading() as connection:
            yield from read.export(connection, scope=scope)

    def setting(self, name: str) -> str | None:
        """Return a value kept with the store, such as the embedder's name."""
        with self._connections.reading() as connection:
            rows = fetch(connection, _SETTING, (kept_text(name),))
            return original_text(rows[0][0]) if rows else None

    def set_setting(self, name: str, value: str) -> None:
        """Keep a value with the store."""
        with self._connections.writing() as connection:
            connection.execute(_SET_SETTING, (kept_text(name), kept_text(value)))
            if connection.changes():
                next_sequence(connection)

    def sequence(self) -> int:
        """Return a number that grows with every write of any process."""
        with self._connections.reading() as connection:
            return sequence(connection)

    def changed(self, label: str, *, since: int) -> Changed:
        """Return memories of a label that were written since the sequence was at `since`.

        Neighbours of such a memory may be among them.
        """
        with self._connections.reading() as connection:
            return read.changed(connection, label, since=since)

    def expect_embedder(self, name: str) -> None:
        """Raise `EmbeddingError` from now on where vectors come and the store's are another's.

        Another process may change the embedder of the store while this one has it open.
        """
        self._embedder = name

    def switch_vectors(
        self,
        parts: Iterable[Sequence[tuple[str, Vector]]],
        *,
        embedder: str,
        dim: int,
        centre: Vector,
        expected: int,
    ) -> bool:
        """Put the vectors of another embedder in place of all, as one transaction.

        `parts` are ids with vectors of shape (dim,). Returns False, with nothing changed, where
        the store is not at the sequence `expected` any more.
        """
        with self._connections.writing() as connection:
            new = _geometry(dim, centre)
            return switch(connection, new, parts, embedder=embedder, expected=expected)

    def reset_vectors(self, *, dim: int, centre: Vector | None = None) -> None:
        """Forget every vector, so that those of another embedder can be written."""
        new = _geometry(dim, centre)
        with self._connections.writing() as connection:
            index.reset(connection, new, sequence=next_sequence(connection))

    def reading(self) -> "SQLiteStore":
        """Return the store itself: what is in a file is near."""
        return self

    def close(self) -> None:
        """Release files and connections; a closed store raises `StoreError` when used."""
        self._connections.close()

    def _settle(self, wanted: Geometry) -> None:
        """Take the caller's geometry where the store holds no vectors yet."""
        with self._connections.reading() as connection:
            if _fits(connection, wanted):
                return
        with self._connections.writing() as connection:
            if not _fits(connection, wanted):
                index.reset(connection, wanted, sequence=next_sequence(connection))


def _fits(connection: apsw.Connection, wanted: Geometry) -> bool:
    stored = index.geometry(connection)
    if stored is None:
        return False
    if stored.dim == wanted.dim and np.array_equal(stored.centre, wanted.centre):
        return True
    ((any_vector,),) = fetch(connection, _ANY_VECTOR)
    return bool(any_vector)


def _geometry(dim: int, centre: Vector | None) -> Geometry:
    point = np.zeros(dim, np.float32) if centre is None else np.asarray(centre, np.float32)
    if dim < 1 or point.shape != (dim,):
        raise UsageError(f"A centre of shape {point.shape} does not fit vectors of {dim} numbers.")
    return Geometry(dim, point)
