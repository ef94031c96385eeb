"""The lexical index: which memories hold a term and how often, document frequencies, totals.

SQLite's own full-text search ranks every match one by one and knows nothing of scopes; why this
stands in its place, with the measurement: docs/adr/0001-a-lexical-index-of-our-own.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

import apsw
import numpy as np
from numpy.typing import NDArray

from ...terms import TermCounts
from .connection import fetch
from .rows import json_numbers

BLOCK: Final = 4096

K1: Final = 1.2
B: Final = 0.75
"""BM25's saturation and length normalisation. Source: the usual values; also SQLite's."""

_RECORD: Final[np.dtype[Any]] = np.dtype([("offset", "<u2"), ("count", "u1")])

_BLOCKS: Final = 2**24
"""Most blocks a term can have: 68 thousand million memories."""

_READ = "SELECT records FROM posting WHERE place = ?"

_APPEND = """
    INSERT INTO posting (place, records) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET records = CAST(records || excluded.records AS BLOB)
"""

_REPLACE = "UPDATE posting SET records = ?2 WHERE place = ?1"

_REMOVE = "DELETE FROM posting WHERE place = ?"

_OF_TERM = "SELECT place, records FROM posting WHERE place BETWEEN ? AND ? ORDER BY place"

_ADD_FREQUENCY = """
    INSERT INTO term (id, in_key, in_full) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET
        in_key = in_key + excluded.in_key,
        in_full = in_full + excluded.in_full
"""

_DROP_UNUSED = """
    DELETE FROM term
    WHERE id IN (SELECT value FROM json_each(?)) AND in_key <= 0 AND in_full <= 0
"""

_FREQUENCIES = """
    SELECT id, in_key, in_full FROM term
    WHERE id IN (SELECT value FROM json_each(?))
    ORDER BY id
"""

_ADD_TOTAL = "UPDATE total SET value = value + ?2 WHERE name = ?1"


def apply(
    connection: apsw.Connection,
    *,
    removed: Mapping[int, TermCounts],
    added: Mapping[int, TermCounts],
) -> None:
    """Take texts out of the index and put others in, by position of their memory."""
    _remove(connection, removed)
    connection.executemany(_APPEND, ((place, r.tobytes()) for place, r in _groups(added)))
    _count(connection, removed=removed, added=added)


def frequencies(connection: apsw.Connection, term_ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Map those terms that occur to how many memories have them in key and in full text."""
    rows = fetch(connection, _FREQUENCIES, (json_numbers(term_ids),))
    return {id: (in_key, in_full) for id, in_key, in_full in rows}


def totals(connection: apsw.Connection) -> dict[str, int]:
    """The totals of the store: sequence, memories, and the summed lengths of the two fields.

    Where a memory was removed, `removed` is the sequence of the last time.
    """
    return dict(fetch(connection, "SELECT name, value FROM total"))


def best(
    connection: apsw.Connection,
    weights: Mapping[int, float],
    *,
    lengths: NDArray[np.uint32],
    mean_length: float,
    allowed: NDArray[np.bool_],
    limit: int,
) -> NDArray[np.int64]:
    """The positions of the `limit` best memories by BM25 of the full text, best first.

    Args:
        weights: term id to inverse document frequency.
        lengths: tokens in the full text, by position.
        allowed: positions that may be returned.
    """
    scores = np.zeros(len(lengths), np.float32)
    saturation = K1 * (1 - B + B * lengths.astype(np.float32) / max(mean_length, 1.0))
    for term, positions, counts in _postings(connection, weights):
        inside = positions < len(scores)  # a block that another process began since
        positions, counts = positions[inside], counts[inside]
        gain = counts * (K1 + 1) / (counts + saturation[positions])
        scores[positions] += np.float32(weights[term]) * gain
    scores[~allowed] = 0
    return top(scores, np.flatnonzero(scores), limit=limit)


