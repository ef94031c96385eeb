"""How crowded the neighbourhood of an insight is: how well others answer to its own key.

Each insight's key is asked as a task with the insight itself left out. Where twenty others score
high, a high score of this one says that the topic is right, not that the insight is.
"""

from typing import Final

import numpy as np

from ..kg.protocols import Candidate, CandidateQuery, GraphStore
from ..kg.types import Insight
from .floors import kind_of
from .search import Question
from .terms import read_words, weigh

NEIGHBOURS: Final = 20
"""Others whose scores count. Source: bench/evaluate.py, T2; 10 do alike, 5 and fewer harm."""

LEAST_INSIGHTS: Final = 100
"""Insights from which there is a crowd to speak of. Chosen by us."""

MOST_INSIGHTS: Final = 2_000
"""Insights that are looked at; ids are hashes, so that the first are as good as any. About 4 ms
each at 2,000 memories."""

_CANDIDATES: Final = 60


def crowding_of(store: GraphStore, *, weight: float) -> dict[str, float]:
    """The mean R of the 20 insights nearest to each insight, by id; empty in a small store.

    `weight` is what a cosine of 1 adds to R. Cards are not looked at: their floor is their own.

    Raises:
        StoreError: the store could not be read.
    """
    found = store.find("Insight", limit=MOST_INSIGHTS)
    ids = [n.id for n in found if isinstance(n, Insight) and kind_of(n) == "insight"]
    if len(ids) < LEAST_INSIGHTS:
        return {}
    return {
        c.id: round(_crowding(store, c, weight), 3)
        for start in range(0, len(ids), 500)
        for c in store.features(ids[start : start + 500])
    }


def _crowding(store: GraphStore, own: Candidate, weight: float) -> float:
    question = _question(store, own, weight)
    (others,) = store.candidates(
        CandidateQuery(
            terms=question.terms.heaviest,
            vector=own.vector if own.vector is not None and own.vector.any() else None,
            limit=_CANDIDATES,
            min_level=3,
            exclude=frozenset({own.id}),
        )
    )
    scores = sorted((h.score for h in question.hits(others)), reverse=True)[:NEIGHBOURS]
    return sum(scores) / NEIGHBOURS


def _question(store: GraphStore, own: Candidate, weight: float) -> Question:
    """The key of an insight as a task, with the vector that is stored."""
    key = own.memory.key
    words = read_words(key)
    statistics = store.statistics(list(words))
    vector = own.vector
    return Question(
        text=key,
        terms=weigh(words, statistics),
        statistics=statistics,
        vector=np.zeros(1, dtype=np.float32) if vector is None else vector,
        weight=weight,
        language="",
        transfer=False,
    )
