"""Measure the store in a SQLite file: writing, size, searching, opening, memory.

    STEPLADDER_DATA=<folder with eval/> python bench/store.py [--memories 1000 10000 100000]

Runs are made up of sentences of public bug reports: five memories of about 120 words each (trace,
workflow, summary, two insights) and eight steps. The queries are 132 public task texts. Embedding
is not counted. Of each query the best of five times counts, so that other work on the machine
matters less; everything else is measured once. About four minutes.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from stepladder.kg.embedding.static import StaticEmbedder
from stepladder.kg.protocols import CandidateQuery
from stepladder.kg.stores.sqlite import SQLiteStore
from stepladder.kg.terms import term_id, tokenize
from stepladder.kg.types import (
    Batch,
    Edge,
    Insight,
    Memory,
    Node,
    Scope,
    Step,
    Summary,
    Trace,
    Workflow,
)

DATA = Path(
    os.environ.get("STEPLADDER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
SEED = 7
STEPS = 8
MEMORIES_A_RUN = 5
RUNS_A_BATCH = 100
QUERY_TERMS = 32
CREATED = "2026-01-01T00:00:00Z"
STOP_WORDS = frozenset(
    tokenize(
        "a all an and any are as at be by can do each for from has have if in into is it its not "
        "of on or should that the then this to use using was which will with you your"
    )
)
COLD_START = """
import sys, time
from pathlib import Path
import numpy as np
from stepladder.kg.protocols import CandidateQuery
from stepladder.kg.stores.sqlite import SQLiteStore

def resident_kib():
    try:
        text = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    return int(text.partition("VmRSS:")[2].split()[0])

