"""The store as one answer reads it: what was brought along is not asked for again.

An answer asks for statistics, then for candidates, then for what stands above them. The second
question brings the graph around the candidates as well, so that ways up and down, what stands
behind a memory and the store's settings need no question of their own.
"""

from collections.abc import Sequence
from itertools import repeat
from typing import Any, Final

from ...protocols import Candidate, CandidateQuery, Citing, TermStatistics
from ...types import EVERYTHING, Edge, Scope, Support
from ..encoding import kept_text, original_text
from . import read, search
from .catalogue import CatalogueCache
from .search import Ahead
from .server import Server
from .store import Neo4jStore
from .values import scope_list, to_edge, to_support

_NOTHING: Final = Ahead(above={}, down={}, within=EVERYTHING, support={})


class Reading(Neo4jStore):
    """One answer's view of a store."""

    def __init__(self, server: Server, cache: CatalogueCache) -> None:
        super().__init__(server, cache)
        self._knows_settings = False
        self._ahead = _NOTHING
        self._support: dict[str, Support] = {}
        self._down: dict[str, Sequence[str | None]] = {}
        self._above: dict[str, Any] = {}

    def statistics(self, term_ids: Sequence[int]) -> TermStatistics:
        """Return the lexical statistics of the store for these terms."""
        found = super().statistics(term_ids)
        self._knows_settings = True
        return found

    def setting(self, name: str) -> str | None:
        """Return a value kept with the store."""
        if not self._knows_settings:
            return super().setting(name)
        kept = self._cache.settings().get(kept_text(name))
        return None if kept is None else original_text(kept)

    def candidates(self, *queries: CandidateQuery) -> list[list[Candidate]]:
        """Return of each query the union of the lexical and the nearest memories, ordered by id.

        Ways down are looked for in the scope of the first query.

        Raises:
            EmbeddingError: the query's vector has another length than the store's.
        """
        found = search.candidates(self._server, queries, cache=self._cache, ahead=True)
        if found.ahead is not None:
            self._ahead = found.ahead
            self._down = dict(found.ahead.down)
            self._above = dict(found.ahead.above)
        return found.lists

    def ancestry(self, ids: Sequence[str], *, scope: Scope = EVERYTHING) -> list[Edge]:
        """Return every GENERALIZES_TO edge on a path upward from these nodes."""
        start = [kept_text(id) for id in ids]
        above = self._above
        if any(id not in above for id in start):
            return super().ancestry(ids, scope=scope)
        scopes = scope_list(scope)
        readable = {id for id, (kept, *_) in above.items() if scopes is None or kept in scopes}
        reached = readable.intersection(start)
        waiting = list(reached)
        found: list[Edge] = []
        while waiting:
            source = waiting.pop()
            _, targets, carried = above[source]
            for target, properties in zip(targets, carried or repeat({}), strict=False):
                if target in readable:
                    found.append(to_edge(source, "GENERALIZES_TO", target, properties))
            new = readable.intersection(targets) - reached
            reached |= new
            waiting += new
        return sorted(found, key=lambda e: (e.source, e.target))

    def descents(self, ids: Sequence[str], *, scope: Scope = EVERYTHING) -> dict[str, list[str]]:
        """Return a path down GENERALIZES_TO edges from each of these nodes, the node first."""
        known = self._down if scope == self._ahead.within else {}
        paths: dict[str, list[str]] = {}
        ended: set[str] = set()
        for id in ids:
            way = known.get(kept_text(id), (kept_text(id),))
            paths[id] = [original_text(step) for step in way if step is not None]
            if None in way:
                ended.add(id)
        unfinished = {id: path for id, path in paths.items() if id not in ended}
        return paths | read.descents(self._server, unfinished, scope=scope)

    def features(self, ids: Sequence[str], *, scope: Scope = EVERYTHING) -> list[Candidate]:
        """Return memories with their terms and vectors, in the order of `ids`."""
        found = read.features(self._server, ids, scope=scope, within=self._ahead.within)
        self._support |= found.support
        self._down |= found.down
        return list(found.candidates.values())

    def citing(
        self, error_class: str, signature: str, *, scope: Scope = EVERYTHING
    ) -> list[Citing]:
        """Return the memories that cite steps which raise an error of a class, ordered by id."""
        found, features, above = read.citing(
            self._server, error_class, signature, scope=scope, within=self._ahead.within
        )
        self._support |= features.support
        self._down |= features.down
        self._above |= search.to_above(above)
        return found

    def support(self, ids: Sequence[str]) -> dict[str, Support]:
        """Count the distinct traces below each memory, by what they were."""
        kept = {id: kept_text(id) for id in ids}
        brought = self._ahead.support
        here = {id: to_support(brought[k]) for id, k in kept.items() if k in brought}
        known = self._support | here
        found = known | super().support([id for id in ids if id not in known])
        return {id: found[id] for id in ids if id in found}
