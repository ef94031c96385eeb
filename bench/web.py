"""Measure the pages of the explorer on large stores.

    STEPLADDER_DATA=<folder with eval/> python bench/web.py [--memories 10000 100000]

The store is that of `bench/store.py` with twelve domains, one insight that a third of the runs
lead up to, a program that every step uses, 2,000 proposals, 3,000 answers given. Of each page the
first request after a write and the median of five later ones count, in processor time. About five
minutes.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table
from starlette.testclient import TestClient
from store import MEMORIES_A_RUN, STEPS, joined, runs

from stepladder import KnowledgeBase
from stepladder.kg.types import (
    SHARED,
    Batch,
    Domain,
    Edge,
    Insight,
    Node,
    Retrieval,
    Tool,
)
from stepladder.serve.web.app import app
from stepladder.serve.web.passes import Pass

CREATED = "2026-01-01T00:00:00Z"
DOMAINS = 12
WIDELY_SEEN = 3
PROPOSALS = 2_000
ANSWERS = 3_000
TASK = "a test fails only on the build server after the lock file of the package changed"
PAGES = {
    "overview": "/",
    "search": "/search?q=test+fails+after+an+upgrade",
    "search, page 10": "/search?q=test+fails+after+an+upgrade&page=10",
    "ask": f"/ask?task={TASK.replace(' ', '+')}",
    "an insight": "/node/insight-3",
    "the insight of a third of all runs": "/node/insight-popular",
    "a run": "/node/trace-3",
    "a step": "/node/step-3-0",
    "the program of every step": "/node/tool-bash",
    "domains": "/domains",
    "domains, two of them": "/domains?a=domain-1&b=domain-2",
    "review": "/review",
    "merges": "/merges",
    "log": "/log",
    "log, page 50": "/log?page=50",
    "cypher, without a statement": "/cypher",
    "cypher, a named query": "/cypher?name=coverage_by_domain",
}


def main() -> None:
    """Print a table for each size."""
    parser = argparse.ArgumentParser(description="Measure the pages of the explorer.")
    parser.add_argument("--memories", type=int, nargs="+", default=[10_000, 100_000])
    console = Console()
    for count in parser.parse_args().memories:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "memory.db"
            with KnowledgeBase.open(path) as kb:
                fill(kb, count // MEMORIES_A_RUN)
                console.print(measured(kb, count))


def measured(kb: KnowledgeBase, count: int) -> Table:
    """The time of every page on a filled store."""
    table = Table("page", "first, ms", "later, ms", "KiB", title=f"{count:,} memories")
    client = TestClient(app(kb, key=Pass("token", 80)), base_url="http://127.0.0.1")
    client.get("/search?q=warm")
    for name, path in PAGES.items():
        kb.store.write(Batch(nodes=(Tool(id="tool-other", created=CREATED, name=name),)))
        first_ms, size = one(client, path)
        later_ms = median(one(client, path)[0] for _ in range(5))
        table.add_row(name, f"{first_ms:,.0f}", f"{later_ms:,.0f}", f"{size / 1024:,.0f}")
    return table


def one(client: TestClient, path: str) -> tuple[float, int]:
    """Processor time in ms and the size of the page in bytes."""
    start = time.process_time()
    answer = client.get(path)
    elapsed_ms = 1e3 * (time.process_time() - start)
    assert answer.status_code == 200, (path, answer.text)
    return elapsed_ms, len(answer.content)


def fill(kb: KnowledgeBase, number_of_runs: int) -> None:
    """Put runs into a store, and what else there is in one that is used."""
    for batch in joined(runs(number_of_runs, kb.embedder), number_of_runs):
        kb.store.write(batch)
    popular = Insight(id="insight-popular", created=CREATED, title="Run the checks first")
    named = [Domain(id=f"domain-{i}", created=CREATED, name=f"domain-{i}") for i in range(DOMAINS)]
    nodes: list[Node] = [popular, Tool(id="tool-bash", created=CREATED, name="bash"), *named]
    nodes += [
        Retrieval(
            id=f"r-{i:08x}",
            created=f"2026-02-{i % 28 + 1:02}T00:00:00Z",
            scope=SHARED,
            query=f"{TASK} {i}",
            abstained=False,
            confidence=7.0,
            floor=4.0,
        )
        for i in range(ANSWERS)
    ]
    vector = kb.embedder.encode([popular.key])[0]
    kb.store.write(Batch(nodes=tuple(nodes), vectors={popular.id: vector}))
    links = edges(number_of_runs)
    while some := tuple(islice(links, 5_000)):
        kb.store.write(Batch(edges=some))


def edges(number_of_runs: int) -> Iterator[Edge]:
    """What links the runs to the rest."""
    for i in range(number_of_runs):
        for domain in {i % DOMAINS, i * 7 % DOMAINS}:
            yield Edge(source=f"insight-{i}", type="APPLIES_TO", target=f"domain-{domain}")
        for step in range(STEPS):
            yield Edge(source=f"step-{i}-{step}", type="USES", target="tool-bash")
        if i % WIDELY_SEEN == 0:
            yield Edge(source=f"summary-{i}", type="GENERALIZES_TO", target="insight-popular")
            yield Edge(source="insight-popular", type="CITES", target=f"step-{i}-1", quote="seen")
    for i in range(min(PROPOSALS, number_of_runs - 1)):
        a, b = f"insight-{i}", f"insight-{i + 1}"
        yield Edge(source=a, type="SIMILAR_TO", target=b, score=0.7)
    for i in range(ANSWERS):
        for rank in range(3):
            shown = f"insight-{(i * 3 + rank) % number_of_runs}"
            yield Edge(source=f"r-{i:08x}", type="SHOWED", target=shown, rank=rank + 1)


if __name__ == "__main__":
    main()
