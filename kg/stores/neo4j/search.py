"""Finds candidates: the best memories by BM25 and the nearest by cosine, filtered inside both.

The full-text index ranks by BM25 with lengths rounded down, so that its scores are never too low:
what it did not return scores no better than the last it did. The memories it returns are scored
exactly, in the order and precision of the store in a file, so that both find the same ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ... import codes
from ...errors import EmbeddingError
from ...protocols import Candidate, CandidateQuery, TermStatistics
from ...terms import TermCounts, term_id
from ...types import Scope, Vector
from ..encoding import kept_text, to_terms
from .catalogue import CatalogueCache
from .index import level_word
from .server import Row, Server
from .values import digest, scope_list, to_candidate

_MIN_POSTINGS: Final = 2000
_MAX_POSTINGS: Final = 20_000
_POSTINGS_SHARE: Final = 0.1
"""Terms are looked up, in order, while their document frequencies sum to at most a tenth of the
memories, within these bounds; as in the store in a file."""

K1: Final = 1.2
B: Final = 0.75
"""BM25's saturation and length normalisation; also those of the full-text index."""

_SPARE: Final = 1.5
"""So many times the wanted number is read from the full-text index at first. Source:
`bench/stores.py`."""
_MORE: Final = 4
_ROUNDING: Final = 1e-4
_HIGHEST_LEVEL: Final = 99_999
_TRIES: Final = 3

_POSITION, _ID = 0, 1
_TERMS, _KEY_LENGTH, _FULL_LENGTH = 6, 7, 8
"""Places of columns in a row of `memories`."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the server returned, by the columns of the statement `candidates`."""

    totals: Mapping[str, Any]
    blocks: Sequence[Row]
    terms: Sequence[tuple[int, int]]
    lexical: Sequence[tuple[str, float]]
    nearest: Sequence[str]
    memories: Sequence[Row]


@dataclass(frozen=True, slots=True)
class _Scored:
    """The best by exact BM25, and whether none that was not read could be among them."""

    ids: frozenset[str]
    complete: bool


def statistics(server: Server, term_ids: Sequence[int], *, cache: CatalogueCache) -> TermStatistics:
    """The lexical statistics of the store for these terms."""
    ids = [int(id) for id in term_ids]
    ((totals, terms, blocks),) = server.read("statistics", ids=ids, since=cache.since)
    cache.update(totals, blocks)
    memories = totals["memories"]
    return TermStatistics(
        memories=memories,
        mean_key_length=totals["key_length"] / memories if memories else 0.0,
        mean_full_length=totals["full_length"] / memories if memories else 0.0,
        document_frequency={id: (key, full) for id, key, full in sorted(terms)},
    )


def candidates(server: Server, query: CandidateQuery, *, cache: CatalogueCache) -> list[Candidate]:
    """The union of the two lists, ordered by id.

    The server is asked with the catalogue that is known. Where others wrote since, it says so and
    is asked again; after a call of `statistics` that is seldom.

    Raises:
        EmbeddingError: the query's vector has another length than the store's.
    """
    if query.limit <= 0:
        return []
    fetched = int(query.limit * _SPARE) + len(query.exclude)
    for _ in range(_TRIES):
        vector = _checked(query, server, cache)
        known = cache.sequence
        answer = _ask(server, query, vector, fetched=fetched, cache=cache)
        cache.update(answer.totals, answer.blocks)
        scored = _best(query, answer, fetched=fetched)
        current = vector is None or cache.sequence == known
        if scored.complete and current:
            break
        if not scored.complete:
            fetched *= _MORE
    return _chosen(query, answer, scored.ids | set(answer.nearest))


def _checked(query: CandidateQuery, server: Server, cache: CatalogueCache) -> Vector | None:
    """The query's vector where it points anywhere."""
    if query.vector is None:
        return None
    wanted = np.ascontiguousarray(query.vector, dtype=np.float32)
    if cache.sequence < 0:
        statistics(server, (), cache=cache)
    dim = cache.known().geometry.dim
    if wanted.shape != (dim,):
        raise EmbeddingError(
            f"A query of shape {wanted.shape} came to a store of vectors of {dim} numbers.",
            hint="Use the embedder the store was made with, or embed the store again: "
            "stepladder reembed",
        )
    return wanted if wanted.any() else None


