"""Which insights a consolidation looks at: all of them, or the new ones and what they touch."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..embedding.static import StaticEmbedder
from ..protocols import CandidateQuery, Embedder, GraphStore
from ..types import LEVELS, Insight, Vector
from .neighbours import MIN_COSINE
from .plan import Limits
from .pool import Pool
from .score import Scorer
from .settle import Pairs
from .state import Blocked, State, edges_of, is_plain, read_blocks
from .statistics import Statistics, document_frequency, sample_of
from .texts import Texts
from .wording import Wording, said, wording

CANDIDATES: Final = 30
"""Nearest and lexically best insights that a new one is compared with."""
_TERMS: Final = 24
_NEAR: Final = 0.5
_FEWEST: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """The insights to be compared and how.

    `fresh` are the places whose pairs may be proposed, `touched` those whose components the pool
    holds as a whole; None means all places.
    """

    pool: Pool
    pairs: Pairs
    statistics: Statistics
    fresh: frozenset[int] | None = None
    touched: frozenset[int] | None = None


def embedders_for(embedder: Embedder) -> tuple[Embedder, ...]:
    """The static embedder, whose scale the limits are on, and the store's where it is another."""
    return (embedder,) if embedder.name == StaticEmbedder.name else (StaticEmbedder(), embedder)


def survey_all(
    store: GraphStore,
    embedder: Embedder,
    state: State,
    *,
    limits: Limits,
    statistics: Statistics | None = None,
) -> Survey:
    """Look at every insight, with statistics taken anew where none are given."""
    insights = list(state.insights.values())
    wordings = [wording(i) for i in insights]
    embedders = embedders_for(embedder)
    vectors = embedders[0].encode([w.text for w in wordings])
    ids = [i.id for i in insights]
    place = {id: k for k, id in enumerate(ids)}
    if statistics is None:
        statistics = _statistics(embedders, ids, wordings, vectors)
    sample = {id: vectors[place[id]] for id in statistics.sample if id in place}
    scorer = Scorer(statistics, embedders, sample=sample)
    pool = Pool(
        insights,
        scorer,
        blocks=read_blocks(store, ids, state.decisions),
        wordings=wordings,
        vectors=(vectors,),
    )
    return Survey(pool=pool, pairs=_pairs(pool, limits), statistics=statistics)


def survey_some(
    store: GraphStore,
    embedder: Embedder,
    state: State,
    *,
    statistics: Statistics,
    fresh: Sequence[str],
    touched: Iterable[str] = (),
    limits: Limits,
) -> Survey:
    """Look at some insights, those near them, and everything that is in one component with them.

    `touched` are further insights whose groups are to be looked at again.
    """
    scorer = scorer_of(store, embedder, statistics)
    texts = Texts(scorer.embedders)
    seeds = {*fresh, *touched}
    others = _candidates(store, state, scorer, fresh, texts=texts)
    near = seeds | _near(state, scorer, seeds, others, texts=texts, limits=limits)
    reached = set(seeds)
    while True:
        pool = pool_of(store, state, scorer, near, texts=texts)
        pairs = _pairs(pool, limits)
        grown = _grown(store, state, pool, pairs, reached, limits=limits)
        if grown <= near:
            break
        near |= grown
        reached = grown
    reached = grown
    return Survey(
        pool=pool,
        pairs=pairs,
        statistics=statistics,
        fresh=frozenset(pool.place[id] for id in fresh),
        touched=frozenset(pool.place[id] for id in reached),
    )


def scorer_of(store: GraphStore, embedder: Embedder, statistics: Statistics) -> Scorer:
    """The scorer of frozen statistics; insights of the sample that are gone are left out."""
    embedders = embedders_for(embedder)
    found = store.get(statistics.sample)
    sample = {id: n for id, n in found.items() if isinstance(n, Insight)}
    vectors = embedders[0].encode([said(n) for n in sample.values()])
    return Scorer(statistics, embedders, sample=dict(zip(sample, vectors, strict=True)))


def pool_of(
    store: GraphStore,
    state: State,
    scorer: Scorer,
    ids: Iterable[str],
    *,
    texts: Texts | None = None,
) -> Pool:
    """A pool of some insights."""
    wanted = sorted(ids)
    state.fetch(wanted)
    insights = [state.insights[id] for id in wanted if id in state.insights]
    blocks: Blocked = read_blocks(store, [i.id for i in insights], state.decisions)
    if texts is None:
        return Pool(insights, scorer, blocks=blocks)
    words, vectors = texts.wordings(insights), texts.vectors(insights)
    return Pool(insights, scorer, blocks=blocks, wordings=words, vectors=vectors)


