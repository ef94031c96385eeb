"""Which cards go with success, counted over runs and compared at equal difficulty.

What an agent does and how hard its task is go together, so that a raw ratio mostly tells which
cards come up in hard tasks. A card is said to help or to hurt only where the ratio at equal
difficulty, corrected for the number of cards, allows it.
Source: on 167 public runs difficulty alone predicts the outcome with an AUC of .90, and none of
52 habits goes with the outcome once it is known.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath, PureWindowsPath
from typing import Final, Literal

from ...kg.protocols import GraphStore
from ...kg.types import Insight, OutcomeSource, Trace
from ..level import ancestors
from .odds import (
    LogOdds,
    Run,
    Table,
    at_equal_difficulty,
    crude,
    holm,
    informative,
    over_tasks,
    pooled,
    table_of,
)

Claim = Literal["helps", "hurts", ""]

LEAST_RUNS: Final = 20
"""Runs with a card from which its ratio is worth an interval. Chosen by us."""

CHANCE: Final = 0.05
"""Odds that a report in which no card does anything says of some card that it does."""

TRUSTED: Final[frozenset[OutcomeSource]] = frozenset({"verifier", "human"})
"""Whose verdict counts. A judge and a heuristic look at the same steps as the cards do."""

_CERTAIN: Final = 0.01
"""Nothing is taken to be solved by everybody or by nobody: shares are kept this far from both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """An odds ratio of success with its 95 % interval and the p of no effect."""

    value: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CardEffect:
    """What became of runs with and without a card.

    `domain` is empty where all runs count; `support` counts those with the card, verdict or none,
    `table` those with one. `raw` compares all runs, `adjusted` runs of the same
    task or of equal difficulty; each is None where there is nothing to compare. `compared` counts
    the runs that `adjusted` could use. `corrected` is the adjusted ratio with the wider interval
    and the larger p that the number of tests asks for; the claim follows from it.
    """

    insight: str
    card: str
    title: str
    domain: str
    support: int
    table: Table
    raw: Ratio | None = None
    adjusted: Ratio | None = None
    corrected: Ratio | None = None
    compared: int = 0
    claim: Claim = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardReport:
    """The effects of all cards with enough runs, overall first, and the runs they come from.

    `runs` have a verdict that counts; `unknown` have none and `untrusted` one of a judge or a
    heuristic. `rated` are runs with a verdict whose task has a difficulty from outside, `repeated`
    others whose task was run several times. `tests` is the number of ratios that the correction is
    for, and `rare` counts cards with fewer than `least_runs` runs.
    """

    effects: tuple[CardEffect, ...]
    runs: int
    unknown: int
    untrusted: int
    rated: int
    repeated: int
    tests: int
    rare: int
    least_runs: int

    def of(self, insight: str) -> tuple[CardEffect, ...]:
        """The effects of one card, over all runs first; none where no verdict is known."""
        return tuple(e for e in self.effects if e.insight == insight and e.table.runs)


@dataclass(frozen=True, slots=True)
class Judged:
    """A run, the cards that it led to, and the log odds of its task where they are known."""

    trace: Trace
    cards: frozenset[str]
    difficulty: float | None

    @property
    def counts(self) -> bool:
        """Tell whether it has a verdict of somebody whose verdict counts."""
        return self.trace.outcome != "unknown" and self.trace.outcome_source in TRUSTED

    @property
    def success(self) -> bool:
        """How it ended."""
        return self.trace.outcome == "success"

    @property
    def task(self) -> str:
        """What it attempted; a run without a task stands alone."""
        return self.trace.task or self.trace.id


@dataclass(frozen=True, slots=True)
class _Estimate:
    """An effect and the adjusted ratio that it was made from, None where there is none."""

    effect: CardEffect
    adjusted: LogOdds | None


def card_effects(
    store: GraphStore,
    *,
    domain: str = "",
    difficulty: Mapping[str, float] | None = None,
    least_runs: int = LEAST_RUNS,
) -> CardReport:
    """Compare the outcomes of runs with and without each card.

    Args:
        domain: count runs of this domain alone.
        difficulty: the share in [0, 1] of other agents' runs that solved a task, by the id of the
            task or the run, the session's own id, or the file's name up to its first dot.
        least_runs: leave out cards that fewer runs led to.

    Raises:
        StoreError: the store could not be read.
    """
    traces = [n for n in store.find("Trace") if isinstance(n, Trace)]
    if domain:
        traces = [t for t in traces if domain in t.domains]
    cards = _cards(store)
    all_runs = _judged(store, traces, cards, difficulty or {})
    judged = [r for r in all_runs if r.counts]
    found = [
        _estimate(card, name or domain, runs)
        for name, runs in _parts(all_runs, one_domain=bool(domain))
        for card in _frequent(cards.values(), runs, least_runs=least_runs)
    ]
    unknown = sum(t.outcome == "unknown" for t in traces)
    return CardReport(
        effects=tuple(_corrected(found)),
        runs=len(judged),
        unknown=unknown,
        untrusted=len(traces) - len(judged) - unknown,
        rated=sum(r.difficulty is not None for r in judged),
        repeated=len(_repeated(r for r in judged if r.difficulty is None)),
        tests=len(_tests(found)),
        rare=len(cards) - len({e.effect.insight for e in found}),
        least_runs=least_runs,
    )


