"""How well a store answers, measured on its own runs, each asked as if something were not there.

Three things are left out in turn: the run's own task, its project, its domain. What an answer
brings is right where it is an insight that the run itself led to and that runs which are not left
out led to as well. None of this tells whether agents solve more tasks.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta as beta_distribution

from ...kg.protocols import Embedder, GraphStore
from ...kg.types import LEVELS, Memory, Trace, level_name
from ..answer import Answer, retrieve
from ..level import ancestors
from ..use import TRUST
from .lisi import NEAREST, lisi

DRAWS: Final = 1000
SEED: Final = 20
SHORTEST_TASK: Final = 4
LEAST_ASKED: Final = 5
BINS: Final = 5
PRIOR: Final = 8.0
"""Runs that the rate of success of the whole store counts for beside those below a memory. Chosen
by us."""

MOST_OF_A_LEVEL: Final = 2_000
LEAST_OF_A_DOMAIN: Final = 10
"""Memories of each level that a domain must have to count for LISI. Chosen by us."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One measure with its 95 % interval; `part` says what was left out, `count` of how many."""

    part: str
    name: str
    count: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Runs that were given about the same odds of success, and how often they succeeded."""

    predicted: float
    succeeded: float
    low: float
    high: float
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreReport:
    """Every measure, and how the predicted odds of success compare with what came."""

    memories: int
    runs: int
    asked: int
    measures: tuple[Measured, ...]
    bins: tuple[Bin, ...] = ()


@dataclass(frozen=True, slots=True)
class _Graph:
    """Runs, what stands above each, and the runs below each memory."""

    traces: tuple[Trace, ...]
    above: Mapping[str, frozenset[str]]
    below: Mapping[str, frozenset[str]]

    @classmethod
    def read(cls, store: GraphStore) -> "_Graph":
        traces = tuple(n for n in store.find("Trace") if isinstance(n, Trace))
        above = ancestors(store.ancestry([t.id for t in traces]))
        below: dict[str, set[str]] = defaultdict(set)
        for trace in traces:
            for node in above.get(trace.id, ()):
                below[node].add(trace.id)
        return cls(traces, above, {n: frozenset(ids) for n, ids in below.items()})

    def left_out(self, gone: frozenset[str]) -> frozenset[str]:
        """Runs, and what stands on them alone."""
        nothing: frozenset[str] = frozenset()
        over = nothing.union(*(self.above.get(id, nothing) for id in gone))
        return gone | {node for node in over if self.below[node] <= gone}


def evaluate(store: GraphStore, embedder: Embedder, *, sample: int = 100) -> StoreReport:
    """Ask up to `sample` runs of a store again and measure the answers.

    Raises:
        StoreError: the store could not be read.
    """
    graph = _Graph.read(store)
    asked = [t for t in graph.traces if len(_text(t).split()) >= SHORTEST_TASK][:sample]
    measures: list[Measured] = []
    predicted: list[tuple[float, bool]] = []
    for part in ("task", "project", "domain"):
        answers = []
        for trace in asked:
            gone = _gone(graph, trace, part)
            if gone is None:
                continue
            hidden = graph.left_out(gone)
            answer = _ask(store, embedder, trace, hidden)
            answers.append((trace, answer, hidden))
            if part == "task" and _has_verdict(trace):
                predicted.append((_odds(graph, answer, gone), trace.outcome == "success"))
        if len(answers) >= LEAST_ASKED:
            measures += _of_answers(part, answers, graph)
    measures += _of_levels(store, graph)
    bins: tuple[Bin, ...] = ()
    if len(predicted) >= 2 * LEAST_ASKED:
        measures += _of_predictions(predicted)
        bins = _bins(predicted)
    size = sum(store.counts().levels.values())
    return StoreReport(
        memories=size,
        runs=len(graph.traces),
        asked=len(asked),
        measures=tuple(measures),
        bins=bins,
    )


def _text(trace: Trace) -> str:
    return trace.title if trace.origin == "import" else trace.content


def _has_verdict(trace: Trace) -> bool:
    return trace.outcome != "unknown" and TRUST[trace.outcome_source] == 1.0


def _gone(graph: _Graph, trace: Trace, part: str) -> frozenset[str] | None:
    """The runs that share a run's task, project or domain; None where it has none."""
    if part == "task":
        return frozenset(t.id for t in graph.traces if t.id == trace.id or _same_task(t, trace))
    if part == "project":
        same = [t.id for t in graph.traces if t.project == trace.project]
        return frozenset(same) if trace.project and len(same) < len(graph.traces) else None
    domains = set(trace.domains)
    same = [t.id for t in graph.traces if domains & set(t.domains)]
    return frozenset(same) if domains and len(same) < len(graph.traces) else None


def _same_task(one: Trace, other: Trace) -> bool:
    return bool(one.task) and one.task == other.task


def _ask(store: GraphStore, embedder: Embedder, trace: Trace, hidden: frozenset[str]) -> Answer:
    return retrieve(
        store,
        embedder,
        _text(trace),
        project=trace.project,
        domain=trace.domains[0] if trace.domains else "",
        exclude=hidden,
        budget_tokens=100_000,
    )


