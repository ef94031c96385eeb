"""How well a memory fits a task: one number that means the same in every store.

    L(d) = BM25(key of d, all words of the task) + BM25(whole text of d, its 32 heaviest words)
    R(d) = L(d) / sqrt(self) + c * cos(task, key of d)

`self` is the weight of the 32 heaviest words. R needs no statistics of the other candidates, so
that it can be compared between tasks and between stores, and one floor can be held against it.
Source: measured on public sets with bench/evaluate.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..kg.protocols import Candidate, TermStatistics
from ..kg.types import Vector
from .terms import FULL_TERMS, QueryTerms

Floats = NDArray[np.float64]

K1: Final = 1.2
B: Final = 0.75
"""Saturation and length normalisation of Okapi BM25; other values changed nothing that was
measured with bench/evaluate.py."""

DENSE_WEIGHTS: Final[Mapping[str, float]] = {"static-256": 3.0, "minilm-l6-v2": 5.0}
"""What a cosine of 1 adds to R, by name of the embedder. Source: bench/evaluate.py; from 2 to 4
the static table ranks alike."""
DEFAULT_DENSE_WEIGHT: Final = 3.0

TASK_POOLING: Final = 3.0
"""How much the best memory of a task lifts the others of that task. Source: bench/evaluate.py;
pooling over groups that share no task makes the ranking worse."""

MIN_GROUP: Final = 10
"""Smallest group of one language, among the candidates, whose mean is taken away. Source:
bench/evaluate.py on code in six languages; with 30 most groups of 200 candidates have no mean."""

BEST_TENTH: Final = 0.9


@dataclass(frozen=True, slots=True)
class Scores:
    """R of each candidate in its three parts, each float64 of shape (n,), none below about -c."""

    key: Floats
    full: Floats
    dense: Floats

    @property
    def total(self) -> Floats:
        """R, shape (n,)."""
        return self.key + self.full + self.dense


def dense_weight(embedder: str) -> float:
    """What a cosine of 1 adds to R for the embedder of this name."""
    return DENSE_WEIGHTS.get(embedder, DEFAULT_DENSE_WEIGHT)


def score(
    candidates: Sequence[Candidate],
    terms: QueryTerms,
    *,
    statistics: TermStatistics,
    vector: Vector | None,
    weight: float = DEFAULT_DENSE_WEIGHT,
    language: str = "",
) -> Scores:
    """Compute R for each candidate.

    `vector` is the unit vector of the task text. With a `language` the cosine is taken after the
    mean of each language's keys has been subtracted, see `centred_cosines`.
    """
    key, full = _bm25(candidates, terms, statistics)
    norm = float(np.sqrt(terms.self_weight)) or 1.0
    cosines = _cosines(candidates, vector, language)
    return Scores(key=key / norm, full=full / norm, dense=weight * cosines)


def _bm25(
    candidates: Sequence[Candidate], terms: QueryTerms, statistics: TermStatistics
) -> tuple[Floats, Floats]:
    """Okapi BM25 of key and of whole text, both of shape (n,).

    Every word of the task counts once, however often it stands there.
    """
    n = len(candidates)
    if n == 0 or len(terms.ids) == 0:
        return np.zeros(n), np.zeros(n)
    order = np.argsort(terms.ids)
    wanted = terms.ids[order]
    counts = [c.terms for c in candidates]
    ids = np.concatenate([c.ids for c in counts])
    hits = np.flatnonzero(_may_be_among(ids, wanted))
    at = np.minimum(np.searchsorted(wanted, ids[hits]), len(wanted) - 1)
    same = wanted[at] == ids[hits]
    hits, at = hits[same], at[same]
    row = np.repeat(np.arange(n), [len(c.ids) for c in counts])[hits]
    word = order[at]
    in_key = np.concatenate([c.key for c in counts])[hits].astype(np.float64)
    in_full = np.concatenate([c.full for c in counts])[hits].astype(np.float64)
    in_full[word >= FULL_TERMS] = 0.0
    key_norm = _length_norm([c.key_length for c in counts], statistics.mean_key_length)
    full_norm = _length_norm([c.full_length for c in counts], statistics.mean_full_length)
    key = terms.key_idf[word] * _saturated(in_key, key_norm[row])
    full = terms.full_idf[word] * _saturated(in_full, full_norm[row])
    return _sum_by_row(row, key, n), _sum_by_row(row, full, n)


def _may_be_among(ids: NDArray[np.uint32], wanted: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Tell of each id whether its upper half is that of a wanted one; few others share it."""
    halves = np.zeros(1 << 16, dtype=np.bool_)
    halves[wanted >> 16] = True
    return np.asarray(halves[ids >> 16], dtype=np.bool_)


