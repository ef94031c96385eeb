"""Measure how often the guessed domain of a run is the labelled one.

    STEPLADDER_DATA=<folder with trajectories/> python bench/domains.py [--wrong]

Every public run with an action is read; its labelled domain is that of its file, repo-bugfix for
runs on SWE-bench, and the sample runs of this repository are labelled by their folders. Coverage is
the share of runs with a guess, precision the share of guesses that are the label. The labels of
the public files are those of their repository, so a release of a web project is labelled web-dev.
Rules were written while looking at these files. `--wrong` lists what differs. About 20 seconds.
"""

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from stepladder.ingest import nodes
from stepladder.ingest.domain import domain_of
from stepladder.ingest.readers import load_readers, reader_for
from stepladder.ingest.record import RunRecord
from stepladder.ingest.source import Source
from stepladder.ingest.steps.build import build
from stepladder.ingest.walk import files_under

ROOT: Final = Path(__file__).resolve().parents[1]
DATA: Final = Path(os.environ.get("STEPLADDER_DATA", ROOT.parent / "shared" / "data"))
RENAMED: Final = {
    "terminal": "terminal-devops",
    "ctf/security": "security",
    "web-dev/web3": "web-dev",
}

Labelled = tuple[str, str, str]
"""What is labelled, its label and the guess."""


def main() -> None:
    """Print coverage and precision of each set, and of each guessed domain."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--wrong", action="store_true", help="list the guesses that differ")
    show_wrong = parser.parse_args().wrong
    sets = {
        "SWE-bench and its agent": list(guesses(swebench=True)),
        "other public runs": list(guesses(swebench=False)),
        "samples of this repository": list(guesses_of_samples()),
    }
    table = Table("runs", "number", "coverage", "precision", title="Guessed domains")
    for name, rows in sets.items():
        table.add_row(name, *figures(rows))
    console = Console()
    console.print(table)
    others = sets["other public runs"]
    right = Counter(guess for _, label, guess in others if guess == label)
    by_domain = Table("guess", "right", "of", title="Other public runs")
    for guess, number in sorted(Counter(guess for _, _, guess in others if guess).items()):
        by_domain.add_row(guess, str(right[guess]), str(number))
    console.print(by_domain)
    if show_wrong:
        wrong = (
            (n, label, g) for rows in sets.values() for n, label, g in rows if g and g != label
        )
        for name, label, guess in wrong:
            console.print(f"{label} guessed {guess}: {name}", markup=False, highlight=False)


def figures(rows: Sequence[Labelled]) -> tuple[str, str, str]:
    """Number, coverage and precision."""
    guessed = [(label, guess) for _, label, guess in rows if guess]
    right = sum(label == guess for label, guess in guessed)
    return (
        str(len(rows)),
        f"{len(guessed) / max(1, len(rows)):.2f}",
        f"{right / max(1, len(guessed)):.3f} ({right} of {len(guessed)})",
    )


def guesses(*, swebench: bool) -> Iterator[Labelled]:
    """The public runs on SWE-bench, or all others."""
    folder = DATA / "trajectories"
    rows = (folder / "MANIFEST.jsonl").read_text(encoding="utf-8").splitlines()
    manifest = {folder / row["path"]: row for row in map(json.loads, rows)}
    runs_of_swebench = DATA / "swebench-verified-runs"
    for file in files_under([folder, runs_of_swebench]):
        row = manifest.get(file, {"domain": "repo-bugfix", "format": "mini-swe-agent"})
        if row["format"].startswith("mini-swe-agent") == swebench:
            label = RENAMED.get(row["domain"], row["domain"])
            yield from ((file.name, label, domain_of(run)) for run in runs_in(file))


def guesses_of_samples() -> Iterator[Labelled]:
    """The sample runs of this repository."""
    for file in files_under([ROOT / "examples"]):
        label = file.relative_to(ROOT / "examples").parts[0]
        yield from ((file.name, label, domain_of(run)) for run in runs_in(file))


def runs_in(file: Path) -> Iterator[RunRecord]:
    """The runs of a file that have a step."""
    source = Source(file)
    reader = reader_for(source, load_readers())
    for trajectory in reader.read(source) if reader else ():
        run = build(
            trajectory,
            trace_id=nodes.trace_id(trajectory.format, trajectory.id),
            task_id=nodes.task_id("", trajectory.task_id, trajectory.task),
            project=trajectory.project,
            domain="",
            language=trajectory.language,
        )
        if run.steps:
            yield run


if __name__ == "__main__":
    main()
