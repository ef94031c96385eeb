"""Reads of the graph itself: nodes, edges, paths upward, counts. Every one keeps to a scope."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import fields
from functools import partial
from itertools import islice
from typing import Any, Final

import apsw

from ...errors import UsageError
from ...protocols import MOST_CHILDREN, Candidate, Changed, Citing, Counts, Direction
from ...types import NODE_TYPES, Edge, EdgeType, Memory, Node, Scope, level_name
from ..descents import walk_down
from ..encoding import kept_text, original_text, to_vector
from .catalogue import BLOCK
from .connection import fetch
from .rows import (
    CANDIDATE,
    empty_defaults,
    is_empty,
    json_texts,
    scope_list,
    to_candidate,
    to_edge,
    to_node,
)

# A scope is one parameter: NULL for everything, else a JSON array of the scopes that may be read.

_GET = """
    SELECT node.id, node.label, node.scope, node.created, node.properties
    FROM json_each(:ids) AS wanted
    CROSS JOIN node ON node.id = wanted.value
    WHERE :scopes IS NULL OR node.scope IN (SELECT value FROM json_each(:scopes))
"""

_FIND = """
    SELECT id, label, scope, created, properties FROM node
    WHERE label = :label
        AND (:scopes IS NULL OR scope IN (SELECT value FROM json_each(:scopes)))
        {conditions}
    ORDER BY id
"""

_COLUMN: Final = {name: f"AND {name} = :{name}" for name in ("id", "scope", "created")}

# A block of the catalogue says when one of its positions was written last.
_CHANGED = """
    SELECT node.id, node.label, node.scope, node.created, node.properties FROM catalogue
    CROSS JOIN memory ON memory.position >= catalogue.block * :size
        AND memory.position < (catalogue.block + 1) * :size
    CROSS JOIN node ON node.number = memory.node
    WHERE catalogue.sequence > :since AND node.label = :label
    ORDER BY node.id
"""

_REMOVED = "SELECT EXISTS (SELECT 1 FROM total WHERE name = 'removed' AND value > ?)"

_COUNT = "SELECT count(*) FROM node WHERE label = ?"

_RESOLVE = """
    SELECT id FROM node WHERE id >= :prefix AND id < :end ORDER BY id LIMIT :limit
"""

_EDGES: Final[Mapping[Direction, str]] = {
    "out": "SELECT edge.* FROM touched JOIN edge ON edge.source = touched.number",
    "in": "SELECT edge.* FROM touched JOIN edge ON edge.target = touched.number",
}

# SQLite has no lateral join, so that a limit for each node takes a statement for each.
_SOME_EDGES: Final[Mapping[Direction, str]] = {
    way: f"""
        SELECT * FROM (
            {found} WHERE :types IS NULL OR edge.type IN (SELECT value FROM json_each(:types))
            LIMIT :most
        )
    """
    for way, found in _EDGES.items()
}

_EDGES_BETWEEN = """
    WITH touched AS (
        SELECT node.number FROM json_each(:ids) AS wanted CROSS JOIN node ON node.id = wanted.value
    )
    SELECT source.id, edge.type, target.id, edge.properties FROM ({found}) AS edge
    JOIN node AS source ON source.number = edge.source
    JOIN node AS target ON target.number = edge.target
    WHERE (:types IS NULL OR edge.type IN (SELECT value FROM json_each(:types)))
        AND (:scopes IS NULL OR (
            source.scope IN (SELECT value FROM json_each(:scopes))
            AND target.scope IN (SELECT value FROM json_each(:scopes))
        ))
    ORDER BY source.id, edge.type, target.id
