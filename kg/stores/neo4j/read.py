"""Reads of the graph itself: nodes, edges, paths upward, counts. Every one keeps to a scope."""

import pickle
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import IO, Any, Final

from ...errors import UsageError
from ...protocols import MOST_CHILDREN, Candidate, Changed, Citing, Counts, Direction
from ...types import NODE_TYPES, Edge, EdgeType, Memory, Node, Scope, Support, level_name
from ..descents import walk_down
from ..encoding import kept_text, original_text
from .catalogue import BLOCK
from .server import Ask, Row, Server
from .values import (
    kept_number,
    kept_texts,
    scope_list,
    to_candidate,
    to_edge,
    to_node,
    to_support,
    uid_key,
)
from .write import EDGE_TYPES, lock

_NO_LIMIT: Final = 2**62
_SPOOLED_BYTES: Final = 32 * 2**20


def get(server: Server, ids: Sequence[str], *, scope: Scope) -> dict[str, Node]:
    """The nodes with these ids, in the order of `ids`."""
    rows = server.read("get", ids=_unique(ids), scopes=scope_list(scope)) if ids else []
    nodes = {node.id: node for node in (to_node(*row) for row in rows)}
    return {id: nodes[id] for id in ids if id in nodes}


def find(
    server: Server,
    label: str,
    *,
    where: Mapping[str, str | int],
    scope: Scope,
    limit: int | None,
) -> list[Node]:
    """The nodes of a label whose properties equal `where`, ordered by id.

    Raises:
        UsageError: there is no such label or property.
    """
    if label not in NODE_TYPES:
        raise UsageError(f"Unknown label {label!r}. Available: {', '.join(sorted(NODE_TYPES))}.")
    known = {f.name for f in fields(NODE_TYPES[label])}
    for name in where:
        if name not in known:
            raise UsageError(
                f"{label} has no property {name!r}. Available: {', '.join(sorted(known))}."
            )
    rows = server.read(
        "find",
        ("LABEL", label),
        where={name: _wanted(name, value) for name, value in where.items()},
        scopes=scope_list(scope),
        limit=_NO_LIMIT if limit is None else limit,
    )
    return sorted((to_node(*row) for row in rows), key=lambda node: node.id)


def resolve(server: Server, prefix: str, *, limit: int) -> list[str]:
    """Ids that begin with `prefix`, in order."""
    rows = server.read("resolve", prefix=kept_text(prefix), limit=limit)
    return [original_text(id) for (id,) in rows]


def changed(server: Server, label: str, *, since: int) -> Changed:
    """Memories of a label in blocks written since, whether any was removed, how many there are."""
    ((removed, count, rows),) = server.read("changed", ("LABEL", label), since=since, size=BLOCK)
    nodes = sorted((to_node(*row) for row in rows), key=lambda node: node.id)
    return Changed(
        memories=tuple(n for n in nodes if isinstance(n, Memory)),
        removed=removed > since,
        count=count,
    )


def edges(
    server: Server,
    ids: Sequence[str],
    *,
    types: Sequence[EdgeType],
    direction: Direction,
    scope: Scope,
    most: int | None,
) -> list[Edge]:
    """Edges that touch these nodes, both ends in scope, ordered by source, type and target."""
    known = [t for t in EDGE_TYPES if not types or t in types]
    if not ids or not known:
        return []
    ways: tuple[Direction, ...] = ("out", "in") if direction == "both" else (direction,)
    found: list[Row] = []
    for way in ways:
        found += server.read(
            f"edges_{way}" if most is None else f"some_edges_{way}",
            ("TYPES", "|".join(known)),
            ids=_unique(ids),
            scopes=scope_list(scope),
            most=most,
        )
    return _in_order(found)


def ancestry(server: Server, ids: Sequence[str], *, scope: Scope) -> list[Edge]:
    """The GENERALIZES_TO edges on paths upward, all of whose nodes are in scope."""
    if not ids:
        return []
    return _in_order(server.read("ancestry", ids=_unique(ids), scopes=scope_list(scope)))


def descents(
    server: Server, paths: Mapping[str, Sequence[str]], *, scope: Scope
) -> dict[str, list[str]]:
    """Paths led on down to where nothing stands below."""
    below = partial(
        edges,
        server,
        types=("GENERALIZES_TO",),
        direction="in",
        scope=scope,
        most=MOST_CHILDREN,
    )
    return walk_down(paths, below)


@dataclass(frozen=True, slots=True)
class Features:
    """Memories with their terms and vectors, what stands behind each, and ways down; by id."""

    candidates: dict[str, Candidate]
    support: dict[str, Support]
    down: dict[str, Sequence[str | None]]