def names_of(trace: Trace) -> tuple[str, ...]:
    """The names under which a run's difficulty may be given, the surest first."""
    windows = "\\" in trace.source
    path = PureWindowsPath(trace.source) if windows else PurePosixPath(trace.source)
    file = path.name.partition(".")[0]
    return tuple(n for n in (trace.id, trace.task, trace.session, file) if n)


def _cards(store: GraphStore) -> dict[str, Insight]:
    nodes = store.find("Insight")
    return {n.id: n for n in nodes if isinstance(n, Insight) and n.card}


def _judged(
    store: GraphStore,
    traces: Sequence[Trace],
    cards: Mapping[str, Insight],
    difficulty: Mapping[str, float],
) -> list[Judged]:
    above = ancestors(store.ancestry([t.id for t in traces]))
    nothing: frozenset[str] = frozenset()
    return [
        Judged(t, above.get(t.id, nothing) & cards.keys(), _log_odds(t, difficulty)) for t in traces
    ]


def _log_odds(trace: Trace, difficulty: Mapping[str, float]) -> float | None:
    share = next((difficulty[n] for n in names_of(trace) if n in difficulty), None)
    if share is None:
        return None
    kept = min(max(share, _CERTAIN), 1.0 - _CERTAIN)
    return math.log(kept / (1.0 - kept))


def _repeated(runs: Iterable[Judged]) -> list[Judged]:
    by_task: dict[str, list[Judged]] = defaultdict(list)
    for run in runs:
        by_task[run.task].append(run)
    return [run for group in by_task.values() if len(group) > 1 for run in group]


def _parts(judged: Sequence[Judged], *, one_domain: bool) -> list[tuple[str, list[Judged]]]:
    """All runs, and those of each domain where there are several."""
    by_domain: dict[str, list[Judged]] = defaultdict(list)
    for run in judged:
        for name in run.trace.domains:
            by_domain[name].append(run)
    parts = [("", list(judged))]
    if not one_domain:
        parts += [(n, runs) for n, runs in sorted(by_domain.items()) if len(runs) < len(judged)]
    return parts


def _frequent(
    cards: Iterable[Insight], runs: Iterable[Judged], *, least_runs: int
) -> list[Insight]:
    support = Counter(id for run in runs for id in run.cards)
    return [card for card in cards if support[card.id] >= least_runs]


def _estimate(card: Insight, domain: str, judged: Sequence[Judged]) -> _Estimate:
    runs = [(Run(r.task, card.id in r.cards, r.success), r.difficulty) for r in judged if r.counts]
    table = table_of(run for run, _ in runs)
    rated = [(run, odds) for run, odds in runs if odds is not None]
    by_task: dict[Hashable, list[Run]] = defaultdict(list)
    for run, odds in runs:
        if odds is None:
            by_task[run.task].append(run)
    tables = [table_of(group) for group in by_task.values()]
    given = at_equal_difficulty([run for run, _ in rated], [odds for _, odds in rated])
    within = over_tasks(tables)
    compared = len(rated) if given else 0
    compared += sum(t.runs for t in tables if informative(t))
    adjusted = pooled((given, within))
    effect = CardEffect(
        insight=card.id,
        card=card.card,
        title=card.title,
        domain=domain,
        support=sum(card.id in r.cards for r in judged),
        table=table,
        raw=_ratio(crude(table)),
        adjusted=_ratio(adjusted),
        compared=compared,
    )
    return _Estimate(effect, adjusted)


def _ratio(estimate: LogOdds | None) -> Ratio | None:
    if estimate is None:
        return None
    return _at(estimate, p_value=estimate.p_value)


def _at(estimate: LogOdds, *, p_value: float, level: float = 0.95) -> Ratio:
    low, high = estimate.interval(level)
    return Ratio(value=math.exp(estimate.value), low=low, high=high, p_value=p_value)


def _tests(found: Sequence[_Estimate]) -> dict[tuple[str, LogOdds], LogOdds]:
    """What is tested, each once: where all runs are of one domain its ratio is that of all."""
    return {(e.effect.insight, e.adjusted): e.adjusted for e in found if e.adjusted is not None}


def _corrected(found: Sequence[_Estimate]) -> Iterator[CardEffect]:
    """Effects with the correction for all tests of the report, in the order given."""
    tests = _tests(found)
    corrections = dict(
        zip(tests, holm([t.p_value for t in tests.values()], chance=CHANCE), strict=True)
    )
    for estimate in found:
        if estimate.adjusted is None:
            yield estimate.effect
            continue
        p_value, level = corrections[estimate.effect.insight, estimate.adjusted]
        corrected = _at(estimate.adjusted, p_value=p_value, level=level)
        claim: Claim = ""
        if p_value < CHANCE:
            claim = "helps" if estimate.adjusted.value > 0 else "hurts"
        yield replace(estimate.effect, corrected=corrected, claim=claim)
