"""Sign codes: one bit a dimension, for a fast and rough search before an exact one.

A vector is centred, rotated and kept as the signs of its coordinates. A query is kept finer,
three bits of magnitude a coordinate, so that a wrong sign counts by how large the query is there.

Share of the true ten nearest of 100,000 short texts among 300 and 1,000 candidates, static
embedder, task texts as queries: plain signs .50 and .66, centred and rotated .79 and .92, with
the finer query .94 and .99.

Source: `python bench/embedding.py`; signs against a finer query are Gao and Long 2024,
arXiv 2405.12497.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_RERANKED = (300, 500)
_RERANKED_EACH = 4
SEED = 20_260_114  # any number will do, but codes of different seeds do not compare
_WORD_BITS = 64
_MAGNITUDE_BITS = 3  # magnitudes are odd, 1 to 7; a fourth bit adds less than .01 of recall
_STEP = 0.55  # from one magnitude to the next, in root mean squares; flat from .45 to .75
_BLOCK_ROWS = 16_384  # keeps what is at work inside the processor's cache


@dataclass(frozen=True, slots=True)
class QueryCode:
    """A query as `nearest` wants it.

    `signs` has shape (words,). `planes` has shape (3, words): the bits of the magnitudes, the
    lowest first.
    """

    signs: NDArray[np.uint64]
    planes: NDArray[np.uint64]


@lru_cache(maxsize=4)
def rotation(dim: int, seed: int = SEED) -> NDArray[np.float32]:
    """A fixed orthogonal matrix that mixes all coordinates; shape (dim, dim), read-only.

    A Hadamard matrix with random signs where `dim` is a power of two; otherwise its Kronecker
    product with a random orthogonal matrix of the odd factor of `dim`.

    Source: Ailon and Chazelle 2009, doi 10.1137/060673096. Recall is that of a uniformly random
    rotation, and 3,072 dimensions take 0.2 s and not 20.
    """
    odd_factor = dim // (dim & -dim)
    turn = _random_orthogonal(odd_factor, seed)
    while len(turn) < dim:
        turn = np.block([[turn, turn], [turn, -turn]]) / np.sqrt(2)
    flips = np.random.PCG64(seed).random_raw(dim) >> np.uint64(63)
    turn = np.where(flips == 1, -1.0, 1.0)[:, None] * turn
    matrix: NDArray[np.float32] = turn.astype(np.float32)
    matrix.flags.writeable = False
    return matrix


def _random_orthogonal(dim: int, seed: int) -> NDArray[np.float64]:
    random = np.random.Generator(np.random.PCG64(seed))
    q, r = np.linalg.qr(random.standard_normal((dim, dim)))
    return np.asarray(q * np.where(np.diag(r) < 0, -1.0, 1.0))


def reranked(k: int) -> int:
    """How many of the nearest codes are to be compared exactly for the `k` nearest vectors.

    Four for each, but 300 to 500 where that is enough: with 300, 500 and 1,000 codes .94, .97 and
    .99 of the ten nearest of 100,000 are among them, and 500 take 1.5 ms less than 1,000. Below
    .92 the ranking by words and vectors together was seen to suffer.
    Source: `python bench/embedding.py`, `python bench/store.py`.
    """
    least, most = _RERANKED
    return max(k, min(max(_RERANKED_EACH * k, least), most))


def encode(vectors: NDArray[np.float32], centre: NDArray[np.float32]) -> NDArray[np.uint8]:
    """The sign codes of the rows.

    `vectors` has shape (n, dim), `centre` has shape (dim,). Returns shape (n, width) where width
    is dim / 8 rounded up to a multiple of 8. Codes compare only where the centre is the same.
    """
    codes = np.empty((len(vectors), _width(len(centre))), dtype=np.uint8)
    for start in range(0, len(vectors), _BLOCK_ROWS):
        block = slice(start, start + _BLOCK_ROWS)
        codes[block] = _packed(_turned(vectors[block], centre) > 0)
    return codes


def encode_query(vector: NDArray[np.float32], centre: NDArray[np.float32]) -> QueryCode:
    """The code of one query; both arguments have shape (dim,)."""
    turned = _turned(vector[None], centre)[0]
    bits = np.arange(_MAGNITUDE_BITS)[:, None]
    planes = _magnitudes(turned) >> bits & 1
    words = _packed(np.vstack([turned > 0, planes > 0])).view(np.uint64)
    return QueryCode(signs=words[0], planes=words[1:])


def _magnitudes(turned: NDArray[np.float32]) -> NDArray[np.intp]:
    """How large each coordinate is, in odd numbers from 1 to 7."""
    step = _STEP * np.sqrt(np.mean(turned * turned))
    steps = np.divide(np.abs(turned), step, out=np.zeros_like(turned), where=step > 0)
    highest = 2 ** (_MAGNITUDE_BITS - 1) - 1
    levels: NDArray[np.intp] = np.minimum(steps, highest).astype(np.intp)
    return 2 * levels + 1


def nearest(
    codes: NDArray[np.uint8],
    query: QueryCode,
    *,
    k: int,
    mask: NDArray[np.bool_] | None = None,
) -> NDArray[np.intp]:
    """The rows nearest to the query, nearest first, ties by the smaller index.

    `codes` comes from `encode`, shape (n, width). `mask`, shape (n,), says which rows may be
    answered; None means all. Returns at most `k` indices.
    """
    allowed = len(codes) if mask is None else int(np.count_nonzero(mask))
    k = min(k, allowed)
    if k <= 0:
        return np.zeros(0, dtype=np.intp)
    if mask is not None and allowed < len(codes) // 2:
        rows = np.flatnonzero(mask)
        return rows[_lowest(_distances(codes[rows], query), k)]
    distances = _distances(codes, query)
    if mask is not None:
        distances[~mask] = np.iinfo(distances.dtype).max
    return _lowest(distances, k)


def _lowest(distances: NDArray[np.uint32], k: int) -> NDArray[np.intp]:
    """The places of the `k` smallest, smallest first, ties by the smaller index."""
    furthest = np.partition(distances, k - 1)[k - 1]
    candidates = np.flatnonzero(distances <= furthest)
    return candidates[np.argsort(distances[candidates], kind="stable")[:k]]


def _distances(codes: NDArray[np.uint8], query: QueryCode) -> NDArray[np.uint32]:
    """The sum of the query's magnitudes where the signs differ; shape (n,)."""
    words = np.ascontiguousarray(codes).view(np.uint64)
    distances = np.zeros(len(words), dtype=np.uint32)
    for start in range(0, len(words), _BLOCK_ROWS):
        block = slice(start, start + _BLOCK_ROWS)
        differing = np.bitwise_xor(words[block].T, query.signs[:, None], order="C")
        total = distances[block]
        for plane in query.planes[::-1]:
            total <<= 1
            for bits, magnitudes in zip(differing, plane, strict=True):
                total += np.bitwise_count(bits & magnitudes)
    return distances


def _turned(vectors: NDArray[np.float32], centre: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray((vectors - centre) @ rotation(len(centre)), dtype=np.float32)


def _packed(rows: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Eight bits a byte, every row filled up with zeros to a whole number of words."""
    packed = np.packbits(rows, axis=1)
    return np.pad(packed, ((0, 0), (0, _width(rows.shape[1]) - packed.shape[1])))


def _width(dim: int) -> int:
    """Bytes of a code."""
    return -(-dim // _WORD_BITS) * _WORD_BITS // 8
