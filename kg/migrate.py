"""Copies one store into another, whatever they are, and proves that all of it arrived."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Final, TypeVar

import numpy as np

from .errors import EmbeddingError, StoreError
from .protocols import GraphStore
from .types import Batch, Edge, EdgeType, Memory, Node, Vector, label_of, to_properties

EMBEDDER_SETTING: Final = "embedder"
_ROWS: Final = 1000

Item = TypeVar("Item", Node, Edge)
Key = tuple[str, EdgeType, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrateProgress:
    """How far a migration is: rows done of all, while `copying` or `comparing`."""

    phase: str
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrateReport:
    """What a migration did, or would do.

    `nodes` and `edges` count what the source holds, by label and by type; `added` and
    `edges_added` what the target did not have before, and `changed` how many differed there.
    `checksums`, by label and type, are equal on both sides; of a plan there are none.
    """

    nodes: Mapping[str, int] = field(default_factory=dict)
    edges: Mapping[str, int] = field(default_factory=dict)
    added: int = 0
    changed: int = 0
    edges_added: int = 0
    vectors: int = 0
    checksums: Mapping[str, str] = field(default_factory=dict)


def migrate(
    source: GraphStore,
    target: GraphStore,
    *,
    settings: Sequence[str] = (),
    on_progress: Callable[[MigrateProgress], None] | None = None,
) -> MigrateReport:
    """Copy every node, edge and vector, then compare both stores.

    What the target holds already is not written again, so that an interrupted migration goes on
    where it stopped, and several stores can be brought into one. A node that differs takes the
    source's values, and the earlier of both times.

    Args:
        settings: names of values kept with the source that go along where the target has none.

    Raises:
        EmbeddingError: the stores hold vectors of different embedders.
        StoreError: a store failed, or what arrived is not what was sent.
    """
    demand_one_embedder(source, target)
    for name in (EMBEDDER_SETTING, *settings):
        value = source.setting(name)
        if value is not None and target.setting(name) is None:
            target.set_setting(name, value)
    counts = source.counts()
    total = sum(counts.labels.values()) + sum(counts.edges.values())

    def tell(phase: str, done: int) -> None:
        if on_progress:
            on_progress(MigrateProgress(phase=phase, done=done, total=total))

    copied = _copy(source, target, tell=lambda done: tell("copying", done))
    sent, arrived = _Sums(), _Sums()
    done = 0
    for part in _parts(source):
        _compare(part, source, target, sent=sent, arrived=arrived)
        done += len(part)
        tell("comparing", done)
    _demand_equal(sent, arrived)
    return replace(
        copied,
        nodes={n: c for n, c in sent.counts.items() if n in counts.labels},
        edges={n: c for n, c in sent.counts.items() if n not in counts.labels},
        checksums=sent.digests(),
    )


def plan(
    source: GraphStore,
    target: GraphStore | None,
    *,
    on_progress: Callable[[MigrateProgress], None] | None = None,
) -> MigrateReport:
    """Say what `migrate` would do; nothing is written. `target` is None where there is none yet.

    Raises:
        EmbeddingError: the stores hold vectors of different embedders.
        StoreError: a store failed.
    """
    if target is not None:
        demand_one_embedder(source, target)
    counts = source.counts()
    total = sum(counts.labels.values()) + sum(counts.edges.values())
    report = MigrateReport(nodes=counts.labels, edges=counts.edges)
    done = 0
    for part in _parts(source):
        report = _planned(report, part, source, target)
        done += len(part)
        if on_progress:
            on_progress(MigrateProgress(phase="comparing", done=done, total=total))
    return report


def demand_one_embedder(source: GraphStore, target: GraphStore) -> None:
    """Refuse stores whose vectors cannot be compared.

    Raises:
        EmbeddingError: they come from different embedders.
    """
    ours, theirs = (store.setting(EMBEDDER_SETTING) for store in (source, target))
    if ours is not None and theirs is not None and ours != theirs:
        raise EmbeddingError(
            f"The vectors of the source come from {ours!r}, those of the target from {theirs!r}.",
            hint="Embed one of them again first: stepladder reembed",
        )


def _copy(source: GraphStore, target: GraphStore, *, tell: Callable[[int], None]) -> MigrateReport:
    report = MigrateReport()
    done = 0
    for part in _parts(source):
        nodes = tuple(n for n in part if isinstance(n, Node))
        edges = tuple(e for e in part if isinstance(e, Edge))
        vectors = _vectors(source, nodes)
        wrote = target.write(Batch(nodes=nodes, edges=edges, vectors=vectors))
        report = replace(
            report,
            added=report.added + wrote.added,
            changed=report.changed + wrote.changed,
            edges_added=report.edges_added + wrote.edges_added,
            vectors=report.vectors + len(vectors),
        )
        done += len(part)
        tell(done)
    return report


def _planned(
    report: MigrateReport,
    part: Sequence[Node] | Sequence[Edge],
    source: GraphStore,
    target: GraphStore | None,
) -> MigrateReport:
    nodes = [n for n in part if isinstance(n, Node)]
    edges = [e for e in part if isinstance(e, Edge)]
    there = target.get([n.id for n in nodes]) if target and nodes else {}
    found = _edges_between(target, edges) if target and edges else {}
    changed = [n for n in nodes if n.id in there and not _is_kept(n, there[n.id])]
    moved = [e for e in edges if (kept := found.get(_key(e))) and _edge_text(kept) != _edge_text(e)]
    return replace(
        report,
        added=report.added + len(nodes) - len(there),
        changed=report.changed + len(changed) + len(moved),
        edges_added=report.edges_added + sum(_key(e) not in found for e in edges),
        vectors=report.vectors + len(_vectors(source, nodes)),
    )


def _parts(source: GraphStore) -> Iterator[list[Node] | list[Edge]]:
    """The whole store in lists of at most 1,000 nodes or edges."""
    with closing(source.export()) as exported:
        nodes: list[Node] = []
        edges: list[Edge] = []
        for item in exported:
            if isinstance(item, Node):
                nodes.append(item)
            else:
                edges.append(item)
            if len(nodes) == _ROWS or (nodes and edges):
                yield nodes
                nodes = []
            if len(edges) == _ROWS:
                yield edges
                edges = []
        if nodes:
            yield nodes
        if edges:
            yield edges


def _vectors(store: GraphStore, nodes: Iterable[Node]) -> dict[str, Vector]:
    ids = [n.id for n in nodes if isinstance(n, Memory)]
    return {c.id: c.vector for c in store.features(ids) if c.vector is not None}


@dataclass(slots=True)
class _Sums:
    """Checksums by label or type that do not depend on the order of rows, and how many rows."""

    counts: Counter[str] = field(default_factory=Counter)
    sums: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, text: str, vector: Vector | None = None) -> None:
        """Count one row."""
        digest = blake2b(text.encode("utf-8", errors="surrogatepass"), digest_size=16)
        if vector is not None:
            digest.update(np.ascontiguousarray(vector, "<f4").tobytes())
        number = int.from_bytes(digest.digest(), "little")
        self.counts[name] += 1
        self.sums[name] = (self.sums.get(name, 0) + number) % 2**128

    def digests(self) -> dict[str, str]:
        """The checksum of each label and type as hexadecimal digits."""
        return {name: f"{total:032x}" for name, total in sorted(self.sums.items())}


def _compare(
    part: Sequence[Node] | Sequence[Edge],
    source: GraphStore,
    target: GraphStore,
    *,
    sent: _Sums,
    arrived: _Sums,
) -> None:
    nodes = [n for n in part if isinstance(n, Node)]
    edges = [e for e in part if isinstance(e, Edge)]
    if nodes:
        there = target.get([n.id for n in nodes])
        ours, theirs = _vectors(source, nodes), _vectors(target, nodes)
        for node in nodes:
            sent.add(label_of(node), _node_text(node), ours.get(node.id))
            if (other := there.get(node.id)) is not None:
                if other.created < node.created or not node.created:
                    other = replace(other, created=node.created)
                arrived.add(label_of(other), _node_text(other), theirs.get(node.id))
    if edges:
        found = _edges_between(target, edges)
        for edge in edges:
            sent.add(edge.type, _edge_text(edge))
            if (kept := found.get(_key(edge))) is not None:
                arrived.add(edge.type, _edge_text(kept))


def _edges_between(store: GraphStore, edges: Sequence[Edge]) -> dict[Key, Edge]:
    """Those of these edges that a store holds, by source, type and target."""
    found: dict[Key, Edge] = {}
    for type in dict.fromkeys(e.type for e in edges):
        sources = list(dict.fromkeys(e.source for e in edges if e.type == type))
        kept = store.edges(sources, types=(type,), direction="out")
        found.update((_key(e), e) for e in kept)
    return found


def _key(edge: Edge) -> Key:
    return edge.source, edge.type, edge.target


def _is_kept(node: Node, known: Node) -> bool:
    """Tell whether writing a node would leave what is known; of two times the earlier stays."""
    created = min(filter(None, (node.created, known.created)), default="")
    return _node_text(replace(node, created=created)) == _node_text(known)


def _node_text(node: Node) -> str:
    return json.dumps(to_properties(node), sort_keys=True)


def _edge_text(edge: Edge) -> str:
    values = (edge.source, edge.target, edge.quote, edge.score, edge.rank, edge.merge_run)
    return json.dumps(values)


def _demand_equal(sent: _Sums, arrived: _Sums) -> None:
    different = [
        f"{name} ({arrived.counts[name]:,} of {count:,})"
        if arrived.counts[name] != count
        else f"{name} (same number, other values)"
        for name, count in sorted(sent.counts.items())
        if sent.sums[name] != arrived.sums.get(name)
    ]
    if different:
        raise StoreError(
            f"The stores differ after the migration: {', '.join(different)}.",
            hint="Others may have written meanwhile; run the same command again.",
        )
