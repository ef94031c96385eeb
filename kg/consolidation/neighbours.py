"""Pairs of texts that may say the same: near in the embedding space, found exactly."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..types import Vector

MIN_COSINE: Final = 0.55
"""Below it no pair is a suggestion: of 2,175 pairs of seven public sets with a nearness of .6 and
more none has a cosine under .55. Source: `python bench/merging.py`."""

MOST: Final = 20
"""How many of the nearest each text brings; a pair counts if either text brings it."""

_ROWS: Final = 256

Indexes = NDArray[np.intp]


def near_pairs(
    vectors: Vector, *, min_cosine: float = MIN_COSINE, most: int = MOST
) -> tuple[Indexes, Indexes]:
    """The pairs (i, j), i < j, of which one is among the nearest of the other, in order.

    `vectors` holds unit rows, shape (n, dim).
    """
    found: list[NDArray[np.int64]] = []
    count = len(vectors)
    for start in range(0, count, _ROWS):
        cosines = vectors[start : start + _ROWS] @ vectors.T
        rows = np.arange(len(cosines))
        cosines[rows, rows + start] = -1.0
        row, column = np.nonzero(cosines >= min_cosine)
        row, column = _nearest(row, column, cosines[row, column], most=most)
        i, j = row + start, column
        found.append(np.minimum(i, j).astype(np.int64) * count + np.maximum(i, j))
    keys = np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)
    return (keys // count).astype(np.intp), (keys % count).astype(np.intp)


def _nearest(
    row: Indexes, column: Indexes, cosine: Vector, *, most: int
) -> tuple[Indexes, Indexes]:
    """Of the hits in each row the nearest ones; equal cosines by column."""
    if not len(row) or np.bincount(row).max() <= most:
        return row, column
    order = np.lexsort((column, -cosine, row))
    row, column = row[order], column[order]
    first = np.searchsorted(row, row, side="left")
    kept = np.arange(len(row)) - first < most
    return row[kept], column[kept]
