"""Measure the Cypher view of the embedded store: building it, memory, statements.

    STEPLADDER_DATA=<folder with eval/> python bench/cypher.py [--nodes 10000 100000]

The graph is that of `bench/store.py`: runs of eight steps and five memories each. Statements are
the named queries, run twice; the second time counts. About two minutes.
"""

import argparse
import os
import tempfile
import time
from contextlib import closing
from pathlib import Path

from rich.console import Console
from rich.table import Table
from store import joined, runs

from stepladder.kg.cypher import CypherLimits
from stepladder.kg.embedding.static import StaticEmbedder
from stepladder.kg.stores.sqlite import SQLiteStore
from stepladder.queries.cypher import CypherDoor
from stepladder.queries.library import NamedQuery, named_queries
from stepladder.queries.view_document import document

NODES_A_RUN = 13
LIMITS = CypherLimits(timeout_s=60.0)
GIVEN = {
    "id": "insight-7",
    "domain": "repo-bugfix",
    "project": "acme/3",
    "before": "2026-02-01",
    "text": "timeout",
}


def main() -> None:
    """Print two tables."""
    parser = argparse.ArgumentParser(description="Measure the Cypher view.")
    parser.add_argument("--nodes", type=int, nargs="+", default=[10_000, 100_000])
    console = Console()
    built = Table("nodes", "relationships", "document", "built", "processor time", title="View")
    asked: dict[str, list[str]] = {}
    sizes = parser.parse_args().nodes
    for count in sizes:
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder) / "memory.db", count // NODES_A_RUN, built=built, asked=asked)
    console.print(built)
    queries = Table("query, ms", *(f"{count:,} nodes" for count in sizes), title="Named queries")
    for name, cells in asked.items():
        queries.add_row(name, *cells)
    console.print(queries)


def measure(path: Path, count: int, *, built: Table, asked: dict[str, list[str]]) -> None:
    """Fill a store with `count` runs, build its view and run every named query."""
    embedder = StaticEmbedder()
    with SQLiteStore.open(path, dim=embedder.dim, centre=embedder.centre) as store:
        for batch in joined(runs(count, embedder), count):
            store.write(batch)
        counts = store.counts()
        with closing(store.export()) as exported:
            size_bytes = len(document(exported))
        start, used_s = time.perf_counter(), processor_s()
        with CypherDoor(store) as door:
            door.run("RETURN 1 AS x")
            built_s = time.perf_counter() - start
        built.add_row(
            f"{sum(counts.labels.values()):,}",
            f"{sum(counts.edges.values()):,}",
            f"{size_bytes / 1e6:.0f} MB",
            f"{built_s:.1f} s",
            f"{processor_s() - used_s:.1f} s",
        )
        with CypherDoor(store) as door:
            for query in named_queries():
                asked.setdefault(query.name, []).append(f"{milliseconds(door, query):,.1f}")


def processor_s() -> float:
    """Seconds of processor time of this process and of those it started that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def milliseconds(door: CypherDoor, query: NamedQuery) -> float:
    """How long a named query takes when it is run again."""
    given = {p.name: GIVEN[p.name] for p in query.parameters if p.required}
    values = query.values(given)
    door.run(query.statement, values, limits=LIMITS)
    return door.run(query.statement, values, limits=LIMITS).milliseconds


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "100")
    main()
