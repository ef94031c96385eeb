"""Whatever is asked, nothing outside the scope comes back: random graphs, scopes and questions."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import networkx
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from stepladder import KnowledgeBase
from stepladder.kg.errors import UsageError
from stepladder.kg.types import (
    SHARED,
    UNASSIGNED,
    Batch,
    Edge,
    EdgeType,
    Error,
    Insight,
    Memory,
    Node,
    Scope,
    Step,
    Summary,
    Trace,
    Workflow,
)
from stepladder.queries.render import prompt_text

TIME = "2026-01-01T00:00:00Z"
PROJECTS = ("acme/api", "acme/web", "acme/shop")
SCOPES = (*PROJECTS, SHARED, UNASSIGNED)
WORDS = ("lock", "migration", "table", "deploy", "port", "cache", "python", "test")
MESSAGE = "python3: No module named pytest"
TYPES: tuple[EdgeType, ...] = ("GENERALIZES_TO", "CITES", "SIMILAR_TO")


@st.composite
def graphs(draw: st.DrawFn) -> Batch:
    """A graph of a few memories, steps and errors, each in some scope, linked at random."""
    nodes: list[Node] = []
    for number in range(draw(st.integers(4, 14))):
        scope = draw(st.sampled_from(SCOPES))
        words = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=2, max_size=4)))
        project = scope if scope in PROJECTS else ""
        said = {"created": TIME, "scope": scope, "title": words, "project": project}
        kind = draw(st.sampled_from((Trace, Workflow, Summary, Insight, Insight)))
        id = f"{kind.__name__.lower()}-{number:02}"
        nodes.append(kind(id=id, **said))
    memories = [n.id for n in nodes]
    edges: set[tuple[str, EdgeType, str]] = set()
    for number in range(draw(st.integers(0, 5))):
        scope = draw(st.sampled_from(SCOPES))
        error = Error(
            id=f"error-{number}",
            created=TIME,
            scope=scope,
            error_class="no-such-module",
            signature="python<n>: No module named <name>",
        )
        step = Step(
            id=f"step-{number}",
            created=TIME,
            scope=scope,
            index=number,
            phase="test",
            tool="bash",
            command="python3 -m pytest",
            program="python3",
        )
        nodes += [error, step]
        edges.add((step.id, "RAISES", error.id))
        edges.add((draw(st.sampled_from(memories)), "CITES", step.id))
    ids = st.sampled_from(memories)
    for source, type, target in draw(
        st.lists(st.tuples(ids, st.sampled_from(TYPES), ids), max_size=25)
    ):
        if source != target:
            edges.add((source, type, target))
    made = tuple(Edge(source=s, type=t, target=e) for s, t, e in sorted(edges))
    return Batch(nodes=tuple(nodes), edges=made)


QUESTIONS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)


@contextmanager
def in_a_file() -> Iterator[KnowledgeBase]:
    """A new store in a file."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        KnowledgeBase.open(Path(folder) / "memory.db") as kb,
    ):
        yield kb


def fill(kb: KnowledgeBase, graph: Batch) -> None:
    """Write a graph with the vectors of its memories."""
    memories = [n for n in graph.nodes if isinstance(n, Memory)]
    vectors = kb.embedder.encode([m.key for m in memories])
    held = {m.id: v for m, v in zip(memories, vectors, strict=True)}
    kb.store.write(Batch(nodes=graph.nodes, edges=graph.edges, vectors=held))


def check(kb: KnowledgeBase, graph: Batch, project: str, question: str, folder: Path) -> None:
    """Ask everything in the scope of a project and look at all that comes back."""
    scope = Scope.of(project)
    scope_of = {n.id: n.scope for n in graph.nodes}
    readable = {id for id, name in scope_of.items() if scope.allows(name)}

    def allowed(ids: Any) -> None:
        assert set(ids) & (scope_of.keys() - readable) == set()

    allowed(h.memory.id for h in kb.search(question, k=20, scope=project))
    for text in (question, MESSAGE):
        answer = kb.retrieve(text, project=project, floor=-99.0, k=20, record=False, bodies=True)
        for item in answer.shown():
            allowed((item.memory.id, *item.path))
        rendered = prompt_text(answer)
        assert not any(id in rendered for id in scope_of.keys() - readable)
        kept = kb.retrieve(text, project=project, record=False)
        allowed(i.memory.id for i in kept.shown())
    allowed(r.step for r in kb.recoveries(MESSAGE, project=project))
    allowed(i.memory.id for i in kb.briefing(project, now=None).shown())
    for id in sorted(scope_of):
        if id not in readable:
            with pytest.raises(UsageError):
                kb.show(id, scope=project)
            with pytest.raises(UsageError):
                kb.why(id, scope=project)
            continue
        shown = kb.show(id, scope=project)
        allowed((shown.node.id, *shown.neighbours, *(e.source for e in shown.edges)))
        allowed(e.target for e in shown.edges)
        if isinstance(shown.node, Memory):
            told = kb.why(id, scope=project)
            allowed(m.id for m in told.between)
            allowed(t.trace.id for t in told.traces)
            allowed(c.step.id for t in told.traces for c in t.steps)
    file = folder / "graph.graphml"
    kb.export("graphml", file, scope=project)
    written = networkx.read_graphml(file, force_multigraph=True)
    allowed(written.nodes)
    allowed(n.id for n in kb.store.export(scope=scope) if isinstance(n, Node))


@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(graph=graphs(), project=st.sampled_from((*PROJECTS, UNASSIGNED)), question=QUESTIONS)
def test_nothing_outside_the_scope_comes_back_from_a_file(
    tmp_path: Path, graph: Batch, project: str, question: str
) -> None:
    with in_a_file() as kb:
        fill(kb, graph)
        check(kb, graph, project, question, tmp_path)


@pytest.fixture(scope="module")
def on_neo4j(start_neo4j: Any) -> Iterator[KnowledgeBase]:
    pytest.importorskip("neo4j", reason="needs the package neo4j: pip install stepladder[neo4j]")
    with start_neo4j() as server:
        address = f"neo4j://neo4j:{server.password}@127.0.0.1:{server.bolt_port}"
        with KnowledgeBase.open(address) as kb:
            yield kb


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(graph=graphs(), project=st.sampled_from((*PROJECTS, UNASSIGNED)), question=QUESTIONS)
def test_nothing_outside_the_scope_comes_back_from_neo4j(
    on_neo4j: KnowledgeBase, tmp_path: Path, graph: Batch, project: str, question: str
) -> None:
    kb = on_neo4j
    kb.store.delete([n.id for n in kb.store.export() if isinstance(n, Node)])
    fill(kb, graph)
    check(kb, graph, project, question, tmp_path)
