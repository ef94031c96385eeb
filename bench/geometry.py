"""Measure how far each level of our own graph mixes domains.

    STEPLADDER_DATA=<folder with trajectories/> python bench/geometry.py [--draws 400] [--seed 7]

Every public run is read, distilled by rules and embedded with the static table. The table gives the
mean LISI of each level: how many domains the 30 nearest neighbours of a memory hold, as the inverse
Simpson index of their shares (1: all of one domain; the number of domains: all alike). Each draw
takes as many runs of each domain, and of their memories the same number of each domain and level.
An insight counts once for each domain that supports it in the draw; in the variant all of the draw
count, each once, with its domains in equal parts. Intervals are the middle 95 % of the draws, and
differences are taken within a draw. Domains are those of the manifest; runs on SWE-bench are
repo-bugfix; a run that lies in several files counts once. About a minute.
"""

import argparse
import json
import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from stepladder.ingest import nodes
from stepladder.ingest.distillers.rules.distiller import RulesDistiller
from stepladder.ingest.project import language_of
from stepladder.ingest.readers import load_readers, reader_for
from stepladder.ingest.record import RunRecord
from stepladder.ingest.source import Source
from stepladder.ingest.steps.build import build
from stepladder.ingest.walk import files_under
from stepladder.kg.embedding.static import StaticEmbedder
from stepladder.kg.types import Memory, level_name
from stepladder.queries.evaluation.lisi import NEAREST, lisi

