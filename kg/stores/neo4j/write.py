"""Writes a batch: nodes by id, edges once, everything derived from them kept exact.

Writers take turns: each first takes the lock on the store's own node, which Neo4j holds until the
transaction ends. So what was read stays true until it is written, no two writers wait for each
other in a circle, and the sequence has no holes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, get_args

from ...errors import StoreError
from ...protocols import WriteReport
from ...terms import TermCounts, count_terms
from ...types import NODE_TYPES, Batch, Edge, EdgeType, Memory, Node, Trace, Vector
from ..encoding import kept_text, vector_blob
from .catalogue import chunks, to_geometry
from .index import terms_of
from .removal import Changes, Retraction, begin_retraction, finish_retraction, refs
from .server import Ask
from .values import NodeRow, edge_properties, label_among, same, to_row

EDGE_TYPES: Final[tuple[str, ...]] = get_args(EdgeType)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A batch with everything worked out that needs no lock; the last of equal ids counts."""

    nodes: Mapping[str, tuple[NodeRow, Node]]
    terms: Mapping[str, TermCounts]
    edges: Mapping[tuple[str, str, str], Edge]
    vectors: Mapping[str, Vector]
    retract: tuple[str, ...]


@dataclass(slots=True)
class _Written:
    """What a transaction knows of the nodes it touches, and what it did to them."""

    places: dict[str, str]
    """Refs by id."""
    added: set[str]
    changed: set[str]


def prepare(batch: Batch) -> Prepared:
    """Turn nodes into rows and count their terms."""
    nodes: dict[str, tuple[NodeRow, Node]] = {}
    for node in batch.nodes:
        row = to_row(node)
        known = nodes.get(row.id)
        if known is not None:
            _keep_earliest(row, known[0].properties)
        nodes[row.id] = (row, node)
    return Prepared(
        nodes=nodes,
        terms={
            id: count_terms(node.key, node.full)
            for id, (_, node) in nodes.items()
            if isinstance(node, Memory)
        },
        edges={(kept_text(e.source), e.type, kept_text(e.target)): e for e in batch.edges},
        vectors={kept_text(id): vector for id, vector in batch.vectors.items()},
        retract=tuple(kept_text(id) for id in batch.retract),
    )


def write(ask: Ask, prepared: Prepared) -> WriteReport:
    """Write a batch within a transaction.

    Raises:
        StoreError: an edge's end, or the memory a vector is for, is missing.
        EmbeddingError: a vector does not fit the store.
    """
    totals = lock(ask)
    changes = Changes()
    retraction = Retraction()
    if prepared.retract:
        retraction = begin_retraction(
            ask, prepared.retract, nodes=prepared.nodes, edges=prepared.edges, changes=changes
        )
    written = _write_nodes(ask, prepared, changes, totals)
    edges_added, edges_changed = _write_edges(ask, prepared, written, changes)
    written.changed |= _write_vectors(ask, prepared, changes, dim=totals["dim"])
    removed = finish_retraction(ask, retraction, nodes=prepared.nodes, changes=changes)
    report = WriteReport(
        added=len(written.added),
        changed=len(written.changed - written.added) + edges_changed,
        removed=removed,
        edges_added=edges_added,
    )
    if report != WriteReport() or retraction.edges_removed:
        finish(ask, changes, totals)
    return report


def lock(ask: Ask) -> dict[str, Any]:
    """Take the store's write lock and return its totals."""
    ((totals,),) = ask("lock")
    return dict(totals)


def finish(ask: Ask, changes: Changes, totals: dict[str, Any]) -> None:
    """Lay down what the transaction gathered, and count it as one more that changed something."""
    totals["sequence"] += 1
    changes.evidence.flush(ask)
    new = changes.index.flush(ask, totals, to_geometry(totals))
    own = {"sequence": totals["sequence"], "positions": totals["positions"]}
    ask("totals", totals={**own, **new})


def earliest(a: str, b: str) -> str:
    """The earlier of two times as text; an empty one is no time."""
    return min(a, b) if a and b else a or b


def _keep_earliest(row: NodeRow, known: Mapping[str, Any]) -> None:
    row.properties["created"] = earliest(known.get("created") or "", row.properties["created"])