def top(
    scores: NDArray[np.float32], positions: NDArray[np.int64], *, limit: int
) -> NDArray[np.int64]:
    """Of `positions` the `limit` with the highest scores, best first, equal ones by position."""
    values = scores[positions]
    if len(positions) > limit:
        cut = np.partition(values, len(values) - limit)[len(values) - limit]
        kept = values >= cut
        positions, values = positions[kept], values[kept]
    order = np.lexsort((positions, -values))
    return positions[order][:limit]


def _postings(
    connection: apsw.Connection, terms: Mapping[int, float]
) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.float32]]]:
    """Term by term the positions and counts, joined over blocks."""
    for term in sorted(terms):
        first = term * _BLOCKS
        rows = fetch(connection, _OF_TERM, (first, first + _BLOCKS - 1))
        records = np.frombuffer(b"".join(blob for _, blob in rows), _RECORD)
        starts = np.array([(place - first) * BLOCK for place, _ in rows], np.int64)
        sizes = [len(blob) // _RECORD.itemsize for _, blob in rows]
        positions = np.repeat(starts, sizes) + records["offset"]
        yield term, positions, records["count"].astype(np.float32)


def _groups(texts: Mapping[int, TermCounts]) -> Iterator[tuple[int, NDArray[Any]]]:
    """The postings of some texts as (place, records), in order of the place."""
    if not texts:
        return
    terms = np.concatenate([t.ids[t.full > 0] for t in texts.values()]).astype(np.int64)
    counts = np.concatenate([t.full[t.full > 0] for t in texts.values()])
    sizes = [int(np.count_nonzero(t.full)) for t in texts.values()]
    positions = np.repeat(np.array(list(texts), np.int64), sizes)
    places = terms * _BLOCKS + positions // BLOCK
    order = np.lexsort((positions, places))
    places, records = places[order], np.empty(len(order), _RECORD)
    records["offset"], records["count"] = positions[order] % BLOCK, counts[order]
    bounds = [*np.flatnonzero(np.diff(places, prepend=-1)).tolist(), len(places)]
    for start, end in pairwise(bounds):
        yield int(places[start]), records[start:end]


def _remove(connection: apsw.Connection, texts: Mapping[int, TermCounts]) -> None:
    for place, gone in _groups(texts):
        ((stored,),) = fetch(connection, _READ, (place,))
        records = np.frombuffer(stored, _RECORD)
        kept = records[~np.isin(records["offset"], gone["offset"])]
        if len(kept):
            connection.execute(_REPLACE, (place, kept.tobytes()))
        else:
            connection.execute(_REMOVE, (place,))


def _count(
    connection: apsw.Connection,
    *,
    removed: Mapping[int, TermCounts],
    added: Mapping[int, TermCounts],
) -> None:
    """Bring document frequencies and totals up to date."""
    signed = [(t, 1) for t in added.values()] + [(t, -1) for t in removed.values()]
    if not signed:
        return
    ids = np.concatenate([t.ids for t, _ in signed])
    in_key = np.concatenate([(t.key > 0) * np.int64(sign) for t, sign in signed])
    in_full = np.concatenate([(t.full > 0) * np.int64(sign) for t, sign in signed])
    unique, place = np.unique(ids, return_inverse=True)
    key = np.bincount(place, weights=in_key, minlength=len(unique)).astype(np.int64)
    full = np.bincount(place, weights=in_full, minlength=len(unique)).astype(np.int64)
    moved = (key != 0) | (full != 0)
    rows = zip(unique[moved].tolist(), key[moved].tolist(), full[moved].tolist(), strict=True)
    connection.executemany(_ADD_FREQUENCY, rows)
    fewer = unique[(key < 0) | (full < 0)]
    if len(fewer):
        connection.execute(_DROP_UNUSED, (json_numbers(fewer),))
    changes = {
        "memories": sum(sign for _, sign in signed),
        "key_length": sum(sign * t.key_length for t, sign in signed),
        "full_length": sum(sign * t.full_length for t, sign in signed),
    }
    connection.executemany(_ADD_TOTAL, changes.items())
