"""Takes nodes, edges and whole traces out, with what stands on them alone."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...types import Edge
from ..encoding import kept_text
from .catalogue import chunks
from .evidence import Evidence, traces_of
from .index import IndexChanges
from .server import Ask, Row
from .values import label_among


@dataclass(slots=True)
class Retraction:
    """What is left to do for retracted traces once the batch is written."""

    supported: list[str] = field(default_factory=list)
    """Memories the traces stood behind."""
    released: set[str] = field(default_factory=set)
    """Refs of nodes that lost an edge."""
    removed: int = 0
    edges_removed: int = 0


@dataclass(slots=True)
class Changes:
    """What a transaction gathers on its way: for search, and about evidence."""

    index: IndexChanges = field(default_factory=IndexChanges)
    evidence: Evidence = field(default_factory=Evidence)


def begin_retraction(
    ask: Ask,
    traces: Iterable[str],
    *,
    nodes: Collection[str],
    edges: Collection[tuple[str, str, str]],
    changes: Changes,
) -> Retraction:
    """Take traces, their steps and the edges made for them out, except what the batch brings again.

    What comes again stays in place, so that links other work added to it outlive a new reading
    of the same run. `nodes` are the ids of the batch, `edges` sources, types and targets.
    """
    found = {id: ref for id, ref, labels in refs(ask, traces) if label_among(labels) == "Trace"}
    steps = _by_id(ask, "steps_of", ids=list(found))
    supported = dict(_all(ask, "supported", ids=list(found)))
    alone = {
        id: ref for id, ref, _ in refs(ask, (m for m, shared in supported.items() if not shared))
    }
    own = {**found, **steps}
    gone = {id: ref for id, ref in own.items() if id not in nodes}
    staying = [ref for id, ref in {**own, **alone}.items() if id in nodes]
    result = Retraction(supported=list(supported))
    _remove_own_edges(ask, staying, keep=edges, result=result)
    result.released |= _targets(ask, gone.values())
    result.removed = remove_nodes(ask, gone, changes)
    changes.evidence.retrace(ask, [id for id in found if id not in gone])
    return result


def finish_retraction(
    ask: Ask, retraction: Retraction, *, nodes: Collection[str], changes: Changes
) -> int:
    """Remove what the batch left without evidence or edges; return how many nodes went in all."""
    removed = retraction.removed
    lost = _by_id(ask, "without_evidence", ids=retraction.supported)
    going = {id: ref for id, ref in lost.items() if id not in nodes}
    released = retraction.released | _targets(ask, going.values())
    removed += remove_nodes(ask, going, changes)
    while released:
        hanging = _by_id(ask, "pointed_at_by_nothing", refs=sorted(released))
        orphans = {id: ref for id, ref in hanging.items() if id not in nodes}
        released = _targets(ask, orphans.values())
        removed += remove_nodes(ask, orphans, changes)
    return removed


def delete_nodes(ask: Ask, ids: Iterable[str], changes: Changes) -> int:
    """Delete nodes with their edges and bring the evidence above them up to date."""
    found = {id: ref for id, ref, _ in refs(ask, ids)}
    traces = [t for t in traces_of(ask, found) if t not in found]
    removed = remove_nodes(ask, found, changes)
    changes.evidence.retrace(ask, traces)
    return removed


def delete_edges(ask: Ask, edges: Iterable[Edge], changes: Changes) -> int:
    """Delete edges and bring the evidence above them up to date; return how many there were."""
    keys = {(kept_text(e.source), e.type, kept_text(e.target)) for e in edges}
    places = {id: ref for id, ref, _ in refs(ask, {id for s, _, t in keys for id in (s, t)})}
    rows = [
        {"source": places[source], "type": type, "target": places[target]}
        for source, type, target in sorted(keys)
        if source in places and target in places
    ]
    found: list[Row] = []
    for some in chunks(rows):
        found += ask("edge_refs", rows=some)
    sources = {source for _, type, source in found if type == "GENERALIZES_TO"}
    traces = traces_of(ask, sorted(sources))
    for some in chunks([ref for ref, _, _ in found]):
        ask("remove_edges", refs=some)
    changes.evidence.retrace(ask, traces)
    return len(found)


def remove_nodes(ask: Ask, nodes: Mapping[str, str], changes: Changes) -> int:
    """Remove nodes, their edges, index entries and own evidence; return how many there were.

    `nodes` maps ids to refs.
    """
    if not nodes:
        return 0
    changes.evidence.forget(ask, list(nodes))
    changes.index.remove(ask, list(nodes))
    return sum(ask("remove_nodes", refs=some)[0][0] for some in chunks(nodes.values()))


def refs(ask: Ask, ids: Iterable[str]) -> list[Row]:
    """Id, ref and labels of those nodes that are there."""
    return _all(ask, "refs", ids=list(dict.fromkeys(ids)))


def _remove_own_edges(
    ask: Ask,
    nodes: Iterable[str],
    *,
    keep: Collection[tuple[str, str, str]],
    result: Retraction,
) -> None:
    made = {row[0]: row for row in _all(ask, "made_by_trace", refs=list(nodes))}
    going = [row for row in made.values() if (row[1], row[2], row[3]) not in keep]
    for some in chunks([row[0] for row in going]):
        ask("remove_edges", refs=some)
    result.released.update(row[4] for row in going)
    result.edges_removed = len(going)


def _targets(ask: Ask, nodes: Iterable[str]) -> set[str]:
    return {ref for (ref,) in _all(ask, "targets", refs=list(nodes))}


def _by_id(ask: Ask, name: str, **values: Sequence[str]) -> dict[str, str]:
    return dict(_all(ask, name, **values))


def _all(ask: Ask, name: str, **values: Sequence[str]) -> list[Row]:
    """The rows of a statement over one list of any length."""
    ((parameter, listed),) = values.items()
    return [row for some in chunks(listed) for row in ask(name, **{parameter: some})]
