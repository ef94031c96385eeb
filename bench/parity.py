"""Read public runs into a file and into Neo4j, and compare the graphs and 100 answers.

    STEPLADDER_DATA=<folder with public runs> python bench/parity.py [--limit 60]

A Neo4j without anything else on it is started on this machine (`scripts/neo4j_server.py`).
Compared are ids, every property, every relationship, vectors, and counts; and for 100 public task
texts the 20 best memories and the answer: the same ones in the same order, and the largest
difference of a score. It ends with code 1 where they differ. Five minutes, most of it reading.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table
from store import DATA
from stores import NAMES, both

from stepladder import KnowledgeBase
from stepladder.kg.types import Edge, Memory, Node

FOLDERS: Final = (DATA / "trajectories", DATA / "swebench-verified-runs")
QUERIES: Final = 100
TOLERANCE: Final = 1e-5


def main() -> None:
    """Print what was compared, and fail where something differs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--limit", type=int, help="so many runs at most")
    parser.add_argument("--line", default="5.26", help="line of Neo4j releases")
    options = parser.parse_args()
    console = Console()
    with both(options.line) as stores:
        table = Table("store", "runs", "nodes", "relationships", "seconds", title="Ingest")
        for name, kb in stores.items():
            start = time.perf_counter()
            report = kb.ingest([f for f in FOLDERS if f.is_dir()], limit=options.limit)
            counts = kb.store.counts()
            table.add_row(
                name,
                f"{report.new:,}",
                f"{sum(counts.labels.values()):,}",
                f"{sum(counts.edges.values()):,}",
                f"{time.perf_counter() - start:,.0f}",
            )
        console.print(table)
        file, server = (stores[name] for name in NAMES)
        wrong = [*differences(file, server)]
        texts = list(queries())
        largest = 0.0
        for text in texts:
            found, score = compare_answers(file, server, text)
            wrong += found
            largest = max(largest, score)
    console.print(f"{len(texts)} queries; largest difference of a score {largest:.2g}.")
    for line in wrong[:20]:
        console.print(line)
    console.print(f"{len(wrong)} differences.")
    sys.exit(bool(wrong) or largest > TOLERANCE)


def queries() -> Iterator[str]:
    """A hundred public task texts of two sets."""
    found = [
        json.loads(line)["instruction"]
        for name in ("skillsbench/tasks.jsonl", "tb2/tasks.jsonl")
        for line in Path(DATA / "eval" / name).read_text(encoding="utf-8").splitlines()
    ]
    yield from found[:QUERIES]


def differences(file: KnowledgeBase, server: KnowledgeBase) -> Iterator[str]:
    """What one store has and the other has not, or has with other values."""
    ours, theirs = (_items(kb) for kb in (file, server))
    for key in sorted(ours.keys() | theirs.keys(), key=str):
        if ours.get(key) != theirs.get(key):
            yield f"{key}: {_brief(ours.get(key))} in the file, {_brief(theirs.get(key))} on Neo4j"
    if file.stats() != server.stats():
        yield "The counts differ."
    memories = [id for id, item in ours.items() if isinstance(item, Memory)]
    for some in (memories[n : n + 500] for n in range(0, len(memories), 500)):
        features = zip(file.store.features(some), server.store.features(some), strict=True)
        for one, other in features:
            same = one.id == other.id and np.array_equal(one.terms.ids, other.terms.ids)
            if not same or not _same_vector(one.vector, other.vector):
                yield f"{one.id}: other words or another vector"
        if file.store.support(some) != server.store.support(some):
            yield "Support differs."


def compare_answers(
    file: KnowledgeBase, server: KnowledgeBase, text: str
) -> tuple[list[str], float]:
    """What is different in the ranking and in the answer, and the largest difference of a score."""
    wrong: list[str] = []
    ours, theirs = (kb.search(text, k=20) for kb in (file, server))
    if [h.id for h in ours] != [h.id for h in theirs]:
        wrong.append(f"{text[:60]!r}: another ranking")
    one, other = (kb.retrieve(text, record=False) for kb in (file, server))
    if [i.memory.id for i in one.items] != [i.memory.id for i in other.items]:
        wrong.append(f"{text[:60]!r}: another answer")
    return wrong, max(
        _largest([h.score for h in ours], [h.score for h in theirs]),
        _largest([i.score for i in one.items], [i.score for i in other.items]),
    )


def _items(kb: KnowledgeBase) -> dict[object, Node | Edge]:
    items = kb.store.export()
    return {i.id if isinstance(i, Node) else (i.source, i.type, i.target): i for i in items}


def _same_vector(one: object, other: object) -> bool:
    return (one is None) == (other is None) and (one is None or np.array_equal(one, other))


def _largest(ours: Sequence[float], theirs: Sequence[float]) -> float:
    return max((abs(a - b) for a, b in zip(ours, theirs, strict=False)), default=0.0)


def _brief(item: Node | Edge | None) -> str:
    return "nothing" if item is None else str(item)[:120]


if __name__ == "__main__":
    main()
