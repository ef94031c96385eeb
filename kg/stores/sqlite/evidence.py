"""Which traces stand behind which memories, and what kinds of runs they were.

Rows of `evidence` are the reachability of traces along GENERALIZES_TO; the triggers of the schema
keep the counters that `support` reads. Everything here takes the numbers of nodes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import apsw

from ...types import Support, Trace
from ..encoding import kept_text, original_text
from .connection import fetch
from .rows import json_numbers, json_texts

_ADD_FACETS = "INSERT OR IGNORE INTO facet (trace, name, value) VALUES (?, ?, ?)"

_REMOVE_FACETS = "DELETE FROM facet WHERE trace = ? AND name = ? AND value = ?"

_FACETS = "SELECT name, value FROM facet WHERE trace = ?"

_ADD_SELF = "INSERT OR IGNORE INTO evidence (memory, trace) VALUES (?1, ?1)"

_CARRY_UP = """
    WITH RECURSIVE above (node) AS (
        VALUES (:target)
        UNION
        SELECT edge.target FROM above
        JOIN edge ON edge.source = above.node AND edge.type = 'GENERALIZES_TO'
    )
    INSERT OR IGNORE INTO evidence (memory, trace)
    SELECT above.node, below.trace FROM above
    CROSS JOIN evidence AS below ON below.memory = :source
"""

_ABOVE = """
    WITH RECURSIVE above (node) AS (
        SELECT value FROM json_each(?)
        UNION
        SELECT edge.target FROM above
        JOIN edge ON edge.source = above.node AND edge.type = 'GENERALIZES_TO'
    )
    SELECT node FROM above
"""

_KEEP_REACHED_FROM_BELOW = """
    WITH RECURSIVE below (node) AS (
        VALUES (:memory)
        UNION
        SELECT edge.source FROM below
        JOIN edge ON edge.target = below.node AND edge.type = 'GENERALIZES_TO'
    )
    DELETE FROM evidence
    WHERE memory = :memory AND trace NOT IN (SELECT node FROM below)
"""

_KEEP_REACHED_BY_TRACE = """
    WITH RECURSIVE above (node) AS (
        VALUES (:trace)
        UNION
        SELECT edge.target FROM above
        JOIN edge ON edge.source = above.node AND edge.type = 'GENERALIZES_TO'
    )
    DELETE FROM evidence
    WHERE trace = :trace AND memory NOT IN (SELECT node FROM above)
"""

_FORGET = (
    "DELETE FROM evidence WHERE memory IN (SELECT value FROM json_each(?))",
    "DELETE FROM evidence WHERE trace IN (SELECT value FROM json_each(?))",
    "DELETE FROM facet WHERE trace IN (SELECT value FROM json_each(?))",
)

_SUPPORT = """
    SELECT node.id, support.facet, support.value, support.count
    FROM json_each(?) AS wanted
    CROSS JOIN node ON node.id = wanted.value AND node.level IS NOT NULL
    LEFT JOIN support ON support.memory = node.number AND support.facet IN (
        'trace', 'tasks', 'project', 'domain', 'language', 'agent', 'model', 'outcome'
    )
    ORDER BY wanted.key, support.count DESC, support.value
"""


def describe(connection: apsw.Connection, number: int, trace: Trace) -> None:
    """Keep what kind of run a trace is; it stands behind itself."""
    wanted = set(_facets(trace))
    known = set(fetch(connection, _FACETS, (number,)))
    connection.executemany(_REMOVE_FACETS, ((number, *f) for f in sorted(known - wanted)))
    connection.executemany(_ADD_FACETS, ((number, *f) for f in sorted(wanted - known)))
    connection.execute(_ADD_SELF, (number,))


def carry_up(connection: apsw.Connection, edges: Iterable[tuple[int, int]]) -> None:
    """Put the evidence of new GENERALIZES_TO edges' sources behind all that stands above them.

    All the edges are stored already, so their order does not matter.
    """
    for source, target in edges:
        connection.execute(_CARRY_UP, {"source": source, "target": target})


def above(connection: apsw.Connection, numbers: Iterable[int]) -> list[int]:
    """These nodes and all that stands above them."""
    return [n for (n,) in fetch(connection, _ABOVE, (json_numbers(numbers),))]


def recount(connection: apsw.Connection, memories: Iterable[int]) -> None:
    """Drop the evidence that no longer reaches these memories."""
    for memory in memories:
        connection.execute(_KEEP_REACHED_FROM_BELOW, {"memory": memory})


def retrace(connection: apsw.Connection, traces: Iterable[int]) -> None:
    """Drop these traces from the memories they no longer reach."""
    for trace in traces:
        connection.execute(_KEEP_REACHED_BY_TRACE, {"trace": trace})


def forget(connection: apsw.Connection, numbers: Sequence[int]) -> None:
    """Drop everything kept about these nodes."""
    for statement in _FORGET:
        connection.execute(statement, (json_numbers(numbers),))


def support(connection: apsw.Connection, ids: Sequence[str]) -> dict[str, Support]:
    """Count the distinct traces below each memory that is there, by what they were."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for id, facet, value, count in fetch(connection, _SUPPORT, (json_texts(ids),)):
        facets = found.setdefault(original_text(id), {})
        if facet is not None:
            facets.setdefault(facet, {})[original_text(value)] = count
    return {id: _support(found[id]) for id in ids if id in found}


def _support(facets: Mapping[str, Mapping[str, int]]) -> Support:
    nothing: Mapping[str, int] = {}
    return Support(
        traces=facets.get("trace", nothing).get("", 0),
        tasks=facets.get("tasks", nothing).get("", 0),
        projects=facets.get("project", nothing),
        domains=facets.get("domain", nothing),
        languages=facets.get("language", nothing),
        agents=facets.get("agent", nothing),
        models=facets.get("model", nothing),
        outcomes=facets.get("outcome", nothing),
    )


def _facets(trace: Trace) -> Iterator[tuple[str, str]]:
    yield "trace", ""
    single = {
        "task": trace.task,
        "project": trace.project,
        "agent": trace.agent,
        "outcome": trace.outcome,
    }
    several = {"domain": trace.domains, "language": trace.languages, "model": trace.models}
    for name, value in single.items():
        if value:
            yield name, kept_text(value)
    for name, values in several.items():
        for value in values:
            if value:
                yield name, kept_text(value)
