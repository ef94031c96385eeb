"""Odds ratios: of one table, over tasks, at equal difficulty, and corrected for many tests."""

import math

import numpy as np
import pytest

from stepladder.queries.evaluation.odds import (
    LogOdds,
    Run,
    Table,
    at_equal_difficulty,
    crude,
    holm,
    over_tasks,
    pooled,
    table_of,
)


def runs_of(table: Table, *, task: object = None) -> list[Run]:
    """Runs that make this table, each of its own task unless one is named."""
    cells = (
        (True, True, table.with_success),
        (True, False, table.with_failure),
        (False, True, table.without_success),
        (False, False, table.without_failure),
    )
    found: list[Run] = []
    for exposed, success, number in cells:
        found += [Run(task or (exposed, success, n), exposed, success) for n in range(number)]
    return found


def test_runs_are_counted_into_a_table() -> None:
    table = Table(3, 1, 2, 4)
    assert table_of(runs_of(table)) == table
    assert (table.runs, table.exposed, table.solved) == (10, 4, 5)


def test_the_ratio_of_one_table_is_woolfs() -> None:
    found = crude(Table(20, 10, 15, 30))
    assert found is not None
    assert found.value == pytest.approx(math.log(4.0))
    assert found.error == pytest.approx(math.sqrt(1 / 20 + 1 / 10 + 1 / 15 + 1 / 30))
    assert found.interval(0.95) == pytest.approx((1.5013, 10.6576), abs=1e-4)


def test_an_empty_cell_gets_a_half_and_an_empty_side_no_ratio() -> None:
    found = crude(Table(10, 0, 5, 5))
    assert found is not None
    assert found.value == pytest.approx(math.log(10.5 / 0.5))
    assert crude(Table(10, 5, 0, 0)) is None
    assert crude(Table(10, 0, 5, 0)) is None


def test_over_one_task_the_ratio_and_its_error_are_those_of_its_table() -> None:
    table = Table(20, 10, 15, 30)
    one, alone = over_tasks([table]), crude(table)
    assert one is not None
    assert alone is not None
    assert (one.value, one.error) == pytest.approx((alone.value, alone.error))


def test_over_tasks_the_difference_between_tasks_says_nothing() -> None:
    """Aggregated it looks harmful; within each task it is neither."""
    easy, hard = Table(9, 1, 27, 3), Table(9, 27, 3, 9)
    found, mixed = over_tasks([easy, hard]), crude(Table(18, 28, 30, 12))
    assert found is not None
    assert mixed is not None
    assert found.value == pytest.approx(0.0)
    assert mixed.p_value < 0.01


def test_tasks_where_all_did_the_same_or_ended_the_same_add_nothing() -> None:
    table = Table(4, 2, 3, 6)
    assert over_tasks([table, Table(9, 9, 0, 0), Table(5, 0, 5, 0)]) == over_tasks([table])
    assert over_tasks([Table(9, 9, 0, 0)]) is None


def test_a_ratio_that_would_be_infinite_is_kept_finite() -> None:
    found = over_tasks([Table(3, 0, 0, 3), Table(2, 0, 1, 2)])
    assert found is not None
    assert 0 < found.value < 10
    assert math.isfinite(found.error)


def test_without_a_covariate_the_model_is_the_table_with_halves() -> None:
    """Firth's estimate of a saturated model adds a half to each cell."""
    table = Table(12, 3, 7, 9)
    found = at_equal_difficulty(runs_of(table), [0.3] * table.runs)
    assert found is not None
    assert found.value == pytest.approx(math.log(12.5 * 9.5 / (3.5 * 7.5)), abs=1e-6)


def test_at_equal_difficulty_the_true_ratio_is_found_where_the_raw_one_misleads() -> None:
    rng = np.random.default_rng(3)
    ease = rng.normal(0.0, 2.0, 4000)
    exposed = rng.random(4000) < 1 / (1 + np.exp(ease))
    success = rng.random(4000) < 1 / (1 + np.exp(-(ease + math.log(3.0) * exposed)))
    runs = [Run(n, bool(e), bool(s)) for n, (e, s) in enumerate(zip(exposed, success, strict=True))]
    adjusted, raw = at_equal_difficulty(runs, ease.tolist()), crude(table_of(runs))
    assert adjusted is not None
    assert raw is not None
    low, high = adjusted.interval(0.99)
    assert low < 3.0 < high
    assert raw.value < 0.0


def test_runs_that_are_copies_of_each_other_make_nothing_surer() -> None:
    runs = runs_of(Table(12, 3, 7, 9))
    ten = [run for run in runs for _ in range(10)]
    once = at_equal_difficulty(runs, [0.0] * len(runs))
    repeated = at_equal_difficulty(ten, [0.0] * len(ten))
    assert once is not None
    assert repeated is not None
    assert repeated.error > 0.9 * once.error


def test_estimates_are_pooled_by_their_certainty() -> None:
    found = pooled([LogOdds(1.0, 0.5), None, LogOdds(0.0, 1.0)])
    assert found is not None
    assert (found.value, found.error) == pytest.approx((0.8, math.sqrt(0.2)))
    assert pooled([None]) is None


def test_the_correction_is_holms() -> None:
    found = holm([0.01, 0.04, 0.03, 0.005])
    assert [p for p, _ in found] == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert [1 - level for _, level in found] == pytest.approx([0.05 / 3, 0.05, 0.05 / 2, 0.05 / 4])
    assert holm([]) == []
