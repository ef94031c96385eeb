"""Do answers to the tasks of real runs name what those runs then called for?

    STEPLADDER_DATA=<folder with trajectories/ and eval/> python bench/answers.py

Public runs are ingested; each task is asked again with everything learned from it left out. Right
is an insight that the run itself led to and that other tasks led to as well. What a run did is not
always what helps, and half of the runs are of one agent, so they stand apart. The baselines are the
insights that most other tasks led to, and flat search. The second table asks tasks of other kinds,
which should get no answer. About two minutes.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import retrieval_sets as sets
from measures import ndcg
from rich.console import Console
from rich.table import Table

from stepladder import KnowledgeBase
from stepladder.kg.types import EVERYTHING, Insight, Memory, Trace, memories
from stepladder.queries.answer import Answer, retrieve
from stepladder.queries.level import ancestors
from stepladder.queries.search import search

DATA = Path(
    os.environ.get("STEPLADDER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
FOLDERS: Final = ("swebench-verified-runs", "trajectories")
COMMON_AGENT: Final = "mini-swe-agent"
SHORTEST_TASK: Final = 4
DEPTH: Final = 5
EVERY_NTH_GOAL: Final = 12


@dataclass(frozen=True, slots=True)
class Runs:
    """What is stored: runs, the insights each led to, and all memories of each task."""

    traces: tuple[Trace, ...]
    led_to: Mapping[str, frozenset[str]]
    of_task: Mapping[str, frozenset[str]]

    @classmethod
    def read(cls, kb: KnowledgeBase) -> "Runs":
        nodes = [n for label in ("Trace", "Workflow", "Summary") for n in kb.store.find(label)]
        insights = {n.id for n in kb.store.find("Insight") if isinstance(n, Insight) and n.card}
        traces = tuple(n for n in nodes if isinstance(n, Trace))
        above = ancestors(kb.store.ancestry([t.id for t in traces]))
        of_task: dict[str, set[str]] = {}
        for memory in memories(nodes):
            of_task.setdefault(memory.task, set()).add(memory.id)
        return cls(
            traces,
            {t.id: frozenset(above.get(t.id, frozenset()) & insights) for t in traces},
            {task: frozenset(ids) for task, ids in of_task.items()},
        )

    def elsewhere(self, trace: Trace) -> Counter[str]:
        """Cards by the number of other tasks' runs that led to them."""
        others = (t for t in self.traces if t.task != trace.task)
        return Counter(card for t in others for card in self.led_to[t.id])


@dataclass(frozen=True, slots=True)
class Asked:
    """One task asked again: gains of three orders, and what the answer with floors was."""

    common_agent: bool
    ours: float
    most_common: float
    flat: float
    answered: bool
    precision: float


def main() -> None:
    """Ingest, ask, and print two tables."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        KnowledgeBase.open(Path(folder) / "memory.db") as kb,
    ):
        kb.ingest([DATA / name for name in FOLDERS])
        runs = Runs.read(kb)
        asked = [a for t in runs.traces if (a := ask_again(kb, runs, t)) is not None]
        console = Console(width=120)
        console.print(table_of_runs(asked))
        console.print(table_of_others(kb))


def ask_again(kb: KnowledgeBase, runs: Runs, trace: Trace) -> Asked | None:
    """Ask a run's task without what was learned from it; None where nothing can be right."""
    known = runs.elsewhere(trace)
    gold = {card: 1 for card in runs.led_to[trace.id] if known[card]}
    if not gold or len(trace.content.split()) < SHORTEST_TASK:
        return None
    own = runs.of_task[trace.task]
    text = trace.content
    open_answer = answer_to(kb, trace, own, floor=-99.0)
    gated = answer_to(kb, trace, own, floor=None)
    hits = search(kb.store, kb.embedder, text, k=100, levels=["insight"], exclude=own)
    common = sorted(known, key=lambda card: (-known[card], card))
    shown = [item.memory.id for item in gated.items if is_card(item.memory)]
    return Asked(
        common_agent=trace.agent == COMMON_AGENT,
        ours=ndcg([i.memory.id for i in open_answer.items if is_card(i.memory)], gold, k=DEPTH),
        most_common=ndcg(common, gold, k=DEPTH),
        flat=ndcg([h.memory.id for h in hits if is_card(h.memory)], gold, k=DEPTH),
        answered=not gated.abstained,
        precision=float(np.mean([i in gold for i in shown])) if shown else float("nan"),
    )


def answer_to(
    kb: KnowledgeBase, trace: Trace, own: frozenset[str], *, floor: float | None
) -> Answer:
    """The answer to a run's task in its project."""
    return retrieve(
        kb.store,
        kb.embedder,
        trace.content,
        project=trace.project,
        exclude=own,
        floor=floor,
        k=8 if floor is None else 50,
        budget_tokens=100_000,
    )


def is_card(memory: Memory) -> bool:
    """Tell whether a memory is an insight of the catalogue."""
    return isinstance(memory, Insight) and bool(memory.card)


def table_of_runs(asked: Sequence[Asked]) -> Table:
    """Means over the runs of the common agent and over all others."""
    table = Table(title=f"Insights that the run called for, nDCG@{DEPTH}")
    for heading in ("runs of", "tasks", "ours", "most common", "flat", "answered", "precision"):
        table.add_column(heading, justify="left" if heading == "runs of" else "right")
    for name, part in (
        (COMMON_AGENT, [a for a in asked if a.common_agent]),
        ("other agents", [a for a in asked if not a.common_agent]),
    ):
        values = (
            np.mean([a.ours for a in part]),
            np.mean([a.most_common for a in part]),
            np.mean([a.flat for a in part]),
            np.mean([a.answered for a in part]),
            np.nanmean([a.precision for a in part]),
        )
        table.add_row(name, str(len(part)), *(f"{v:.3f}" for v in values))
    return table


def table_of_others(kb: KnowledgeBase) -> Table:
    """How many tasks of other kinds get an answer from what the runs taught."""
    table = Table(title="Tasks of other kinds, parts that are answered")
    for heading in ("tasks", "asked", "answered", "answered, strict"):
        table.add_column(heading, justify="left" if heading == "tasks" else "right")
    goals = [r["goal"] for r in sets.rows(DATA, "skillrl/memories.jsonl")][::EVERY_NTH_GOAL]
    tasks = [q.text for q in sets.skills_for_tasks(DATA).questions]
    for name, texts in (("household, shop, trivia", goals), ("SkillsBench and TB2", tasks)):
        parts = [
            np.mean(
                [
                    not retrieve(
                        kb.store, kb.embedder, t, scope=EVERYTHING, strict=strict
                    ).abstained
                    for t in texts
                ]
            )
            for strict in (False, True)
        ]
        table.add_row(name, str(len(texts)), *(f"{p:.3f}" for p in parts))
    return table


if __name__ == "__main__":
    main()