DATA: Final = Path(
    os.environ.get("STEPLADDER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
RENAMED: Final = {
    "terminal": "terminal-devops",
    "ctf/security": "security",
    "web-dev/web3": "web-dev",
    "qa/tool-use": "",
    "mixed": "",
    "customer-service(non-coding)": "",
}
LEVELS: Final = ("trace", "workflow", "summary", "insight")
ONCE: Final = "insight, each once"
PART: Final = 0.9
"""Share of the smallest domain's runs that a draw takes of each domain."""

MIN_ITEMS: Final = 15
"""Memories that a domain must have at every level to count."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Item:
    """A memory of a run: its key as a row of the vectors, and what it is of."""

    id: str
    row: int
    level: str
    domain: str
    run: str


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--draws", type=int, default=400, help="balanced samples a level")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    items, vectors = items_of(labelled_runs())
    domains = kept_domains(items)
    draws = [
        lisi_by_level(items, vectors, domains, rng=random.Random(arguments.seed + n))
        for n in range(arguments.draws)
    ]
    values = {name: np.array([d[name] for d in draws]) for name in (*LEVELS, ONCE)}
    title = f"LISI by domain, k = {NEAREST}, of {len(domains)}: {', '.join(domains)}"
    table = Table(title=title)
    for heading in ("level", "memories", "LISI", "95 %", "step up", "95 %"):
        table.add_column(heading, justify="left" if heading == "level" else "right")
    for name in (*LEVELS, ONCE):
        level = name.partition(",")[0]
        below = LEVELS[LEVELS.index(level) - 1] if level != LEVELS[0] else ""
        gain = values[name] - values[below] if below else None
        own = [i for i in items if i.level == level and i.domain in domains]
        number = len({i.id for i in own}) if name == ONCE else len(own)
        table.add_row(name, str(number), *shown(values[name]), *shown(gain))
    Console().print(table)


def shown(values: Floats | None) -> tuple[str, str]:
    """The mean and the middle 95 %."""
    if values is None:
        return "", ""
    low, high = np.percentile(values, [2.5, 97.5])
    return f"{values.mean():.2f}", f"{low:.2f} to {high:.2f}"


def labelled_runs() -> Iterator[RunRecord]:
    """Every run with a domain, once, with the domain of its file."""
    manifest = DATA / "trajectories" / "MANIFEST.jsonl"
    rows = [json.loads(line) for line in manifest.read_text(encoding="utf-8").splitlines()]
    domain_of = {DATA / "trajectories" / row["path"]: row["domain"] for row in rows}
    runs_of_swebench = DATA / "swebench-verified-runs"
    readers, seen = load_readers(), set()
    for file in files_under([DATA / "trajectories", runs_of_swebench]):
        domain = "repo-bugfix" if runs_of_swebench in file.parents else domain_of.get(file, "")
        domain = RENAMED.get(domain, domain)
        source = Source(file)
        reader = reader_for(source, readers)
        if reader is None or not domain:
            continue
        for trajectory in reader.read(source):
            run = build(
                trajectory,
                trace_id=nodes.trace_id(trajectory.format, trajectory.id),
                task_id=nodes.task_id("", trajectory.task_id, trajectory.task),
                project=trajectory.project,
                domain=domain,
                language=trajectory.language,
            )
            done = (" ".join(trajectory.task.split())[:500], *(s.command for s in run.steps))
            if run.steps and done not in seen:
                seen.add(done)
                files = (f for s in run.steps for f in (*s.files, *s.edits))
                yield run if run.language else replace(run, language=language_of(files))


def items_of(runs: Iterator[RunRecord]) -> tuple[list[Item], Floats]:
    """The memories of all runs, and the unit vectors of their keys."""
    keys: list[str] = []
    items: list[Item] = []
    distiller = RulesDistiller()
    for run in runs:
        made: list[Memory] = [nodes.trace_of(run, content_hash="")]
        made += [n for n in distiller.distill(run).nodes if isinstance(n, Memory)]
        for memory in made:
            level = level_name(memory.level)
            items.append(Item(memory.id, len(keys), level, run.domain, run.trace_id))
            keys.append(memory.key)
    return items, StaticEmbedder().encode(keys)


def kept_domains(items: Sequence[Item]) -> list[str]:
    """The domains that have enough memories at every level."""
    counts = Counter((i.domain, i.level) for i in items)
    names = sorted({i.domain for i in items})
    return [n for n in names if all(counts[n, level] >= MIN_ITEMS for level in LEVELS)]


def lisi_by_level(
    items: Sequence[Item], vectors: Floats, domains: Sequence[str], *, rng: random.Random
) -> dict[str, float]:
    """Mean LISI of every level over the same runs: as many runs of each domain."""
    runs = {d: sorted({i.run for i in items if i.domain == d}) for d in domains}
    size = int(PART * min(map(len, runs.values())))
    drawn = {run for d in domains for run in rng.sample(runs[d], size)}
    own = {(i.level, i.domain, i.id): i for i in items if i.run in drawn}
    counts = Counter(key[:2] for key in own)
    number = min(counts[level, d] for level in LEVELS for d in domains)
    found: dict[str, float] = {}
    for level in LEVELS:
        members = [sorted(k for k in own if k[:2] == (level, d)) for d in domains]
        sample = [own[key] for member in members for key in rng.sample(member, number)]
        rows = [item.row for item in sample]
        shares = np.array([[i.domain == d for d in domains] for i in sample], dtype=np.float32)
        found[level] = mean_lisi(vectors[rows], shares)
    insights = [i for i in own.values() if i.level == "insight"]
    return {**found, ONCE: lisi_of_nodes(insights, vectors, domains)}


def lisi_of_nodes(items: Sequence[Item], vectors: Floats, domains: Sequence[str]) -> float:
    """Mean LISI where a node counts once, its domains in equal parts and all domains alike."""
    rows = {item.id: item.row for item in items}
    supported = {(item.id, item.domain) for item in items}
    shares = np.array([[(n, d) in supported for d in domains] for n in rows], dtype=np.float32)
    shares /= shares.sum(axis=1, keepdims=True)
    shares /= shares.sum(axis=0)
    return mean_lisi(vectors[list(rows.values())], shares)


def mean_lisi(vectors: Floats, shares: Floats) -> float:
    """Mean inverse Simpson index over the neighbours of each row, itself left out."""
    return float(np.mean(lisi(vectors, shares)))


if __name__ == "__main__":
    main()
