"""The graph itself at the door: its schema and counts as resources, and Cypher."""

import json
from typing import Any, Final

from mcp.server.mcpserver import MCPServer

from ..kb import KnowledgeBase
from ..kg.types import KINDS
from .place import Place

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
    """Add the resources that say what the graph holds."""

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
