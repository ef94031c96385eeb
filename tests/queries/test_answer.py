"""Whole answers from a real store with the real embedder."""

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from stepladder.kg.embedding.static import StaticEmbedder
from stepladder.kg.stores.sqlite.store import SQLiteStore
from stepladder.kg.types import EVERYTHING, Batch, Edge, Memory, Scope
from stepladder.queries.answer import Answer, retrieve
from stepladder.queries.floors import adjusted
from stepladder.queries.render import count_tokens, prompt_text

Keep = Callable[..., SQLiteStore]
Make = Callable[..., Memory]

TASK = "The migration of the billing tables fails with a deadlock in PostgreSQL"


def answered(answer: Answer) -> list[str]:
    return [item.memory.id for item in answer.items]


@pytest.fixture
def billing(keep: Keep, memory: Make) -> SQLiteStore:
    """Two projects that met the same fault, and what was learned from both."""
    api = {"project": "acme/api", "scope": "acme/api", "domains": ("repo-bugfix",)}
    web = {"project": "acme/web", "scope": "acme/web", "domains": ("repo-bugfix",)}
    return keep(
        memory("trace", "trace-api", "Migration of billing tables fails with a deadlock", **api),
        memory(
            "workflow",
            "workflow-api",
            "Migration of billing tables fails with a deadlock in PostgreSQL: repair",
            content="bin/migrate --lock-timeout 5s\npsql -c 'select * from pg_locks'",
            **api,
        ),
        memory("trace", "trace-web", "PostgreSQL deadlock while the migration fails", **web),
        memory("summary", "summary-web", "A PostgreSQL migration with a deadlock was split", **web),
        memory("insight", "insight-lock", "Take locks in one order when a migration deadlocks"),
        memory("insight", "insight-web", "The migration of billing fails on deadlock", **web),
        memory("insight", "insight-page", "Look at the page in a browser"),
        memory("insight", "insight-rust", "PostgreSQL migration deadlock", languages=("rust",)),
        above=(
            ("trace-api", "workflow-api"),
            ("workflow-api", "insight-lock"),
            ("trace-web", "summary-web"),
            ("summary-web", "insight-lock"),
        ),
    )


def test_an_answer_is_the_insight_with_its_procedure_beneath_in_its_own_project(
    billing: SQLiteStore, embedder: StaticEmbedder
) -> None:
    answer = retrieve(billing, embedder, TASK, project="acme/api", language="python")
    assert not answer.abstained
    assert answered(answer) == ["insight-lock"]
    (item,) = answer.items
    assert [lower.memory.id for lower in item.beneath] == ["workflow-api"]
    assert item.path == ("insight-lock", "workflow-api", "trace-api")
    assert item.support.traces == 2
    assert answer.confidence >= answer.floor
    assert answer.withheld["language"] == 1
    assert item.why == (
        "2 earlier tasks near this one led to it, with 100 % of the vote; it was seen in 2 runs in "
        "2 projects; it is shown as an insight as it comes from the same kind of work, or from no "
        "kind in particular."
    )


def test_nothing_of_another_project_is_shown_or_named(
    billing: SQLiteStore, embedder: StaticEmbedder
) -> None:
    for project in ("acme/api", "acme/web", "acme/new", ""):
        answer = retrieve(billing, embedder, TASK, project=project, floor=-99.0, k=50)
        seen = {i.memory.id for i in answer.shown()} | {p for i in answer.shown() for p in i.path}
        nodes = billing.get(sorted(seen))
        assert {n.scope for n in nodes.values()} <= {"shared", project}
        assert "insight-lock" in answered(answer)


def test_runs_of_other_projects_vote_for_what_is_shared_unless_they_are_kept_out(
    billing: SQLiteStore, embedder: StaticEmbedder
) -> None:
    told = "PostgreSQL deadlock while the migration fails"
    voted = retrieve(billing, embedder, told, project="acme/new", language="python")
    assert answered(voted) == ["insight-lock"]
    lock = next(i for i in voted.items if i.memory.id == "insight-lock")
    assert lock.share == pytest.approx(1.0)
    assert lock.path == ("insight-lock",)

    alone = retrieve(
        billing, embedder, told, project="acme/new", witnesses=Scope.of("acme/new"), floor=-99.0
    )
    assert all(item.share == 0.0 for item in alone.items)


def test_the_owner_may_read_everything_but_raw_levels_stay_in_their_project(
    billing: SQLiteStore, embedder: StaticEmbedder
) -> None:
    answer = retrieve(billing, embedder, TASK, scope=EVERYTHING, floor=-99.0, k=50)
    levels = {i.memory.id: i.level for i in answer.shown()}
    assert "insight-web" in levels
    assert not {"trace-api", "trace-web", "workflow-api"} & levels.keys()
    assert answer.withheld["project"] == 3


