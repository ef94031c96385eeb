"""Fixtures that several parts of the test suite share."""

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from stepladder import KnowledgeBase
from stepladder.kg.types import Batch, Edge, MergeRun, Node, Trace, Workflow

ROOT = Path(__file__).parent.parent
StartNeo4j = Callable[..., AbstractContextManager[Any]]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with public trajectories and evaluation sets; tests skip where it is not there."""
    path = Path(os.environ.get("STEPLADDER_DATA", ROOT / ".." / "shared" / "data")).resolve()
    if not (path / "trajectories").is_dir():
        pytest.skip(f"no data at {path}; set STEPLADDER_DATA to its folder")
    return path


NEO4J_LINES = tuple(os.environ.get("STEPLADDER_NEO4J_LINES", "5.26").split(","))


@pytest.fixture(scope="session")
def start_neo4j() -> StartNeo4j:
    """Starts a Neo4j of a line of releases with an empty database; skips where none can be had.

    With CI=true or STEPLADDER_NEO4J=required it fails instead. Only one server should run at a
    time: each takes a gigabyte of memory.
    """
    script = _script("neo4j_server")
    required = os.environ.get("CI") == "true" or os.environ.get("STEPLADDER_NEO4J") == "required"

    @contextmanager
    def start(line: str = NEO4J_LINES[0]) -> Iterator[Any]:
        try:
            with script.running(line) as server:
                yield server
        except script.NoServerError as error:
            if required:
                raise
            pytest.skip(f"no Neo4j: {error}")

    return start


@pytest.fixture(scope="session")
def neo4j_server(start_neo4j: StartNeo4j) -> Iterator[Any]:
    """A running server that the tests of the Cypher door share."""
    with start_neo4j() as server:
        yield server


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def neo4j_address(neo4j_server: Any) -> str:
    """The server's address with its credentials."""
    return f"neo4j://neo4j:{neo4j_server.password}@127.0.0.1:{neo4j_server.bolt_port}"


@pytest.fixture(scope="session")
def explored_on_neo4j(explored: KnowledgeBase, neo4j_address: str) -> Iterator[KnowledgeBase]:
    """The graph of `explored` on a real server."""
    with KnowledgeBase.open(neo4j_address) as kb:
        items = list(explored.store.export())
        nodes = [n for n in items if isinstance(n, Node)]
        edges = [e for e in items if isinstance(e, Edge)]
        for start in range(0, len(nodes), 500):
            kb.store.write(Batch(nodes=tuple(nodes[start : start + 500])))
        for start in range(0, len(edges), 500):
            kb.store.write(Batch(edges=tuple(edges[start : start + 500])))
        yield kb


@pytest.fixture(scope="session")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """Every label and relationship: the sample runs, imported memories, answers given, a merge.

    Tests do not change it.
    """
    path = tmp_path_factory.mktemp("explored") / "memory.db"
    with KnowledgeBase.open(path) as kb:
        kb.ingest([ROOT / "examples"])
        kb.import_memories(_IMPORTED)
        _ask(kb)
        _consolidate(kb)
        _add_what_the_samples_lack(kb)
        yield kb


_IMPORTED = (
    {
        "id": "insight-imported-general",
        "level": "insight",
        "title": "Let a failing check show that it can fail",
        "content": "Break the code on purpose once. A check that stays green proves nothing.",
        "kind": "test-driven verification",
        "domain": "repo-bugfix",
    },
    {
        "id": "insight-imported-web",
        "level": "insight",
        "title": "Look at a page in a browser's own tools before guessing at styles",
        "kind": "iterative workflow discipline",
        "domain": "web-dev",
        "parents": ["insight-imported-general"],
    },
    {
        "id": "insight-imported-lonely",
        "level": "insight",
        "title": "Write a table down before its import \u2014 \u201cafterwards\u201d is never",
        "kind": "input validation and robustness",
    },
    {
        "id": "workflow-imported",
        "level": "workflow",
        "title": "Retry a failed download at once, again and again",
        "polarity": "avoid",
        "parents": ["insight-imported-web"],
    },
)


def _ask(kb: KnowledgeBase) -> None:
    tasks = (
        "Fix a bug in a Python library: a test fails and the test runner is not installed",
        "Deploy a service: the container starts and stops at once",
        "zzz qqq xxx",
    )
    answers = [
        kb.retrieve(task, now=NOON + timedelta(hours=hours)) for hours, task in enumerate(tasks)
    ]
    traces = [n.id for n in kb.store.find("Trace")]
    seen = tuple(
        Edge(source=answer.retrieval_id, type="IN_TRACE", target=trace)
        for answer, trace in zip(answers[:2], traces[:2], strict=True)
    )
    kb.store.write(Batch(edges=seen))


def _add_what_the_samples_lack(kb: KnowledgeBase) -> None:
    """A failed run without a lesson, a second model, workflows that contradict."""
    run = Trace(
        id="trace-lost",
        created="2026-02-20T00:00:00Z",
        scope="acme/api",
        title="Rename the settings module",
        agent="codex",
        models=("second-model",),
        outcome="failure",
        outcome_source="human",
        outcome_confidence=1.0,
        steps=1,
    )
    learnt = replace(run, id="trace-learnt", title="Move the settings", outcome="success")
    again = Workflow(
        id="workflow-wait", created="2026-02-20T00:00:00Z", title="Wait, then retry", polarity="do"
    )
    insight = sorted(e.target for e in kb.store.edges(_ids(kb, "Summary"), direction="out"))[0]
    edges = (
        Edge(source=learnt.id, type="GENERALIZES_TO", target=insight),
        Edge(source=again.id, type="GENERALIZES_TO", target="insight-imported-web"),
    )
    kb.store.write(Batch(nodes=(run, learnt, again), edges=edges))


def _ids(kb: KnowledgeBase, label: str) -> list[str]:
    return [n.id for n in kb.store.find(label)]


def _consolidate(kb: KnowledgeBase) -> None:
    merge = MergeRun(
        id="mergerun-1", created="2026-03-02T00:00:00Z", parameters='{"floor": 0.8}', merges=1
    )
    general, web, lonely = (
        "insight-imported-general",
        "insight-imported-web",
        "insight-imported-lonely",
    )
    edges = (
        Edge(source=lonely, type="GENERALIZES_TO", target=general, merge_run=merge.id),
        Edge(source=web, type="SIMILAR_TO", target=lonely, score=0.75),
        Edge(source=general, type="SIMILAR_TO", target=web, score=1.0),
        Edge(source=general, type="CONTRADICTS", target=lonely),
        Edge(source=web, type="KEEP_APART", target=general),
    )
    kb.store.write(Batch(nodes=(merge,), edges=edges))
