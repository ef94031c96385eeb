"""Measures of rankings and of certainty, and intervals for their differences."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DRAWS: Final = 4000
SEED: Final = 20
LEVEL: Final = 0.95


def ndcg(ranked: Sequence[str], gold: Mapping[str, int], *, k: int = 10) -> float:
    """Discounted gain of the first `k`, with the grade as gain, by that of the best order."""
    discount = 1.0 / np.log2(np.arange(2, k + 2))
    gains = np.array([gold.get(i, 0) for i in ranked[:k]], dtype=np.float64)
    best = np.array(sorted(gold.values(), reverse=True)[:k], dtype=np.float64)
    return float(gains @ discount[: len(gains)] / (best @ discount[: len(best)]))


def recall(ranked: Sequence[str], gold: Collection[str], *, k: int) -> float:
    """Part of what is right that stands among the first `k`, of the most there can be."""
    return len(set(ranked[:k]) & set(gold)) / min(k, len(gold))


def share(ranked: Sequence[str], wanted: Callable[[str], bool], *, k: int) -> float:
    """Part of the first `k` places that hold a wanted memory; an empty place holds none."""
    return sum(map(wanted, ranked[:k])) / k


def average_precision(ranked: Sequence[str], gold: Collection[str]) -> float:
    """Mean of the precision at each right place, over everything that is right."""
    places = [n for n, i in enumerate(ranked, start=1) if i in gold]
    return sum(hit / place for hit, place in enumerate(places, start=1)) / len(gold)


def auroc(pairs: Floats) -> float:
    """Odds that an answerable task is surer than an unanswerable one; `pairs` of shape (n, 2)."""
    yes, no = pairs[:, :1], pairs[:, 1:].T
    return float(np.mean((yes > no) + 0.5 * (yes == no)))


def false_at_90(pairs: Floats) -> float:
    """Unanswerable tasks answered at the floor that answers 90 % of the answerable ones."""
    floor = np.sort(pairs[:, 0])[int(0.1 * len(pairs))]
    return float(np.mean(pairs[:, 1] >= floor))


def mean(values: Floats) -> float:
    """The mean, as a statistic like the others."""
    return float(values.mean())


def interval(
    ours: Floats, theirs: Floats, statistic: Callable[[Floats], float]
) -> tuple[float, float]:
    """95 % bootstrap interval of the difference, rows drawn together, so that it is paired."""
    rng = np.random.default_rng(SEED)
    rows = rng.integers(0, len(ours), size=(DRAWS, len(ours)))
    if statistic is mean:
        drawn = (ours - theirs)[rows].mean(axis=1)
    else:
        drawn = np.array([statistic(ours[r]) - statistic(theirs[r]) for r in rows])
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
