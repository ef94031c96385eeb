"""The store: `GraphStore` over one database of a Neo4j server."""

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ...cypher import CypherLimits, Rows
from ...errors import UsageError
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
from ...settings import Settings
from ...types import EVERYTHING, Batch, Edge, EdgeType, Node, Scope, Support, Vector
from ..encoding import kept_text, original_text
from . import cypher, read, removal, schema, search
from .address import parse
from .catalogue import CatalogueCache, Geometry
from .removal import Changes
from .server import Ask, Server
from .write import finish, lock, prepare, write

_LOOK_TIMEOUT_S: Final = 5.0

_Work = Callable[[Ask, Changes], int]


class Neo4jStore:
    """A graph in a Neo4j database that many machines may read and write at once.

    A write is one transaction, and writers take turns. Use `open`; `close` when done, or a `with`
    block.
    """

    def __init__(self, server: Server, cache: CatalogueCache | None = None) -> None:
        self._server = server
        self._cache = cache or CatalogueCache()

    @classmethod
    def open(
        cls,
        address: str,
        *,
        dim: int = 256,
        centre: Vector | None = None,
        timeout_s: float = 30.0,
    ) -> "Neo4jStore":
        """Open a database; an empty one is made a store.

        Args:
            address: `neo4j://[user[:password]@]host[:port][/database]`, or with `bolt://`, and
                with `+s` or `+ssc` where the connection is to be encrypted. Credentials that it
                does not name come from NEO4J_USERNAME and NEO4J_PASSWORD.
            dim: length of the vectors to be kept; a store that holds vectors keeps its own.
            centre: mean of typical vectors, shape (dim,); zeros where it is not given.
            timeout_s: how long a call tries again where the server refuses for a passing reason.

        Raises:
            UsageError: it is no address of a Neo4j server.
            SchemaError: a later version of the program made the store.
            StoreError: the server does not answer, refuses us, or is too old; or the database
                holds another program's data.
        """
        geometry = _geometry(dim, centre)
        server = Server(parse(address, Settings.read(os.environ)), timeout_s=timeout_s)
        try:
            schema.check_agent(server.agent(), address=server.address.shown)
            schema.prepare(server)
            schema.settle(server, geometry)
        except BaseException:
            server.close()
            raise
        return cls(server)

    @classmethod
    def is_there(cls, address: str) -> bool:
        """Tell whether a database holds a store; an empty one does not, and stays as it is.

        Raises:
            UsageError: it is no address of a Neo4j server.
            SchemaError: a later version of the program made the store.
            StoreError: as for `open`.
        """
        server = Server(parse(address, Settings.read(os.environ)), timeout_s=_LOOK_TIMEOUT_S)
        try:
            schema.check_agent(server.agent(), address=server.address.shown)
            return schema.version(server) > 0
        finally:
            server.close()

    def __enter__(self) -> "Neo4jStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, batch: Batch) -> WriteReport:
        """Write a batch as one transaction: upsert by id, edges once, earliest `created` kept.

        A node or edge that is equal to what is stored is not touched. A vector is kept until
        another one is written for its memory. Properties that others added to a node stay.

        Raises:
            StoreError: an edge's end, or the memory a vector is for, is missing.
            EmbeddingError: a vector does not fit the store.
        """
        prepared = prepare(batch)
        return self._server.write(lambda ask: write(ask, prepared))

    def delete(self, ids: Sequence[str]) -> int:
        """Delete nodes with all their edges; return how many nodes there were."""
        kept = [kept_text(id) for id in ids]
        return self._changed(lambda ask, changes: removal.delete_nodes(ask, kept, changes))

    def delete_edges(self, edges: Sequence[Edge]) -> int:
        """Delete the edges with these sources, types and targets; return how many there were."""
        return self._changed(lambda ask, changes: removal.delete_edges(ask, edges, changes))

    def get(self, ids: Sequence[str], *, scope: Scope = EVERYTHING) -> dict[str, Node]:
        """Return the nodes with these ids, in the order of `ids`."""
        return read.get(self._server, ids, scope=scope)

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
        return read.find(self._server, label, where=where or {}, scope=scope, limit=limit)

    def resolve(self, prefix: str, *, limit: int = 10) -> list[str]:
        """Return ids that begin with `prefix`, in order."""
        return read.resolve(self._server, prefix, limit=limit)

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
        return read.edges(
            self._server, ids, types=types, direction=direction, scope=scope, most=most
        )

    def ancestry(self, ids: Sequence[str], *, scope: Scope = EVERYTHING) -> list[Edge]:
        """Return every GENERALIZES_TO edge on a path upward from these nodes."""
        return read.ancestry(self._server, ids, scope=scope)

    def descents(self, ids: Sequence[str], *, scope: Scope = EVERYTHING) -> dict[str, list[str]]:
        """Return a path down GENERALIZES_TO edges from each of these nodes, the node first."""
        return read.descents(self._server, {id: [id] for id in ids}, scope=scope)

    def statistics(self, term_ids: Sequence[int]) -> TermStatistics:
        """Return the lexical statistics of the store for these terms."""
        return search.statistics(self._server, term_ids, cache=self._cache)

    def candidates(self, *queries: CandidateQuery) -> list[list[Candidate]]:
        """Return of each query the union of the lexical and the nearest memories, ordered by id.

        Raises:
            EmbeddingError: the query's vector has another length than the store's.
        """
        return search.candidates(self._server, queries, cache=self._cache).lists

    def features(self, ids: Sequence[str], *, scope: Scope = EVERYTHING) -> list[Candidate]:
        """Return memories with their terms and vectors, in the order of `ids`."""
        return list(read.features(self._server, ids, scope=scope).candidates.values())

    def citing(
        self, error_class: str, signature: str, *, scope: Scope = EVERYTHING
    ) -> list[Citing]:
        """Return the memories that cite steps which raise an error of a class, ordered by id."""
        return read.citing(self._server, error_class, signature, scope=scope)[0]

    def support(self, ids: Sequence[str]) -> dict[str, Support]:
        """Count the distinct traces below each memory, by what they were.

        A trace stands behind itself. Empty values are not counted.
        """
        return read.support(self._server, ids)

    def known_actions(self, uids: Sequence[str]) -> dict[str, str]:
        """Map those of the actions' own ids that are stored already to the trace holding them."""
        return read.known_actions(self._server, uids)

    def counts(self, *, scope: Scope = EVERYTHING) -> Counts:
        """Count nodes and edges."""
        return read.counts(self._server, scope=scope)

    def export(self, *, scope: Scope = EVERYTHING) -> Generator[Node | Edge, None, None]:
        """Yield every node, by label and id, then every edge with both ends in scope.

        Others who write wait until the first item comes.
        """
        return read.export(self._server, scope=scope)

    @property
    def own_labels(self) -> tuple[str, ...]:
        """Labels of the nodes the store keeps for itself, which are linked to no others."""
        return cypher.OWN_LABELS

    def cypher(
        self, statement: str, parameters: Mapping[str, Any], *, limits: CypherLimits
    ) -> Rows:
        """Run a statement that was found to read only, once more in a mode that cannot write.

        Raises:
            UsageError: the statement is wrong, or took more than it may.
            StoreError: the server could not answer.
        """
        return cypher.run(
            self._server.driver,
            statement,
            parameters,
            limits=limits,
            database=self._server.address.database,
        )

    def setting(self, name: str) -> str | None:
        """Return a value kept with the store, such as the embedder's name."""
        rows = self._server.read("setting", name=kept_text(name))
        return original_text(rows[0][0]) if rows else None

    def set_setting(self, name: str, value: str) -> None:
        """Keep a value with the store."""
        wanted = {"name": kept_text(name), "value": kept_text(value)}

        def work(ask: Ask) -> None:
            totals = lock(ask)
            if ask("setting", name=wanted["name"]) != [[wanted["value"]]]:
                ask("set_setting", **wanted, sequence=totals["sequence"] + 1)
                finish(ask, Changes(), totals)

        self._server.write(work)

    def sequence(self) -> int:
        """Return a number that grows with every write of any process."""
        return int(self._server.read("sequence")[0][0])

    def reset_vectors(self, *, dim: int, centre: Vector | None = None) -> None:
        """Forget every vector, so that those of another embedder can be written."""
        schema.reset_vectors(self._server, _geometry(dim, centre))
        self._cache.forget()

    def reading(self) -> "Neo4jStore":
        """Return this store as one answer reads it, in three questions to the server as a rule."""
        from .reading import Reading

        return Reading(self._server, self._cache)

    def close(self) -> None:
        """Release connections; a closed store raises `StoreError` when used."""
        self._server.close()

    def changed(self, label: str, *, since: int) -> Changed:
        """Return memories of a label that were written since the sequence was at `since`.

        Neighbours of such a memory may be among them.
        """
        return read.changed(self._server, label, since=since)

    def _changed(self, work: _Work) -> int:
        """Run work that removes something, and count it where it did."""

        def locked(ask: Ask) -> int:
            totals, changes = lock(ask), Changes()
            removed = work(ask, changes)
            if removed:
                finish(ask, changes, totals)
            return removed

        return self._server.write(locked)


def _geometry(dim: int, centre: Vector | None) -> Geometry:
    point = np.zeros(dim, np.float32) if centre is None else np.asarray(centre, np.float32)
    if dim < 1 or point.shape != (dim,):
        raise UsageError(f"A centre of shape {point.shape} does not fit vectors of {dim} numbers.")
    return Geometry(dim, point)
