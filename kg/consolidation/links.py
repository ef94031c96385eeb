"""Edges inferred from words: from runs made elsewhere to insights made elsewhere.

What a distiller or an import says of where an insight comes from is always better. Where neither
says anything, a run is linked to the insights of its domain that hold most of its words, so that
the climb from runs to insights has something to climb. Such an edge has a score, the share of the
run's words that the insight holds, and says in its quote that it was inferred; no quorum counts it.

Source: `python bench/merging.py --tests levels`: on 381 goals the level was chosen right
(abstract@5) in .32 of the places without edges and .66 with them; edges by the words of the task
alone gave .53, and without the discount for what an insight holds of all runs .63. The discount
was chosen on half of the goals (.65; .68 on the other half).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.sparse import csr_matrix

from ..protocols import GraphStore
from ..types import SHARED, Edge, Insight, Memory, Node
from .members import is_report
from .progress import Progress
from .state import State, edges_of
from .statistics import Statistics
from .wording import content_terms, wording

PARENTS: Final = 8
"""Insights that a run is linked to; 5 lose .05, 10 lose .015. Source: as above."""
INFERRED: Final = "inferred from words"
_IMPORTED: Final = "import"
_LEAVES: Final = ("Trace", "Workflow", "Summary")
_ROWS: Final = 1000
_K1, _B = 1.2, 0.75
_LEAST: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Inferred edges from runs to insights, and the domains of runs that wait for an insight."""

    edges: tuple[Edge, ...] = ()
    waiting: tuple[str, ...] = ()


def inferred_links(
    store: GraphStore,
    state: State,
    statistics: Statistics,
    *,
    run: str,
    new: Sequence[str],
    known: Progress | None,
) -> Links:
    """Edges from imported memories without a parent to imported insights without evidence.

    Where not everything is read, what an earlier run found no edge for gets one from an insight
    that is `new` only; `known` tells up to where earlier runs looked.
    """
    if state.changed is None or known is None or known.linked is None:
        below = _open_leaves(store)
        above = _open_insights(store, state, state.insights) if below else []
        return _linked(below, above, statistics, run=run)
    below = _recent_leaves(store, known.linked)
    above = _open_insights(store, state, state.insights) if below else []
    found = _linked(below, above, statistics, run=run)
    waiting = {*known.waiting, *found.waiting}
    late = [i for i in _open_insights(store, state, new) if waiting.intersection(i.domains)]
    more = _linked(_open_leaves(store) if late else [], late, statistics, run=run)
    linked = {e.source for e in found.edges}
    edges = (*found.edges, *(e for e in more.edges if e.source not in linked))
    return Links(edges=edges, waiting=tuple(sorted(waiting)))


def _linked(
    below: Sequence[Memory], above: Sequence[Insight], statistics: Statistics, *, run: str
) -> Links:
    edges: list[Edge] = []
    for domain in sorted({d for m in above for d in m.domains}):
        insights = [m for m in above if domain in m.domains]
        leaves = [m for m in below if domain in m.domains]
        edges.extend(_links(leaves, insights, statistics, run=run))
    linked = {e.source for e in edges}
    waiting = {d for m in below if m.id not in linked for d in m.domains}
    unique = {(e.source, e.target): e for e in edges}
    return Links(edges=tuple(unique.values()), waiting=tuple(sorted(waiting)))


def _open_insights(store: GraphStore, state: State, among: Iterable[str]) -> list[Insight]:
    """Imported insights of some domain that say what to do and have nothing below them."""
    found = [
        i
        for i in (state.insights[id] for id in among)
        if i.origin == _IMPORTED and i.domains and not is_report(i)
    ]
    ids = [i.id for i in found]
    told = {
        e.target
        for e in edges_of(store, ids, ("GENERALIZES_TO",), incoming=True)
        if e.quote != INFERRED and e.source not in state.insights
    }
    return [i for i in found if i.id not in told]