def _write_nodes(
    ask: Ask, prepared: Prepared, changes: Changes, totals: dict[str, Any]
) -> _Written:
    written = _Written(places={}, added=set(), changed=set())
    for some in chunks(prepared.nodes.items()):
        stored = {row[0]: row[1:] for row in ask("stored", ids=[id for id, _ in some])}
        written.places |= {id: ref for id, (ref, _, _) in stored.items()}
        rows: dict[str, list[dict[str, Any]]] = {label: [] for label in NODE_TYPES}
        moved: dict[str, NodeRow] = {}
        for id, (row, node) in some:
            properties = dict(row.properties)
            if id in stored:
                _, labels, known = stored[id]
                if label_among(labels) != row.label:
                    raise StoreError(
                        f"The node {node.id} has label {label_among(labels)} and cannot take "
                        f"{row.label}."
                    )
                created = earliest(known.get("created") or "", properties["created"])
                properties["created"] = created
                if same(known, properties):
                    continue
                written.changed.add(id)
                if id in prepared.terms:
                    moved[id] = replace(row, properties=properties)
            else:
                written.added.add(id)
                if isinstance(node, Memory):
                    changes.index.add(row, node, totals["positions"], terms=prepared.terms[id])
                    totals["positions"] += 1
            rows[row.label].append(properties)
            if isinstance(node, Trace):
                changes.evidence.describe(id, node)
        for label, some_rows in rows.items():
            if some_rows:
                written.places |= dict(ask("write_nodes", ("LABEL", label), rows=some_rows))
        _move_memories(ask, moved, prepared, changes)
    changes.index.write_rows(ask)
    changes.evidence.settle_traces(ask)
    return written


def _move_memories(
    ask: Ask, moved: Mapping[str, NodeRow], prepared: Prepared, changes: Changes
) -> None:
    """Bring the entries of memories that are different now up to date."""
    for entry in ask("entries", ids=list(moved)) if moved else ():
        id, position = entry[0], entry[1]
        node, terms = prepared.nodes[id][1], prepared.terms[id]
        assert isinstance(node, Memory)
        old = terms_of(entry)
        if not _same_terms(old, terms):
            changes.index.retext(id, old=old, new=terms)
        changes.index.place(moved[id], node, position)


def _write_edges(
    ask: Ask, prepared: Prepared, written: _Written, changes: Changes
) -> tuple[int, int]:
    """Return how many edges are new and how many are different now."""
    places = _places_of_ends(ask, prepared, written)
    added = changed = 0
    upward: list[tuple[str, str]] = []
    for some in chunks(prepared.edges.items()):
        wanted = {
            n: (
                {"source": places[source], "target": places[target]},
                type,
                edge_properties(edge),
                source in written.added or target in written.added,
            )
            for n, ((source, type, target), edge) in enumerate(some)
        }
        asked = [
            {"key": n, "type": type, **ends}
            for n, (ends, type, _, is_new) in wanted.items()
            if not is_new
        ]
        known: dict[int, dict[str, Any]] = {}
        if asked:
            known.update((n, properties) for n, properties in ask("stored_edges", rows=asked))
        rows: dict[str, list[dict[str, Any]]] = {type: [] for type in EDGE_TYPES}
        for n, (ends, type, properties, _) in wanted.items():
            if n not in known:
                added += 1
                if type == "GENERALIZES_TO":
                    upward.append((ends["source"], ends["target"]))
            elif known[n] == properties:
                continue
            else:
                changed += 1
            rows[type].append({**ends, "properties": properties})
        for type, some_rows in rows.items():
            if some_rows:
                ask("write_edges", ("TYPE", type), rows=some_rows)
    changes.evidence.carry_up(ask, upward)
    return added, changed


def _places_of_ends(ask: Ask, prepared: Prepared, written: _Written) -> dict[str, str]:
    ends = dict.fromkeys(id for source, _, target in prepared.edges for id in (source, target))
    missing = [id for id in ends if id not in written.places]
    places = written.places | {id: ref for id, ref, _ in refs(ask, missing)}
    for (source, type, target), edge in prepared.edges.items():
        for id, end in ((source, edge.source), (target, edge.target)):
            if id not in places:
                raise StoreError(
                    f"An edge {edge.source} {type} {edge.target} was written, "
                    f"but there is no node {end}.",
                    hint="Write both ends before the edge, or in the same batch.",
                )
    return places


def _write_vectors(ask: Ask, prepared: Prepared, changes: Changes, *, dim: int) -> set[str]:
    """Return the ids of the memories whose vector is new or different."""
    changed: set[str] = set()
    for some in chunks(prepared.vectors.items()):
        stored = {row[0]: row for row in ask("entries", ids=[id for id, _ in some])}
        for id, vector in some:
            blob = vector_blob(vector, dim=dim)
            if id not in stored:
                raise StoreError(
                    f"A vector was written for {id}, but there is no such memory.",
                    hint="Write the memory before its vector, or in the same batch.",
                )
            position, known = stored[id][1], stored[id][5]
            if known != blob:
                changes.index.vectors[id] = (position, blob)
                changed.add(id)
    return changed


def _same_terms(a: TermCounts, b: TermCounts) -> bool:
    return (
        (a.key_length, a.full_length) == (b.key_length, b.full_length)
        and a.ids.tobytes() == b.ids.astype("<u4").tobytes()
        and a.key.tobytes() == b.key.tobytes()
        and a.full.tobytes() == b.full.tobytes()
    )
