"""Measure how long searches and answers take, by the size of the store.

    STEPLADDER_DATA=<folder with eval/> python bench/retrieval.py [--memories 1000 10000 100000]

Runs are made up of sentences of public bug reports: five memories of about 120 words each and
eight steps, every summary leading to three of 200 shared insights, a few of them far more often
than the others. The queries are 132 public task texts (median 142 words), asked once to warm up.
`cold` is a new process from its start to its first answer. About three minutes, most of it writing.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table
from store import CREATED, SEED, joined, run, sentences_of_bugs, task_texts

from stepladder.kg.embedding.static import StaticEmbedder
from stepladder.kg.stores.sqlite import SQLiteStore
from stepladder.kg.types import Batch, Edge, Insight
from stepladder.queries.answer import retrieve
from stepladder.queries.search import search

MEMORIES_A_RUN: Final = 5
SHARED_INSIGHTS: Final = 200
TAUGHT: Final = 3
COLD: Final = """
import sys, time
start = time.perf_counter()
from pathlib import Path
from stepladder.kg.embedding.static import StaticEmbedder
from stepladder.kg.stores.sqlite import SQLiteStore
from stepladder.queries.answer import retrieve
embedder = StaticEmbedder()
with SQLiteStore.open(Path(sys.argv[1]), centre=embedder.centre) as store:
    retrieve(store, embedder, sys.argv[2], project="acme/1")
print((time.perf_counter() - start) * 1e3)
"""


def main() -> None:
    """Fill a store to each size in turn and time the reading path."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--memories", nargs="+", type=int, default=[1_000, 10_000, 100_000])
    sizes = sorted(parser.parse_args().memories)
    table = Table(
        title="Milliseconds of processor time, p50 / p95; of a cold answer as the clock says"
    )
    for heading in ("memories", "search", "retrieve", "cold answer"):
        table.add_column(heading, justify="right")
    embedder = StaticEmbedder()
    texts = task_texts()
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        SQLiteStore.open(Path(folder) / "memory.db", centre=embedder.centre) as store,
    ):
        store.write(shared_insights(embedder))
        batches = runs_with_lessons(embedder)
        written = 0
        for size in sizes:
            wanted = (size - SHARED_INSIGHTS) // MEMORIES_A_RUN
            for batch in joined(batches, wanted - written):
                store.write(batch)
            written = wanted
            table.add_row(
                f"{size:,}",
                timed(lambda t: search(store, embedder, t), texts),
                timed(lambda t: retrieve(store, embedder, t, project="acme/1"), texts),
                f"{cold(Path(folder) / 'memory.db', texts[0]):.0f}",
            )
    Console().print(table)


def shared_insights(embedder: StaticEmbedder) -> Batch:
    """What runs lead to."""
    chance = random.Random(SEED)
    titles, parts = sentences_of_bugs()
    insights = [
        Insight(
            id=f"insight-shared-{n}",
            created=CREATED,
            title=chance.choice(titles),
            description=chance.choice(parts),
            card=f"card-{n}",
        )
        for n in range(SHARED_INSIGHTS)
    ]
    vectors = embedder.encode([i.key for i in insights])
    keyed = {i.id: v for i, v in zip(insights, vectors, strict=True)}
    return Batch(nodes=tuple(insights), vectors=keyed)


def runs_with_lessons(embedder: StaticEmbedder) -> Iterator[Batch]:
    """Endless batches of one run each, linked to what it taught."""
    chance = random.Random(SEED + 1)
    titles, parts = sentences_of_bugs()
    number = 0
    while True:
        batch = run(number, chance, titles, parts, embedder)
        taught = {int(SHARED_INSIGHTS * chance.random() ** 4) for _ in range(TAUGHT)}
        edges = tuple(
            Edge(
                source=f"summary-{number}", type="GENERALIZES_TO", target=f"insight-shared-{lesson}"
            )
            for lesson in sorted(taught)
        )
        yield replace(batch, edges=(*batch.edges, *edges))
        number += 1


def timed(ask: Callable[[str], object], texts: list[str]) -> str:
    """Median and 95th percentile of processor time over all texts, each asked once before."""
    took = []
    for text in texts:
        ask(text)
    for text in texts:
        start = time.process_time()
        ask(text)
        took.append((time.process_time() - start) * 1e3)
    median, slow = np.percentile(took, [50, 95])
    return f"{median:.1f} / {slow:.1f}"


def cold(path: Path, text: str) -> float:
    """Milliseconds of a first answer in a new process, its imports included."""
    command = [sys.executable, "-c", COLD, str(path), text]
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", check=True, env=dict(os.environ)
    )
    return float(done.stdout)


if __name__ == "__main__":
    main()
