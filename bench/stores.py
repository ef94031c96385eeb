"""Measure the store in a file and Neo4j side by side: writing, searching, answering.

    STEPLADDER_DATA=<folder with eval/> python bench/stores.py [--memories 10000 100000]

The graph and the queries are those of `bench/retrieval.py`. A Neo4j without anything else on it is
started on this machine (`scripts/neo4j_server.py`). Each batch is written to one store and then to
the other, and each query is put to both in turn, so that other work on the machine hurts both; of
each query the best of three times counts. `trips` are the statements that one answer sends to the
server, at most. About six minutes, most of it writing to Neo4j.
"""

import argparse
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from retrieval import MEMORIES_A_RUN, SHARED_INSIGHTS, runs_with_lessons, shared_insights
from rich.console import Console
from rich.table import Table
from store import joined, task_texts

from stepladder import KnowledgeBase
from stepladder.kg.embedding.static import StaticEmbedder
from stepladder.kg.types import Batch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from neo4j_server import LINES, running

ROUNDS: Final = 3
TRIPS_OF: Final = 20
NAMES: Final = ("file", "Neo4j")
ASKED: Final[dict[str, Callable[[KnowledgeBase, str], object]]] = {
    "search": lambda kb, text: kb.search(text),
    "answer": lambda kb, text: kb.retrieve(text, project="acme/1", record=False),
}


@dataclass(slots=True)
class Writing:
    """Nodes written so far, and how many seconds each store took."""

    nodes: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(NAMES, 0.0))


def main() -> None:
    """Fill both stores to each size in turn, and print what it took and how fast they answer."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--memories", nargs="+", type=int, default=[10_000, 100_000])
    parser.add_argument("--line", choices=sorted(LINES), default="5.26")
    options = parser.parse_args()
    written = Table("memories", *(f"{name}, nodes/s" for name in NAMES), "ratio", title="Writing")
    read = Table("memories", "what", *NAMES, "p95 ratio", "trips", title="Milliseconds, p50 / p95")
    with both(options.line) as stores:
        fill_and_ask(stores, sorted(options.memories), written=written, read=read)
    console = Console()
    console.print(written)
    console.print(read)


@contextmanager
def both(line: str) -> Iterator[dict[str, KnowledgeBase]]:
    """A knowledge base in a file and one on a server of its own, both empty."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        running(line) as server,
    ):
        os.environ["NEO4J_PASSWORD"] = server.password
        with (
            KnowledgeBase.open(Path(folder) / "memory.db") as ours,
            KnowledgeBase.open(server.address) as theirs,
        ):
            yield dict(zip(NAMES, (ours, theirs), strict=True))


def fill_and_ask(
    stores: dict[str, KnowledgeBase], sizes: list[int], *, written: Table, read: Table
) -> None:
    """Measure at each size."""
    embedder = StaticEmbedder()
    batches = runs_with_lessons(embedder)
    texts = task_texts()
    write(stores, shared_insights(embedder), Writing())
    runs = 0
    for size in sizes:
        wanted = (size - SHARED_INSIGHTS) // MEMORIES_A_RUN
        took = Writing()
        for batch in joined(batches, wanted - runs):
            write(stores, batch, took)
        runs = wanted
        speeds = [took.nodes / took.seconds[name] for name in NAMES]
        ratio = speeds[0] / speeds[1]
        written.add_row(f"{size:,}", *(f"{speed:,.0f}" for speed in speeds), f"{ratio:.1f}")
        for what, ask in ASKED.items():
            times = timed(stores, ask, texts)
            median, slow = ([np.percentile(times[n], p) for n in NAMES] for p in (50, 95))
            sent = [trips(partial(ask, stores["Neo4j"], text)) for text in texts[:TRIPS_OF]]
            read.add_row(
                f"{size:,}",
                what,
                *(f"{m:.1f} / {s:.1f}" for m, s in zip(median, slow, strict=True)),
                f"{slow[1] / slow[0]:.2f}",
                f"{max(sent)}",
            )


def write(stores: dict[str, KnowledgeBase], batch: Batch, took: Writing) -> None:
    """Write a batch to one store after the other."""
    took.nodes += len(batch.nodes)
    for name, kb in stores.items():
        start = time.perf_counter()
        kb.store.write(batch)
        took.seconds[name] += time.perf_counter() - start


def timed(
    stores: dict[str, KnowledgeBase], ask: Callable[[KnowledgeBase, str], object], texts: list[str]
) -> dict[str, list[float]]:
    """The best time of each text on each store in milliseconds; each was asked once before."""
    best: dict[str, list[float]] = {name: [] for name in stores}
    for kb in stores.values():
        for text in texts:
            ask(kb, text)
    for text in texts:
        took: dict[str, list[float]] = {name: [] for name in stores}
        for _ in range(ROUNDS):
            for name, kb in stores.items():
                start = time.perf_counter()
                ask(kb, text)
                took[name].append((time.perf_counter() - start) * 1e3)
        for name, times in took.items():
            best[name].append(min(times))
    return best


def trips(work: Callable[[], Any]) -> int:
    """How many statements the driver sends while work is done."""
    sent = Sent()
    log = logging.getLogger("neo4j.io")
    level = log.level
    log.addHandler(sent)
    log.setLevel(logging.DEBUG)
    try:
        work()
    finally:
        log.removeHandler(sent)
        log.setLevel(level)
    return sent.statements


class Sent(logging.Handler):
    """Counts the statements in the driver's own log of what goes over the wire."""

    def __init__(self) -> None:
        super().__init__()
        self.statements = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Count a message to the server that runs a statement."""
        self.statements += " C: RUN " in record.getMessage()


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "100")
    main()