def features(
    server: Server, ids: Sequence[str], *, scope: Scope, within: Scope | None = None
) -> Features:
    """Memories in the order of `ids`; ways down in the scope `within` where there is one."""
    rows: list[Row] = []
    if ids:
        rows = server.read(
            "features",
            ids=_unique(ids),
            readable=scope_list(scope),
            ahead=within is not None,
            scopes=None if within is None else scope_list(within),
            children=MOST_CHILDREN,
        )
    found = _features(rows)
    known = {id: found.candidates[id] for id in dict.fromkeys(ids) if id in found.candidates}
    return replace(found, candidates=known)


def _features(rows: Sequence[Row]) -> Features:
    return Features(
        candidates={c.id: c for c in (to_candidate(row[:-2]) for row in rows)},
        support={original_text(row[0]): to_support(row[-2]) for row in rows},
        down={way[0]: way for row in rows for way in row[-1]},
    )


def citing(
    server: Server,
    error_class: str,
    signature: str,
    *,
    scope: Scope,
    within: Scope | None = None,
) -> tuple[list[Citing], Features, Sequence[Row]]:
    """The memories that cite steps with an error of a class; what comes along, and all above."""
    ((memories, above),) = server.read(
        "citing",
        error_class=kept_text(error_class),
        signature=kept_text(signature),
        readable=scope_list(scope),
        ahead=within is not None,
        scopes=None if within is None else scope_list(within),
        children=MOST_CHILDREN,
    )
    features = _features([row[3:] for row in memories])
    counts = {original_text(row[3]): row[:3] for row in memories}
    found = [
        Citing(candidate=c, same=same, other=other, cites=cites)
        for id, c in sorted(features.candidates.items())
        for same, other, cites in (counts[id],)
    ]
    return found, features, above


def support(server: Server, ids: Sequence[str]) -> dict[str, Support]:
    """Count the distinct traces below each memory that is there."""
    rows = server.read("support", ids=_unique(ids)) if ids else []
    found = {original_text(id): to_support(text) for id, text in rows}
    return {id: found[id] for id in ids if id in found}


def known_actions(server: Server, uids: Sequence[str]) -> dict[str, str]:
    """Map the actions that are stored to their trace, the first by id where there are several."""
    keys = {uid_key(uid): uid for uid in uids if uid}
    if not keys:
        return {}
    rows = server.read("known_actions", uids=list(keys))
    known = {keys[key]: original_text(trace) for key, trace in rows}
    return {uid: known[uid] for uid in uids if uid in known}


def counts(server: Server, *, scope: Scope) -> Counts:
    """Nodes by label, memories by level name, edges by type."""
    scopes = scope_list(scope)
    labels: dict[str, int] = {}
    levels: dict[str, int] = {}
    for label, level, count in server.read("count_nodes", scopes=scopes):
        labels[label] = labels.get(label, 0) + count
        if level is not None:
            name = level_name(level)
            levels[name] = levels.get(name, 0) + count
    if scopes is None:
        found = server.read("count_edges")
    else:
        found = server.read("count_edges_in_scope", scopes=scopes)
    known = sorted((type, count) for type, count in found if count and type in EDGE_TYPES)
    return Counts(
        labels=dict(sorted(labels.items())), levels=dict(sorted(levels.items())), edges=dict(known)
    )


def export(server: Server, *, scope: Scope) -> Generator[Node | Edge, None, None]:
    """Every node by label and id, then every edge by source, type and target.

    Neo4j shows a long read what is written meanwhile. So writers wait until all of it was read
    into a temporary file, and the rest is read from there.
    """
    with tempfile.SpooledTemporaryFile(max_size=_SPOOLED_BYTES) as spool:
        server.write(lambda ask: _spool(ask, scope_list(scope), spool), keep=False)
        spool.seek(0)
        yield from _spooled(spool)


def _spool(ask: Ask, scopes: list[str] | None, spool: IO[bytes]) -> None:
    spool.seek(0)
    spool.truncate()
    lock(ask)
    for label in sorted(NODE_TYPES):
        for row in ask("export_nodes", ("LABEL", label), scopes=scopes):
            pickle.dump(to_node(*row), spool)
    for row in ask("export_edges", scopes=scopes):
        pickle.dump(to_edge(*row), spool)


def _spooled(spool: IO[bytes]) -> Iterator[Node | Edge]:
    while True:
        try:
            item: Node | Edge = pickle.load(spool)
        except EOFError:
            return
        yield item


def _in_order(rows: Sequence[Row]) -> list[Edge]:
    found = {(edge.source, edge.type, edge.target): edge for edge in (to_edge(*r) for r in rows)}
    return [found[key] for key in sorted(found)]


def _unique(ids: Sequence[str]) -> list[str]:
    return kept_texts(dict.fromkeys(ids))


def _wanted(name: str, value: str | int) -> Any:
    if isinstance(value, str):
        return uid_key(value) if name == "uid" else kept_text(value)
    return kept_number(value) if not isinstance(value, bool) else value
