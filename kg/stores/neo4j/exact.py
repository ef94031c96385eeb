"""Scores exactly what the full-text index returned.

The index ranks by BM25 with lengths rounded down, so that its scores are never too low: what it did
not return scores no better than the last it did.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...protocols import Candidate, CandidateQuery
from ...terms import TermCounts
from ..encoding import kept_text

K1: Final = 1.2
B: Final = 0.75
"""BM25's saturation and length normalisation; also those of the full-text index."""

_ROUNDING: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Entry:
    """A memory that was found, and its position, by which equal scores are ordered."""

    position: int
    candidate: Candidate


@dataclass(frozen=True, slots=True)
class Listed:
    """What the server found for one query, by ids as kept: terms with their document frequencies,
    memories with the scores of the index, and the nearest memories."""

    terms: Sequence[tuple[int, int]]
    lexical: Sequence[tuple[str, float]]
    nearest: Sequence[str]


@dataclass(frozen=True, slots=True)
class Best:
    """The best by exact BM25, and whether none that was not read could be among them."""

    ids: frozenset[str]
    complete: bool


def best(
    query: CandidateQuery,
    listed: Listed,
    entries: Mapping[str, Entry],
    *,
    totals: Mapping[str, Any],
    fetched: int,
) -> Best:
    """The best of what the full-text index returned; `fetched` were asked for."""
    if not listed.lexical:
        return Best(frozenset(), True)
    excluded = {kept_text(id) for id in query.exclude}
    ids = [id for id, _ in listed.lexical if id in entries and id not in excluded]
    found = [entries[id] for id in ids]
    scores = _bm25([e.candidate.terms for e in found], listed.terms, totals)
    positions = np.array([e.position for e in found])
    order = np.lexsort((positions, -scores))[: query.limit]
    first = frozenset(ids[n] for n in order.tolist())
    if len(listed.lexical) < fetched:
        return Best(first, True)
    bound = listed.lexical[-1][1] * (K1 + 1)
    enough = len(order) == query.limit and scores[order[-1]] >= bound * (1 + _ROUNDING)
    return Best(first, bool(enough))


def _bm25(
    texts: Sequence[TermCounts], terms: Sequence[tuple[int, int]], totals: Mapping[str, Any]
) -> NDArray[np.float32]:
    """Scores of the full texts, float32 of shape (len(texts),).

    Terms are added in the order of their ids: the store in a file does the same, and sums of
    float32 depend on the order.
    """
    memories = totals["memories"]
    mean = totals["full_length"] / memories if memories else 0.0
    wanted = np.array(sorted(id for id, _ in terms), np.uint32)
    frequency = dict(terms)
    counts = _counts(texts, wanted)
    lengths = np.array([t.full_length for t in texts], np.uint32)
    saturation = K1 * (1 - B + B * lengths.astype(np.float32) / max(mean, 1.0))
    scores = np.zeros(len(texts), np.float32)
    for column, id in enumerate(wanted.tolist()):
        held = frequency[id]
        weight = float(np.log1p((max(memories - held, 0) + 0.5) / (held + 0.5)))
        gain = counts[:, column] * (K1 + 1) / (counts[:, column] + saturation)
        scores += np.float32(weight) * gain
    return scores


def _counts(texts: Sequence[TermCounts], wanted: NDArray[np.uint32]) -> NDArray[np.float32]:
    """How often each wanted term occurs in each full text, shape (len(texts), len(wanted))."""
    result = np.zeros((len(texts), len(wanted)), np.float32)
    ids = np.concatenate([t.ids for t in texts])
    full = np.concatenate([t.full for t in texts])
    place = np.minimum(np.searchsorted(wanted, ids), len(wanted) - 1)
    hits = np.flatnonzero(wanted[place] == ids)
    row = np.repeat(np.arange(len(texts)), [len(t.ids) for t in texts])[hits]
    result[row, place[hits]] = full[hits]
    return result
