"""What a store and an embedder must offer. Both are found by name, entry point or `module:attr`."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, runtime_checkable

from .terms import TermCounts
from .types import EVERYTHING, Batch, Edge, EdgeType, Memory, Node, Scope, Support, Vector

Direction = Literal["out", "in", "both"]

MOST_CHILDREN: Final = 200
"""Of so many nodes below a memory one is followed on a way down. Chosen by us."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteReport:
    """How many nodes and edges a write added, changed or removed."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    edges_added: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TermStatistics:
    """Statistics of the whole store that lexical scoring needs.

    `document_frequency` maps a term id to (memories with it in the key, in the full text);
    unseen terms are absent. `traces` are those of the memories that are runs.
    """

    memories: int
    traces: int
    mean_key_length: float
    mean_full_length: float
    document_frequency: Mapping[int, tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateQuery:
    """What to look for: memories that hold any of `terms`, and those nearest to `vector`.

    `limit` counts for each of the two lists. `exclude` are ids that must not come back.
    """

    terms: tuple[str, ...]
    vector: Vector | None
    limit: int = 100
    min_level: int = 0
    max_level: int = 99
    scope: Scope = EVERYTHING
    exclude: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What exact scoring needs of a memory, and a way to the memory itself.

    Of some five hundred candidates a handful is shown, so that a store may put off decoding the
    rest. `language` is the memory's `sole_language`.
    """

    id: str
    level: int
    scope: str
    task: str
    language: str
    terms: TermCounts
    vector: Vector | None
    read: Callable[[], Memory]
    """Returns the memory; each call may decode it anew."""

    @property
    def memory(self) -> Memory:
        """The memory, decoded."""
        return self.read()

    @classmethod
    def of(cls, memory: Memory, *, terms: TermCounts, vector: Vector | None) -> "Candidate":
        """The candidate of a memory that is at hand."""
        return cls(
            id=memory.id,
            level=memory.level,
            scope=memory.scope,
            task=memory.task,
            language=memory.sole_language,
            terms=terms,
            vector=vector,
            read=lambda: memory,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Citing:
    """A memory that cites steps at which errors of a class were met.

    `same` counts the steps with the signature asked for, `other` those with others alone, and
    `cites` all steps it cites.
    """

    candidate: Candidate
    same: int
    other: int
    cites: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What is different since some write.

    `memories` are those written since, by id; others that were written before may be among them.
    `removed` tells whether a memory may have been removed since. `count` is how many memories of
    the label there are, where a store can tell that without looking at each.
    """

    memories: tuple[Memory, ...] = ()
    removed: bool = False
    count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What a store holds: nodes by label, memories by level name, edges by type."""

    labels: Mapping[str, int] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)
    edges: Mapping[str, int] = field(default_factory=dict)


