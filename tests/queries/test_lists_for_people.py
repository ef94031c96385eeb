"""What is listed for people: answers given, the map of domains, steps of a run, bounded links."""

from pathlib import Path

from stepladder import KnowledgeBase
from stepladder.kg.types import Batch, Domain, Edge, Insight, Retrieval, Step, Trace
from stepladder.queries.domain_map import DomainPair
from stepladder.queries.links import Links, bounded
from stepladder.queries.retrieval_log import AnswerGiven, RetrievalLog

NOW = "2026-01-01T00:00:00Z"


def retrieval(number: int, *, hour: int, **changes: object) -> Retrieval:
    values = {
        "id": f"r-{number}",
        "created": f"2026-01-01T{hour:02}:00:00Z",
        "query": "task",
        "abstained": False,
        "confidence": 5.0,
        "floor": 4.0,
        **changes,
    }
    return Retrieval(**values)  # type: ignore[arg-type]


def test_answers_given_are_listed_newest_first_with_what_became_of_them(tmp_path: Path) -> None:
    first = retrieval(1, hour=1)
    second = retrieval(2, hour=2, outcome="success", outcome_source="human")
    third = retrieval(3, hour=2, abstained=True)
    run = Trace(id="trace-1", created=NOW, title="Run", outcome="failure")
    insights = [Insight(id=f"insight-{n}", created=NOW, title=n) for n in "abc"]
    edges = (
        Edge(source="r-1", type="SHOWED", target="insight-b", rank=1),
        Edge(source="r-1", type="SHOWED", target="insight-a", rank=2),
        Edge(source="r-1", type="USED", target="insight-a"),
        Edge(source="r-1", type="WITHHELD", target="insight-c", rank=3),
        Edge(source="r-1", type="IN_TRACE", target="trace-1"),
    )
    with KnowledgeBase.open(tmp_path / "memory.db") as kb:
        kb.store.write(Batch(nodes=(first, second, third, run, *insights), edges=edges))
        assert kb.retrievals(limit=2) == RetrievalLog(
            answers=(
                AnswerGiven(retrieval=second, outcome="success"),
                AnswerGiven(retrieval=third),
            ),
            total=3,
        )
        assert kb.retrievals(limit=2, offset=2).answers == (
            AnswerGiven(
                retrieval=first,
                shown=("insight-b", "insight-a"),
                used=("insight-a",),
                withheld=("insight-c",),
                runs=("trace-1",),
                outcome="failure",
            ),
        )


def test_the_map_counts_what_domains_share(tmp_path: Path) -> None:
    names = {"a": (1, 2, 3), "b": (2, 3), "c": (3, 4), "d": ()}
    nodes = [Domain(id=f"domain-{n}", created=NOW, name=n) for n in names]
    insights = [Insight(id=f"insight-{i}", created=NOW, title=str(i)) for i in range(5)]
    edges = [
        Edge(source=f"insight-{i}", type="APPLIES_TO", target=f"domain-{name}")
        for name, numbers in names.items()
        for i in numbers
    ]
    with KnowledgeBase.open(tmp_path / "memory.db") as kb:
        kb.store.write(Batch(nodes=(*nodes, *insights), edges=tuple(edges)))
        found = kb.domain_map()
    assert {n: len(ids) for n, ids in found.insights.items()} == {"a": 3, "b": 2, "c": 2, "d": 0}
    assert list(found.insights) == ["a", "b", "c", "d"]
    assert found.pairs == (
        DomainPair(a="a", b="b", shared=2),
        DomainPair(a="a", b="c", shared=1),
        DomainPair(a="b", b="c", shared=1),
    )
    assert found.shared("b", "a") == ("insight-2", "insight-3")
    assert found.shared("a", "nowhere") == ()


def test_the_steps_of_a_run_are_in_the_order_they_happened(tmp_path: Path) -> None:
    run = Trace(id="trace-1", created=NOW, title="Run")
    steps = [
        Step(id=f"step-{n}", created=NOW, index=index, phase="run", tool="bash", command="true")
        for n, index in (("a", 10), ("b", 2), ("c", 0))
    ]
    edges = tuple(Edge(source=s.id, type="PART_OF", target=run.id) for s in steps)
    with KnowledgeBase.open(tmp_path / "memory.db") as kb:
        kb.store.write(Batch(nodes=(run, *steps), edges=edges))
        assert [s.index for s in kb.steps("trace-1")] == [0, 2, 10]
        assert kb.steps("step-a") == []


def test_the_links_of_a_node_are_cut_by_type_and_direction() -> None:
    into = [Edge(source=f"step-{i}", type="USES", target="tool-x") for i in range(5)]
    out = [Edge(source="tool-x", type="USES", target=f"tool-{i}") for i in range(2)]
    found = bounded([*into, *out], "tool-x", most=3)
    assert found == Links(edges=(*into[:3], *out), left_out={"USES<": 2})
    assert bounded(into, "tool-x", most=None) == Links(edges=tuple(into))


def test_a_node_is_shown_with_as_many_links_as_asked_for(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "memory.db") as kb:
        nodes = [Insight(id=f"insight-{i}", created=NOW, title=str(i)) for i in range(4)]
        edges = [Edge(source=n.id, type="GENERALIZES_TO", target="insight-0") for n in nodes[1:]]
        kb.store.write(Batch(nodes=tuple(nodes), edges=tuple(edges)))
        shown = kb.show("insight-0", most=2)
        assert (len(shown.edges), dict(shown.left_out)) == (2, {"GENERALIZES_TO<": 1})
        assert set(shown.neighbours) == {"insight-0", "insight-1", "insight-2"}
        assert len(kb.show("insight-0").edges) == 3
