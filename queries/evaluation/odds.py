"""Odds ratios with their uncertainty: of one table, over tasks, and at equal difficulty.

Every estimate is a natural logarithm of an odds ratio with its standard error, so that estimates
from different runs can be pooled and one normal interval serves all.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

Floats = NDArray[np.float64]

_HALF: Final = 0.5
_MOST_ROUNDS: Final = 60
_SMALL_STEP: Final = 1e-8
_LONGEST_STEP: Final = 2.0


@dataclass(frozen=True, slots=True)
class Table:
    """Runs with and without something, by how they ended."""

    with_success: int = 0
    with_failure: int = 0
    without_success: int = 0
    without_failure: int = 0

    @property
    def runs(self) -> int:
        """All runs of the table."""
        return self.with_success + self.with_failure + self.without_success + self.without_failure

    @property
    def exposed(self) -> int:
        """Runs with it."""
        return self.with_success + self.with_failure

    @property
    def solved(self) -> int:
        """Runs that succeeded."""
        return self.with_success + self.without_success


@dataclass(frozen=True, slots=True)
class LogOdds:
    """A log odds ratio with its standard error; both finite, the error above 0."""

    value: float
    error: float

    @property
    def p_value(self) -> float:
        """Two-sided p of no effect, by Wald's test."""
        return float(2.0 * norm.sf(abs(self.value) / self.error))

    def interval(self, level: float) -> tuple[float, float]:
        """Bounds of the odds ratio at a level such as .95."""
        half = float(norm.ppf((1.0 + level) / 2.0)) * self.error
        return math.exp(self.value - half), math.exp(self.value + half)


@dataclass(frozen=True, slots=True)
class Run:
    """What is known of a run: its task, whether it did the thing, whether it succeeded."""

    task: Hashable
    exposed: bool
    success: bool