"""

# CROSS JOIN keeps the order: left to itself the planner scans every edge of the store.
_ANCESTRY = """
    WITH RECURSIVE above (number) AS (
        SELECT node.number FROM json_each(:ids) AS wanted
        CROSS JOIN node ON node.id = wanted.value
        WHERE :scopes IS NULL OR node.scope IN (SELECT value FROM json_each(:scopes))
        UNION
        SELECT edge.target FROM above
        CROSS JOIN edge ON edge.source = above.number AND edge.type = 'GENERALIZES_TO'
        JOIN node ON node.number = edge.target
        WHERE :scopes IS NULL OR node.scope IN (SELECT value FROM json_each(:scopes))
    )
    SELECT source.id, edge.type, target.id, edge.properties FROM above
    CROSS JOIN edge ON edge.source = above.number AND edge.type = 'GENERALIZES_TO'
    JOIN node AS source ON source.number = edge.source
    JOIN node AS target ON target.number = edge.target
    WHERE :scopes IS NULL OR target.scope IN (SELECT value FROM json_each(:scopes))
    ORDER BY source.id, target.id
"""

_FEATURES = f"""
    SELECT {CANDIDATE}, vector.vector
    FROM json_each(:ids) AS wanted
    CROSS JOIN node ON node.id = wanted.value
    JOIN memory ON memory.node = node.number
    LEFT JOIN vector ON vector.position = memory.position
    WHERE :scopes IS NULL OR node.scope IN (SELECT value FROM json_each(:scopes))
"""

# An error that is met at many steps is found by its class first: there are few errors.
_CITING = """
    WITH raised AS (
        SELECT edge.source AS step,
            max(json_extract(error.properties, '$.signature') IS :signature) AS same
        FROM node AS error
        CROSS JOIN edge ON edge.target = error.number AND edge.type = 'RAISES'
        WHERE error.label = 'Error'
            AND json_extract(error.properties, '$.error_class') IS :error_class
        GROUP BY edge.source
    ), cited AS (
        SELECT edge.source AS memory, sum(raised.same) AS same, sum(NOT raised.same) AS other
        FROM raised CROSS JOIN edge ON edge.target = raised.step AND edge.type = 'CITES'
        GROUP BY edge.source
    )
    SELECT node.id, cited.same, cited.other, (
        SELECT count(*) FROM edge WHERE edge.source = node.number AND edge.type = 'CITES'
    )
    FROM cited CROSS JOIN node ON node.number = cited.memory
    WHERE :scopes IS NULL OR node.scope IN (SELECT value FROM json_each(:scopes))
"""

_KNOWN_ACTIONS = """
    SELECT step.uid, min(trace.id) FROM json_each(?) AS wanted
    CROSS JOIN node AS step ON step.uid = wanted.value
    JOIN edge ON edge.source = step.number AND edge.type = 'PART_OF'
    JOIN node AS trace ON trace.number = edge.target
    GROUP BY step.uid
"""

_COUNT_NODES = """
    SELECT label, level, count(*) FROM node
    WHERE :scopes IS NULL OR scope IN (SELECT value FROM json_each(:scopes))
    GROUP BY label, level
    ORDER BY label, level
"""

_COUNT_ALL_EDGES = "SELECT type, count(*) FROM edge GROUP BY type ORDER BY type"

_COUNT_EDGES = """
    SELECT edge.type, count(*) FROM edge
    JOIN node AS source ON source.number = edge.source
    JOIN node AS target ON target.number = edge.target
    WHERE source.scope IN (SELECT value FROM json_each(:scopes))
        AND target.scope IN (SELECT value FROM json_each(:scopes))
    GROUP BY edge.type
    ORDER BY edge.type
"""

_EXPORT_NODES = """
    SELECT id, label, scope, created, properties FROM node
    WHERE :scopes IS NULL OR scope IN (SELECT value FROM json_each(:scopes))
    ORDER BY label, id
"""

_EXPORT_EDGES = """
    SELECT source.id, edge.type, target.id, edge.properties FROM edge
    JOIN node AS source ON source.number = edge.source
    JOIN node AS target ON target.number = edge.target
    WHERE :scopes IS NULL OR (
        source.scope IN (SELECT value FROM json_each(:scopes))
        AND target.scope IN (SELECT value FROM json_each(:scopes))
    )
    ORDER BY source.id, edge.type, target.id
