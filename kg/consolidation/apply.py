"""Writes what was planned, so that an interruption leaves something that can be taken back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ..protocols import Embedder, GraphStore
from ..types import Batch, Edge, Insight
from .plan import Merge, Withheld
from .prints import Prints
from .record import Record
from .settle import Proposals
from .state import chunks


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What one consolidation writes and removes, and what is told of it.

    `gone` are ids of merged insights that go, `gone_edges` proposals that go.
    """

    record: Record
    nodes: tuple[Insight, ...] = ()
    edges: tuple[Edge, ...] = ()
    gone: tuple[str, ...] = ()
    gone_edges: tuple[Edge, ...] = ()
    merges: tuple[Merge, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    proposals: Proposals = field(default_factory=Proposals)
    dissolved: tuple[str, ...] = ()


def apply_changes(store: GraphStore, embedder: Embedder, changes: Changes) -> None:
    """Write the record first, then what it says, then that it is done.

    Raises:
        StoreError: the store could not be written.
    """
    done = changes.record
    started = replace(done, done=False, seen=Prints(), again=())
    store.write(Batch(nodes=(started.node(),)))
    write_insights(store, embedder, changes.nodes)
    write_edges(store, changes.edges)
    for some in chunks(changes.gone_edges):
        store.delete_edges(some)
    for ids in chunks(changes.gone):
        store.delete(ids)
    store.write(Batch(nodes=(replace(done, done=True).node(),)))


def write_insights(store: GraphStore, embedder: Embedder, insights: Sequence[Insight]) -> None:
    """Write insights with the vectors of their keys."""
    for some in chunks(insights):
        vectors = embedder.encode([i.key for i in some])
        keyed = {i.id: v for i, v in zip(some, vectors, strict=True)}
        store.write(Batch(nodes=tuple(some), vectors=keyed))


def write_edges(store: GraphStore, edges: Iterable[Edge]) -> None:
    """Write the edges of which both ends are there."""
    for some in chunks(edges):
        ends = sorted({id for e in some for id in (e.source, e.target)})
        there = store.get(ends).keys()
        kept = tuple(e for e in some if e.source in there and e.target in there)
        if kept:
            store.write(Batch(edges=kept))