@runtime_checkable
class Embedder(Protocol):
    """Turns short texts into unit vectors."""

    @property
    def name(self) -> str:
        """What the store keeps to tell whose vectors it holds, such as `static-256`."""
        ...

    @property
    def dim(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def centre(self) -> Vector:
        """Mean of typical vectors, shape (dim,); what approximate search subtracts first."""
        ...

    def encode(self, texts: Sequence[str]) -> Vector:
        """Return float32 rows of unit length, shape (len(texts), dim); empty texts give zeros."""
        ...


@runtime_checkable
class GraphStore(Protocol):
    """Keeps the graph. Every read takes a scope and returns nothing outside it.

    Several processes may hold one store open. All methods raise `StoreError` where the store
    cannot answer; an id that is not there is simply absent from the answer.
    """

    def write(self, batch: Batch) -> WriteReport:
        """Write a batch as one transaction: upsert by id, edges once, earliest `created` kept."""
        ...

    def delete(self, ids: Sequence[str]) -> int:
        """Delete nodes with all their edges; return how many nodes there were."""
        ...

    def delete_edges(self, edges: Sequence[Edge]) -> int:
        """Delete the edges with these sources, types and targets; return how many there were."""
        ...

    def get(self, ids: Sequence[str], *, scope: Scope = EVERYTHING) -> dict[str, Node]:
        """Return the nodes with these ids, in the order of `ids`."""
        ...

    def find(
        self,
        label: str,
        *,
        where: Mapping[str, str | int] | None = None,
        scope: Scope = EVERYTHING,
        limit: int | None = None,
    ) -> list[Node]:
        """Return the nodes of a label whose properties equal `where`, ordered by id."""
        ...

    def resolve(self, prefix: str, *, limit: int = 10) -> list[str]:
        """Return ids that begin with `prefix`, in order."""
        ...

    def edges(
        self,
        ids: Sequence[str],
        *,
        types: Sequence[EdgeType] = (),
        direction: Direction = "both",
        scope: Scope = EVERYTHING,
        most: int | None = None,
    ) -> list[Edge]:
        """Return edges that touch these nodes, both ends in scope; no type means every type.

        With `most` no more than so many edges of each node are looked at, whichever the store has
        first, so that a node above thousands of others costs no more than one above few.
        """
        ...

    def ancestry(self, ids: Sequence[str], *, scope: Scope = EVERYTHING) -> list[Edge]:
        """Return every GENERALIZES_TO edge on a path upward from these nodes."""
        ...

    def descents(self, ids: Sequence[str], *, scope: Scope = EVERYTHING) -> dict[str, list[str]]:
        """Return a path down GENERALIZES_TO edges from each of these nodes, the node first.

        Of the nodes in scope below the last one the first by id follows, until there is none that
        is not on the path. Of each node `MOST_CHILDREN` edges are looked at, whichever the store
        has first.
        """
        ...

    def statistics(self, term_ids: Sequence[int]) -> TermStatistics:
        """Return the lexical statistics of the store for these terms."""
        ...

    def candidates(self, *queries: CandidateQuery) -> list[list[Candidate]]:
        """Return of each query the union of the lexical and the nearest memories, ordered by id."""
        ...

    def features(self, ids: Sequence[str], *, scope: Scope = EVERYTHING) -> list[Candidate]:
        """Return memories with their terms and vectors, in the order of `ids`."""
        ...

    def citing(
        self, error_class: str, signature: str, *, scope: Scope = EVERYTHING
    ) -> list[Citing]:
        """Return the memories that cite steps which raise an error of a class, ordered by id."""
        ...

    def support(self, ids: Sequence[str]) -> dict[str, Support]:
        """Count the distinct traces below each memory, by what they were."""
        ...

    def known_actions(self, uids: Sequence[str]) -> dict[str, str]:
        """Map those of the actions' own ids that are stored already to the trace holding them."""
        ...

    def counts(self, *, scope: Scope = EVERYTHING) -> Counts:
        """Count nodes and edges."""
        ...

    def export(self, *, scope: Scope = EVERYTHING) -> Generator[Node | Edge, None, None]:
        """Yield every node, by label and id, then every edge with both ends in scope.

        Edges come by source, type and target. All of it is one state of the store, however much
        is written meanwhile; close the iterator where it is not read to its end.
        """
        ...

    def setting(self, name: str) -> str | None:
        """Return a value kept with the store, such as the embedder's name."""
        ...

    def set_setting(self, name: str, value: str) -> None:
        """Keep a value with the store."""
        ...

    def sequence(self) -> int:
        """Return a number that grows with every write of any process."""
        ...

    def changed(self, label: str, *, since: int) -> Changed:
        """Return memories of a label that were written since the sequence was at `since`.

        A store that cannot tell gives all of them, and says that some may have been removed.
        """
        ...

    def reading(self) -> "GraphStore":
        """Return this store as one answer reads it.

        What a call brought may be used for later ones of the same answer, so that a store on a
        server is asked seldom. To be let go of when the answer is there, and not to be closed.
        """
        ...

    def close(self) -> None:
        """Release files and connections; a closed store raises `StoreError` when used."""
        ...