vector = np.ones(256, np.float32) / 16
before_kib = resident_kib()
start = time.perf_counter()
store = SQLiteStore.open(Path(sys.argv[1]))
opened = time.perf_counter()
store.candidates(CandidateQuery(terms=("test", "error"), vector=vector))
print(opened - start, time.perf_counter() - opened, resident_kib() - before_kib)
"""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Measure the store in a SQLite file.")
    parser.add_argument("--memories", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    console = Console()
    columns = (
        "memories",
        "nodes",
        "nodes/s",
        "bytes/node",
        "one more run",
        "open",
        "search",
        "RAM",
    )
    sizes = Table(*columns, title="Writing (a run: p50 / p95), opening and the first search")
    searches = Table("memories", "filter", "p50", "p95", "worst", title="Candidates, ms")
    for count in parser.parse_args().memories:
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder) / "memory.db", count, sizes=sizes, searches=searches)
    console.print(sizes)
    console.print(searches)
    with tempfile.TemporaryDirectory() as folder:
        console.print(support_table(Path(folder) / "memory.db"))


def measure(path: Path, count: int, *, sizes: Table, searches: Table) -> None:
    """Fill a store with `count` memories, then read it."""
    embedder = StaticEmbedder()
    store = SQLiteStore.open(path, dim=embedder.dim, centre=embedder.centre)
    made = runs(count // MEMORIES_A_RUN + 40, embedder)
    nodes, elapsed_s = 0, 0.0
    for batch in joined(made, count // MEMORIES_A_RUN):
        start = time.perf_counter()
        store.write(batch)
        elapsed_s += time.perf_counter() - start
        nodes += len(batch.nodes)
    queries = [query(store, embedder, text) for text in task_texts()]
    for name, change in FILTERS.items():
        asked = [change(q) for q in queries]
        times_ms = [
            1e3 * min(clock(lambda q=q: store.candidates(q)) for _ in range(5)) for q in asked
        ]
        row = (np.percentile(times_ms, p) for p in (50, 95, 100))
        searches.add_row(f"{count:,}", name, *(f"{ms:.1f}" for ms in row))
    single_ms = [1e3 * clock(lambda b=b: store.write(b)) for b in made]
    store.close()
    opened_s, first_s, ram_kib = cold_start(path)
    sizes.add_row(
        f"{count:,}",
        f"{nodes:,}",
        f"{nodes / elapsed_s:,.0f}",
        f"{path.stat().st_size / nodes:,.0f}",
        f"{np.percentile(single_ms, 50):.0f} / {np.percentile(single_ms, 95):.0f} ms",
        f"{opened_s * 1e3:.0f} ms",
        f"{first_s * 1e3:.0f} ms",
        f"{ram_kib / 1024:.0f} MB",
    )


FILTERS: dict[str, Callable[[CandidateQuery], CandidateQuery]] = {
    "none": lambda q: q,
    "insights only": lambda q: replace(q, min_level=3),
    "one project of twenty": lambda q: replace(q, scope=Scope.of("acme/3")),
}


def support_table(path: Path) -> Table:
    """Reading the support of an insight with many traces."""
    table = Table("traces below", "written", "support read", "one trace retracted")
    with SQLiteStore.open(path) as store:
        traces = tuple(
            Trace(id=f"trace-{i}", created=CREATED, title="t", task=f"task-{i}", project="acme/1")
            for i in range(10_000)
        )
        insight = Insight(id="insight-1", created=CREATED, title="t")
        edges = tuple(Edge(source=t.id, type="GENERALIZES_TO", target=insight.id) for t in traces)
        batch = Batch(nodes=(*traces, insight), edges=edges)
        written_s = clock(lambda: store.write(batch))
        read_s = np.median([clock(lambda: store.support([insight.id])) for _ in range(11)])
        retracted_s = clock(lambda: store.write(Batch(retract=("trace-1",))))
    table.add_row(
        f"{len(traces):,}",
        f"{written_s:.2f} s",
        f"{read_s * 1e3:.2f} ms",
        f"{retracted_s * 1e3:.2f} ms",
    )
    return table


def runs(count: int, embedder: StaticEmbedder) -> Iterator[Batch]:
    """Batches of one run each, vectors included."""
    chance = random.Random(SEED)
    titles, parts = sentences_of_bugs()
    for number in range(count):
        yield run(number, chance, titles, parts, embedder)


def run(
    number: int, chance: random.Random, titles: list[str], parts: list[str], embedder: Any
) -> Batch:
    """One run of eight steps and five memories."""
    project = f"acme/{number % 20}"

    def text() -> dict[str, str]:
        words: list[str] = []
        while len(words) < 100:
            words += chance.choice(parts).split()
        return {
            "title": chance.choice(titles),
            "description": chance.choice(parts),
            "content": " ".join(words),
        }

    own = {"created": CREATED, "scope": project, "project": project}
    trace = Trace(id=f"trace-{number}", agent="codex", outcome="success", **own, **text())
    made: tuple[Memory, ...] = (
        trace,
        Workflow(id=f"workflow-{number}", **own, **text()),
        Summary(id=f"summary-{number}", **own, **text()),
        Insight(id=f"insight-own-{number}", **own, **text()),
        Insight(id=f"insight-{number}", created=CREATED, domains=("repo-bugfix",), **text()),
    )
    steps = tuple(
        Step(
            id=f"step-{number}-{i}",
            created=CREATED,
            scope=project,
            index=i,
            phase="run",
            tool="bash",
            command=chance.choice(parts)[:80],
            observation=chance.choice(parts),
            exit_code=0,
            uid=f"call-{number}-{i}",
        )
        for i in range(STEPS)
    )
    edges = [Edge(source=s.id, type="PART_OF", target=trace.id) for s in steps]
    edges += [Edge(source=a.id, type="NEXT", target=b.id) for a, b in pairwise(steps)]
    pairs = ((0, 1), (0, 2), (1, 3), (2, 4))
    edges += [Edge(source=made[a].id, type="GENERALIZES_TO", target=made[b].id) for a, b in pairs]
    edges += [Edge(source=made[4].id, type="CITES", target=steps[0].id, quote="exit code 1")]
    nodes: tuple[Node, ...] = (*made, *steps)
    vectors = embedder.encode([m.key for m in made])
    keyed = {m.id: v for m, v in zip(made, vectors, strict=True)}
    return Batch(nodes=nodes, edges=tuple(edges), vectors=keyed)


def joined(batches: Iterator[Batch], count: int) -> Iterator[Batch]:
    """The next `count` batches, a hundred in one."""
    for start in range(0, count, RUNS_A_BATCH):
        some = [next(batches) for _ in range(min(RUNS_A_BATCH, count - start))]
        yield Batch(
            nodes=tuple(n for b in some for n in b.nodes),
            edges=tuple(e for b in some for e in b.edges),
            vectors={id: v for b in some for id, v in b.vectors.items()},
        )


def query(store: SQLiteStore, embedder: StaticEmbedder, text: str) -> CandidateQuery:
    """A task text as a query: its 32 weightiest terms and its vector."""
    tf = Counter(t for t in tokenize(text) if t not in STOP_WORDS)
    known = store.statistics([term_id(t) for t in tf])

    def weight(term: str) -> float:
        frequency = known.document_frequency.get(term_id(term), (0, 0))[1]
        idf = np.log1p((known.memories - frequency + 0.5) / (frequency + 0.5))
        return float(-(1 + np.log(tf[term])) * idf)

    terms = tuple(sorted(tf, key=lambda t: (weight(t), t))[:QUERY_TERMS])
    return CandidateQuery(terms=terms, vector=embedder.encode([text])[0])


def cold_start(path: Path) -> tuple[float, float, float]:
    """Median seconds to open and to search for the first time, and KiB of memory it took."""
    command = [sys.executable, "-c", COLD_START, str(path)]
    outputs = [
        subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()
        for _ in range(5)
    ]
    opened_s, first_s, ram_kib = np.median(np.array(outputs, dtype=float), axis=0)
    return float(opened_s), float(first_s), float(ram_kib)


def clock(work: Callable[[], object]) -> float:
    """The seconds a piece of work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def task_texts() -> list[str]:
    """Whole task texts of two public benchmarks."""
    files = ("skillsbench/tasks.jsonl", "tb2/tasks.jsonl")
    return [row["instruction"] for name in files for row in rows(name)]


def sentences_of_bugs() -> tuple[list[str], list[str]]:
    """Titles and sentences of public bug reports."""
    files = ("gitbugs/hadoop_bugs.jsonl", "gitbugs/seamonkey_bugs.jsonl")
    bugs = [row for name in files for row in rows(name)]
    parts = {
        part.strip()
        for row in bugs
        for part in SENTENCE_END.split(row["description"] or "")
        if 5 <= len(part.split()) <= 40
    }
    return sorted({row["summary"] for row in bugs}), sorted(parts)


def rows(name: str) -> list[dict[str, str]]:
    """The objects of a file with one JSON object a line."""
    with (DATA / "eval" / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


if __name__ == "__main__":
    main()
