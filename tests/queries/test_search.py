"""Flat search over a real store."""

from collections.abc import Callable

import pytest

from stepladder.kg.embedding.static import StaticEmbedder
from stepladder.kg.stores.sqlite.store import SQLiteStore
from stepladder.kg.types import Memory, Scope
from stepladder.queries.search import search

Keep = Callable[..., SQLiteStore]
Make = Callable[..., Memory]


@pytest.fixture
def store(keep: Keep, memory: Make) -> SQLiteStore:
    return keep(
        memory("trace", "trace-1", "Repair a date parser", task="task-1", scope="acme/api"),
        memory("workflow", "workflow-1", "How a date parser is repaired", task="task-1"),
        memory("summary", "summary-1", "A date parser was repaired", task="task-1"),
        memory("insight", "insight-1", "Test a date parser with leap years"),
        memory("insight", "insight-2", "Test a date parser with leap days", level=4),
        memory("insight", "insight-3", "Wash the dishes"),
    )


def found(store: SQLiteStore, embedder: StaticEmbedder, **options: object) -> list[str]:
    hits = search(store, embedder, "Test the date parser", **options)  # type: ignore[arg-type]
    return [h.memory.id for h in hits]


def test_the_best_fit_comes_first_and_the_parts_add_up(
    store: SQLiteStore, embedder: StaticEmbedder
) -> None:
    hits = search(store, embedder, "Test a date parser with leap days")
    assert hits[0].memory.id == "insight-2"
    assert hits[-1].memory.id == "insight-3"
    for hit in hits:
        assert hit.score == pytest.approx(hit.parts.key + hit.parts.full + hit.parts.dense)
    assert [h.pooled for h in hits] == sorted((h.pooled for h in hits), reverse=True)


def test_memories_of_one_task_are_lifted_to_the_best_of_them(
    store: SQLiteStore, embedder: StaticEmbedder
) -> None:
    hits = {h.memory.id: h for h in search(store, embedder, "A date parser was repaired")}
    best = max(hits[i].score for i in ("trace-1", "workflow-1", "summary-1"))
    assert hits["trace-1"].pooled == pytest.approx(hits["trace-1"].score + 3 * best)
    assert hits["insight-1"].pooled == pytest.approx(4 * hits["insight-1"].score)


def test_levels_are_named_and_need_not_be_neighbours(
    store: SQLiteStore, embedder: StaticEmbedder
) -> None:
    assert found(store, embedder, levels=["trace"]) == ["trace-1"]
    assert set(found(store, embedder, levels=["workflow", "insight"])) == {
        "workflow-1",
        "insight-1",
        "insight-2",
        "insight-3",
    }
    assert found(store, embedder, levels=[]) == []


def test_scope_and_exclusions_hold(store: SQLiteStore, embedder: StaticEmbedder) -> None:
    assert "trace-1" in found(store, embedder, scope=Scope.of("acme/api"))
    assert "trace-1" not in found(store, embedder, scope=Scope.of("acme/web"))
    assert "trace-1" not in found(store, embedder, scope=Scope.of())
    assert "insight-1" not in found(store, embedder, exclude=frozenset({"insight-1"}))


def test_k_bounds_the_answer(store: SQLiteStore, embedder: StaticEmbedder) -> None:
    every = found(store, embedder)
    assert found(store, embedder, k=2) == every[:2]
    assert found(store, embedder, k=0) == []


def test_equal_fits_are_ordered_by_id(keep: Keep, memory: Make, embedder: StaticEmbedder) -> None:
    store = keep(*(memory("insight", f"insight-{n}", "Take locks in order") for n in (3, 1, 2)))
    hits = search(store, embedder, "locks in order")
    assert [h.memory.id for h in hits] == ["insight-1", "insight-2", "insight-3"]
