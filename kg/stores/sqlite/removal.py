"""Takes nodes, edges and whole traces out, with what stands on them alone."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import apsw

from ...types import Edge
from ..encoding import kept_text
from . import evidence
from .connection import fetch
from .index import IndexChanges
from .rows import json_numbers, json_texts

_TRACES = """
    SELECT node.number, node.id FROM json_each(?) AS wanted
    CROSS JOIN node ON node.id = wanted.value AND node.label = 'Trace'
"""

_STEPS = """
    SELECT node.number, node.id FROM json_each(?) AS trace
    CROSS JOIN edge ON edge.target = trace.value AND edge.type = 'PART_OF'
    JOIN node ON node.number = edge.source AND node.label = 'Step'
"""

_SUPPORTED = """
    SELECT DISTINCT evidence.memory, node.id FROM json_each(?1) AS trace
    CROSS JOIN evidence ON evidence.trace = trace.value
    JOIN node ON node.number = evidence.memory
    WHERE evidence.memory NOT IN (SELECT value FROM json_each(?1))
"""

_STANDS_ON_OTHERS = """
    SELECT DISTINCT evidence.memory FROM json_each(:memories) AS wanted
    CROSS JOIN evidence ON evidence.memory = wanted.value
    WHERE evidence.trace NOT IN (SELECT value FROM json_each(:traces))
"""

# Edges that a consolidation made are kept: they are not the trace's to take back.
_MADE_BY_TRACE = """
    SELECT source.id, edge.type, target.id, edge.source, edge.target FROM (
        SELECT edge.* FROM json_each(:nodes) AS own
        CROSS JOIN edge ON edge.source = own.value
        UNION
        SELECT edge.* FROM json_each(:nodes) AS own
        CROSS JOIN edge ON edge.target = own.value AND edge.type = 'CITES'
    ) AS edge
    JOIN node AS source ON source.number = edge.source
    JOIN node AS target ON target.number = edge.target
    WHERE edge.type NOT IN ('SIMILAR_TO', 'CONTRADICTS', 'KEEP_APART')
        AND json_extract(edge.properties, '$.merge_run') IS NULL
"""

_WITHOUT_EVIDENCE = """
    SELECT node.number FROM json_each(?) AS wanted
    CROSS JOIN node ON node.number = wanted.value
    WHERE json_extract(node.properties, '$.origin') IS NOT 'import'
        AND NOT EXISTS (SELECT 1 FROM evidence WHERE evidence.memory = node.number)
"""

_TARGETS = """
    SELECT DISTINCT edge.target FROM json_each(?) AS source
    CROSS JOIN edge ON edge.source = source.value
"""

_TARGETS_ABOVE = """
    SELECT DISTINCT edge.target FROM json_each(?) AS source
    CROSS JOIN node ON node.number = source.value AND node.label <> 'Trace'
    JOIN edge ON edge.source = source.value AND edge.type = 'GENERALIZES_TO'
"""

_POINTED_AT_BY_NOTHING = """
    SELECT node.number, node.id FROM json_each(?) AS wanted
    CROSS JOIN node ON node.number = wanted.value
    WHERE node.label IN ('Error', 'Tool', 'Task', 'Domain', 'Project')
        AND NOT EXISTS (SELECT 1 FROM edge WHERE edge.target = node.number)
