"""Judges how kept runs ended, and measures a judge against verifiers."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import TYPE_CHECKING, Final

from ..kg.protocols import GraphStore
from ..kg.types import Batch, OutcomeSource, OutcomeStatus, Trace
from .kept_runs import FIELDS, KeptRun, choose, kept_run, record_of
from .protocols import TrajectoryReader
from .record import RunRecord
from .report import LlmReport
from .where import Condition, parse_where

if TYPE_CHECKING:
    from .distillers.llm.prompting import Limits
    from .distillers.llm.session import Session
    from .llm.model import Prompt

KNOWN: Final[tuple[OutcomeSource, ...]] = ("verifier", "human")
"""Who is never overruled."""

_Z95: Final = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomesJudged:
    """What became of the runs on whose end nobody had a say: by verdict.

    `unanswered` runs have no vote at all; `unknown` ones no majority. Both stay as they were.
    """

    runs: int = 0
    success: int = 0
    failure: int = 0
    unknown: int = 0
    unanswered: int = 0
    llm: LlmReport | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """A judge against the verifiers and people who know.

    `table` counts runs by what they say and what the judge says. `agreement` is the share of runs
    on which both say the same among those that the judge decides, with its 95 % interval (Wilson);
    `kappa` is Cohen's, 0 for chance and 1 for perfect. All three are None where it decides nothing.
    """

    runs: int = 0
    decided: int = 0
    unanswered: int = 0
    agreement: float | None = None
    interval: tuple[float, float] | None = None
    kappa: float | None = None
    table: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    llm: LlmReport | None = None


class Judging:
    """The runs to judge, and the votes on them."""

    def __init__(
        self,
        store: GraphStore,
        *,
        where: str,
        known: bool,
        limit: int | None,
        votes: int,
        limits: "Limits",
        readers: tuple[TrajectoryReader, ...],
    ) -> None:
        """Choose runs: those whose end is known for certain, or those where it is not.

        Raises:
            UsageError: the filter cannot be read.
        """
        self._store = store
        self._votes = votes
        self._limits = limits
        self._readers = readers
        chosen = parse_where(where, fields=FIELDS)
        told = (
            (Condition("outcome", "!=", "unknown"),)
            if known
            else tuple(Condition("judged", "!=", source) for source in KNOWN)
        )
        chosen = replace(chosen, conditions=(*chosen.conditions, *told))
        found = choose(store, chosen, levels=("summary",))
        self._chosen = [id for id in found if self._is_known(id) is known][:limit]

    def prompts(self) -> list["Prompt"]:
        """What would be asked."""
        from .distillers.llm.outcome_judge import prompts_of

        return [
            p
            for _, run in self._runs()
            for p in prompts_of(run, votes=self._votes, limits=self._limits)
        ]

    def write(
        self, session: "Session", *, on_run: Callable[[int], None] | None = None
    ) -> OutcomesJudged:
        """Keep the verdicts that have a majority with their runs, one transaction a run."""
        from .distillers.llm.outcome_judge import ballot

        counted: Counter[str] = Counter()
        for number, (kept, run) in enumerate(self._runs(), start=1):
            if on_run:
                on_run(number)
            found = ballot(run, votes=self._votes, limits=self._limits, session=session)
            counted["runs"] += 1
            counted[found.outcome.status if found.votes else "unanswered"] += 1
            if found.outcome.status != "unknown" and not self._is_known(kept.trace.id):
                judged = replace(
                    kept.trace,
                    outcome=found.outcome.status,
                    outcome_source=found.outcome.source,
                    outcome_confidence=found.outcome.confidence,
                )
                self._store.write(Batch(nodes=(judged,)))
        return OutcomesJudged(
            runs=counted["runs"],
            success=counted["success"],
            failure=counted["failure"],
            unknown=counted["unknown"],
            unanswered=counted["unanswered"],
        )

    def compare(self, session: "Session") -> Agreement:
        """Hold the votes against what verifiers and people say; nothing is kept."""
        from .distillers.llm.outcome_judge import ballot

        pairs: list[tuple[OutcomeStatus, OutcomeStatus]] = []
        unanswered = 0
        for kept, run in self._runs():
            found = ballot(run, votes=self._votes, limits=self._limits, session=session)
            if found.votes:
                pairs.append((kept.trace.outcome, found.outcome.status))
            else:
                unanswered += 1
        return agreement_of(pairs, unanswered=unanswered)

    def _runs(self) -> Iterator[tuple[KeptRun, RunRecord]]:
        for id in self._chosen:
            kept = kept_run(self._store, id)
            if kept is not None:
                yield kept, record_of(kept, readers=self._readers)

    def _is_known(self, id: str) -> bool:
        trace = self._store.get([id]).get(id)
        return isinstance(trace, Trace) and trace.outcome_source in KNOWN


def agreement_of(
    pairs: list[tuple[OutcomeStatus, OutcomeStatus]], *, unanswered: int = 0
) -> Agreement:
    """How far a judge agrees: pairs of what is known and what it says.

    Source: Cohen 1960, doi 10.1177/001316446002000104; Wilson 1927, doi 10.2307/2276774.
    """
    table: dict[str, dict[str, int]] = {}
    for known, said in sorted(pairs):
        row = table.setdefault(known, {})
        row[said] = row.get(said, 0) + 1
    decided = [(known, said) for known, said in pairs if said != "unknown"]
    told = Agreement(
        runs=len(pairs) + unanswered, decided=len(decided), unanswered=unanswered, table=table
    )
    if not decided:
        return told
    total = len(decided)
    same = sum(known == said for known, said in decided) / total
    by_known: Counter[str] = Counter(known for known, _ in decided)
    by_said: Counter[str] = Counter(said for _, said in decided)
    chance = sum(by_known[s] * by_said[s] for s in by_known) / total**2
    return replace(
        told,
        agreement=round(same, 4),
        interval=_wilson(same, total),
        kappa=None if chance == 1 else round((same - chance) / (1 - chance), 4),
    )


def _wilson(share: float, total: int) -> tuple[float, float]:
    z2 = _Z95**2 / total
    middle = (share + z2 / 2) / (1 + z2)
    half = _Z95 * sqrt(share * (1 - share) / total + z2 / (4 * total)) / (1 + z2)
    return round(max(0.0, middle - half), 4), round(min(1.0, middle + half), 4)
