"""Does the report on cards find what is true, and keep quiet about what is not?

    python bench/card_effects.py [--simulations 100] [--seed 7]
    STEPLADDER_DATA=<folder> python bench/card_effects.py --runs [--json]

Each simulation makes a store of 400 runs with 20 habits. How hard a task is decides both how it
ends and, half as strongly, which habits come up in it; one habit has an odds ratio of 4 at equal
difficulty, or none has. Difficulty is known from other runs of the task (80 tasks, five runs each),
or from outside (400 tasks, the share of 99 others that solved it). The table gives how often the
true habit is called helpful and how often another one is called anything, by the report and by the
raw ratios with the same correction. About four minutes.

With `--runs` it reports every card of the public runs with 20 runs or more: 150 of them have a
verifier's verdict and a difficulty, the share of 99 other submissions that solved the same task.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.stats import binomtest

from stepladder import KnowledgeBase
from stepladder.kg.types import Batch, Edge, Insight, Trace
from stepladder.queries.evaluation.card_effects import CHANCE, CardReport, Ratio
from stepladder.queries.evaluation.odds import holm

DATA: Final = Path(
    os.environ.get("STEPLADDER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
RUNS: Final = 400
HABITS: Final = 20
TRUE_RATIO: Final = 4.0
SPREAD: Final = 1.5
"""Standard deviation of the log odds of tasks; difficulty alone then has an AUC of about .8."""
PULL: Final = 0.5
OTHERS: Final = 99
TIME: Final = "2026-01-01T00:00:00Z"

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a report on one simulated store said: the true habit found, a false one raised."""

    found: bool
    false: bool
    found_raw: bool
    false_raw: bool


