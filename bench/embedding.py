"""Measure the static embedder and the sign codes.

    STEPLADDER_DATA=<folder with eval/> python bench/embedding.py [--texts 100000]

Prints texts a second, the time to the first vector in a new process, how many of the true ten
nearest the codes find, and how long the search takes. The texts to search are titles of public
bugs and tasks joined with sentences of others; the queries are whole task texts and single rules,
from other sources. About a minute.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from stepladder.kg import codes
from stepladder.kg.embedding.static import StaticEmbedder

DATA = Path(
    os.environ.get("STEPLADDER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
NEAREST = 10
CANDIDATES = (100, 300, 1_000)
SEED = 7
COLD_START = """
import time
start = time.perf_counter()
from stepladder.kg.embedding.static import StaticEmbedder
StaticEmbedder().encode(["first"])
print(time.perf_counter() - start)
"""

Floats = NDArray[np.float32]
Ranking = Callable[[Floats], NDArray[np.intp]]


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description="Measure the static embedder and the sign codes.")
    parser.add_argument("--texts", type=int, default=100_000, help="how many texts to search")
    texts = corpus(parser.parse_args().texts)
    console = Console()
    console.print(speed_table(texts))
    console.print(recall_table(texts))
    console.print(search_time_table())


def speed_table(texts: list[str]) -> Table:
    """Texts a second and the time to the first vector."""
    embedder = StaticEmbedder()
    some = texts[:20_000]
    titles = [text.partition(". ")[0] for text in some]
    long = [" ".join(some[i : i + 6]) for i in range(0, 6_000, 6)]
    table = Table("Static embedder", "words a text", "texts a second", title="Speed")
    embedder.encode(["first"])
    for name, batch in (
        ("the first time", some),
        ("again", some),
        ("titles", titles),
        ("long texts", long),
    ):
        words = sum(len(text.split()) for text in batch) / len(batch)
        elapsed_s = clock(lambda batch=batch: embedder.encode(batch), times=1)
        table.add_row(name, f"{words:.0f}", f"{len(batch) / elapsed_s:,.0f}")
    starts_s = [
        float(
            subprocess.run(
                [sys.executable, "-c", COLD_START], capture_output=True, check=True
            ).stdout
        )
        for _ in range(5)
    ]
    table.add_row("first vector, numpy's import included", "1", f"{np.median(starts_s):.3f} s")
    return table


def recall_table(texts: list[str]) -> Table:
    """The share of the true ten nearest among the best candidates of each method."""
    embedder = StaticEmbedder()
    vectors, centre = embedder.encode(texts), embedder.centre
    queries = {name: embedder.encode(found) for name, found in query_texts().items()}
    columns = [f"{name}, {count}" for name in queries for count in CANDIDATES]
    table = Table("Method", *columns, title=f"Recall of the nearest {NEAREST} of {len(texts):,}")
    for method, rank in methods(vectors, centre):
        shares = [recall(rank, vectors, found) for found in queries.values()]
        table.add_row(method, *(f"{share:.3f}" for row in shares for share in row))
    return table


def methods(vectors: Floats, centre: Floats) -> Iterator[tuple[str, Ranking]]:
    """Ways to rank the vectors, from plain signs to an exact query against signs."""
    most = max(CANDIDATES)

    def by_signs(change: Callable[[Floats], Floats]) -> Ranking:
        stored = np.packbits(change(vectors) > 0, axis=1)

        def rank(query: Floats) -> NDArray[np.intp]:
            differing = stored ^ np.packbits(change(query[None]) > 0, axis=1)
            distance = np.bitwise_count(differing).sum(axis=1, dtype=np.int32)
            return np.argsort(distance, kind="stable")[:most]

        return rank

    turn = codes.rotation(len(centre))
    yield "signs", by_signs(lambda rows: rows)
    yield "signs, centred", by_signs(lambda rows: rows - centre)
    yield "signs, centred and rotated", by_signs(lambda rows: (rows - centre) @ turn)

    stored = codes.encode(vectors, centre)
    yield (
        "the same, finer query (stepladder.kg.codes)",
        lambda query: codes.nearest(stored, codes.encode_query(query, centre), k=most),
    )
    signs = np.where((vectors - centre) @ turn > 0, 1, -1).astype(np.float32)
    yield (
        "the same, exact query",
        lambda query: np.argsort(-(signs @ ((query - centre) @ turn)), kind="stable")[:most],
    )


def recall(rank: Ranking, vectors: Floats, queries: Floats) -> list[float]:
    """The mean share of the true nearest among the first candidates, for each count."""
    found = np.zeros(len(CANDIDATES))
    for query in queries:
        truth = np.argsort(-(vectors @ query), kind="stable")[:NEAREST]
        ranked = rank(query)
        found += [np.isin(truth, ranked[:count]).mean() for count in CANDIDATES]
    return list(found / len(queries))


def search_time_table() -> Table:
    """Milliseconds of one search in random codes of 256 dimensions."""
    noise = np.random.default_rng(SEED)
    centre = StaticEmbedder().centre
    query = noise.standard_normal(len(centre)).astype(np.float32)
    table = Table("Texts", "codes in memory", "query and search", "same, one in ten allowed")
    for count in (10_000, 100_000, 1_000_000):
        stored = noise.integers(0, 256, (count, len(centre) // 8), dtype=np.uint8)
        allowed = noise.random(count) < 0.1

        def search(mask: NDArray[np.bool_] | None, stored: NDArray[np.uint8] = stored) -> object:
            return codes.nearest(stored, codes.encode_query(query, centre), k=1_000, mask=mask)

        every_s = clock(lambda search=search: search(None))
        some_s = clock(lambda search=search, mask=allowed: search(mask))
        table.add_row(
            f"{count:,}",
            f"{stored.nbytes / 1e6:.1f} MB",
            f"{every_s * 1e3:.2f} ms",
            f"{some_s * 1e3:.2f} ms",
        )
    return table


def clock(work: Callable[[], object], *, times: int = 11) -> float:
    """The median seconds of a piece of work."""
    elapsed_s = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        elapsed_s.append(time.perf_counter() - start)
    return float(np.median(elapsed_s))


def corpus(count: int) -> list[str]:
    """Different titles of public bugs and tasks, each joined with a sentence of another."""
    names = ("gitbugs/hadoop_bugs.jsonl", "gitbugs/seamonkey_bugs.jsonl")
    bugs = [row for name in names for row in rows(name)]
    tasks = [row["problem_statement"] for row in rows("swebench/verified_tasks.jsonl")]
    titles = sorted({row["summary"] for row in bugs} | {task.partition("\n")[0] for task in tasks})
    bodies = [*(row["description"] or "" for row in bugs), *tasks]
    parts = sorted({part for body in bodies for part in sentences(body)})
    chance = random.Random(SEED)
    texts: dict[str, None] = {}
    while len(texts) < count:
        texts[f"{chance.choice(titles)}. {chance.choice(parts)}"] = None
    return list(texts)


def query_texts() -> dict[str, list[str]]:
    """A hundred whole task texts and a hundred single rules."""
    files = ("skillsbench/tasks.jsonl", "tbcore/tasks.jsonl")
    tasks = [row["instruction"] for name in files for row in rows(name)]
    rules = sorted(
        {part for row in rows("cursorrules/rules.jsonl") for part in sentences(row["body"])}
    )
    return {"tasks": tasks[:100], "rules": random.Random(SEED).sample(rules, 100)}


def rows(name: str) -> list[dict[str, str]]:
    """The objects of a file with one JSON object a line."""
    with (DATA / "eval" / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def sentences(text: str) -> Iterator[str]:
    """The sentences and lines of 5 to 40 words."""
    for part in SENTENCE_END.split(text):
        if 5 <= len(part.split()) <= 40:
            yield part.strip()


if __name__ == "__main__":
    main()
