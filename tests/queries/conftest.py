"""A store of a few memories, written and read as users do."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from stepladder.kg.embedding.static import StaticEmbedder
from stepladder.kg.stores.sqlite.store import SQLiteStore
from stepladder.kg.types import (
    Batch,
    Edge,
    Insight,
    Memory,
    Node,
    Summary,
    Trace,
    Workflow,
    memories,
)

CREATED = "2026-01-01T00:00:00Z"
_LABELS: dict[str, type[Memory]] = {
    "trace": Trace,
    "workflow": Workflow,
    "summary": Summary,
    "insight": Insight,
}


class Remember(Protocol):
    """Makes a memory of a kind from an id, a title and any other field."""

    def __call__(self, label: str, id: str, title: str, **fields: Any) -> Memory: ...


Keep = Callable[..., SQLiteStore]


@pytest.fixture(scope="session")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


@pytest.fixture(scope="session")
def memory() -> Remember:
    def make(label: str, id: str, title: str, **fields: Any) -> Memory:
        return _LABELS[label](id=id, created=CREATED, title=title, **fields)

    return make


@pytest.fixture
def keep(tmp_path: Path, embedder: StaticEmbedder) -> Iterator[Keep]:
    """Write nodes and edges, given as (lower id, upper id) or whole, to a new store."""
    with SQLiteStore.open(tmp_path / "memory.db", centre=embedder.centre) as store:

        def write(
            *nodes: Node, above: tuple[tuple[str, str], ...] = (), edges: tuple[Edge, ...] = ()
        ) -> SQLiteStore:
            recalled = memories(nodes)
            vectors = embedder.encode([m.key for m in recalled])
            upward = tuple(Edge(source=a, type="GENERALIZES_TO", target=b) for a, b in above)
            store.write(
                Batch(
                    nodes=nodes,
                    edges=(*upward, *edges),
                    vectors={m.id: v for m, v in zip(recalled, vectors, strict=True)},
                )
            )
            return store

        yield write