def main() -> None:
    """Simulate, or report the public runs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--simulations", type=int, default=100, help="stores a row of the table")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--runs", action="store_true", help="report the public runs")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    options = parser.parse_args()
    if not options.runs:
        Console(width=120).print(simulated(options.simulations, options.seed))
        return
    report = of_public_runs()
    if options.json:
        json.dump(asdict(report), sys.stdout, indent=1)
    else:
        Console(width=140).print(shown(report))


def simulated(simulations: int, seed: int) -> Table:
    """One row for each way to know the difficulty, with and without a true effect."""
    table = Table(title=f"{RUNS} runs, {HABITS} habits, {simulations} simulations a row")
    for heading in ("difficulty from", "true ratio", "found", "a false one", "raw: found", "false"):
        table.add_column(heading, justify="left" if heading == "difficulty from" else "right")
    for name, runs_a_task in (("other runs of the task", 5), ("outside", 1)):
        for ratio in (TRUE_RATIO, 1.0):
            rng = np.random.default_rng(seed)
            seen = [simulation(rng, ratio, runs_a_task) for _ in range(simulations)]
            found = [[o.found for o in seen], [o.found_raw for o in seen]]
            false = [[o.false for o in seen], [o.false_raw for o in seen]]
            shares = [
                rate(v) if ratio > 1 or n % 2 else ""
                for n, v in enumerate((found[0], false[0], found[1], false[1]))
            ]
            table.add_row(name, f"{ratio:g}", *shares)
    return table


def rate(values: Sequence[bool]) -> str:
    """A share with its exact 95 % interval."""
    test = binomtest(sum(values), len(values)).proportion_ci()
    return f"{np.mean(values):.2f} [{test.low:.2f}, {test.high:.2f}]"


def simulation(rng: np.random.Generator, ratio: float, runs_a_task: int) -> Outcome:
    """Make a store of runs and ask for its report."""
    ease = np.repeat(rng.normal(0.0, SPREAD, RUNS // runs_a_task), runs_a_task)
    base = rng.normal(0.0, 1.0, (HABITS, 1))
    habits = rng.random((HABITS, RUNS)) < logistic(base - PULL * ease)
    solved = rng.random(RUNS) < logistic(ease + np.log(ratio) * habits[0])
    difficulty = {}
    if runs_a_task == 1:
        shares = rng.binomial(OTHERS, logistic(ease)) / OTHERS
        difficulty = {f"task-{n}": float(s) for n, s in enumerate(shares)}
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        KnowledgeBase.open(Path(folder) / "memory.db") as kb,
    ):
        kb.store.write(batch(habits, solved, runs_a_task))
        return judged(kb.card_effects(difficulty=difficulty), truth=ratio > 1)


def logistic(values: Floats) -> Floats:
    """Odds as a probability."""
    return np.asarray(1.0 / (1.0 + np.exp(-values)), dtype=np.float64)


def batch(habits: NDArray[np.bool_], solved: NDArray[np.bool_], runs_a_task: int) -> Batch:
    """The runs, a card for each habit, and the edges between them."""
    traces = tuple(
        Trace(
            id=f"trace-{n}",
            created=TIME,
            title="A run",
            task=f"task-{n // runs_a_task}",
            outcome="success" if ok else "failure",
            outcome_source="verifier",
        )
        for n, ok in enumerate(solved)
    )
    cards = tuple(
        Insight(id=f"insight-{h}", created=TIME, title=f"Habit {h}", card=f"habit-{h}")
        for h in range(HABITS)
    )
    edges = tuple(
        Edge(source=f"trace-{n}", type="GENERALIZES_TO", target=f"insight-{h}")
        for h, n in np.argwhere(habits)
    )
    return Batch(nodes=(*traces, *cards), edges=edges)


def judged(report: CardReport, *, truth: bool) -> Outcome:
    """What was said, and what raw ratios with the same correction would have said."""
    claims = {e.card: e.claim for e in report.effects}
    crude = {e.card: e.raw for e in report.effects if e.raw}
    corrected = holm([r.p_value for r in crude.values()])
    raw = {
        card: ("helps" if r.value > 1 else "hurts") if p < CHANCE else ""
        for (card, r), (p, _) in zip(crude.items(), corrected, strict=True)
    }

    def found(said: Mapping[str, str]) -> bool:
        return said.get("habit-0") == "helps"

    def false(said: Mapping[str, str]) -> bool:
        return any(c for card, c in said.items() if not (truth and card == "habit-0"))

    return Outcome(found(claims), false(claims), found(raw), false(raw))


def of_public_runs() -> CardReport:
    """Ingest the public runs and report their cards."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        KnowledgeBase.open(Path(folder) / "memory.db") as kb,
    ):
        kb.ingest([DATA / "swebench-verified-runs", DATA / "trajectories"])
        return kb.card_effects(difficulty=share_that_solved())


def share_that_solved() -> dict[str, float]:
    """By task the share of the other submissions that solved it."""
    file = DATA / "eval" / "swebench" / "resolved_submissions.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    names = {name for row in rows for name in row["resolved_submissions"]}
    return {row["id"]: len(row["resolved_submissions"]) / len(names) for row in rows}


def shown(report: CardReport) -> Table:
    """A line for each card, over all domains and in each."""
    table = Table(
        title=f"{report.runs} runs with a verdict, {report.rated} with a difficulty; "
        f"{report.tests} ratios corrected together (Holm)"
    )
    headings = ("card", "domain", "runs", "solved with", "without", "raw", "adjusted", "corrected")
    for heading in (*headings, "p", "says"):
        table.add_column(heading, justify="left" if heading in ("card", "domain") else "right")
    for effect in report.effects:
        t = effect.table
        table.add_row(
            effect.card,
            effect.domain or "all",
            str(effect.support),
            f"{t.with_success}/{t.exposed}",
            f"{t.without_success}/{t.runs - t.exposed}",
            *map(ratio_text, (effect.raw, effect.adjusted, effect.corrected)),
            f"{effect.corrected.p_value:.2f}" if effect.corrected else "",
            effect.claim or "nothing",
        )
    return table


def ratio_text(ratio: Ratio | None) -> str:
    """An odds ratio with its interval."""
    return f"{ratio.value:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]" if ratio else ""


if __name__ == "__main__":
    main()
