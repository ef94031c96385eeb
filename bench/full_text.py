"""Compare the store's lexical search with SQLite's own full-text search, FTS5.

    STEPLADDER_DATA=<folder with eval/> python bench/full_text.py [--memories 10000 100000]

Both hold the same memories, FTS5 as a contentless table of the same stems, and look up the same
terms: those of a task text whose document frequencies sum to at most a tenth of the memories. The
store's time includes reading the hundred memories it found, FTS5's does not. Two minutes.
"""

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import apsw
import numpy as np
from rich.console import Console
from rich.table import Table
from store import MEMORIES_A_RUN, joined, query, runs, task_texts

from stepladder.kg.embedding.static import StaticEmbedder
from stepladder.kg.stores.sqlite import SQLiteStore
from stepladder.kg.terms import term_id, tokenize
from stepladder.kg.types import EVERYTHING, Scope, memories

CREATE = """
    CREATE VIRTUAL TABLE text
    USING fts5 (stems, content = '', contentless_delete = 1, tokenize = 'unicode61')
"""
SEARCH = "SELECT rowid FROM text WHERE text MATCH ? ORDER BY rank LIMIT 100"
SEARCH_IN_SCOPE = """
    SELECT text.rowid FROM text JOIN memory ON memory.number = text.rowid
    WHERE text MATCH ? AND memory.scope IN ('shared', 'acme/3')
    ORDER BY rank LIMIT 100
"""
SCOPE = Scope.of("acme/3")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Compare lexical search with SQLite's FTS5.")
    parser.add_argument("--memories", type=int, nargs="+", default=[10_000, 100_000])
    table = Table("memories", "filter", "search", "p50, ms", "p95, ms", "same found")
    for count in parser.parse_args().memories:
        with tempfile.TemporaryDirectory() as folder:
            compare(Path(folder), count, table)
    Console().print(table)


def compare(folder: Path, count: int, table: Table) -> None:
    """Add a row for each of the two, with and without a filter."""
    embedder = StaticEmbedder()
    connection = apsw.Connection(str(folder / "text.db"))
    connection.execute("PRAGMA journal_mode = wal; PRAGMA synchronous = normal")
    connection.execute(CREATE)
    connection.execute("CREATE TABLE memory (number INTEGER PRIMARY KEY, scope TEXT)")
    ids: list[str] = []
    written_s = 0.0
    with SQLiteStore.open(folder / "memory.db", dim=embedder.dim, centre=embedder.centre) as store:
        for batch in joined(runs(count // MEMORIES_A_RUN, embedder), count // MEMORIES_A_RUN):
            store.write(batch)
            made = list(enumerate(memories(batch.nodes), start=len(ids)))
            stems = [(n, " ".join(tokenize(m.full))) for n, m in made]
            scopes = [(n, m.scope) for n, m in made]
            ids += [m.id for _, m in made]
            start = time.perf_counter()
            with connection:
                connection.executemany("INSERT INTO text (rowid, stems) VALUES (?, ?)", stems)
                connection.executemany("INSERT INTO memory VALUES (?, ?)", scopes)
            written_s += time.perf_counter() - start
        asked = [replace(query(store, embedder, text), vector=None) for text in task_texts()]
        matches = [" OR ".join(f'"{t}"' for t in capped(store, q.terms)) for q in asked]
        for name, scope, search in (
            ("none", EVERYTHING, SEARCH),
            ("one project of twenty", SCOPE, SEARCH_IN_SCOPE),
        ):
            queries = [replace(q, scope=scope) for q in asked]
            shared, theirs_ms, ours_ms = [], [], []
            for q, match in [*zip(queries, matches, strict=True)] * 2:
                start = time.perf_counter()
                theirs = connection.execute(search, (match,)).fetchall()
                theirs_ms.append(1e3 * (time.perf_counter() - start))
                start = time.perf_counter()
                ours = {c.memory.id for c in store.candidates(q)[0]}
                ours_ms.append(1e3 * (time.perf_counter() - start))
                shared.append(len(ours & {ids[n] for (n,) in theirs}) / max(len(theirs), 1))
            for label, took_ms in (("FTS5", theirs_ms), ("store", ours_ms)):
                times = (f"{np.percentile(took_ms, p):.1f}" for p in (50, 95))
                table.add_row(f"{count:,}", name, label, *times, f"{np.mean(shared):.3f}")
    size = (folder / "text.db").stat().st_size
    table.caption = f"FTS5 with {count:,}: written in {written_s:.1f} s, {size / 1e6:.0f} MB"


def capped(store: SQLiteStore, terms: tuple[str, ...]) -> list[str]:
    """The terms the store looks up."""
    known = store.statistics([term_id(t) for t in terms])
    limit = max(2_000, min(0.1 * known.memories, 20_000))
    kept: list[str] = []
    total = 0
    for term in terms:
        frequency = known.document_frequency.get(term_id(term), (0, 0))[1]
        if not frequency:
            continue
        total += frequency
        if kept and total > limit:
            break
        kept.append(term)
    return kept


if __name__ == "__main__":
    main()