"""

_REMOVE_EDGE = "DELETE FROM edge WHERE source = ? AND type = ? AND target = ?"

_REMOVE: Final = (
    "DELETE FROM edge WHERE source IN (SELECT value FROM json_each(?))",
    """
    DELETE FROM edge WHERE (source, type, target) IN (
        SELECT edge.source, edge.type, edge.target FROM json_each(?) AS wanted
        CROSS JOIN edge ON edge.target = wanted.value
    )
    """,
    "DELETE FROM node WHERE number IN (SELECT value FROM json_each(?))",
)


@dataclass(slots=True)
class Retraction:
    """What is left to do for retracted traces once the batch is written."""

    supported: set[int] = field(default_factory=set)
    """Memories the traces stood behind."""
    released: set[int] = field(default_factory=set)
    """Nodes that lost an edge."""
    removed: int = 0
    edges_removed: int = 0


def begin_retraction(
    connection: apsw.Connection,
    traces: Iterable[str],
    *,
    nodes: Collection[str],
    edges: Collection[tuple[str, str, str]],
    changes: IndexChanges,
) -> Retraction:
    """Take traces, their steps and the edges made for them out, except what the batch brings again.

    What comes again stays in place, so that links other work added to it outlive a new reading
    of the same run. `nodes` are the ids of the batch as column texts.
    """
    found = dict(fetch(connection, _TRACES, (json_texts(traces),)))
    steps = dict(fetch(connection, _STEPS, (json_numbers(found),)))
    supported = dict(fetch(connection, _SUPPORTED, (json_numbers(found),)))
    shared = fetch(
        connection,
        _STANDS_ON_OTHERS,
        {"memories": json_numbers(supported), "traces": json_numbers(found)},
    )
    alone = {n: id for n, id in supported.items() if (n,) not in set(shared)}
    own = {**found, **steps}
    gone = [n for n, id in own.items() if id not in nodes]
    staying = [n for n, id in {**own, **alone}.items() if id in nodes]
    result = Retraction(supported=set(supported))
    result.edges_removed = _remove_own_edges(
        connection, staying, keep=edges, released=result.released
    )
    result.released |= _targets(connection, gone)
    result.removed = remove_nodes(connection, gone, changes)
    evidence.retrace(connection, [n for n in found if n not in set(gone)])
    return result


def finish_retraction(
    connection: apsw.Connection,
    retraction: Retraction,
    *,
    nodes: Collection[str],
    changes: IndexChanges,
) -> int:
    """Remove what the batch left without evidence or edges; return how many nodes went in all."""
    removed = retraction.removed
    lost = fetch(connection, _WITHOUT_EVIDENCE, (json_numbers(retraction.supported),))
    lost_ids = _ids(connection, [n for (n,) in lost])
    going = [n for n, id in lost_ids.items() if id not in nodes]
    released = retraction.released | _targets(connection, going)
    removed += remove_nodes(connection, going, changes)
    while released:
        rows = fetch(connection, _POINTED_AT_BY_NOTHING, (json_numbers(released),))
        orphans = [n for n, id in rows if id not in nodes]
        released = _targets(connection, orphans)
        removed += remove_nodes(connection, orphans, changes)
    return removed


def delete_nodes(connection: apsw.Connection, numbers: list[int], changes: IndexChanges) -> int:
    """Delete nodes with their edges and bring the evidence above them up to date."""
    targets = [n for (n,) in fetch(connection, _TARGETS_ABOVE, (json_numbers(numbers),))]
    higher = set(evidence.above(connection, targets)) - set(numbers)
    removed = remove_nodes(connection, numbers, changes)
    evidence.recount(connection, sorted(higher))
    return removed


def delete_edges(
    connection: apsw.Connection, edges: Iterable[Edge], numbers: Mapping[str, int]
) -> int:
    """Delete edges and bring the evidence above them up to date; return how many there were."""
    removed = 0
    targets: set[int] = set()
    for edge in edges:
        if edge.source not in numbers or edge.target not in numbers:
            continue
        values = (numbers[edge.source], edge.type, numbers[edge.target])
        connection.execute(_REMOVE_EDGE, values)
        if connection.changes():
            removed += 1
            if edge.type == "GENERALIZES_TO":
                targets.add(numbers[edge.target])
    evidence.recount(connection, evidence.above(connection, sorted(targets)))
    return removed


def remove_nodes(connection: apsw.Connection, numbers: Iterable[int], changes: IndexChanges) -> int:
    """Remove nodes, their edges, index entries and own evidence; return how many there were."""
    listed = sorted(numbers)
    if not listed:
        return 0
    evidence.forget(connection, listed)
    changes.remove(connection, listed)
    for statement in _REMOVE:
        connection.execute(statement, (json_numbers(listed),))
    return connection.changes()


def _remove_own_edges(
    connection: apsw.Connection,
    nodes: list[int],
    *,
    keep: Collection[tuple[str, str, str]],
    released: set[int],
) -> int:
    kept = {(kept_text(s), t, kept_text(e)) for s, t, e in keep}
    rows: list[tuple[Any, ...]] = fetch(connection, _MADE_BY_TRACE, {"nodes": json_numbers(nodes)})
    going = [r for r in rows if (r[0], r[1], r[2]) not in kept]
    connection.executemany(_REMOVE_EDGE, [(r[3], r[1], r[4]) for r in going])
    released.update(r[4] for r in going)
    return len(going)


def _targets(connection: apsw.Connection, numbers: Iterable[int]) -> set[int]:
    return {n for (n,) in fetch(connection, _TARGETS, (json_numbers(numbers),))}


def _ids(connection: apsw.Connection, numbers: list[int]) -> dict[int, str]:
    query = "SELECT number, id FROM node WHERE number IN (SELECT value FROM json_each(?))"
    return dict(fetch(connection, query, (json_numbers(numbers),)))