def table_of(runs: Iterable[Run]) -> Table:
    """Count runs into a table."""
    counts = {(e, s): 0 for e in (True, False) for s in (True, False)}
    for run in runs:
        counts[run.exposed, run.success] += 1
    return Table(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


def crude(table: Table) -> LogOdds | None:
    """The odds ratio of one table, or None where a side or an ending has no runs.

    Source: Woolf 1955; where a cell is empty a half is added to each (Haldane 1956).
    """
    if not 0 < table.exposed < table.runs or not 0 < table.solved < table.runs:
        return None
    cells = [
        table.with_success,
        table.with_failure,
        table.without_success,
        table.without_failure,
    ]
    a, b, c, d = (n + (_HALF if 0 in cells else 0.0) for n in cells)
    return LogOdds(math.log(a * d / (b * c)), math.sqrt(1 / a + 1 / b + 1 / c + 1 / d))


def informative(table: Table) -> bool:
    """Tell whether runs of one task say something: both sides and both endings are there."""
    return 0 < table.exposed < table.runs and 0 < table.solved < table.runs


def over_tasks(tables: Sequence[Table]) -> LogOdds | None:
    """The odds ratio within tasks, or None where no task says anything.

    Tables that are not `informative` add nothing. Source: Mantel and Haenszel 1959, the error by
    Robins, Breslow and Greenland 1986; where the ratio would be 0 or infinite a half is added to
    each cell of the tables that count.
    """
    counted = np.array(
        [
            [t.with_success, t.with_failure, t.without_success, t.without_failure]
            for t in tables
            if informative(t)
        ],
        dtype=np.float64,
    )
    if not len(counted):
        return None
    a, b, c, d = counted.T
    if not (a * d).sum() or not (b * c).sum():
        a, b, c, d = (counted + _HALF).T
    n = a + b + c + d
    agree, differ = (a + d) / n, (b + c) / n
    r, s = a * d / n, b * c / n
    up, down = r.sum(), s.sum()
    variance = (
        (agree * r).sum() / (2 * up * up)
        + (agree * s + differ * r).sum() / (2 * up * down)
        + (differ * s).sum() / (2 * down * down)
    )
    return LogOdds(math.log(up / down), math.sqrt(variance))


def at_equal_difficulty(runs: Sequence[Run], difficulty: Sequence[float]) -> LogOdds | None:
    """The odds ratio given a difficulty known from elsewhere, or None where it cannot be had.

    `difficulty` is the log odds that somebody else solves the task of each run. A logistic model
    with this one covariate, fitted by penalised likelihood so that it exists where all of one side
    succeed. Runs of one task are not independent: the error is the larger of the model's and of
    that over tasks. Source: Firth 1993; Heinze and Schemper 2002; the error over tasks is the
    sandwich of Liang and Zeger 1986.
    """
    if not informative(table_of(runs)):
        return None
    exposed = np.array([r.exposed for r in runs], dtype=np.float64)
    covariate = np.asarray(difficulty, dtype=np.float64)
    spread = float(covariate.std())
    columns = [np.ones(len(runs)), exposed]
    if spread > _SMALL_STEP:
        columns.append((covariate - covariate.mean()) / spread)
    x = np.column_stack(columns)
    y = np.array([r.success for r in runs], dtype=np.float64)
    coefficients = _firth(x, y)
    if coefficients is None:
        return None
    error = _error(x, y, coefficients, [r.task for r in runs])
    return LogOdds(float(coefficients[1]), error) if error > 0 else None


def _firth(x: Floats, y: Floats) -> Floats | None:
    beta: Floats = np.zeros(x.shape[1])
    for _ in range(_MOST_ROUNDS):
        p = _rates(x, beta)
        weight = p * (1.0 - p)
        information = x.T @ (x * weight[:, None])
        if np.linalg.matrix_rank(information) < len(beta):
            return None
        inverse = np.linalg.inv(information)
        leverage = weight * np.einsum("ij,jk,ik->i", x, inverse, x)
        step = inverse @ (x.T @ (y - p + leverage * (0.5 - p)))
        longest = float(np.abs(step).max())
        beta += step * min(1.0, _LONGEST_STEP / max(longest, _SMALL_STEP))
        if longest < _SMALL_STEP:
            return beta
    return None


def _error(x: Floats, y: Floats, beta: Floats, tasks: Sequence[Hashable]) -> float:
    p = _rates(x, beta)
    inverse = np.linalg.inv(x.T @ (x * (p * (1.0 - p))[:, None]))
    number = {task: n for n, task in enumerate(dict.fromkeys(tasks))}
    scores = np.zeros((len(number), x.shape[1]))
    np.add.at(scores, [number[t] for t in tasks], x * (y - p)[:, None])
    correction = len(number) / max(len(number) - 1, 1)
    over = correction * inverse @ scores.T @ scores @ inverse
    return math.sqrt(max(float(inverse[1, 1]), float(over[1, 1])))


def _rates(x: Floats, beta: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(x @ beta, -30.0, 30.0))), dtype=np.float64)


def pooled(estimates: Iterable[LogOdds | None]) -> LogOdds | None:
    """Estimates from different runs as one, each by the inverse of its variance."""
    known = [e for e in estimates if e is not None]
    if not known:
        return None
    weights = [1.0 / (e.error * e.error) for e in known]
    total = math.fsum(weights)
    value = math.fsum(w * e.value for w, e in zip(weights, known, strict=True)) / total
    return LogOdds(value, math.sqrt(1.0 / total))


def holm(p_values: Sequence[float], *, chance: float = 0.05) -> list[tuple[float, float]]:
    """For each test its p after correction, and the level that its interval must have.

    The interval leaves 1 out just where the test is rejected on its own step; whether all steps
    before it were, the corrected p tells. Source: Holm 1979.
    """
    order = sorted(range(len(p_values)), key=lambda n: (p_values[n], n))
    found = [(1.0, 1.0 - chance)] * len(p_values)
    highest = 0.0
    for place, n in enumerate(order):
        left = len(p_values) - place
        highest = max(highest, min(1.0, left * p_values[n]))
        found[n] = (highest, 1.0 - chance / left)
    return found