def _open_leaves(store: GraphStore) -> list[Memory]:
    """Imported memories below the insights that are of some domain and have nothing above them."""
    return _without_parent(
        store, [n for label in _LEAVES for n in store.find(label, where={"origin": _IMPORTED})]
    )


def _recent_leaves(store: GraphStore, since: int) -> list[Memory]:
    """Those of them that were written since the sequence was at `since`, maybe among others."""
    return _without_parent(
        store, [n for label in _LEAVES for n in store.changed(label, since=since).memories]
    )


def _without_parent(store: GraphStore, nodes: Iterable[Node]) -> list[Memory]:
    found = [n for n in nodes if isinstance(n, Memory) and n.origin == _IMPORTED and n.domains]
    linked = {e.source for e in edges_of(store, [n.id for n in found], ("GENERALIZES_TO",))}
    return [n for n in found if n.id not in linked]


def _links(
    leaves: Sequence[Memory], insights: Sequence[Insight], statistics: Statistics, *, run: str
) -> Iterator[Edge]:
    """Each leaf with the insights that hold most of what its words say, for what they hold of all.

    An insight in words that every run has would else stand above every run: the share of a leaf
    that it holds is divided by the square root of its mean share.
    """
    if not (leaves and insights):
        return
    columns: dict[str, int] = {}
    texts = [Counter(wording(i).terms) for i in insights]
    above = _weighed(texts, columns, statistics).T.tocsr()
    blocks = [leaves[start : start + _ROWS] for start in range(0, len(leaves), _ROWS)]
    present = [_present(some, columns, statistics) for some in blocks]
    mean = (sum(p.sum(axis=0) for p in present) / len(leaves)) @ above
    discount = np.sqrt(np.maximum(np.asarray(mean).ravel(), _LEAST))
    for some, rows in zip(blocks, present, strict=True):
        near = (rows @ above).tocsr()
        for row, leaf in enumerate(some):
            at = slice(near.indptr[row], near.indptr[row + 1])
            found = sorted(
                (-round(float(value / discount[column]), 4), insights[column].id, float(value))
                for column, value in zip(near.indices[at], near.data[at], strict=True)
                if insights[column].scope in (SHARED, leaf.scope)
            )
            for _, id, share in found[:PARENTS]:
                yield Edge(
                    source=leaf.id,
                    type="GENERALIZES_TO",
                    target=id,
                    score=round(share, 4),
                    quote=INFERRED,
                    merge_run=run,
                )


def _weighed(
    texts: Sequence[Counter[str]], columns: dict[str, int], statistics: Statistics
) -> csr_matrix:
    """Rows of term weights as in BM25, without its constant factor, so that each is in [0, 1].

    A word that is said again counts less, and words of a long text count less; terms get columns.
    """
    mean = sum(t.total() for t in texts) / len(texts) or 1.0
    starts, places, values = [0], [], []
    for terms in texts:
        length = _K1 * (1 - _B + _B * terms.total() / mean)
        for term, count in terms.items():
            places.append(columns.setdefault(term, len(columns)))
            values.append(statistics.idf(term) * count / (count + length))
        starts.append(len(places))
    return _matrix(starts, places, values, width=len(columns))


def _present(
    leaves: Sequence[Memory], columns: Mapping[str, int], statistics: Statistics
) -> csr_matrix:
    """Rows of ones for the terms of each leaf, divided by the weight of all its terms."""
    starts, places, values = [0], [], []
    for leaf in leaves:
        terms = sorted(set(content_terms(leaf.full)))
        known = [columns[t] for t in terms if t in columns]
        total = sum(statistics.idf(t) for t in terms) or 1.0
        places.extend(known)
        values.extend([1 / total] * len(known))
        starts.append(len(places))
    return _matrix(starts, places, values, width=len(columns))


def _matrix(starts: list[int], places: list[int], values: list[float], *, width: int) -> csr_matrix:
    parts = (np.array(values), np.array(places, int), np.array(starts))
    return csr_matrix(parts, shape=(len(starts) - 1, width))
