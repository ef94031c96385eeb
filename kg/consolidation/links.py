"""Edges inferred from words: from runs made elsewhere to insights made elsewhere.

What a distiller or an import says of where an insight comes from is always better. Where neither
says anything, a run is linked to the insights of its domain that share the words of its task, so
that the climb from runs to insights has something to climb. Such an edge has a score and says in
its quote that it was inferred, and no quorum counts it.

Source: `python bench/merging.py --tests levels`: on 381 goals the level was chosen right
(abstract@5) in .36 of the places without edges, .57 with edges by the whole text of a run, .74 by
its task alone.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from scipy.sparse import csr_matrix, diags

from ..protocols import GraphStore
from ..types import SHARED, Edge, Insight, Memory
from .members import is_report
from .state import State, edges_of
from .statistics import Statistics
from .wording import content_terms, wording

PARENTS: Final = 8
"""Insights that a run is linked to; 5 to 14 do as well (abstract@5 .71 to .76)."""
INFERRED: Final = "inferred from words"
_IMPORTED: Final = "import"
_ROWS: Final = 1000


def inferred_links(
    store: GraphStore, state: State, statistics: Statistics, *, run: str
) -> list[Edge]:
    """Edges from imported memories without a parent to imported insights without evidence."""
    above = _open_insights(store, state)
    below = _open_leaves(store) if above else []
    edges: list[Edge] = []
    for domain in sorted({d for m in above for d in m.domains}):
        insights = [m for m in above if domain in m.domains]
        leaves = [m for m in below if domain in m.domains]
        edges.extend(_links(leaves, insights, statistics, run=run))
    return list({(e.source, e.target): e for e in edges}.values())


def _open_insights(store: GraphStore, state: State) -> list[Insight]:
    """Imported insights of some domain that say what to do and have nothing below them."""
    found = [
        i
        for i in state.insights.values()
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
    found = [
        n
        for label in ("Trace", "Workflow", "Summary")
        for n in store.find(label, where={"origin": _IMPORTED})
        if isinstance(n, Memory) and n.domains
    ]
    linked = {e.source for e in edges_of(store, [n.id for n in found], ("GENERALIZES_TO",))}
    return [n for n in found if n.id not in linked]


def _links(
    leaves: Sequence[Memory], insights: Sequence[Insight], statistics: Statistics, *, run: str
) -> Iterator[Edge]:
    """Each leaf with the insights that share most of the words of its key."""
    if not (leaves and insights):
        return
    columns: dict[str, int] = {}
    texts = [wording(i).terms for i in insights]
    keys = [content_terms(m.key) for m in leaves]
    above = _rows(texts, columns, statistics)
    below = _rows(keys, columns, statistics)
    above.resize((len(insights), len(columns)))
    for start in range(0, len(leaves), _ROWS):
        near = (below[start : start + _ROWS] @ above.T).tocsr()
        for row in range(near.shape[0]):
            leaf = leaves[start + row]
            found = sorted(
                (-round(float(value), 4), insights[column].id, insights[column].scope)
                for column, value in zip(
                    near.indices[near.indptr[row] : near.indptr[row + 1]],
                    near.data[near.indptr[row] : near.indptr[row + 1]],
                    strict=True,
                )
            )
            may_see = [f for f in found if f[2] in (SHARED, leaf.scope)]
            for value, id, _ in may_see[:PARENTS]:
                yield Edge(
                    source=leaf.id,
                    type="GENERALIZES_TO",
                    target=id,
                    score=-value,
                    quote=INFERRED,
                    merge_run=run,
                )


def _rows(
    texts: Sequence[Sequence[str]], columns: dict[str, int], statistics: Statistics
) -> csr_matrix:
    """Unit rows of term weights; new terms get new columns."""
    starts, places, values = [0], [], []
    for terms in texts:
        counts: dict[str, int] = {}
        for term in terms:
            counts[term] = counts.get(term, 0) + 1
        for term, count in counts.items():
            places.append(columns.setdefault(term, len(columns)))
            values.append((1 + np.log(count)) * statistics.idf(term))
        starts.append(len(places))
    shape = (len(texts), len(columns))
    matrix = csr_matrix((np.array(values), np.array(places, int), np.array(starts)), shape=shape)
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return diags(1 / np.where(lengths > 0, lengths, 1.0)) @ matrix
