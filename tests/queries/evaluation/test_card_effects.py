"""What is said of cards: counts always, a claim only where the corrected ratio allows it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from stepladder import KnowledgeBase
from stepladder.cli import main
from stepladder.kg.types import Batch, Edge, Insight, OutcomeSource, OutcomeStatus, Trace
from stepladder.queries.evaluation.card_effects import CardEffect, card_effects
from stepladder.queries.evaluation.odds import Table

TIME = "2026-01-01T00:00:00Z"
CARD = Insight(id="insight-1", created=TIME, title="Read the diff", card="diff-read")


class Runs:
    """A store to which runs are added by what they did and how they ended."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self.kb = kb
        self.number = 0
        kb.store.write(Batch(nodes=(CARD,)))

    def add(
        self,
        number: int,
        *,
        exposed: bool,
        outcome: OutcomeStatus,
        source: OutcomeSource = "verifier",
        task: str = "",
        domain: str = "",
    ) -> None:
        for _ in range(number):
            self.number += 1
            trace = Trace(
                id=f"trace-{self.number:04}",
                created=TIME,
                title="A run",
                task=task,
                source=f"runs/case-{self.number}.traj.json",
                domains=(domain,) if domain else (),
                outcome=outcome,
                outcome_source=source,
            )
            edge = Edge(source=trace.id, type="GENERALIZES_TO", target=CARD.id)
            self.kb.store.write(Batch(nodes=(trace,), edges=(edge,) if exposed else ()))

    def task(self, name: str, table: Table, *, domain: str = "") -> None:
        cells = (
            (True, "success", table.with_success),
            (True, "failure", table.with_failure),
            (False, "success", table.without_success),
            (False, "failure", table.without_failure),
        )
        for exposed, outcome, number in cells:
            end: OutcomeStatus = "success" if outcome == "success" else "failure"
            self.add(number, exposed=exposed, outcome=end, task=name, domain=domain)


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    with KnowledgeBase.open(tmp_path / "memory.db") as kb:
        yield Runs(kb)


def test_counts_are_reported_and_nothing_is_claimed_from_them_alone(runs: Runs) -> None:
    runs.task("", Table(30, 2, 5, 30))
    report = card_effects(runs.kb.store)
    (effect,) = report.effects
    assert effect.raw is not None
    assert effect.raw.low > 10
    assert replace(effect, raw=None) == CardEffect(
        insight=CARD.id,
        card="diff-read",
        title=CARD.title,
        domain="",
        support=32,
        table=Table(30, 2, 5, 30),
    )
    assert (report.runs, report.rated, report.repeated, report.tests) == (67, 0, 0, 0)


def test_a_card_is_shown_with_its_effects(runs: Runs, tmp_path: Path) -> None:
    runs.task("", Table(30, 2, 5, 30))
    runs.kb.store.write(Batch(nodes=(replace(CARD, id="insight-2", card=""),)))

    def told(*command: str) -> str:
        done = CliRunner().invoke(main, ["--store", str(tmp_path / "memory.db"), *command])
        assert done.exit_code == 0, done.output
        return done.stdout

    row = told("show", CARD.id).splitlines()[-1].split()
    assert row == ["all", "runs", "30/32", "5/35", "90.00", "[16.18,", "500.67]", "nothing"]
    (effect,) = json.loads(told("show", CARD.id, "--json"))["effects"]
    assert [effect] == json.loads(told("evaluate", "cards", "--json"))["cards"]
    assert "effects" not in json.loads(told("show", "insight-2", "--json"))


def test_nothing_is_said_of_a_card_before_a_verdict_is_known(runs: Runs) -> None:
    runs.add(30, exposed=True, outcome="unknown", source="none")
    assert card_effects(runs.kb.store).of(CARD.id) == ()


def test_what_holds_within_tasks_is_claimed(runs: Runs) -> None:
    for number in range(10):
        runs.task(f"task-{number}", Table(3, 1, 1, 3))
    (effect,) = card_effects(runs.kb.store).effects
    assert effect.adjusted is not None
    assert effect.adjusted.value == pytest.approx(9.0)
    assert effect.corrected == effect.adjusted
    assert (effect.compared, effect.claim) == (80, "helps")


def test_what_differs_between_tasks_alone_is_not_claimed(runs: Runs) -> None:
    runs.task("easy", Table(27, 3, 9, 1))
    runs.task("hard", Table(3, 9, 9, 27))
    (effect,) = card_effects(runs.kb.store).effects
    assert effect.raw is not None
    assert effect.raw.p_value < 0.01
    assert effect.adjusted is not None
    assert effect.adjusted.value == pytest.approx(1.0)
    assert effect.claim == ""


def test_difficulty_is_taken_by_the_name_of_the_file(runs: Runs) -> None:
    runs.task("", Table(28, 2, 10, 20))
    difficulty = {f"case-{n}": 0.4 + 0.2 * (n % 2) for n in range(1, 61)}
    report = card_effects(runs.kb.store, difficulty=difficulty)
    (effect,) = report.effects
    assert (report.rated, effect.compared, effect.claim) == (60, 60, "helps")
    assert effect.adjusted is not None
    assert effect.raw is not None
    assert effect.adjusted.value == pytest.approx(effect.raw.value, rel=0.3)


def test_a_verdict_of_a_judge_or_a_heuristic_does_not_count(runs: Runs) -> None:
    runs.add(20, exposed=True, outcome="success", source="judge")
    runs.add(1, exposed=True, outcome="success", source="human")
    runs.add(3, exposed=False, outcome="unknown", source="none")
    report = card_effects(runs.kb.store)
    (effect,) = report.effects
    assert (effect.support, effect.table) == (21, Table(1, 0, 0, 0))
    assert (report.runs, report.untrusted, report.unknown) == (1, 20, 3)


def test_each_domain_is_reported_and_a_card_of_few_runs_is_counted_alone(runs: Runs) -> None:
    runs.task("", Table(15, 6, 5, 6), domain="repo-bugfix")
    runs.task("", Table(15, 5, 5, 6), domain="web-dev")
    runs.kb.store.write(Batch(nodes=(replace(CARD, id="insight-2", card="cleanup"),)))
    report = card_effects(runs.kb.store)
    assert [(e.domain, e.support) for e in report.effects] == [
        ("", 41), ("repo-bugfix", 21), ("web-dev", 20)
    ]  # fmt: skip
    assert report.rare == 1
    (alone,) = card_effects(runs.kb.store, domain="web-dev").effects
    assert (alone.domain, alone.table) == ("web-dev", Table(15, 5, 5, 6))


def test_a_domain_that_all_compared_runs_are_of_is_no_further_test(runs: Runs) -> None:
    for number in range(10):
        runs.task(f"task-{number}", Table(3, 1, 1, 3), domain="repo-bugfix")
    runs.add(1, exposed=False, outcome="success")
    report = card_effects(runs.kb.store)
    assert [(e.domain, e.claim) for e in report.effects] == [
        ("", "helps"),
        ("repo-bugfix", "helps"),
    ]
    assert report.tests == 1