"""

_LAST_CHARACTER: Final = "\U0010ffff"


def get(connection: apsw.Connection, ids: Sequence[str], *, scope: Scope) -> dict[str, Node]:
    """The nodes with these ids, in the order of `ids`."""
    values = {"ids": json_texts(ids), "scopes": scope_list(scope)}
    nodes = {node.id: node for node in (to_node(*r) for r in fetch(connection, _GET, values))}
    return {id: nodes[id] for id in ids if id in nodes}


def find(
    connection: apsw.Connection,
    label: str,
    *,
    where: Mapping[str, str | int],
    scope: Scope,
    limit: int | None,
) -> list[Node]:
    """The nodes of a label whose properties equal `where`, ordered by id."""
    query, values = _find_query(label, where, scope)
    with closing(connection.execute(query, values)) as rows:
        nodes = (to_node(*row) for row in rows)
        equal = (n for n in nodes if all(getattr(n, k) == v for k, v in where.items()))
        return list(islice(equal, limit))


def resolve(connection: apsw.Connection, prefix: str, *, limit: int) -> list[str]:
    """Ids that begin with `prefix`, in order."""
    start = kept_text(prefix)
    values = {"prefix": start, "end": start + _LAST_CHARACTER, "limit": limit}
    return [original_text(id) for (id,) in fetch(connection, _RESOLVE, values)]


def changed(connection: apsw.Connection, label: str, *, since: int) -> Changed:
    """Memories of a label in blocks written since, whether any was removed, how many there are."""
    values = {"size": BLOCK, "since": since, "label": label}
    nodes = (to_node(*row) for row in fetch(connection, _CHANGED, values))
    memories = tuple(n for n in nodes if isinstance(n, Memory))
    ((removed,),) = fetch(connection, _REMOVED, (since,))
    ((count,),) = fetch(connection, _COUNT, (label,))
    return Changed(memories=memories, removed=bool(removed), count=count)


def edges(
    connection: apsw.Connection,
    ids: Sequence[str],
    *,
    types: Sequence[EdgeType],
    direction: Direction,
    scope: Scope,
    most: int | None,
) -> list[Edge]:
    """Edges that touch these nodes, both ends in scope, ordered by source, type and target."""
    ways: tuple[Direction, ...] = ("out", "in") if direction == "both" else (direction,)
    known = _EDGES if most is None else _SOME_EDGES
    query = _EDGES_BETWEEN.format(found=" UNION ".join(known[way] for way in ways))
    values = {
        "types": json_texts(types) if types else None,
        "scopes": scope_list(scope),
        "most": most,
    }
    groups = [list(ids)] if most is None else [[id] for id in dict.fromkeys(ids)]
    found = {
        row[:3]: to_edge(*row)
        for group in groups
        for row in fetch(connection, query, {**values, "ids": json_texts(group)})
    }
    return list(found.values()) if most is None else sorted(found.values(), key=_by_ends)


def _by_ends(edge: Edge) -> tuple[str, str, str]:
    return edge.source, edge.type, edge.target


def ancestry(connection: apsw.Connection, ids: Sequence[str], *, scope: Scope) -> list[Edge]:
    """The GENERALIZES_TO edges on paths upward, all of whose nodes are in scope."""
    values = {"ids": json_texts(ids), "scopes": scope_list(scope)}
    return [to_edge(*row) for row in fetch(connection, _ANCESTRY, values)]


def descents(
    connection: apsw.Connection, ids: Sequence[str], *, scope: Scope
) -> dict[str, list[str]]:
    """A path down from each node, the node first."""
    below = partial(
        edges,
        connection,
        types=("GENERALIZES_TO",),
        direction="in",
        scope=scope,
        most=MOST_CHILDREN,
    )
    return walk_down({id: [id] for id in ids}, below)


def features(connection: apsw.Connection, ids: Sequence[str], *, scope: Scope) -> list[Candidate]:
    """Memories with their terms and vectors, in the order of `ids`."""
    values = {"ids": json_texts(ids), "scopes": scope_list(scope)}
    rows = fetch(connection, _FEATURES, values)
    vectors = (None if row[-1] is None else to_vector(row[-1]) for row in rows)
    found = {c.id: c for c in map(to_candidate, rows, vectors)}
    return [found[id] for id in dict.fromkeys(ids) if id in found]


def citing(
    connection: apsw.Connection, error_class: str, signature: str, *, scope: Scope
) -> list[Citing]:
    """The memories that cite steps with an error of a class, ordered by id."""
    values = {
        "error_class": kept_text(error_class),
        "signature": kept_text(signature),
        "scopes": scope_list(scope),
    }
    counted = {original_text(id): counts for id, *counts in fetch(connection, _CITING, values)}
    return [
        Citing(candidate=c, same=same, other=other, cites=cites)
        for c in features(connection, sorted(counted), scope=scope)
        for same, other, cites in (counted[c.id],)
    ]


def known_actions(connection: apsw.Connection, uids: Sequence[str]) -> dict[str, str]:
    """Map the actions that are stored to their trace, the first by id where there are several."""
    rows = fetch(connection, _KNOWN_ACTIONS, (json_texts(uids),))
    known = {original_text(uid): original_text(trace) for uid, trace in rows}
    return {uid: known[uid] for uid in uids if uid in known}


def counts(connection: apsw.Connection, *, scope: Scope) -> Counts:
    """Nodes by label, memories by level name, edges by type."""
    labels: dict[str, int] = {}
    levels: dict[str, int] = {}
    scopes = {"scopes": scope_list(scope)}
    for label, level, count in fetch(connection, _COUNT_NODES, scopes):
        labels[label] = labels.get(label, 0) + count
        if level is not None:
            name = level_name(level)
            levels[name] = levels.get(name, 0) + count
    if scope.projects is None:
        edge_rows = fetch(connection, _COUNT_ALL_EDGES)
    else:
        edge_rows = fetch(connection, _COUNT_EDGES, scopes)
    return Counts(labels=labels, levels=levels, edges=dict(edge_rows))


def export(connection: apsw.Connection, *, scope: Scope) -> Iterator[Node | Edge]:
    """Every node by label and id, then every edge by source, type and target."""
    scopes = {"scopes": scope_list(scope)}
    with closing(connection.execute(_EXPORT_NODES, scopes)) as rows:
        for row in rows:
            yield to_node(*row)
    with closing(connection.execute(_EXPORT_EDGES, scopes)) as rows:
        for row in rows:
            yield to_edge(*row)


def _find_query(
    label: str, where: Mapping[str, str | int], scope: Scope
) -> tuple[str, dict[str, Any]]:
    """The query that finds at least the nodes wanted, and its parameters."""
    if label not in NODE_TYPES:
        raise UsageError(f"Unknown label {label!r}. Available: {', '.join(sorted(NODE_TYPES))}.")
    node_type = NODE_TYPES[label]
    known = {f.name for f in fields(node_type)}
    conditions: list[str] = []
    values: dict[str, Any] = {"label": label, "scopes": scope_list(scope)}
    for name, value in where.items():
        if name not in known:
            raise UsageError(
                f"{label} has no property {name!r}. Available: {', '.join(sorted(known))}."
            )
        conditions.extend(_condition(name, value, empty_defaults(label), values))
    return _FIND.format(conditions="\n        ".join(conditions)), values


def _condition(
    name: str, value: str | int, empty: Mapping[str, object], values: dict[str, Any]
) -> Iterator[str]:
    """A condition in SQL where there is one; `find` compares exactly in any case."""
    if name in _COLUMN:
        values[name] = kept_text(str(value))
        yield _COLUMN[name]
    elif name in empty and is_empty(value, empty[name]):
        values[f"path_{name}"] = f"$.{name}"
        yield f"AND json_extract(properties, :path_{name}) IS NULL"
    elif not isinstance(value, str) or kept_text(value) == value:
        values[name], values[f"path_{name}"] = value, f"$.{name}"
        yield f"AND json_extract(properties, :path_{name}) = :{name}"
