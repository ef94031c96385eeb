"""The graph itself at the door: its schema and counts as resources, and Cypher."""

import json
from collections.abc import Generator
from typing import Annotated, Any, Final, cast

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from ..facade import KnowledgeBase
from ..kg.cypher import CypherLimits
from ..kg.ids import content_id
from ..kg.marks import mark
from ..kg.protocols import GraphStore
from ..kg.types import KINDS, Edge, Node, Scope
from ..queries.cypher import CypherDoor
from .mcp_reply import reply, told
from .mcp_types import Budget, Rows
from .node_text import within_lines
from .place import Place

CYPHER_TOKENS: Final = 4_000
_LIMITS: Final = CypherLimits(rows=200, timeout_s=10.0, size_bytes=100_000)

SCHEMA: Final = f"""\
All abstraction points upward. Ids begin with the label in lower case.

(:Step)-[:PART_OF]->(:Trace)-[:ATTEMPTS]->(:Task)-[:IN_DOMAIN]->(:Domain)   (:Step)-[:NEXT]->(:Step)
(:Trace)-[:GENERALIZES_TO]->(:Workflow)-[:GENERALIZES_TO]->(:Insight)
(:Trace)-[:GENERALIZES_TO]->(:Summary)-[:GENERALIZES_TO]->(:Insight)
(:Insight)-[:GENERALIZES_TO]->(:Insight)                      a merged or more general insight
(:Workflow|Summary|Insight)-[:CITES {{quote}}]->(:Step)         the evidence
(:Insight)-[:SIMILAR_TO {{score}}]->(:Insight)  (:Insight)-[:CONTRADICTS|KEEP_APART]->(:Insight)
(:Insight)-[:APPLIES_TO]->(:Domain)  (:Step)-[:USES]->(:Tool)  (:Step)-[:RAISES]->(:Error)
(:Trace)-[:IN_PROJECT]->(:Project)  (:Trace)-[:CONTINUES]->(:Trace)
(:Retrieval)-[:SHOWED|WITHHELD {{rank}}]->(:Workflow|Summary|Insight)  (:Retrieval)-[:USED]->(...)
(:Retrieval)-[:IN_TRACE]->(:Trace)                            the run that saw the answer

Memories (Trace, Workflow, Summary, Insight): level, title, description, content, project, domains,
languages, tools, polarity (do, avoid), origin, untrusted.
Trace: agent, models, steps, outcome (success, failure, unknown), outcome_source, started, ended.
Step: index, phase, tool, command, program, exit_code, failure, verdict, error_class, observation.
Insight: kind, applies_when, not_when, card. Kinds: {"; ".join(KINDS)}.
Every node: id, created, scope (shared, a project, or unassigned).
"""


def add_graph(server: MCPServer[Any], kb: KnowledgeBase, place: Place) -> None:
    """Add Cypher over what may be read in the place, and resources that say what that is."""
    door = CypherDoor(cast(GraphStore, _Readable(kb.store, place.scope)))

    @server.tool(
        title="Query the graph in Cypher",
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )
    @told
    def cypher(
        statement: Annotated[
            str,
            Field(
                description="One Cypher statement that only reads, with a LIMIT. Values as $names.",
                max_length=5_000,
            ),
        ],
        parameters: Annotated[
            dict[str, Any] | None, Field(description="The values of the $names.")
        ] = None,
        budget_tokens: Budget = CYPHER_TOKENS,
    ) -> Annotated[CallToolResult, Rows]:
        """Ask the graph of runs, steps, errors and insights a question in read-only Cypher.

        The resource stepladder://schema says what is in it. Use it for questions that `recall`
        cannot answer, such as which errors occur most or which steps preceded one.
        """
        found = door.run(statement, parameters, limits=_LIMITS)
        lines = [json.dumps(row, ensure_ascii=False) for row in found.rows]
        text = within_lines(
            [", ".join(found.columns), *lines],
            mark=mark(content_id("rows", statement)),
            budget_tokens=budget_tokens,
        )
        value = Rows(
            columns=list(found.columns),
            rows=len(found.rows),
            truncated=found.truncated,
            text=text,
        )
        return reply(value, text)

    @server.resource(
        "stepladder://schema",
        title="Schema of the graph",
        description="Labels, relationships and properties, for writing Cypher.",
        mime_type="text/plain",
    )
    def schema() -> str:
        return SCHEMA

    @server.resource(
        "stepladder://statistics",
        title="What the memory holds",
        description="Counts of nodes, levels and relationships that may be read here.",
        mime_type="application/json",
    )
    def statistics() -> str:
        counts = kb.store.counts(scope=place.scope)
        value = {
            "project": place.project,
            "levels": dict(counts.levels),
            "labels": dict(counts.labels),
            "edges": dict(counts.edges),
        }
        return json.dumps(value, indent=2, sort_keys=True)


class _Readable:
    """What a view of the graph is built from: the part of a store that is in scope.

    A store that answers Cypher itself knows no scopes, so that it is not asked.
    """

    def __init__(self, store: GraphStore, scope: Scope) -> None:
        self._store = store
        self._scope = scope

    def sequence(self) -> int:
        """As the store's."""
        return self._store.sequence()

    def export(self, *, scope: Scope | None = None) -> Generator[Node | Edge, None, None]:
        """Every node and edge in scope."""
        yield from self._store.export(scope=self._scope)