def _near(
    state: State,
    scorer: Scorer,
    seeds: Collection[str],
    others: Sequence[Insight],
    *,
    texts: Texts,
    limits: Limits,
) -> set[str]:
    """Of other insights those near enough to one of the seeds to be merged with it or proposed."""
    first = [state.insights[id] for id in sorted(seeds) if id in state.insights]
    cosines = texts.first(others) @ texts.first(first).T
    close = np.flatnonzero((cosines >= MIN_COSINE).any(axis=1)).tolist()
    insights = [*first, *(others[k] for k in close)]
    described = scorer.describe(
        [i.id for i in insights], texts.wordings(insights), vectors=texts.vectors(insights)
    )
    row, column = np.nonzero(cosines[close] >= MIN_COSINE)
    nearness = scorer.parts(described, row + len(first), column).nearness
    near = np.unique(row[nearness >= limits.least]).tolist()
    return {others[close[k]].id for k in near}


def _candidates(
    store: GraphStore,
    state: State,
    scorer: Scorer,
    fresh: Sequence[str],
    *,
    texts: Texts,
) -> list[Insight]:
    """Other insights of the store that may be near to the new ones, by id."""
    insights = [state.insights[id] for id in fresh]
    queries = [
        CandidateQuery(
            terms=_rarest(word.terms, scorer),
            vector=vector,
            limit=CANDIDATES,
            min_level=LEVELS["insight"],
            max_level=LEVELS["insight"],
        )
        for word, vector in zip(texts.wordings(insights), texts.vectors(insights)[-1], strict=True)
    ]
    found = {c.id: c for one in store.candidates(*queries) for c in one}
    memories = (found[id].memory for id in sorted(found.keys() - set(fresh)))
    return [m for m in memories if is_plain(m)]


def _rarest(terms: Iterable[str], scorer: Scorer) -> tuple[str, ...]:
    return tuple(sorted(set(terms), key=lambda t: (-scorer.idf(t), t))[:_TERMS])


def _grown(
    store: GraphStore,
    state: State,
    pool: Pool,
    pairs: Pairs,
    reached: set[str],
    *,
    limits: Limits,
) -> set[str]:
    """What is reached, and what is in one component with it by words or by an earlier merge."""
    near = pairs.where(pairs.nearness >= limits.unattended).listed()
    grown = set(reached)
    waiting = set(reached)
    neighbours: dict[str, set[str]] = {}
    pairs_of_ids = [(pool.ids[i], pool.ids[j]) for i, j in near]
    for a, b in (*pairs_of_ids, *state.decisions.same):
        neighbours.setdefault(a, set()).add(b)
        neighbours.setdefault(b, set()).add(a)
    while waiting:
        state.fetch(waiting)
        found = {n for id in waiting for n in neighbours.get(id, ())}
        found |= {s for id in waiting for s in state.siblings(id)}
        found |= _nearly_merged(store, sorted(waiting), limits=limits)
        state.fetch(found)
        waiting = {id for id in found if id in state.insights} - grown
        grown |= waiting
    return grown


def _nearly_merged(store: GraphStore, ids: Sequence[str], *, limits: Limits) -> set[str]:
    """Insights near enough to merge that something else kept out of a merge."""
    ways = (
        edges_of(store, ids, ("SIMILAR_TO",)),
        edges_of(store, ids, ("SIMILAR_TO",), incoming=True),
    )
    return {
        id
        for way in ways
        for edge in way
        if edge.score is not None and edge.score >= limits.unattended
        for id in (edge.source, edge.target)
    }


def _pairs(pool: Pool, limits: Limits) -> Pairs:
    i, j, nearness = pool.near()
    return Pairs(i, j, nearness).where(nearness >= limits.least)


def _statistics(
    embedders: Sequence[Embedder], ids: Sequence[str], wordings: Sequence[Wording], vectors: Vector
) -> Statistics:
    sample = sample_of(ids)
    scale, shift, name = 1.0, 0.0, ""
    if len(embedders) > 1:
        place = {id: k for k, id in enumerate(ids)}
        places = [place[id] for id in sample]
        name = embedders[1].name
        scale, shift = _scale(
            vectors[places], embedders[1].encode([wordings[p].text for p in places])
        )
    return Statistics(
        insights=len(ids),
        frequency=document_frequency([w.terms for w in wordings]),
        sample=sample,
        embedder=name,
        scale=scale,
        shift=shift,
    )


def _scale(first: Vector, second: Vector) -> tuple[float, float]:
    """What brings the cosines of a second embedder to the mean and spread of the first's.

    Taken over the pairs of texts that are near by the first; rows are of the same texts.
    """
    cosines = np.triu(first @ first.T, 1)
    i, j = np.nonzero(cosines >= _NEAR)
    if len(i) < _FEWEST:
        return 1.0, 0.0
    other = np.einsum("ij,ij->i", second[i], second[j])
    known = cosines[i, j]
    scale = float(known.std() / other.std()) if other.std() > 0 else 1.0
    return round(scale, 4), round(float(known.mean() - scale * other.mean()), 4)
