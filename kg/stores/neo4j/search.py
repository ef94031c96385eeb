"""Finds candidates: the best memories by BM25 and the nearest by cosine, filtered inside both.

The full-text index ranks by BM25 with lengths rounded down, so that its scores are never too low:
what it did not return scores no better than the last it did. The memories it returns are scored
exactly, in the order and precision of the store in a file, so that both find the same ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ... import codes
from ...errors import EmbeddingError
from ...protocols import MOST_CHILDREN, Candidate, CandidateQuery, TermStatistics
from ...terms import term_id
from ...types import Scope, Vector
from ..encoding import kept_text
from .catalogue import CatalogueCache
from .exact import Entry, Listed, best
from .index import level_word
from .server import Row, Server
from .values import digest, scope_list, to_candidate

_MIN_POSTINGS: Final = 2000
_MAX_POSTINGS: Final = 20_000
_POSTINGS_SHARE: Final = 0.1
"""Terms are looked up, in order, while their document frequencies sum to at most a tenth of the
memories, within these bounds; as in the store in a file."""

_SPARE: Final = 1.5
"""So many times the wanted number is read from the full-text index at first. Source:
`bench/stores.py`."""
_MORE: Final = 4
_HIGHEST_LEVEL: Final = 99_999
_TRIES: Final = 3


Above = Mapping[str, tuple[str, Sequence[str], Sequence[Mapping[str, Any]] | None]]
"""By id the scope, the ids right above, and what the edges to these carry where they carry any."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """What the server said of the graph around what was found, by ids as kept.

    `above` has the scope of everything found and above it, the ids right above and what those
    edges carry; `down` a way down from each found memory within a scope, `support` what stands
    behind it.
    """

    above: Above
    down: Mapping[str, Sequence[str | None]]
    within: Scope
    support: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Found:
    """The candidates of each query, and what is around them where it was asked for."""

    lists: list[list[Candidate]]
    ahead: Ahead | None


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the server returned, by the columns of the statement `candidates`."""

    totals: Mapping[str, Any]
    blocks: Sequence[Row]
    settings: Sequence[tuple[str, str]]
    lists: Sequence[Row]
    memories: Sequence[Row]
    above: Sequence[Row]
    down: Sequence[Sequence[str]]


def statistics(server: Server, term_ids: Sequence[int], *, cache: CatalogueCache) -> TermStatistics:
    """The lexical statistics of the store for these terms."""
    ids = [int(id) for id in term_ids]
    ((totals, traces, terms, blocks, settings),) = server.read(
        "statistics", ids=ids, since=cache.since
    )
    cache.update(totals, blocks, settings)
    memories = totals["memories"]
    return TermStatistics(
        memories=memories,
        traces=traces,
        mean_key_length=totals["key_length"] / memories if memories else 0.0,
        mean_full_length=totals["full_length"] / memories if memories else 0.0,
        document_frequency={id: (key, full) for id, key, full in sorted(terms)},
    )


def candidates(
    server: Server,
    queries: Sequence[CandidateQuery],
    *,
    cache: CatalogueCache,
    ahead: bool = False,
) -> Found:
    """Of each query the union of the two lists, ordered by id; with `ahead` what is around.

    The server is asked with the catalogue that is known. Where others wrote since, it says so and
    is asked again; after a call of `statistics` that is seldom.

    Raises:
        EmbeddingError: a query's vector has another length than the store's.
    """
    asked = [n for n, query in enumerate(queries) if query.limit > 0]
    if not asked:
        return Found([[] for _ in queries], None)
    wanted = [queries[n] for n in asked]
    fetched = [int(q.limit * _SPARE) + len(q.exclude) for q in wanted]
    for _ in range(_TRIES):
        vectors = [_checked(query, server, cache) for query in wanted]
        known = cache.sequence
        rows = [_asked(*each, cache=cache) for each in zip(wanted, vectors, fetched, strict=True)]
        answer = _ask(server, rows, cache=cache, scope=wanted[0].scope, ahead=ahead)
        cache.update(answer.totals, answer.blocks, answer.settings)
        entries = {row[1]: Entry(row[0], to_candidate(row[1:-1])) for row in answer.memories}
        lists = [Listed(*row) for row in answer.lists]
        scored = [
            best(query, listed, entries, totals=answer.totals, fetched=n)
            for query, listed, n in zip(wanted, lists, fetched, strict=True)
        ]
        current = cache.sequence == known or all(v is None for v in vectors)
        if current and all(s.complete for s in scored):
            break
        fetched = [n if s.complete else n * _MORE for n, s in zip(fetched, scored, strict=True)]
    found: list[list[Candidate]] = [[] for _ in queries]
    for n, query, listed, first in zip(asked, wanted, lists, scored, strict=True):
        found[n] = _chosen(query, entries, first.ids.union(listed.nearest))
    return Found(found, _ahead(answer, wanted[0].scope) if ahead else None)


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


def _asked(
    query: CandidateQuery, vector: Vector | None, fetched: int, *, cache: CatalogueCache
) -> dict[str, Any]:
    """A query as the statement takes it."""
    positions: list[int] = []
    if vector is not None:
        near = cache.known().nearest(
            vector,
            k=codes.reranked(query.limit) + len(query.exclude),
            levels=(query.min_level, query.max_level),
            scope=query.scope,
        )
        positions = near.tolist()
    return {
        "terms": list(dict.fromkeys(term_id(t) for t in query.terms)),
        "fetched": fetched,
        "filter": _filter(query),
        "positions": positions,
        "vector": None if vector is None else vector.tolist(),
        "reranked": codes.reranked(query.limit),
        "exclude": [kept_text(id) for id in query.exclude],
        "limit": query.limit,
    }


def _ask(
    server: Server,
    queries: Sequence[Mapping[str, Any]],
    *,
    cache: CatalogueCache,
    scope: Scope,
    ahead: bool,
) -> _Answer:
    (row,) = server.read(
        "candidates",
        queries=queries,
        share=_POSTINGS_SHARE,
        least=_MIN_POSTINGS,
        most=_MAX_POSTINGS,
        since=cache.since,
        ahead=ahead,
        scopes=scope_list(scope),
        children=MOST_CHILDREN,
    )
    return _Answer(*row)


def to_above(rows: Sequence[Row]) -> Above:
    """What the statement `all_above` returned, by id."""
    return {id: (scope, ids, properties) for id, scope, ids, properties in rows}


def _ahead(answer: _Answer, within: Scope) -> Ahead:
    return Ahead(
        above=to_above(answer.above),
        down={
            **{row[1]: (row[1], None) for row in answer.memories if row[2] == 0},
            **{way[0]: way for way in answer.down},
        },
        within=within,
        support={row[1]: row[-1] for row in answer.memories},
    )


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


def _chosen(
    query: CandidateQuery, entries: Mapping[str, Entry], ids: frozenset[str]
) -> list[Candidate]:
    found = (entries[id].candidate for id in ids if id in entries)
    allowed = [
        c
        for c in found
        if query.scope.allows(c.scope)
        and query.min_level <= c.level <= query.max_level
        and c.id not in query.exclude
    ]
    return sorted(allowed, key=lambda c: c.id)
