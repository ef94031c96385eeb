"""Measure merging on public sets, side by side with simple baselines on the same rows.

    STEPLADDER_DATA=<folder with eval/> python bench/merging.py [--tests pairs guards order levels]

`pairs`: which memories say the same? Average precision of the nearness, pair F1 with the limits
chosen on half of the groups and scored on the other (20 splits), and precision and recall of what
is merged unattended and of what is proposed. Baselines are the cosine of the static table, mutual
nearest neighbours by it, and with `--minilm FOLDER` (all-MiniLM-L6-v2 as ONNX with its vocab.txt)
the same of MiniLM. Intervals are 95 % of a paired bootstrap over pairs, or over gold groups where
there are any; for F1 the middle 95 % of the splits.
`guards`: of advice that is opposite, or the same of another tool, how much merges unattended?
`order`: do parts that come one after the other, in any order, merge as everything at once does?
`levels`: is the answer the most abstract that applies, with edges that were inferred?
`scale`: what a consolidation costs as a store grows.

Everything goes through `KnowledgeBase`. No model judges anything.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import isnan
from pathlib import Path
from typing import Any, Final

import merging_scale
import merging_sets
import numpy as np
import retrieval_sets
from baselines import Encoder, MiniLM
from merging_measures import Floats, Judged, average_precision_interval, split_f1
from merging_sets import MergingSet, Pair
from rich.console import Console
from rich.table import Table

from stepladder import KnowledgeBase
from stepladder.kg.consolidation.plan import Consolidation
from stepladder.kg.embedding.static import StaticEmbedder

DATA = Path(
    os.environ.get("STEPLADDER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
HERE: Final = Path(__file__).resolve().parent
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
NO_FLOOR: Final = -99.0
ORDERS: Final = 3
FIRST_PART: Final = 0.5

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One way to order the pairs of a set, with its difference to the first baseline."""

    set: str
    pairs: int
    same: int
    score: str
    ap: float
    low: float
    high: float
    ap_across: float
    f1: float
    f1_low: float
    f1_high: float


@dataclass(frozen=True, slots=True)
class Point:
    """Precision and recall of what one rule does on a set; `low` and `high` bound precision."""

    set: str
    rule: str
    found: int
    right: int
    precision: float
    low: float
    high: float
    recall: float
    tuned: str


def pairs(encoders: dict[str, Encoder], names: Sequence[str]) -> Iterator[Ranked | Point]:
    """Which memories say the same?"""
    for name in names:
        data = merging_sets.SETS[name](DATA)
        with knowing(data.memories) as kb:
            done = kb.consolidate(now=NOW)
            compared = kb.compare_pairs(data.pairs)
            proposed = {_pair(s.a.id, s.b.id) for s in kb.suggestions()}
            kept = {
                _pair(e.source, e.target) for e in kb.store.edges(data.ids, types=["CONTRADICTS"])
            }
        judged = Judged.of(data)
        nearness = np.array([c.nearness for c in compared])
        apart = np.array([c.veto is not None for c in compared])
        yield from _ranked(data, judged, nearness, apart, encoders)
        yield from _points(data, judged, merged=merged_pairs(done), proposed=proposed - kept)


def _ranked(
    data: MergingSet,
    judged: Judged,
    nearness: Floats,
    apart: np.ndarray,
    encoders: dict[str, Encoder],
) -> Iterator[Ranked]:
    texts = {m["id"]: _text(m) for m in data.memories}
    scores: dict[str, Floats] = {"ours": nearness}
    for name, encoder in encoders.items():
        vectors = encoder.encode([texts[id] for id in data.ids])
        scores[f"{name} cosine"] = judged.cosines(vectors)
    baseline = list(scores)[-1]
    f1 = {
        name: split_f1(judged, s, apart=apart if name == "ours" else None)
        for name, s in scores.items()
        if data.group
    }
    for name, score in scores.items():
        low, high = average_precision_interval(judged, score, scores[baseline])
        splits = f1.get(name)
        difference = splits - f1[baseline] if splits is not None else None
        yield Ranked(
            set=data.name,
            pairs=len(data.pairs),
            same=len(data.same),
            score=name,
            ap=judged.average_precision(score),
            low=low,
            high=high,
            ap_across=judged.average_precision(score, only=judged.across),
            f1=float(splits.mean()) if splits is not None else float("nan"),
            f1_low=float(np.quantile(difference, 0.025)) if difference is not None else 0.0,
            f1_high=float(np.quantile(difference, 0.975)) if difference is not None else 0.0,
        )