def _sum_by_row(row: NDArray[np.intp], values: Floats, rows: int) -> Floats:
    return np.bincount(row, weights=values, minlength=rows).astype(np.float64)


def _length_norm(lengths: Sequence[int], mean: float) -> Floats:
    return K1 * (1.0 - B + B * np.asarray(lengths, dtype=np.float64) / max(mean, 1.0))


def _saturated(counts: Floats, norm: Floats) -> Floats:
    return counts * (K1 + 1.0) / np.maximum(counts + norm, 1e-9)


def _cosines(candidates: Sequence[Candidate], vector: Vector | None, language: str) -> Floats:
    if vector is None or not candidates:
        return np.zeros(len(candidates))
    nothing = np.zeros_like(vector)
    keys = np.stack([nothing if c.vector is None else c.vector for c in candidates])
    if language:
        languages = [c.language for c in candidates]
        return centred_cosines(keys, vector, languages=languages, language=language)
    return np.asarray(keys @ vector, dtype=np.float64)


def language_groups(languages: Sequence[str]) -> dict[str, NDArray[np.intp]]:
    """Rows of each language that has at least `MIN_GROUP` of them."""
    rows: dict[str, list[int]] = {}
    for row, language in enumerate(languages):
        if language:
            rows.setdefault(language, []).append(row)
    return {name: np.array(r) for name, r in sorted(rows.items()) if len(r) >= MIN_GROUP}


def centred_cosines(
    keys: Vector, vector: Vector, *, languages: Sequence[str], language: str
) -> Floats:
    """Cosines in [-1, 1] after subtracting from both sides the mean key of their own language.

    It stops a task from being pulled to memories that share its language and nothing else. Only
    groups of at least `MIN_GROUP` have a mean; where the task's own language has none, nothing is
    subtracted anywhere. `keys` is float32 of shape (n, dim), `vector` of shape (dim,).
    Source: +.02 to +.09 recall@5 across languages, measured with bench/evaluate.py. The same done
    with the source or the domain of a memory makes the ranking worse.
    """
    groups = language_groups(languages)
    if language.casefold() not in groups:
        return np.asarray(keys @ vector, dtype=np.float64)
    moved = keys.astype(np.float64)
    target = vector.astype(np.float64) - moved[groups[language.casefold()]].mean(axis=0)
    for rows in groups.values():
        moved[rows] -= moved[rows].mean(axis=0)
    lengths = np.linalg.norm(moved, axis=1) * np.linalg.norm(target)
    return np.asarray(moved @ target / np.maximum(lengths, 1e-9), dtype=np.float64)


def on_equal_terms(scores: Floats, languages: Sequence[str]) -> Floats:
    """Scores with the best tenth of each language moved to where that of all begins, shape (n,).

    For an answer that may come from other languages: the 90th percentile of each language's group
    becomes that of all scores. Memories of no single language and small groups stay as they are.
    Source: +.10 recall@5 across six languages, bench/evaluate.py, T4; moving the means instead
    gives the same recall, and a pull to the task's own language of .27 instead of .20.
    """
    shifted = scores.copy()
    for rows in language_groups(languages).values():
        shifted[rows] += np.quantile(scores, BEST_TENTH) - np.quantile(scores[rows], BEST_TENTH)
    return shifted


def pool_by_task(scores: Floats, tasks: Sequence[str]) -> Floats:
    """Each score plus three times the best score of its task, shape (n,).

    Several memories of one task vouch for each other; a memory without a task stands alone.
    """
    best: dict[str, float] = {}
    for task, value in zip(tasks, scores.tolist(), strict=True):
        if task:
            best[task] = max(best.get(task, value), value)
    lift = [
        best[task] if task else value for task, value in zip(tasks, scores.tolist(), strict=True)
    ]
    return scores + TASK_POOLING * np.asarray(lift, dtype=np.float64)
