"""How far a set of memories mixes groups: the mean number of groups among nearest neighbours."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

NEAREST: Final = 30
"""Neighbours that are looked at. Source: bench/geometry.py."""


def lisi(vectors: Floats, shares: Floats) -> NDArray[np.float64]:
    """The inverse Simpson index of the groups around each row, itself left out, shape (n,).

    `vectors` are unit rows of shape (n, dim), `shares` of shape (n, groups) say how much of each
    row belongs to each group. 1 means that all neighbours are of one group, the number of groups
    that all are alike. Source: Korsunsky et al. 2019, with equal weights.
    """
    similar = vectors @ vectors.T
    np.fill_diagonal(similar, -np.inf)
    k = min(NEAREST, len(vectors) - 1)
    nearest = np.argsort(-similar, axis=1, kind="stable")[:, :k]
    parts = shares[nearest].sum(axis=1)
    parts /= parts.sum(axis=1, keepdims=True)
    return np.asarray(1 / np.square(parts).sum(axis=1), dtype=np.float64)