def _points(
    data: MergingSet, judged: Judged, *, merged: set[Pair], proposed: set[Pair]
) -> Iterator[Point]:
    across = set(data.across)
    for rule, found in (
        ("merged unattended", merged),
        ("merged or proposed", merged | proposed),
        ("the same, across", (merged | proposed) & across),
    ):
        hit = np.array([p in found for p in data.pairs])
        wanted = judged.across if rule.endswith("across") else np.ones(len(hit), bool)
        if not wanted.any():
            continue
        right = int((hit & judged.same).sum())
        low, high = judged.precision_interval(hit)
        yield Point(
            set=data.name,
            rule=rule,
            found=int(hit.sum()),
            right=right,
            precision=right / hit.sum() if hit.any() else float("nan"),
            low=low,
            high=high,
            recall=right / int((judged.same & wanted).sum()),
            tuned=data.tuned,
        )


@dataclass(frozen=True, slots=True)
class Guarded:
    """How many made-up pairs that must stay apart were merged unattended."""

    kind: str
    pairs: int
    near: int
    merged: int
    examples: tuple[str, ...]


def guards() -> Iterator[Guarded]:
    """Of advice that is opposite, or of another tool, how much merges unattended?

    The pairs stand among 1,000 natural lessons, so that frequencies of words are natural.
    """
    natural = merging_sets.lesson_pairs(DATA, "dev", tuned="").memories[:1000]
    for kind in ("opposites", "swaps"):
        lines = (HERE / f"merging_{kind}.txt").read_text(encoding="utf-8").splitlines()
        made = [line.split(" | ") for line in lines if line and not line.startswith("#")]
        ids = [(f"insight-{kind}-{n:03d}-a", f"insight-{kind}-{n:03d}-b") for n in range(len(made))]
        memories = [
            {"id": id, "level": "insight", "content": text}
            for both, texts in zip(ids, made, strict=True)
            for id, text in zip(both, texts, strict=True)
        ]
        with knowing([*natural, *memories]) as kb:
            merged = merged_pairs(kb.consolidate(now=NOW))
            compared = kb.compare_pairs(ids)
        wrong = [n for n, both in enumerate(ids) if _pair(*both) in merged]
        yield Guarded(
            kind=kind,
            pairs=len(made),
            near=sum(c.cosine >= 0.85 for c in compared),
            merged=len(wrong),
            examples=tuple(" | ".join(made[n]) for n in wrong),
        )


@dataclass(frozen=True, slots=True)
class Order:
    """How far what is merged in parts is what is merged at once: shared pairs of all pairs."""

    order: int
    parts: int
    merged_in_parts: int
    merged_at_once: int
    jaccard: float


def orders() -> Iterator[Order]:
    """Do parts that come one after the other, in any order, merge as everything at once does?"""
    memories = list(merging_sets.lesson_pairs(DATA, "dev", tuned="").memories)
    with knowing(memories) as kb:
        at_once = merged_pairs(kb.consolidate(now=NOW))
    for seed in range(ORDERS):
        order = np.random.default_rng(seed).permutation(len(memories))
        cuts = [
            0,
            int(FIRST_PART * len(order)),
            *range(int(FIRST_PART * len(order)) + 50, 9999, 50),
        ]
        parts = [order[a:b] for a, b in pairwise(cuts) if a < len(order)]
        with knowing([memories[n] for n in parts[0]]) as kb:
            kb.consolidate(now=NOW)
            for number, part in enumerate(parts[1:], start=1):
                kb.import_memories([memories[n] for n in part])
                kb.consolidate(now=NOW + timedelta(hours=number))
            found = standing_pairs(kb)
        yield Order(
            order=seed,
            parts=len(parts),
            merged_in_parts=len(found),
            merged_at_once=len(at_once),
            jaccard=len(found & at_once) / max(1, len(found | at_once)),
        )


def standing_pairs(kb: KnowledgeBase) -> set[Pair]:
    """All pairs of insights that stand below one merged insight."""
    merged = [n.id for n in kb.store.find("Insight", where={"origin": "merge"})]
    below: dict[str, list[str]] = {id: [] for id in merged}
    for edge in kb.store.edges(merged, types=["GENERALIZES_TO"], direction="in"):
        below[edge.target].append(edge.source)
    return {_pair(a, b) for ids in below.values() for a in ids for b in ids if a < b}


