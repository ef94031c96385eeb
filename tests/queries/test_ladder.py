"""The ladder around a memory: layers, edges between them, and the walk."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stepladder import KnowledgeBase
from stepladder.kg.types import Batch, Edge, Insight, Node, Step, Summary, Trace, Workflow
from stepladder.queries.ladder import Ladder, Layer

NOW = "2026-01-01T00:00:00Z"
TOP = Insight(id="insight-top", created=NOW, title="Top", level=4, origin="merge")
LEFT = Insight(id="insight-left", created=NOW, title="Left")
RIGHT = Insight(id="insight-right", created=NOW, title="Right")
SUMMARIES = tuple(Summary(id=f"summary-{i}", created=NOW, title=f"Sum {i}") for i in range(6))
FLOW = Workflow(id="workflow-0", created=NOW, title="Flow")
TRACES = tuple(Trace(id=f"trace-{i}", created=NOW, title=f"Run {i}") for i in range(6))
STEP = Step(id="step-1", created=NOW, index=1, phase="test", tool="bash", command="make")


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[KnowledgeBase]:
    edges = (
        up(LEFT, TOP),
        up(RIGHT, TOP),
        *(up(s, LEFT) for s in SUMMARIES),
        *(up(t, s) for t, s in zip(TRACES, SUMMARIES, strict=True)),
        up(TRACES[5], FLOW),
        up(FLOW, LEFT),
        Edge(source=LEFT.id, type="CITES", target=STEP.id, quote="it broke"),
        Edge(source=STEP.id, type="PART_OF", target=TRACES[2].id),
    )
    nodes: tuple[Node, ...] = (TOP, LEFT, RIGHT, *SUMMARIES, FLOW, *TRACES, STEP)
    with KnowledgeBase.open(tmp_path / "memory.db") as opened:
        opened.store.write(Batch(nodes=nodes, edges=edges))
        yield opened


def up(lower: Node, upper: Node) -> Edge:
    return Edge(source=lower.id, type="GENERALIZES_TO", target=upper.id)


def of(kb: KnowledgeBase, id: str, *, trace: str = "") -> Ladder:
    return kb.ladder(kb.why(id), trace=trace)


def test_the_walk_leads_from_the_top_to_the_run_whose_steps_are_cited(kb: KnowledgeBase) -> None:
    found = of(kb, LEFT.id)
    assert found.walk == (TOP.id, LEFT.id, "summary-2", "trace-2")
    assert found.steps == (STEP,)
    assert [(x.level, x.left_out) for x in found.layers] == [(4, 0), (3, 0), (2, 2), (1, 0), (0, 2)]
    assert found.layers[1] == Layer(level=3, memories=(LEFT,))
    assert found.layers[2].memories[0].id == "summary-2"
    shown = {m.id for layer in found.layers for m in layer.memories}
    assert {id for edge in found.edges for id in edge} <= shown
    assert (LEFT.id, TOP.id) in found.edges


def test_the_walk_ends_at_the_run_that_is_asked_for(kb: KnowledgeBase) -> None:
    found = of(kb, LEFT.id, trace="trace-0")
    assert found.walk == (TOP.id, LEFT.id, "summary-0", "trace-0")
    assert found.steps == ()


def test_a_run_has_only_what_stands_above_it(kb: KnowledgeBase) -> None:
    found = of(kb, "trace-5")
    assert found.walk == (TOP.id, LEFT.id, "summary-5", "trace-5")
    assert [[m.id for m in x.memories] for x in found.layers] == [
        [TOP.id],
        [LEFT.id],
        ["summary-5"],
        [FLOW.id],
        ["trace-5"],
    ]


def test_insights_of_one_level_stand_in_layers_where_one_is_broader(kb: KnowledgeBase) -> None:
    kb.store.write(Batch(edges=(up(LEFT, RIGHT),)))
    found = of(kb, LEFT.id)
    levels = [(x.level, [m.id for m in x.memories]) for x in found.layers[:3]]
    assert levels == [(4, [TOP.id]), (3, [RIGHT.id]), (3, [LEFT.id])]


def test_without_a_run_the_walk_leads_as_far_down_as_there_is_something(kb: KnowledgeBase) -> None:
    below = Insight(id="insight-below", created=NOW, title="Below")
    kb.store.write(Batch(nodes=(below,), edges=(up(below, RIGHT),)))
    assert of(kb, RIGHT.id).walk == (TOP.id, RIGHT.id, below.id)


def test_a_circle_ends(kb: KnowledgeBase) -> None:
    kb.store.write(Batch(edges=(up(LEFT, RIGHT), up(RIGHT, LEFT), up(TOP, LEFT))))
    found = of(kb, LEFT.id)
    assert LEFT.id in found.walk
    assert len(found.walk) == len(set(found.walk))
