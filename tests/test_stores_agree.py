"""The same runs in a file and on Neo4j: the same graph, and the same answers to the same tasks."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from stepladder import KnowledgeBase
from stepladder.kg.migrate import migrate
from stepladder.kg.stores.sqlite import SQLiteStore
from stepladder.kg.types import Batch, Insight, Node

pytest.importorskip("neo4j", reason="needs the package neo4j: pip install stepladder[neo4j]")

EXAMPLES = Path(__file__).parent.parent / "examples"
RUNS = 60
TASKS = (
    "Fix a bug in a Python library: a test fails and the test runner is not installed",
    "A test passes on its own and fails when the whole suite runs",
    "The container starts and stops at once; find out why",
    "The port is in use and the worker does not start",
    "A stale lock file keeps the job from running",
    "Rotate the logs of the service without losing lines",
    "The monthly revenue in the report is wrong",
    "The CSV export shows broken characters in Excel",
    "Find the best customers in the data",
    "The card of the site shows no title",
    "Quotes in a title break the page",
    "Build a release archive; a file is missing from it",
    "The documentation links point to anchors that are not there",
    "A fresh clone does not build",
    "A request for the last page returns an empty list",
    "Names with accents are not found",
    "Cents are lost when an amount is split",
    "Retry a job at most three times",
    "A token leaked into the repository",
    "A path in a request escapes the folder",
)

ERRORS = (
    "bash: line 1: pytest: command not found",
    "ModuleNotFoundError: No module named 'requests'",
    "FileNotFoundError: [Errno 2] No such file or directory: 'settings.toml'",
    "AssertionError: assert 3 == 4",
)


class Pair:
    """One knowledge base in a file, one on a server."""

    def __init__(self, ours: KnowledgeBase, theirs: KnowledgeBase) -> None:
        self.ours = ours
        self.theirs = theirs

    def check_graphs(self) -> None:
        """Everything is the same, down to each property and each vector."""
        ours, theirs = list(self.ours.store.export()), list(self.theirs.store.export())
        assert theirs == ours
        assert self.theirs.stats() == self.ours.stats()
        memories = [m.id for label in ("Trace", "Workflow", "Summary", "Insight")
                    for m in self.ours.store.find(label)]  # fmt: skip
        for one, other in zip(
            *(kb.store.features(memories) for kb in (self.ours, self.theirs)), strict=True
        ):
            assert (one.terms.ids == other.terms.ids).all()
            assert (one.vector == other.vector).all()
        assert self.theirs.store.support(memories) == self.ours.store.support(memories)

    def check_answers(self, task: str, *, language: str = "", domain: str = "") -> None:
        """Both give the same memories in the same order, with the same scores."""
        ours, theirs = (kb.search(task, k=20, language=language) for kb in (self.ours, self.theirs))
        assert [h.memory.id for h in theirs] == [h.memory.id for h in ours]
        assert [h.score for h in theirs] == pytest.approx([h.score for h in ours], abs=1e-5)
        one, other = (
            kb.retrieve(task, record=False, bodies=True, language=language, domain=domain)
            for kb in (self.ours, self.theirs)
        )
        assert [i.memory.id for i in other.items] == [i.memory.id for i in one.items]
        assert [i.confidence for i in other.items] == pytest.approx(
            [i.confidence for i in one.items], abs=1e-5
        )
        assert (other.abstained, other.reason) == (one.abstained, one.reason)
        assert [i.path for i in other.items] == [i.path for i in one.items]
        assert [i.support for i in other.items] == [i.support for i in one.items]


@pytest.fixture(scope="module")
def address(start_neo4j: Any) -> Iterator[str]:
    with start_neo4j() as server:
        yield f"neo4j://neo4j:{server.password}@127.0.0.1:{server.bolt_port}"


@pytest.fixture(scope="module")
def examples(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    path = tmp_path_factory.mktemp("agree") / "memory.db"
    with KnowledgeBase.open(path) as ours, KnowledgeBase.open(address) as theirs:
        for kb in (ours, theirs):
            kb.ingest([EXAMPLES])
        yield Pair(ours, theirs)


def test_the_sample_runs_make_the_same_graph(examples: Pair) -> None:
    examples.check_graphs()


@pytest.mark.parametrize("task", [*TASKS, *ERRORS])
def test_a_task_has_the_same_answer(examples: Pair, task: str) -> None:
    examples.check_answers(task)
    examples.check_answers(task, language="python")


@pytest.mark.parametrize("project", ["", "ledger"])
def test_an_answer_takes_three_questions_to_the_server(examples: Pair, project: str) -> None:
    theirs = examples.theirs
    theirs.retrieve(TASKS[0], record=False)
    for task in (*TASKS, *ERRORS):
        with statements_sent() as sent:
            answer = theirs.retrieve(task, project=project, record=False)
        assert len(sent) <= 3, (task, answer.abstained, sent)


@contextmanager
def statements_sent() -> Iterator[list[str]]:
    """What the driver says in its log that it sends to be run."""
    sent: list[str] = []

    class Sent(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            message = record.getMessage()
            if " C: RUN " in message:
                sent.append(message[:200])

    log, handler = logging.getLogger("neo4j.io"), Sent()
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    try:
        yield sent
    finally:
        log.removeHandler(handler)
        log.setLevel(logging.NOTSET)


def test_ingesting_again_changes_neither(examples: Pair) -> None:
    before = examples.theirs.store.counts()
    report = examples.theirs.ingest([EXAMPLES])
    assert (report.new, report.updated) == (0, 0)
    assert examples.theirs.store.counts() == before
    examples.check_graphs()


def test_a_run_that_is_forgotten_goes_from_both_with_what_stood_on_it(examples: Pair) -> None:
    trace = examples.ours.store.find("Trace")[0].id
    removed = [kb.forget([trace]) for kb in (examples.ours, examples.theirs)]
    assert removed[0] == removed[1] > 1
    examples.check_graphs()
    for kb in (examples.ours, examples.theirs):
        kb.ingest([EXAMPLES])
    examples.check_graphs()


def test_a_store_moves_up_and_back_whole(examples: Pair, address: str, tmp_path: Path) -> None:
    moved = []
    with SQLiteStore.open(tmp_path / "moved.db", dim=256) as back:
        report = migrate(examples.theirs.store, back, on_progress=moved.append)
        assert list(back.export()) == list(examples.ours.store.export())
        counts = examples.ours.store.counts()
        assert (report.nodes, report.edges) == (counts.labels, counts.edges)
        assert report.added == sum(counts.labels.values())
        assert (
            moved[-1].done
            == moved[-1].total
            == sum(report.nodes.values()) + sum(report.edges.values())
        )
        extra = Insight(id="insight-of-another-store", created="2026-01-01T00:00:00Z", title="One")
        back.write(Batch(nodes=(extra,)))
        again = migrate(back, examples.theirs.store)
        assert (again.added, again.edges_added) == (1, 0)
        assert examples.theirs.store.get([extra.id]) == {extra.id: extra}
        examples.theirs.store.delete([extra.id])
    examples.check_graphs()


def test_public_runs_make_the_same_graph_and_answers(
    address: str, shared_data: Path, tmp_path: Path
) -> None:
    texts = [
        json.loads(line)["instruction"]
        for name in ("skillsbench/tasks.jsonl", "tb2/tasks.jsonl")
        for line in (shared_data / "eval" / name).read_text(encoding="utf-8").splitlines()
    ]
    with KnowledgeBase.open(tmp_path / "memory.db") as ours, KnowledgeBase.open(address) as theirs:
        theirs.store.delete([n.id for n in theirs.store.export() if isinstance(n, Node)])
        for kb in (ours, theirs):
            kb.ingest([shared_data / "trajectories"], limit=RUNS)
        pair = Pair(ours, theirs)
        pair.check_graphs()
        for task in texts[:100]:
            pair.check_answers(task)
        for task in texts[:20]:
            pair.check_answers(task, language="python", domain="repo-bugfix")
