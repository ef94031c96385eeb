"""Measures of pairs that say the same, and intervals for them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from merging_sets import MergingSet
from numpy.typing import NDArray

from stepladder.kg.consolidation.clusters import average_link, components, mutual

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Indexes = NDArray[np.intp]

DRAWS: Final = 1000
SPLITS: Final = 20
SEED: Final = 20
LIMITS: Final = np.round(np.arange(0.40, 0.98, 0.01), 2)
MUTUAL_LIMITS: Final = np.round(np.arange(0.20, 0.98, 0.01), 2)
_APART: Final = -np.inf


@dataclass(frozen=True, slots=True)
class Judged:
    """The judged pairs of a set as places of its memories.

    `first`, `second`, `same` and `across` have one row a pair, `group` one a memory: the number of
    its gold group, or of none where pairs were labelled one by one.
    """

    first: Indexes
    second: Indexes
    same: Mask
    across: Mask
    group: Indexes | None

    @classmethod
    def of(cls, data: MergingSet) -> "Judged":
        place = {id: n for n, id in enumerate(data.ids)}
        group = None
        if data.group:
            number = {name: n for n, name in enumerate(sorted(set(data.group.values())))}
            group = np.array([number[data.group[id]] for id in data.ids])
        return cls(
            first=np.array([place[a] for a, _ in data.pairs]),
            second=np.array([place[b] for _, b in data.pairs]),
            same=np.array([p in data.same for p in data.pairs]),
            across=np.array([p in data.across for p in data.pairs]),
            group=group,
        )

    def cosines(self, vectors: NDArray[np.float32]) -> Floats:
        """The cosine of each pair; `vectors` has a unit row for each memory."""
        found = np.einsum("ij,ij->i", vectors[self.first], vectors[self.second])
        return np.asarray(found, np.float64)

    def average_precision(self, score: Floats, *, only: Mask | None = None) -> float:
        """Mean precision at each pair that says the same, NaN where there is none."""
        kept = np.ones(len(score), bool) if only is None else only
        if not self.same[kept].any():
            return float("nan")
        weights = np.ones(int(kept.sum()))
        return _average_precision(score[kept], self.same[kept], weights)

    def draws(self) -> Iterator[Floats]:
        """Weights of the pairs in each draw of the bootstrap: of pairs, or of gold groups."""
        rng = np.random.default_rng(SEED)
        for _ in range(DRAWS):
            if self.group is None:
                count = len(self.same)
                yield np.bincount(rng.integers(0, count, count), minlength=count).astype(float)
            else:
                groups = int(self.group.max()) + 1
                times = np.bincount(rng.integers(0, groups, groups), minlength=groups)
                a, b = times[self.group[self.first]], times[self.group[self.second]]
                # A pair inside a group is there once for each time the group was drawn.
                within = self.group[self.first] == self.group[self.second]
                yield np.where(within, a, a * b).astype(float)

    def precision_interval(self, hit: Mask) -> tuple[float, float]:
        """95 % of the precision of some pairs."""
        found = []
        for weights in self.draws():
            total = weights[hit].sum()
            if total:
                found.append(weights[hit & self.same].sum() / total)
        if not found:
            return float("nan"), float("nan")
        low, high = np.quantile(found, [0.025, 0.975])
        return float(low), float(high)


def average_precision_interval(judged: Judged, ours: Floats, theirs: Floats) -> tuple[float, float]:
    """95 % of the difference of average precision, pairs or groups drawn together."""
    if ours is theirs:
        return 0.0, 0.0
    orders = [np.argsort(-s, kind="stable") for s in (ours, theirs)]
    found = []
    for weights in judged.draws():
        if weights[judged.same].any():
            a, b = (_at_order(judged.same[o], weights[o]) for o in orders)
            found.append(a - b)
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)


def _average_precision(score: Floats, same: Mask, weights: Floats) -> float:
    order = np.argsort(-score, kind="stable")
    return _at_order(same[order], weights[order])


def _at_order(same: Mask, weights: Floats) -> float:
    right = np.cumsum(weights * same)
    total = np.maximum(np.cumsum(weights), 1e-9)
    return float((weights * same * right / total).sum() / right[-1])


def split_f1(judged: Judged, score: Floats, *, apart: Mask | None) -> Floats:
    """Pair F1 on one half of the gold groups at the limits best on the other, each split.

    Without `apart` the pairs found are mutual nearest neighbours from a limit on. With it, pairs
    that must not be merged, they are what `consolidate` finds: average link from one limit on,
    and from a lower one on what is each other's nearest, whose veto a proposal only tells of.
    """
    assert judged.group is not None
    count = len(judged.group)
    matrix = np.full((count, count), -1.0)
    matrix[judged.first, judged.second] = score
    matrix = np.maximum(matrix, matrix.T)
    vetoed = np.zeros((count, count), bool)
    if apart is not None:
        vetoed[judged.first, judged.second] = apart
        vetoed |= vetoed.T
    groups = int(judged.group.max()) + 1
    found = []
    for split in range(SPLITS):
        order = np.random.default_rng(split).permutation(groups)
        is_first = np.isin(judged.group, order[: groups // 2])
        tables = []
        for side in (is_first, ~is_first):
            places = np.flatnonzero(side)
            same = np.triu(judged.group[places][:, None] == judged.group[places][None, :], 1)
            near, veto = (m[np.ix_(places, places)] for m in (matrix, vetoed))
            tables.append(
                _f1_of_neighbours(near, same)
                if apart is None
                else np.stack([_f1_from(near, veto, same, high=high) for high in LIMITS])
            )
        found.append(float(tables[1].flat[tables[0].argmax()]))
    return np.array(found)


def _f1_of_neighbours(near: Floats, same: Mask) -> Floats:
    """Pair F1 of mutual nearest neighbours from each of `MUTUAL_LIMITS` on."""
    return np.array([_f1(_mutual(near, limit), same) for limit in MUTUAL_LIMITS])


def _f1_from(near: Floats, vetoed: Mask, same: Mask, *, high: float) -> Floats:
    """Pair F1 of average link from `high` on with neighbours from each of `MUTUAL_LIMITS` on."""
    merged = _linked(np.where(vetoed, _APART, near), high)
    first, second = np.nonzero(np.triu(near > -1.0, 1))
    unit = np.arange(len(near))
    for component in components(np.argwhere(np.triu(near >= high, 1)).tolist()):
        unit[component] = component[0]
    is_nearest = mutual(first, second, near[first, second], unit=unit)
    first, second = first[is_nearest], second[is_nearest]
    more = ~merged[first, second]
    nearness, right = near[first, second][more], same[first, second][more]
    found = [nearness >= limit for limit in MUTUAL_LIMITS]
    hits = int((merged & same).sum()) + np.array([int((f & right).sum()) for f in found])
    total = int(merged.sum()) + int(same.sum()) + np.array([int(f.sum()) for f in found])
    return np.asarray(2 * hits / np.maximum(1, total))


def _linked(matrix: Floats, limit: float) -> Mask:
    found = np.zeros(matrix.shape, bool)
    for group in average_link(
        range(len(matrix)), lambda m: matrix[np.ix_(list(m), list(m))], min_nearness=limit
    ):
        found[np.ix_(group, group)] = True
    return np.triu(found, 1)


def _mutual(matrix: Floats, limit: float) -> Mask:
    others = matrix.copy()
    np.fill_diagonal(others, -1.0)
    nearest = others.argmax(axis=1)
    found = np.zeros(matrix.shape, bool)
    for place, other in enumerate(nearest):
        if nearest[other] == place and others[place, other] >= limit:
            found[place, other] = found[other, place] = True
    return np.triu(found, 1)


def _f1(found: Mask, same: Mask) -> float:
    right = int((found & same).sum())
    return 2 * right / max(1, int(found.sum()) + int(same.sum()))
