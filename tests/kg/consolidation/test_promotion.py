"""When an insight leaves its project, what keeps two apart, and what a verdict does."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from stepladder import KnowledgeBase
from stepladder.kg.consolidation.members import speaker
from stepladder.kg.types import SHARED, Batch, Insight, Scope

NOON: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
LESSONS: Final = (
    "Run the whole test suite before you commit the change.",
    "Run the whole test suite before you commit the change!",
)


def known(
    kb: KnowledgeBase,
    projects: Sequence[str],
    *,
    tasks: int,
    texts: Sequence[str] = LESSONS,
) -> None:
    """One lesson of each project, with so many tasks below them, in turn."""
    rows: list[dict[str, Any]] = [
        {
            "id": f"insight-{n}",
            "level": "insight",
            "content": texts[n],
            "project": p,
            "scope": f"project:{p}",
        }
        for n, p in enumerate(projects)
    ]
    rows += [
        {
            "id": f"trace-{k}",
            "level": "trace",
            "title": f"Task {k}",
            "task": f"Task {k}",
            "project": projects[k % len(projects)],
            "scope": f"project:{projects[k % len(projects)]}",
            "parents": [f"insight-{k % len(projects)}"],
        }
        for k in range(tasks)
    ]
    assert not kb.import_memories(rows).failed


def add_runs(kb: KnowledgeBase, project: str, *, count: int, below: str) -> None:
    """Runs of a project, each of its own task, below an insight."""
    rows = [
        {
            "id": f"trace-{project}-{k}",
            "level": "trace",
            "title": f"Task {k} of {project}",
            "task": f"Task {k} of {project}",
            "project": project,
            "scope": f"project:{project}",
            "parents": [below],
        }
        for k in range(count)
    ]
    assert not kb.import_memories(rows).failed


def edges(kb: KnowledgeBase, type: Any) -> list[tuple[str, str]]:
    """The edges of a type between the two lessons."""
    found = kb.store.edges(["insight-0", "insight-1"], types=[type])
    return sorted({(e.source, e.target) for e in found})


def test_three_tasks_of_two_projects_let_an_insight_leave_and_it_is_recorded(
    tmp_path: Path,
) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        known(kb, ["acme/api", "acme/web"], tasks=3)
        (merge,) = kb.consolidate(now=NOON).merged
        assert (merge.promoted, merge.tasks, merge.projects) == (True, 3, 2)
        assert (merge.insight.scope, merge.insight.project) == (SHARED, "")
        assert [run.crossings for run in kb.merges()] == [(merge.insight.id,)]


def test_two_tasks_are_too_few_to_leave(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        known(kb, ["acme/api", "acme/web"], tasks=2)
        done = kb.consolidate(now=NOON)
        assert done.merged == ()
        assert [(w.members, w.reason) for w in done.withheld] == [
            (
                ("insight-0", "insight-1"),
                "2 tasks in 2 projects bear it out; 3 in 2 are needed",
            )
        ]


def test_three_tasks_of_one_project_are_too_few_projects_to_leave(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        known(kb, ["acme/api", "acme/web"], tasks=0)
        add_runs(kb, "acme/api", count=3, below="insight-0")
        (withheld,) = kb.consolidate(now=NOON).withheld
        assert withheld.reason == "3 tasks in 1 projects bear it out; 3 in 2 are needed"


def test_an_insight_that_is_merged_with_nothing_stays_however_much_bears_it_out(
    tmp_path: Path,
) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        texts = (LESSONS[0], "Pin the versions of all dependencies in a lock file.")
        known(kb, ["acme/api", "acme/web"], tasks=6, texts=texts)
        add_runs(kb, "acme/web", count=3, below="insight-0")
        before = kb.store.get(["insight-0", "insight-1"])
        assert kb.consolidate(now=NOON).merged == ()
        assert kb.store.get(["insight-0", "insight-1"]) == before
        assert [n.scope for n in before.values()] == ["acme/api", "acme/web"]


def test_runs_that_were_linked_by_their_words_bear_nothing_out(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        known(kb, ["acme/api", "acme/web"], tasks=6)
        below = kb.store.edges(["insight-0", "insight-1"], types=["GENERALIZES_TO"], direction="in")
        assert len(below) == 6
        kb.store.delete_edges(below)
        kb.store.write(Batch(edges=tuple(replace(e, score=0.8) for e in below)))
        (withheld,) = kb.consolidate(now=NOON).withheld
        assert withheld.reason == "0 tasks in 0 projects bear it out; 3 in 2 are needed"


@pytest.mark.parametrize(
    "words",
    [
        "as acme does it",
        "as /home/kim/api/tests does it",
        "as build.corp does it",
        "as in API-1234",
        "as our team does it",
    ],
)
def test_words_that_would_tell_of_a_project_do_not_leave_it(tmp_path: Path, words: str) -> None:
    text = f"Run the whole test suite before you commit the change, {words}"
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        known(kb, ["acme/api", "acme/web"], tasks=4, texts=(f"{text}.", f"{text}!"))
        done = kb.consolidate(now=NOON)
        assert done.merged == ()
        assert [w.reason.split(":")[0] for w in done.withheld] == [
            "its words would tell of a project"
        ]


def test_where_one_of_two_tells_of_its_project_the_other_speaks(tmp_path: Path) -> None:
    texts = (
        "Run the whole test suite of our service before you commit the change.",
        "Run the whole test suite of a service before you commit the change.",
    )
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        known(kb, ["acme/api", "acme/web"], tasks=4, texts=texts)
        (merge,) = kb.consolidate(now=NOON).merged
        assert merge.promoted
        assert merge.insight.scope == SHARED
        assert merge.insight.content == texts[1]


@pytest.mark.parametrize(
    "fact",
    ["Run the tests of this project with `pytest -q`.", "In this project commits are signed."],
)
def test_a_fact_of_a_project_never_leaves_it(tmp_path: Path, fact: str) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        known(kb, ["acme/api", "acme/web"], tasks=6, texts=(fact, fact))
        done = kb.consolidate(now=NOON)
        assert (done.merged, done.suggested, done.withheld) == ((), (), ())


def test_what_stands_below_an_insight_that_leaves_stays_in_its_project(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        known(kb, ["acme/api", "acme/web"], tasks=4)
        ids = ["insight-0", "insight-1", *(f"trace-{n}" for n in range(4))]
        before = kb.store.get(ids)
        (merge,) = kb.consolidate(now=NOON).merged
        assert merge.promoted
        assert kb.store.get(ids) == before
        assert {n.scope for n in before.values()} == {"acme/api", "acme/web"}
        elsewhere = kb.store.get([*ids, merge.insight.id], scope=Scope.of("acme/other"))
        assert list(elsewhere) == [merge.insight.id]


def test_what_is_kept_apart_is_not_merged_again(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        known(kb, ["acme/api", "acme/api"], tasks=2)
        assert len(kb.consolidate(now=NOON).merged) == 1
        kb.keep_apart("insight-0", "insight-1", now=NOON + timedelta(hours=1))
        assert edges(kb, "KEEP_APART") == [("insight-0", "insight-1")]
        assert kb.consolidate(now=NOON + timedelta(hours=2), full=True).merged == ()


@pytest.mark.parametrize(
    ("verdict", "type", "edge"),
    [
        ("broader", "GENERALIZES_TO", ("insight-1", "insight-0")),
        ("narrower", "GENERALIZES_TO", ("insight-0", "insight-1")),
        ("opposite", "CONTRADICTS", ("insight-0", "insight-1")),
    ],
)
def test_a_verdict_becomes_an_edge(
    tmp_path: Path, verdict: Any, type: str, edge: tuple[str, str]
) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        known(kb, ["acme/api", "acme/api"], tasks=0)
        kb.decide("insight-0", "insight-1", verdict, now=NOON)
        assert edges(kb, type) == [edge]
        assert kb.consolidate(now=NOON + timedelta(hours=1)).merged == ()


def test_an_imperative_speaks_before_a_report_and_the_more_general_before_the_shorter() -> None:
    texts = {
        "report": "The tests failed because nobody ran them.",
        "general": "Run all the tests before a commit.",
        "short": "Run tests.",
    }
    members = [Insight(id=id, created="", title=t, content=t) for id, t in texts.items()]
    reach = {"report": 0.9, "general": 0.8, "short": 0.5}
    assert speaker(members, reach).id == "general"
    assert speaker(members, dict.fromkeys(texts, 0.5)).id == "short"