def _ask(
    server: Server,
    query: CandidateQuery,
    vector: Vector | None,
    *,
    fetched: int,
    cache: CatalogueCache,
) -> _Answer:
    positions: list[int] = []
    if vector is not None:
        found = cache.known().nearest(
            vector,
            k=codes.reranked(query.limit) + len(query.exclude),
            levels=(query.min_level, query.max_level),
            scope=query.scope,
        )
        positions = found.tolist()
    (row,) = server.read(
        "candidates",
        terms=list(dict.fromkeys(term_id(t) for t in query.terms)),
        share=_POSTINGS_SHARE,
        least=_MIN_POSTINGS,
        most=_MAX_POSTINGS,
        fetched=fetched,
        filter=_filter(query),
        positions=positions,
        vector=None if vector is None else vector.tolist(),
        reranked=codes.reranked(query.limit),
        exclude=[kept_text(id) for id in query.exclude],
        limit=query.limit,
        since=cache.since,
    )
    return _Answer(*row)


def _filter(query: CandidateQuery) -> str:
    """Scope and levels in the language of the full-text index; they add nothing to scores."""
    parts = []
    scopes = scope_list(query.scope)
    if scopes is not None:
        parts.append(f" +scope:({' '.join(map(digest, scopes))})^0")
    if query.min_level > 0 or query.max_level < _HIGHEST_LEVEL:
        lowest, highest = level_word(query.min_level), level_word(query.max_level)
        parts.append(f" +level:[{lowest} TO {highest}]^0")
    return "".join(parts)


def _best(query: CandidateQuery, answer: _Answer, *, fetched: int) -> _Scored:
    """The best of what the full-text index returned, by exact BM25."""
    if not answer.lexical:
        return _Scored(frozenset(), True)
    entries = {row[_ID]: row for row in answer.memories}
    excluded = {kept_text(id) for id in query.exclude}
    ids = [id for id, _ in answer.lexical if id in entries and id not in excluded]
    rows = [entries[id] for id in ids]
    scores = _bm25(rows, answer.terms, answer.totals)
    positions = np.array([row[_POSITION] for row in rows])
    order = np.lexsort((positions, -scores))[: query.limit]
    best = frozenset(ids[n] for n in order.tolist())
    if len(answer.lexical) < fetched:
        return _Scored(best, True)
    bound = answer.lexical[-1][1] * (K1 + 1)
    enough = len(order) == query.limit and scores[order[-1]] >= bound * (1 + _ROUNDING)
    return _Scored(best, bool(enough))


def _bm25(
    rows: Sequence[Row], terms: Sequence[tuple[int, int]], totals: Mapping[str, Any]
) -> NDArray[np.float32]:
    """Scores of the full texts, float32 of shape (len(rows),).

    Terms are added in the order of their ids: the store in a file does the same, and sums of
    float32 depend on the order.
    """
    memories = totals["memories"]
    mean = totals["full_length"] / memories if memories else 0.0
    wanted = np.array(sorted(id for id, _ in terms), np.uint32)
    frequency = dict(terms)
    counts = _counts(rows, wanted)
    lengths = np.array([row[_FULL_LENGTH] for row in rows], np.uint32)
    saturation = K1 * (1 - B + B * lengths.astype(np.float32) / max(mean, 1.0))
    scores = np.zeros(len(rows), np.float32)
    for column, id in enumerate(wanted.tolist()):
        held = frequency[id]
        weight = float(np.log1p((max(memories - held, 0) + 0.5) / (held + 0.5)))
        gain = counts[:, column] * (K1 + 1) / (counts[:, column] + saturation)
        scores += np.float32(weight) * gain
    return scores


def _counts(rows: Sequence[Row], wanted: NDArray[np.uint32]) -> NDArray[np.float32]:
    """How often each wanted term occurs in each full text, shape (len(rows), len(wanted))."""
    result = np.zeros((len(rows), len(wanted)), np.float32)
    texts = [_terms(row) for row in rows]
    ids = np.concatenate([t.ids for t in texts])
    full = np.concatenate([t.full for t in texts])
    place = np.minimum(np.searchsorted(wanted, ids), len(wanted) - 1)
    hits = np.flatnonzero(wanted[place] == ids)
    row = np.repeat(np.arange(len(rows)), [len(t.ids) for t in texts])[hits]
    result[row, place[hits]] = full[hits]
    return result


def _terms(row: Row) -> TermCounts:
    return to_terms(row[_TERMS], key_length=row[_KEY_LENGTH], full_length=row[_FULL_LENGTH])


def _chosen(
    query: CandidateQuery, answer: _Answer, ids: frozenset[str] | set[str]
) -> list[Candidate]:
    found = (to_candidate(row[1:]) for row in answer.memories if row[_ID] in ids)
    scope: Scope = query.scope
    allowed = [
        c
        for c in found
        if scope.allows(c.scope)
        and query.min_level <= c.level <= query.max_level
        and c.id not in query.exclude
    ]
    return sorted(allowed, key=lambda c: c.id)