def _of_answers(
    part: str, answers: Sequence[tuple[Trace, Answer, frozenset[str]]], graph: _Graph
) -> Iterable[Measured]:
    abstained = [float(a.abstained) for _, a, _ in answers]
    yield _share(part, "abstained", abstained)
    levels = Counter(i.level for _, a, _ in answers for i in a.shown())
    shown = levels.total()
    for level in LEVELS:
        if levels[level]:
            of_level = [1.0] * levels[level] + [0.0] * (shown - levels[level])
            yield _share(part, f"items that are a {level}", of_level)
    precision = []
    for trace, answer, hidden in answers:
        right = graph.above.get(trace.id, frozenset()) - hidden
        insights = [i.memory.id for i in answer.items if i.level == "insight"]
        if insights and right:
            precision.append(float(np.mean([i in right for i in insights])))
    if len(precision) >= LEAST_ASKED:
        yield _mean(part, "insights that the run led to as well", precision)


def _share(part: str, name: str, values: Sequence[float]) -> Measured:
    """A share with the interval of Clopper and Pearson."""
    n, hits = len(values), round(math.fsum(values))
    low, high = exact_interval(hits, n)
    return Measured(part=part, name=name, count=n, value=hits / n, low=low, high=high)


def exact_interval(hits: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share. Source: Clopper and Pearson 1934."""
    low = float(beta_distribution.ppf(0.025, hits, n - hits + 1)) if hits else 0.0
    high = float(beta_distribution.ppf(0.975, hits + 1, n - hits)) if hits < n else 1.0
    return low, high


def _mean(part: str, name: str, values: Sequence[float] | NDArray[np.float64]) -> Measured:
    """A mean with its bootstrap interval."""
    numbers = np.asarray(values, dtype=np.float64)
    drawn = np.random.default_rng(SEED).integers(0, len(numbers), size=(DRAWS, len(numbers)))
    low, high = np.quantile(numbers[drawn].mean(axis=1), [0.025, 0.975])
    return Measured(
        part=part,
        name=name,
        count=len(numbers),
        value=float(numbers.mean()),
        low=float(low),
        high=float(high),
    )


def _of_levels(store: GraphStore, graph: _Graph) -> Iterable[Measured]:
    """LISI by domain of each level, as many memories of each domain."""
    domain_of = {t.id: t.domains[0] for t in graph.traces if t.domains}
    members: dict[str, dict[str, dict[str, None]]] = {level: defaultdict(dict) for level in LEVELS}
    ids = sorted({*domain_of, *(n for t in domain_of for n in graph.above.get(t, ()))})
    nodes = store.get(ids)
    for id, node in nodes.items():
        if isinstance(node, Memory):
            runs = (id,) if id in domain_of else graph.below.get(id, ())
            for domain in sorted({domain_of[r] for r in runs if r in domain_of}):
                members[level_name(node.level)][domain][id] = None
    domains = [
        d
        for d in sorted(set(domain_of.values()))
        if all(len(members[level][d]) >= LEAST_OF_A_DOMAIN for level in LEVELS)
    ]
    if len(domains) < 2:
        return
    size = min(len(members[level][d]) for level in LEVELS for d in domains)
    size = min(size, MOST_OF_A_LEVEL // len(domains))
    if size * len(domains) <= NEAREST:
        return
    for level in LEVELS:
        chosen = [(d, id) for d in domains for id in list(members[level][d])[:size]]
        features = {c.id: c.vector for c in store.features(sorted({id for _, id in chosen}))}
        rows = [(d, v) for d, id in chosen if (v := features.get(id)) is not None]
        shares = np.array([[d == name for name in domains] for d, _ in rows], dtype=np.float32)
        yield _mean("", f"LISI by domain, {level}", lisi(np.stack([v for _, v in rows]), shares))


def _odds(graph: _Graph, answer: Answer, gone: frozenset[str]) -> float:
    """The odds of success that the runs below an answer's items give, those left out not counted.

    Each item's rate is drawn towards that of the whole store as if that were eight runs.
    """
    known = {t.id: t.outcome == "success" for t in graph.traces if _has_verdict(t)}
    others = [ok for id, ok in known.items() if id not in gone]
    base = sum(others) / len(others) if others else 0.5
    rates = []
    for item in answer.items:
        below = graph.below.get(item.memory.id, frozenset({item.memory.id}))
        ends = [known[id] for id in below if id in known and id not in gone]
        rates.append((sum(ends) + PRIOR * base) / (len(ends) + PRIOR))
    return float(np.mean(rates)) if rates else base


def _of_predictions(predicted: Sequence[tuple[float, bool]]) -> Iterable[Measured]:
    odds = np.array([p for p, _ in predicted])
    ends = np.array([ok for _, ok in predicted], dtype=np.float64)
    base = (ends.sum() - ends) / (len(ends) - 1)
    yield _mean("task", "Brier score of predicted outcomes (less is better)", (odds - ends) ** 2)
    yield _mean("task", "the same of the store's rate of success", (base - ends) ** 2)


def _bins(predicted: Sequence[tuple[float, bool]]) -> tuple[Bin, ...]:
    ordered = sorted(predicted)
    found = []
    for part in np.array_split(np.arange(len(ordered)), BINS):
        rows = [ordered[n] for n in part]
        hits = sum(ok for _, ok in rows)
        low, high = exact_interval(hits, len(rows))
        found.append(
            Bin(
                predicted=float(np.mean([p for p, _ in rows])),
                succeeded=hits / len(rows),
                low=low,
                high=high,
                runs=len(rows),
            )
        )
    return tuple(found)
