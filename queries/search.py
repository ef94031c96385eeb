"""Flat search: the memories that fit a task best, whatever their level."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from ..kg.protocols import Candidate, CandidateQuery, Embedder, GraphStore, TermStatistics
from ..kg.types import EVERYTHING, LEVELS, LevelName, Memory, Scope, Vector, level_name
from .score import (
    Floats,
    dense_weight,
    on_equal_terms,
    pool_by_task,
    score,
)
from .terms import QueryTerms, read_words, weigh

CANDIDATES: Final = 200
"""How many memories each of the two lists brings, the lexical and the nearest.

Source: with exact scoring afterwards 100 rank as well as all where one memory is right; where
several memories of a task are, 200 find what 100 miss (T3 of bench/evaluate.py: .475, .467)."""

_HIGHEST_LEVEL: Final = 99


@dataclass(frozen=True, slots=True)
class Parts:
    """Where a score comes from: words of the key, words of the whole text, nearness of meaning."""

    key: float
    full: float
    dense: float


@dataclass(frozen=True)
class Hit:
    """A memory with how well it fits.

    `score` is R (see `queries.score`): below 6.5 seldom useful, above 9 almost always.
    `pooled` is what the order follows: R with the other memories of the same task counted in.
    """

    candidate: Candidate
    score: float
    pooled: float
    parts: Parts

    @property
    def id(self) -> str:
        """Id of the memory."""
        return self.candidate.id

    @property
    def level(self) -> int:
        """Level of the memory."""
        return self.candidate.level

    @property
    def scope(self) -> str:
        """Scope of the memory."""
        return self.candidate.scope

    @property
    def task(self) -> str:
        """Id of the memory's task, empty where it has none."""
        return self.candidate.task

    @cached_property
    def memory(self) -> Memory:
        """The memory; most hits are judged without it."""
        return self.candidate.read()


def rank_key(hit: Hit) -> tuple[float, str]:
    """What hits are ordered by: the better first, equal ones by id."""
    return -round(hit.pooled, 9), hit.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """Which memories to rank: `limit` counts for each of the two lists, no levels means all.

    `exclude` are ids that must not come back.
    """

    limit: int = CANDIDATES
    levels: Collection[LevelName] | None = None
    scope: Scope = EVERYTHING
    exclude: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Question:
    """A task text made comparable with memories."""

    text: str
    terms: QueryTerms
    statistics: TermStatistics
    vector: Vector
    weight: float
    language: str
    transfer: bool

    @property
    def memories(self) -> int:
        """How many memories the store holds, in scope or not."""
        return self.statistics.memories

    def hits(self, candidates: Sequence[Candidate]) -> list[Hit]:
        """Score candidates exactly and order them, best first, equal ones by id."""
        scores = score(
            candidates,
            self.terms,
            statistics=self.statistics,
            vector=self.vector,
            weight=self.weight,
            language=self.language,
        )
        total = scores.total
        pooled = self._pooled(candidates, total)
        parts = map(Parts, scores.key.tolist(), scores.full.tolist(), scores.dense.tolist())
        hits = map(Hit, candidates, total.tolist(), pooled.tolist(), parts)
        return sorted(hits, key=rank_key)

    def _pooled(self, candidates: Sequence[Candidate], total: Floats) -> Floats:
        if self.transfer:
            total = on_equal_terms(total, [c.language for c in candidates])
        return pool_by_task(total, [c.task for c in candidates])


def search(
    store: GraphStore,
    embedder: Embedder,
    text: str,
    *,
    k: int = 10,
    levels: Collection[LevelName] | None = None,
    scope: Scope = EVERYTHING,
    language: str = "",
    exclude: frozenset[str] = frozenset(),
    transfer: bool = False,
) -> list[Hit]:
    """Return the `k` memories that fit a task text best, best first, equal ones by id.

    `levels` are the names of the levels to look at, all where it is None. With `language` the
    cosine is freed from what all memories of a language have in common; with `transfer` memories
    of other languages are not held back. `exclude` are ids that must not come back, such as
    those of the caller's own run.

    Raises:
        StoreError: the store could not be read.
    """
    question = ask(store, embedder, text, language=language, transfer=transfer)
    lookup = Lookup(limit=max(CANDIDATES, k), levels=levels, scope=scope, exclude=exclude)
    (hits,) = rank(store, question, lookup)
    return hits[:k]


def rank(store: GraphStore, question: Question, *lookups: Lookup) -> list[list[Hit]]:
    """Score every candidate of each lookup, best first, see `search`."""
    found = store.candidates(*(_query(question, lookup) for lookup in lookups))
    return [
        question.hits(
            [c for c in some if lookup.levels is None or level_name(c.level) in lookup.levels]
        )
        for lookup, some in zip(lookups, found, strict=True)
    ]


def _query(question: Question, lookup: Lookup) -> CandidateQuery:
    low, high = _level_range(lookup.levels)
    return CandidateQuery(
        terms=question.terms.heaviest,
        vector=question.vector if question.vector.any() else None,
        limit=lookup.limit,
        min_level=low,
        max_level=high,
        scope=lookup.scope,
        exclude=lookup.exclude,
    )


def ask(
    store: GraphStore, embedder: Embedder, text: str, *, language: str = "", transfer: bool = False
) -> Question:
    """Make a task text comparable with the memories of a store."""
    words = read_words(text)
    statistics = store.statistics(list(words))
    return Question(
        text=text,
        terms=weigh(words, statistics),
        statistics=statistics,
        vector=np.asarray(embedder.encode([text])[0], dtype=np.float32),
        weight=dense_weight(embedder.name),
        language=language,
        transfer=transfer,
    )


def _level_range(levels: Collection[LevelName] | None) -> tuple[int, int]:
    if not levels:
        return 0, _HIGHEST_LEVEL
    numbers = [LEVELS[name] for name in levels]
    return min(numbers), _HIGHEST_LEVEL if "insight" in levels else max(numbers)
