"""Would the memory have helped at the moment of failure?

    STEPLADDER_DATA=<folder with trajectories/> python bench/recovery.py

Of each public run with a failing step that a later step repaired, the error message is asked for
in the run's project, its own trace not counted. Right is the program and sub-command that repaired
it (an installation, another command, or the edit before the check passed), among the first three.
The baselines know all other runs: the most frequent repairs, and those of the failing steps whose
messages are nearest by cosine or by BM25. Differences carry a 95 % bootstrap interval over runs,
as failures of one run are alike. The second table asks with the end of the output instead. About
two minutes.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from baselines import BM25
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from stepladder import KnowledgeBase
from stepladder.ingest.pipeline import runs_in
from stepladder.ingest.readers import load_readers
from stepladder.ingest.record import Repair, RunRecord, StepRecord
from stepladder.ingest.walk import files_under
from stepladder.kg.embedding.static import StaticEmbedder
from stepladder.kg.errors import ReadError

DATA: Final = Path(
    os.environ.get("STEPLADDER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
FOLDERS: Final = ("swebench-verified-runs", "trajectories")
FIRST: Final = 3
TAIL_CHARS: Final = 1500
DRAWS: Final = 4000
BY_COMMAND: Final = ("install", "other command")

Pair = tuple[str, str]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Failure:
    """A failing step that was repaired: what it said, and what repaired it."""

    trace: str
    project: str
    message: str
    output: str
    by: str
    gold: Pair


def main() -> None:
    """Ingest, ask, and print."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        KnowledgeBase.open(Path(folder) / "memory.db") as kb,
    ):
        kb.ingest([DATA / name for name in FOLDERS])
        stored = {n.id for n in kb.store.find("Trace")}
        failures = [f for f in repaired_failures() if f.trace in stored]
        console = Console(width=120)
        for name, texts in (
            ("error message", [f.message for f in failures]),
            ("end of the output", [f.output for f in failures]),
        ):
            console.print(table_of(kb, failures, texts, title=f"Asked with the {name}"))


def repaired_failures() -> Iterator[Failure]:
    """Every repair of the public runs, each run once."""
    readers, seen = load_readers(), set()
    for file in files_under([DATA / name for name in FOLDERS]):
        try:
            runs = list(runs_in(file, readers=readers))
        except ReadError:
            continue
        for run in runs:
            if run.trace_id not in seen:
                seen.add(run.trace_id)
                yield from (failure_of(run, repair) for repair in run.repairs)


def failure_of(run: RunRecord, repair: Repair) -> Failure:
    """What was said and what helped."""
    failing = run.steps[repair.failing]
    message = failing.fault.message if failing.fault else ""
    step = repairing(run.steps, repair)
    return Failure(
        trace=run.trace_id,
        project=run.project,
        message=message or failing.observation[-300:],
        output=failing.observation[-TAIL_CHARS:],
        by=repair.by,
        gold=(step.program, step.subcommand),
    )


def repairing(steps: Sequence[StepRecord], repair: Repair) -> StepRecord:
    """The step that made the difference."""
    changed = [steps[n] for n in repair.changed]
    installs = [s for s in changed if s.phase == "install"]
    if repair.by == "install" and installs:
        return installs[-1]
    if repair.by in ("source", "own file") and changed:
        return changed[-1]
    return steps[repair.passing]


def table_of(
    kb: KnowledgeBase, failures: Sequence[Failure], texts: Sequence[str], *, title: str
) -> Table:
    """Parts that have the repair among the first three, of all and of repairs by a command."""
    ours = np.array([f.gold in asked(kb, f, t) for f, t in zip(failures, texts, strict=True)])
    vectors = StaticEmbedder().encode(texts)
    lexical = BM25(texts)
    theirs = {
        "most frequent repair": most_frequent(failures),
        "nearest by cosine": nearest(failures, np.asarray(vectors @ vectors.T, dtype=np.float64)),
        "nearest by BM25": nearest(failures, np.stack([lexical.scores(t) for t in texts])),
    }
    by_command = np.array([f.by in BY_COMMAND for f in failures])
    table = Table(title=title)
    for heading in ("repairs", "of", "ours", "baseline", "", "difference [95 %]"):
        table.add_column(heading, justify="left" if heading in ("repairs", "baseline") else "right")
    for name, rows in (("all", np.ones(len(failures), dtype=bool)), ("by a command", by_command)):
        for baseline, hits in theirs.items():
            low, high = interval(failures, ours.astype(float) - hits, rows)
            a, b = ours[rows].mean(), hits[rows].mean()
            table.add_row(
                name, str(rows.sum()), f"{a:.3f}", baseline, f"{b:.3f}",
                f"{a - b:+.3f} [{low:+.3f}, {high:+.3f}]",
            )  # fmt: skip
    return table


def asked(kb: KnowledgeBase, failure: Failure, text: str) -> list[Pair]:
    """The commands that the memory names."""
    found = kb.recoveries(text, project=failure.project, exclude=[failure.trace], k=FIRST)
    return [(r.program, r.subcommand) for r in found]


def most_frequent(failures: Sequence[Failure]) -> Floats:
    """Whether the most frequent repairs of other runs hold the right one."""
    hits = []
    for failure in failures:
        counts = Counter(f.gold for f in failures if f.trace != failure.trace)
        best = sorted(counts, key=lambda pair: (-counts[pair], pair))[:FIRST]
        hits.append(float(failure.gold in best))
    return np.array(hits)


def nearest(failures: Sequence[Failure], scores: Floats) -> Floats:
    """Whether the first three repairs of the nearest failing steps hold the right one."""
    hits = []
    for row, failure in zip(scores, failures, strict=True):
        order = np.argsort(-row, kind="stable")
        others = (failures[n].gold for n in order if failures[n].trace != failure.trace)
        hits.append(float(failure.gold in list(dict.fromkeys(others))[:FIRST]))
    return np.array(hits)


def interval(
    failures: Sequence[Failure], differences: Floats, rows: NDArray[np.bool_]
) -> tuple[float, float]:
    """The middle 95 % of the mean difference where runs are drawn."""
    traces = sorted({f.trace for f, kept in zip(failures, rows, strict=True) if kept})
    number = {t: n for n, t in enumerate(traces)}
    sums, sizes = np.zeros(len(traces)), np.zeros(len(traces))
    for failure, value, kept in zip(failures, differences, rows, strict=True):
        if kept:
            sums[number[failure.trace]] += value
            sizes[number[failure.trace]] += 1
    drawn = np.random.default_rng(20).integers(0, len(traces), size=(DRAWS, len(traces)))
    low, high = np.quantile(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), [0.025, 0.975])
    return float(low), float(high)


if __name__ == "__main__":
    main()
