"""The answers that were given, newest first, with what they showed and how the work went."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..kg.protocols import GraphStore
from ..kg.types import EVERYTHING, Edge, EdgeType, OutcomeStatus, Retrieval, Scope, Trace

_OF_ANSWERS: tuple[EdgeType, ...] = ("SHOWED", "USED", "WITHHELD", "IN_TRACE")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerGiven:
    """A retrieval with the memories it showed by rank, those used and those withheld.

    `runs` are the traces that saw it; `outcome` is what was reported, else what the first of them
    came to.
    """

    retrieval: Retrieval
    shown: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    outcome: OutcomeStatus = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalLog:
    """Some of the answers given, newest first, and how many there are in all."""

    answers: tuple[AnswerGiven, ...]
    total: int


def retrieval_log(
    store: GraphStore, *, limit: int, offset: int = 0, scope: Scope = EVERYTHING
) -> RetrievalLog:
    """Return `limit` answers after the newest `offset` ones.

    Raises:
        StoreError: the store could not be read.
    """
    found = [n for n in store.find("Retrieval", scope=scope) if isinstance(n, Retrieval)]
    found.sort(key=lambda r: r.id)
    found.sort(key=lambda r: r.created, reverse=True)
    page = found[offset : offset + limit]
    return RetrievalLog(answers=answers_given(store, page, scope=scope), total=len(found))


def answers_given(
    store: GraphStore, retrievals: Sequence[Retrieval], *, scope: Scope = EVERYTHING
) -> tuple[AnswerGiven, ...]:
    """What some retrievals showed, in their order.

    Raises:
        StoreError: the store could not be read.
    """
    ids = [r.id for r in retrievals]
    edges: dict[str, list[Edge]] = defaultdict(list)
    for edge in store.edges(ids, types=_OF_ANSWERS, direction="out", scope=scope):
        edges[edge.source].append(edge)
    seen_by = {e.target for found in edges.values() for e in found if e.type == "IN_TRACE"}
    nodes = store.get(sorted(seen_by), scope=scope)
    traces = {id: n for id, n in nodes.items() if isinstance(n, Trace)}
    return tuple(_answer(r, edges[r.id], traces) for r in retrievals)


def _answer(node: Retrieval, edges: Sequence[Edge], traces: Mapping[str, Trace]) -> AnswerGiven:
    def ends(type: EdgeType) -> tuple[str, ...]:
        of_type = [e for e in edges if e.type == type]
        return tuple(e.target for e in sorted(of_type, key=lambda e: (e.rank or 0, e.target)))

    runs = ends("IN_TRACE")
    told = (node.outcome, *(traces[id].outcome for id in runs if id in traces))
    return AnswerGiven(
        retrieval=node,
        shown=ends("SHOWED"),
        used=ends("USED"),
        withheld=ends("WITHHELD"),
        runs=runs,
        outcome=next((o for o in told if o != "unknown"), "unknown"),
    )