@dataclass(frozen=True, slots=True)
class Level:
    """How often the first five places hold what is abstract and right; in [0, 1]."""

    edges: str
    domain: str
    goals: int
    abstract: float


def levels() -> Iterator[Level]:
    """Is the answer the most abstract that applies, with edges that were inferred?"""
    data = retrieval_sets.levels_of_skills(DATA)
    bare = [{k: v for k, v in m.items() if k != "parents"} for m in data.memories]
    for edges, memories in (("none", bare), ("inferred", bare), ("given", data.memories)):
        with knowing(memories) as kb:
            if edges == "inferred":
                kb.consolidate(now=NOW)
            for known in (False, True):
                shares = []
                for q in data.questions:
                    answer = kb.retrieve(
                        q.text,
                        k=10,
                        budget_tokens=20_000,
                        domain=q.group if known else "",
                        exclude=q.exclude,
                        floor=NO_FLOOR,
                        record=False,
                    )
                    first = [_gold_id(kb, i.memory.id) for i in answer.items[:5]]
                    shares.append(sum(q.gold.get(i, 0) >= 2 for i in first) / 5)
                yield Level(edges, "known" if known else "", len(shares), float(np.mean(shares)))


def _gold_id(kb: KnowledgeBase, id: str) -> str:
    """A merged insight counts as the first of its members."""
    if kb.store.get([id])[id].origin != "merge":  # type: ignore[attr-defined]
        return id
    below = kb.store.edges([id], types=["GENERALIZES_TO"], direction="in")
    return min(e.source for e in below)


@contextmanager
def knowing(memories: Sequence[Row]) -> Iterator[KnowledgeBase]:
    """A knowledge base that holds some memories."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        KnowledgeBase.open(Path(folder) / "memory.db") as kb,
    ):
        report = kb.import_memories(memories)
        if report.failed:
            raise SystemExit(f"Some memories could not be imported: {report.failed[:3]}")
        yield kb


def merged_pairs(done: Consolidation) -> set[Pair]:
    """All pairs of insights that a consolidation brought below one."""
    return {
        _pair(a.id, b.id)
        for merge in done.merged
        for n, a in enumerate(merge.members)
        for b in merge.members[n + 1 :]
    }


def _pair(a: str, b: str) -> Pair:
    return (a, b) if a < b else (b, a)


def _text(memory: Row) -> str:
    parts = (memory.get("title", ""), memory.get("description", ""), memory.get("content", ""))
    return "\n".join(p for p in parts if p)


def main() -> None:
    """Run what was asked for and print a table of each kind of result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    tests = ("pairs", "guards", "order", "levels", "scale")
    parser.add_argument("--tests", nargs="+", choices=tests, default=list(tests[:4]))
    parser.add_argument(
        "--sets", nargs="+", choices=list(merging_sets.SETS), default=list(merging_sets.SETS)
    )
    parser.add_argument("--sizes", nargs="+", type=int, default=[1_000, 10_000, 100_000])
    parser.add_argument("--minilm", type=Path, metavar="FOLDER", help="MiniLM for the baselines")
    parser.add_argument("--json", action="store_true", help="print JSON, not tables")
    options = parser.parse_args()
    encoders: dict[str, Encoder] = {"static": StaticEmbedder()}
    if options.minilm:
        encoders["MiniLM"] = MiniLM(options.minilm)
    results: list[Any] = []
    running: dict[str, Callable[[], Iterator[Any]]] = {
        "pairs": lambda: pairs(encoders, options.sets),
        "guards": guards,
        "order": orders,
        "levels": levels,
        "scale": lambda: merging_scale.curve(DATA, options.sizes),
    }
    for name in options.tests:
        results.extend(running[name]())
    if options.json:
        json.dump([asdict(r) for r in results], sys.stdout, indent=1)
    else:
        print_tables(results)


def print_tables(results: Sequence[Any]) -> None:
    """One table for each kind of result, a row a result."""
    console = Console(width=180)
    for kind in dict.fromkeys(type(r) for r in results):
        table = Table(title=kind.__name__)
        rows = [asdict(r) for r in results if type(r) is kind]
        for name in rows[0]:
            table.add_column(name)
        for row in rows:
            table.add_row(*(_shown(value) for value in row.values()))
        console.print(table)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return "" if isnan(value) else f"{value:.3f}"
    return "\n".join(value) if isinstance(value, tuple) else str(value)


if __name__ == "__main__":
    main()
