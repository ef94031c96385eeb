"""Measure reading and the whole ingest, and how long the program takes to start.

    STEPLADDER_DATA=<folder with trajectories/> python bench/ingest.py [--costs]

The files are all public runs of the data that a reader takes. `json.loads` of the same bytes is the
measure of what reading costs by itself; the ratios are taken within one run of this program, so
that a busy machine hurts both sides. The whole ingest runs in a process of its own, whose greatest
memory is shown. `--costs` tells instead where its time goes. Two minutes on one core.
"""

import argparse
import cProfile
import json
import os
import pstats
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table
from store import joined, runs

from stepladder import KnowledgeBase
from stepladder.ingest.readers import load_readers, reader_for
from stepladder.ingest.source import Source
from stepladder.kg.embedding.static import StaticEmbedder
from stepladder.kg.stores.sqlite import SQLiteStore

DATA: Final = Path(
    os.environ.get("STEPLADDER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
FOLDERS: Final = (DATA / "trajectories", DATA / "swebench-verified-runs")
ROUNDS: Final = 3
STARTS: Final = 7
COLD_MEMORIES: Final = 10_000
RUNS_EACH: Final = 5
TASK: Final = "Fix a bug in a Python library: a test fails and its usual runner is not installed"
WHOLE: Final = """
import json, sys, time
from stepladder import KnowledgeBase

with KnowledgeBase.open(sys.argv[1]) as kb:
    wall, cpu = time.perf_counter(), time.process_time()
    report = kb.ingest(sys.argv[3:], dry_run=sys.argv[2] == "dry")
    took = time.perf_counter() - wall, time.process_time() - cpu
try:
    import resource
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
except ImportError:
    peak_kib = 0
sessions = report.new + report.updated
print(json.dumps([*took, peak_kib, sessions, report.steps, len(report.failed)]))
"""
STAGES: Final = (
    ("reading", "ingest/readers", "read"),
    ("finding the reader", "ingest/readers", "reader_for"),
    ("taking secrets out", "ingest/clean.py", "redacted"),
    ("understanding the steps", "ingest/pipeline.py", "_record"),
    ("distilling", "rules/distiller.py", "distill"),
    ("  of it sentence structure", "rules/language.py", "clauses_of"),
    ("level 0 nodes", "ingest/nodes.py", "level_zero"),
    ("embedding", "embedding/static.py", "encode"),
    ("writing", "sqlite/store.py", "write"),
    ("what is known already", "ingest/pipeline.py", "_without_copies"),
)
"""Stages of an ingest, by the file and the name of the function that stands for each."""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Measure reading and the whole ingest.")
    parser.add_argument("--costs", action="store_true", help="where the time of the ingest goes")
    console = Console()
    if parser.parse_args().costs:
        console.print(costs())
        return
    console.print(speeds())
    console.print(starts())


def speeds() -> Table:
    """`json.loads`, reading alone, the ingest without and with its write."""
    files = readable()
    size_mb = sum(f.stat().st_size for f in files) / 1e6
    counts = np.array([counts_of(f) for f in files]).sum(axis=0)
    sessions, calls = (int(n) for n in counts)
    parsed_s = best(lambda: [parse(f) for f in files])
    read_s = best(lambda: [counts_of(f) for f in files])
    with tempfile.TemporaryDirectory() as folder:
        dry_s, *_ = whole(Path(folder) / "dry.db", "dry")
        path = Path(folder) / "memory.db"
        whole_s, cpu_s, peak_kib, kept, steps, failed = whole(path, "write")
        again_s, *_ = whole(path, "write")
        stored_mb = path.stat().st_size / 1e6
    title = f"{len(files)} files, {size_mb:.0f} MB, {sessions} sessions, {calls:,} calls"
    table = Table("", "s", "MB/s", "calls/s", "sessions/s", "ratio", title=title)
    rows = (
        ("json.loads of the bytes", parsed_s, sessions, calls, ""),
        ("reading alone", read_s, sessions, calls, f"{read_s / parsed_s:.1f} x json.loads"),
        ("whole ingest, dry run", dry_s, kept, steps, f"{dry_s / read_s:.1f} x reading"),
        ("whole ingest", whole_s, kept, steps, f"{whole_s / read_s:.1f} x reading"),
        ("the same again", again_s, kept, steps, f"{again_s / whole_s:.2f} x the first"),
    )
    for name, seconds, runs_of, acts, ratio in rows:
        rates = (size_mb / seconds, acts / seconds, runs_of / seconds)
        table.add_row(name, f"{seconds:.2f}", *(f"{r:,.1f}" for r in rates), ratio)
    table.caption = (
        f"{kept:.0f} runs kept, {failed:.0f} files failed; {cpu_s:.1f} s of a processor; greatest "
        f"memory {peak_kib / 1024:.0f} MB; store {stored_mb:.1f} MB ({stored_mb / size_mb:.2f} of "
        "the files)"
    )
    return table


def starts() -> Table:
    """Wall time of the program from its start to its end."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        embedder = StaticEmbedder()
        with SQLiteStore.open(path, dim=embedder.dim, centre=embedder.centre) as store:
            count = COLD_MEMORIES // RUNS_EACH
            for batch in joined(runs(count, embedder), count):
                store.write(batch)
        calls = (
            ("--help", ("--help",)),
            ("query --help", ("query", "--help")),
            (f"query, cold, {COLD_MEMORIES:,} memories", ("--store", str(path), "query", TASK)),
            ("python -c pass", ()),
        )
        table = Table("program", "p50", "worst", title=f"Start to end, ms, of {STARTS} runs")
        for name, arguments in calls:
            command = [sys.executable, "-m", "stepladder.cli", *arguments]
            command = command if arguments else [sys.executable, "-c", "pass"]
            times_ms = [1e3 * clock(lambda c=command: run(c)) for _ in range(STARTS)]
            table.add_row(name, f"{np.median(times_ms):.0f}", f"{max(times_ms):.0f}")
    return table


def costs() -> Table:
    """The share of each stage in the processor's time of one ingest under the profiler."""
    profile = cProfile.Profile(time.process_time)
    with (
        tempfile.TemporaryDirectory() as folder,
        KnowledgeBase.open(Path(folder) / "memory.db") as kb,
    ):
        profile.runcall(kb.ingest, FOLDERS)
    found = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    total_s = max(row[3] for row in found.values())
    table = Table("stage", "share", title="Where the time of a whole ingest goes")
    for name, place, function in STAGES:
        cumulative_s = sum(
            row[3]
            for (file, _, called), row in found.items()
            if place in Path(file).as_posix() and called == function
        )
        table.add_row(name, f"{cumulative_s / total_s:.0%}")
    return table


def readable() -> list[Path]:
    """The files that some reader takes."""
    readers = load_readers()
    files = sorted(p for folder in FOLDERS for p in folder.rglob("*") if p.is_file())
    return [f for f in files if reader_for(Source(f), readers)]


def counts_of(file: Path) -> tuple[int, int]:
    """The runs of a file and their calls, read anew."""
    source = Source(file)
    reader = reader_for(source, READERS)
    found = list(reader.read(source)) if reader else []
    return len(found), sum(len(t.calls) for t in found)


READERS: Final = load_readers()


def parse(file: Path) -> None:
    """Decode the JSON of a file and do nothing with it."""
    data = file.read_bytes()
    try:
        json.loads(data)
    except ValueError:
        for line in data.split(b"\n"):
            try:
                json.loads(line)
            except ValueError:
                continue


def whole(path: Path, mode: str) -> list[float]:
    """Wall and processor seconds, greatest KiB, runs, steps and failures of an ingest."""
    command = [sys.executable, "-c", WHOLE, str(path), mode, *map(str, FOLDERS)]
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    return [float(n) for n in json.loads(done.stdout)]


def run(command: list[str]) -> None:
    """Run a program to its end."""
    subprocess.run(command, capture_output=True, check=True)


def best(work: Callable[[], object]) -> float:
    """The least seconds of some rounds."""
    return min(clock(work) for _ in range(ROUNDS))


def clock(work: Callable[[], object]) -> float:
    """The seconds a piece of work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
