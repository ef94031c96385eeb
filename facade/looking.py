"""What a knowledge base holds: its nodes, their evidence, the graph in Cypher, counts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..kg.cypher import DEFAULT_LIMITS, CypherLimits, Rows
from ..kg.protocols import Counts, Embedder, GraphStore
from ..kg.types import Edge, Node, Scope, Step, Support, Trace
from .base import Base, as_scope, iso_time
from .feeding import LAST_INGEST

# Looking takes modules that an answer does not need; they are imported where used.
if TYPE_CHECKING:
    from ..queries.cypher import CypherDoor
    from ..queries.domain_map import DomainMap
    from ..queries.export import Exported
    from ..queries.handout import Lesson, Pack
    from ..queries.ladder import Ladder
    from ..queries.library import NamedQuery
    from ..queries.schema import Schema
    from ..queries.why import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A node with what stands around it; `edges` may be cut, `neighbours` are their other ends."""

    node: Node
    support: Support
    edges: tuple[Edge, ...]
    neighbours: Mapping[str, Node]
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Edges that are not given, counted by `TYPE>` (out of the node) and `TYPE<` (into it)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """What a knowledge base holds, and what the last ingest left out."""

    levels: Mapping[str, int]
    labels: Mapping[str, int]
    edges: Mapping[str, int]
    domains: Mapping[str, int]
    projects: Mapping[str, int]
    outcomes: Mapping[str, int]
    languages: Mapping[str, int]
    agents: Mapping[str, int]
    formats: Mapping[str, int]
    skipped: Mapping[str, int] = field(default_factory=dict)


class Looking(Base):
    """Reading only: a node, the graph, the whole in numbers."""

    def __init__(self, store: GraphStore, embedder: Embedder) -> None:
        super().__init__(store, embedder)
        self._door: CypherDoor | None = None

    def close(self) -> None:
        """Release the store."""
        if self._door is not None:
            self._door.close()
        super().close()

    def show(self, id: str, *, scope: Scope | str | None = None, most: int | None = None) -> Shown:
        """Return a node, what supports it and what it is linked to; the id may be shortened.

        `scope` is as for `search`. With `most` at most so many edges of each type and direction
        are given.

        Raises:
            UsageError: no node in scope, or several, have this id.
        """
        from ..queries.links import bounded

        readable = as_scope(scope)
        full_id = self.resolve(id, scope=readable)
        node = self.store.get([full_id])[full_id]
        links = bounded(self.store.edges([full_id], scope=readable), full_id, most=most)
        around = self.store.get(
            sorted({e.source for e in links.edges} | {e.target for e in links.edges}),
            scope=readable,
        )
        return Shown(
            node=node,
            support=self.store.support([full_id]).get(full_id, Support()),
            edges=links.edges,
            neighbours=around,
            left_out=links.left_out,
        )

    def nodes(self, ids: Sequence[str], *, scope: Scope | str | None = None) -> dict[str, Node]:
        """Return the nodes with these whole ids, in their order; those not in scope are absent."""
        return self.store.get(ids, scope=as_scope(scope))

    def steps(self, id: str, *, scope: Scope | str | None = None) -> list[Step]:
        """Return the steps of a run in the order they happened; the id may be short.

        Raises:
            UsageError: no node in scope, or several, have this id.
        """
        from ..queries.run_steps import steps_of_run

        readable = as_scope(scope)
        return steps_of_run(self.store, self.resolve(id, scope=readable), scope=readable)

    def ladder(self, found: Evidence, *, trace: str = "") -> Ladder:
        """Arrange what `why` found, and what stands above it, in layers with a walk through them.

        The walk ends at the run `trace` where that is among the evidence.
        """
        from ..queries.ladder import ladder

        return ladder(self.store, found, trace=trace)

    def domain_map(self) -> DomainMap:
        """Return which insights apply to which domains, and which domains share some."""
        from ..queries.domain_map import domain_map

        return domain_map(self.store)

    def why(self, id: str, *, scope: Scope | str | None = None) -> Evidence:
        """Return the way from a memory down to the steps that bear it out; the id may be short.

        `scope` is as for `search`.

        Raises:
            UsageError: no node in scope, or several, have this id.
        """
        from ..queries.why import evidence

        readable = as_scope(scope)
        return evidence(self.store, self.resolve(id, scope=readable), scope=readable)

    def cypher(
        self,
        statement: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        limits: CypherLimits = DEFAULT_LIMITS,
    ) -> Rows:
        """Run a Cypher statement that reads, or the named query of this name.

        Raises:
            UsageError: it does more than read, is wrong, or took more than the limits allow.
            StoreError: the store could not answer.
        """
        from ..queries.library import is_name, named_query

        if is_name(statement):
            query = named_query(statement)
            statement, parameters = query.statement, query.values(parameters or {})
        return self._cypher_door().run(statement, parameters, limits=limits)

    def named_queries(self) -> tuple[NamedQuery, ...]:
        """Return the named queries that `cypher` runs, by name."""
        from ..queries.library import named_queries

        return named_queries()

    def schema(self) -> Schema:
        """Return labels, relationships and properties with what they mean and their counts."""
        from ..queries.schema import describe

        return describe(self._cypher_door().run)

    def export(self, form: str, file: str | Path, *, scope: Scope | str | None = None) -> Exported:
        """Write the graph to a file as `graphml` or `cypher`, without vectors.

        Raises:
            StoreError: the store could not be read, or the file not be written.
        """
        from ..queries.export import export

        return export(self.store, form, Path(file), scope=as_scope(scope))

    def lessons(self, *, project: str = "", domain: str = "", least_tasks: int = 2) -> list[Lesson]:
        """Return the insights to hand out, a project's own first, then those of most tasks.

        They are shared ones that at least `least_tasks` tasks bear out, and with a `project` what
        is known of it alone. Words of tool output and of other people's packs are not handed out.
        """
        from ..queries.handout import lessons

        return lessons(self.store, project=project, domain=domain, least_tasks=least_tasks)

    def pack(self, lessons: Iterable[Lesson], *, licence: str, now: datetime | None = None) -> Pack:
        """Return shared lessons as a pack that others can import, under an SPDX licence."""
        from ..queries.handout import pack

        return pack(self.store, lessons, licence=licence, time=iso_time(now))

    def _cypher_door(self) -> CypherDoor:
        from ..queries.cypher import CypherDoor

        if self._door is None:
            self._door = CypherDoor(self.store)
        return self._door

    def stats(self) -> Stats:
        """Count what the knowledge base holds."""
        counts: Counts = self.store.counts()
        traces = [n for n in self.store.find("Trace") if isinstance(n, Trace)]
        kept = self.store.setting(LAST_INGEST)
        return Stats(
            levels=counts.levels,
            labels=counts.labels,
            edges=counts.edges,
            domains=_tally(d for t in traces for d in t.domains),
            projects=_tally(t.project for t in traces),
            outcomes=_tally(t.outcome for t in traces),
            languages=_tally(x for t in traces for x in t.languages),
            agents=_tally(t.agent for t in traces),
            formats=_tally(t.format for t in traces),
            skipped=json.loads(kept) if kept else {},
        )


def _tally(values: Iterable[str]) -> dict[str, int]:
    """Counts of the values that are not empty, the most frequent first, ties by name."""
    counted = Counter(v for v in values if v)
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))
