"""Shared insights say nothing of where they come from."""

from dataclasses import replace
from pathlib import Path

import pytest

from stepladder.facade import KnowledgeBase
from stepladder.ingest.distillers.rules.cards import catalogue
from stepladder.ingest.distillers.rules.leaks import Leak, is_ours, leaks_in, leaks_of
from stepladder.kg.types import SHARED, Batch, Insight, Project

EXAMPLES = Path(__file__).parents[3] / "examples"
NAMES = ("acme", "big-tool", "jo")


def insight(text: str, *, project: str = "") -> Insight:
    created = "2026-01-01T00:00:00Z"
    return Insight(
        id="insight-1", created=created, level=4, title="A title", content=text, project=project
    )


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("Look in /testbed first.", "path", "/testbed"),
        ("Look in src/api/main.py first.", "path", "src/api/main.py"),
        ("Look in C:\\work first.", "path", "C:\\work"),
        ("See https://acme.dev/a for more.", "address", "https://acme.dev/a"),
        ("Ask someone@acme.dev for more.", "e-mail", "someone@acme.dev"),
        ("Since commit 40e2e948 it works.", "hash", "40e2e948"),
        ("Builds of Acme are slow.", "name", "acme"),
        ("The big tool has to be built first.", "name", "big-tool"),
    ],
)
def test_places_people_and_names_of_the_source_are_leaks(text: str, kind: str, found: str) -> None:
    leaks = [leak for leak in leaks_in(insight(text), NAMES) if leak.kind == kind]
    assert leaks == [Leak(insight="insight-1", field="content", kind=kind, found=found)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "Run the tests and/or the linter before you commit.",
        "Use `<path>` and 1234567 as they are; deadline and facade are words.",
        "Join the two lists.",
    ],
)
def test_plain_words_are_no_leaks(text: str) -> None:
    assert list(leaks_in(insight(text), NAMES)) == []


def test_a_shared_insight_belongs_to_no_project() -> None:
    leaks = list(leaks_in(insight("Text.", project="acme/api"), ()))
    assert leaks == [
        Leak(insight="insight-1", field="project or task", kind="owner", found="acme/api")
    ]


def test_words_of_the_catalogue_are_ours_even_where_a_project_is_called_like_one() -> None:
    card = catalogue()[0]
    names = tuple(card.title.lower().split())
    assert list(leaks_in(card.insight(), names)) == []
    assert is_ours(f"{card.seen} {card.advice}\n{card.title}")
    changed = replace(card.insight(), content=f"{card.seen} Seen at {names[-1]}.")
    assert {leak.field for leak in leaks_in(changed, names)} == {"content"}


def test_a_store_is_held_against_its_own_projects(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "memory.db") as base:
        base.ingest([EXAMPLES])
        assert [n for n in base.store.find("Insight") if n.scope == SHARED]
        assert leaks_of(base.store) == []
        told = insight("Only acme does this, says jordan.")
        project = Project(id="project-1", created=told.created, scope="acme/api", name="acme/api")
        base.store.write(Batch(nodes=(told, project)))
        assert [leak.found for leak in leaks_of(base.store, users=["jordan"])] == ["acme", "jordan"]