def test_what_does_not_apply_is_answered_with_nothing_and_a_reason(
    billing: SQLiteStore, embedder: StaticEmbedder
) -> None:
    answer = retrieve(billing, embedder, "Compose a melody in C minor", project="acme/api")
    assert (answer.items, answer.abstained) == ((), True)
    assert answer.confidence < answer.floor
    assert answer.reason.startswith("Nothing fits well enough: the best score is ")
    assert prompt_text(answer) == ""


def test_an_empty_store_says_that_it_is_empty(keep: Keep, embedder: StaticEmbedder) -> None:
    answer = retrieve(keep(), embedder, TASK)
    assert answer.abstained
    assert answer.reason == "There is no memory that may be shown here."
    assert answer.considered == 0


def test_a_task_without_words_is_answered_with_nothing(
    billing: SQLiteStore, embedder: StaticEmbedder
) -> None:
    for task in ("", " \n", "the of it", "\ud83d", "💥"):
        assert retrieve(billing, embedder, task, project="acme/api").abstained


def test_what_is_excluded_is_neither_shown_nor_evidence(
    billing: SQLiteStore, embedder: StaticEmbedder
) -> None:
    own = frozenset({"trace-api", "workflow-api", "insight-web", "insight-lock"})
    answer = retrieve(billing, embedder, TASK, project="acme/api", exclude=own, floor=-99.0, k=50)
    seen = {i.memory.id for i in answer.shown()}
    assert not seen & own


@pytest.mark.parametrize("budget", [0, 1, 40, 80, 120, 200, 2000])
@pytest.mark.parametrize("bodies", [False, True])
def test_the_rendered_answer_fits_its_budget(
    billing: SQLiteStore, embedder: StaticEmbedder, budget: int, bodies: bool
) -> None:
    answer = retrieve(
        billing,
        embedder,
        TASK,
        project="acme/api",
        budget_tokens=budget,
        bodies=bodies,
        floor=-99.0,
        k=50,
    )
    assert count_tokens(prompt_text(answer)) <= budget
    if budget < 40:
        assert answer.abstained
        assert answer.reason == "The budget is too small for any memory that fits."


def test_no_more_than_k_memories_are_shown_and_the_rest_is_counted(
    billing: SQLiteStore, embedder: StaticEmbedder
) -> None:
    every = retrieve(billing, embedder, TASK, project="acme/web", floor=-99.0, k=50)
    one = retrieve(billing, embedder, TASK, project="acme/web", floor=-99.0, k=1)
    assert len(one.items) == 1
    assert one.withheld["limit"] == len(every.items) - 1
    assert answered(every)[:1] == answered(one)


def test_the_strict_floor_lets_less_through(billing: SQLiteStore, embedder: StaticEmbedder) -> None:
    default = retrieve(billing, embedder, TASK, project="acme/api")
    strict = retrieve(billing, embedder, TASK, project="acme/api", strict=True)
    assert strict.floor == pytest.approx(default.floor + 2.0)


def test_equal_memories_are_said_once(keep: Keep, memory: Make, embedder: StaticEmbedder) -> None:
    store = keep(
        memory("insight", "insight-a", "Take locks in one order"),
        memory("insight", "insight-b", "take LOCKS in one order"),
    )
    answer = retrieve(store, embedder, "Which order for locks?", floor=-99.0)
    assert (answered(answer), answer.withheld) == (["insight-a"], {"repeated": 1})


def test_a_merged_insight_is_shown_for_what_it_was_merged_from_if_it_fits_too(
    keep: Keep, memory: Make, embedder: StaticEmbedder
) -> None:
    store = keep(
        memory("insight", "insight-a", "Take database locks in one order during a migration"),
        memory("insight", "insight-b", "Order database locks"),
        memory("insight", "insight-m", "Take locks in one order", level=4),
        memory("insight", "insight-z", "Name threads"),
        above=(("insight-a", "insight-m"), ("insight-b", "insight-m")),
    )
    answer = retrieve(store, embedder, "A migration takes database locks in any order", floor=1.0)
    assert answered(answer)[0] == "insight-m"
    assert "insight-a" not in answered(answer)
    assert answer.withheld["more abstract"] == 2


def test_the_same_question_of_the_same_memories_has_the_same_answer_however_they_were_written(
    tmp_path: Path, memory: Make, embedder: StaticEmbedder
) -> None:
    nodes = [
        memory("insight", f"insight-{n}", title)
        for n, title in enumerate(
            ["Take locks in order", "Order the locks taken", "Split a migration"]
        )
    ]
    answers = set()
    for number, order in enumerate(permutations(nodes)):
        with SQLiteStore.open(tmp_path / f"{number}.db", centre=embedder.centre) as store:
            for node in order:
                vectors = dict(zip([node.id], embedder.encode([node.key]), strict=True))
                store.write(Batch(nodes=(node,), vectors=vectors))
            answer = retrieve(store, embedder, "Locks of a migration", floor=0.0)
            answers.add((answer.id, prompt_text(answer), answer.confidence, *answered(answer)))
    assert len(answers) == 1


def test_the_id_of_an_answer_depends_on_the_question_and_on_what_is_shown(
    billing: SQLiteStore, embedder: StaticEmbedder
) -> None:
    first = retrieve(billing, embedder, TASK, project="acme/api")
    again = retrieve(billing, embedder, TASK, project="acme/api")
    other = retrieve(billing, embedder, TASK + ".", project="acme/api")
    assert replace(first, items=()) == replace(again, items=())
    assert first.id != other.id


def test_a_cycle_in_the_graph_does_not_stop_an_answer(
    keep: Keep, memory: Make, embedder: StaticEmbedder
) -> None:
    store = keep(
        memory("insight", "insight-a", "Take locks in one order"),
        memory("insight", "insight-b", "Locks are taken in one order always"),
        above=(("insight-a", "insight-b"), ("insight-b", "insight-a")),
    )
    answer = retrieve(store, embedder, "Which order for locks?", floor=-99.0)
    assert len(answer.items) == 1


def test_floors_fall_in_small_stores_and_rise_in_large_ones() -> None:
    assert [round(adjusted(7.5, n), 2) for n in (1, 10, 30, 100, 300, 2000, 20_000, 200_000)] == [
        5.17,
        5.17,
        5.17,
        6.07,
        7.5,
        7.5,
        7.74,
        7.98,
    ]


def test_edges_to_what_may_not_be_read_lead_nowhere(
    keep: Keep, memory: Make, embedder: StaticEmbedder
) -> None:
    store = keep(
        memory("insight", "insight-a", "Take locks in one order"),
        memory("insight", "insight-s", "Locks in one order", level=4, scope="acme/secret"),
        edges=(Edge(source="insight-a", type="GENERALIZES_TO", target="insight-s"),),
    )
    answer = retrieve(store, embedder, "Which order for locks?", project="acme/api", floor=-99.0)
    assert answered(answer) == ["insight-a"]


@pytest.fixture
def shop(keep: Keep, memory: Make) -> SQLiteStore:
    """A project whose runs had little in common but how its tests are run."""
    own = {"project": "acme/shop", "scope": "acme/shop"}
    titles = ("Prices lose a cent", "The basket forgets coupons", "Search in the basket is slow")
    return keep(
        *(memory("trace", f"trace-{n}", title, task=f"task-{n}", **own)
          for n, title in enumerate(titles)),
        memory("insight", "insight-tests", "How the tests of this project are run.", **own),
        memory("insight", "insight-once", "How the documentation of it is built.", **own),
        memory("insight", "insight-page", "Look at the page in a browser"),
        above=(
            ("trace-0", "insight-tests"),
            ("trace-1", "insight-tests"),
            ("trace-1", "insight-page"),
            ("trace-2", "insight-page"),
            ("trace-2", "insight-once"),
        ),
    )  # fmt: skip


def test_where_nothing_applies_in_a_project_its_best_founded_fact_is_the_answer(
    shop: SQLiteStore, embedder: StaticEmbedder
) -> None:
    task = "Coupons that ended yesterday still lower the total of an order"
    answer = retrieve(shop, embedder, task, project="acme/shop")
    assert answered(answer) == ["insight-tests"]
    assert answer.confidence < answer.floor
    assert answer.items[0].why == "Nothing else fits; it is a fact of this project."
    assert answer.items[0].support.tasks == 2
    for elsewhere in ("", "acme/other"):
        assert retrieve(shop, embedder, task, project=elsewhere).abstained
    assert retrieve(shop, embedder, task, project="acme/shop", strict=True).abstained
    assert retrieve(shop, embedder, task, project="acme/shop", floor=9.0).abstained
    without = retrieve(
        shop, embedder, task, project="acme/shop", exclude=frozenset({"insight-tests"})
    )
    assert without.abstained


def test_a_task_that_is_like_none_of_its_project_gets_no_fact_either(
    shop: SQLiteStore, embedder: StaticEmbedder
) -> None:
    answer = retrieve(shop, embedder, "Water the plants and feed the cat", project="acme/shop")
    assert answer.abstained
