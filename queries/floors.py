"""How well a memory must fit before it is shown: below its floor nothing is said.

One floor cannot fit all: what was learned on the same task scores higher than general advice, and
a card of the catalogue says something about how to work, in words that no task text uses.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from ..kg.types import Insight, LevelName, Memory, level_name
from .applicability import Nominee
from .level import Votes

Kind = Literal["trace", "workflow", "summary", "insight", "card"]


@dataclass(frozen=True, slots=True)
class Floor:
    """Smallest R that is shown, by default and where the caller wants to be told less."""

    default: float
    strict: float


FLOORS: Final[Mapping[Kind, Floor]] = {
    "trace": Floor(7.5, 9.0),
    "workflow": Floor(7.5, 9.0),
    "summary": Floor(7.5, 9.0),
    "insight": Floor(7.5, 9.0),
    "card": Floor(5.5, 7.0),
}
"""Floors by kind of node, for a store of 300 to 2,000 memories.

Source: bench/evaluate.py, T2: at 7.5 a task that has an answer is answered in 89 of 100 cases and
one whose answer was taken away in 31, most of those with something that helps all the same; at 9
in 77 and 17; tasks of another trade never. A card's own words are weak evidence (below R 4 one card
in twenty is one that the run later called for, above it one in six), and 99 of 100 tasks of other
kinds stay below 5.5 (measured on 366 public runs)."""

VOUCHED: Final = Floor(5.5, 7.5)
"""Smallest R of the best leaf that vouches for an insight together with others.

Source: on 366 public runs, the own task left out, a card with a share of .2 to .4 was called for
in 2 of 100 cases where the best leaf was below 4, in 13 below 5, 25 below 7.5 and 31 above; with a
share above .6 in 47 below 7.5 and 78 above. bench/answers.py: with all floors together half of the
cards shown are called for, and 2 in 100 tasks of other kinds are answered.
"""
VOUCHED_BY_FEW: Final = Floor(7.5, 9.0)
"""The same where the votes are few."""
VOUCHED_BY_ALL: Final = Floor(3.0, 4.5)
"""The same where nearly all of at least ten tasks agree on what is not common to most runs.

Source: bench/evaluate.py, T6b: of 196 short questions that share few words with anything 76 in 100
have such a vote above R 3, of 374 tasks and faults of other trades 2 in 100."""

ALL_VOTES: Final = 0.9
LEAST_TASKS: Final = 10
COMMON: Final = 0.5
"""Part of all runs that an insight stands above from which agreement on it says nothing. Chosen by
us."""
MANY_VOTES: Final = 0.2
FEW_VOTES: Final = 0.1
"""Parts of the vote that count as evidence: the nearest leaf alone has .14. Below .1 one card in
twenty was called for."""

_LARGE: Final = 2_000
_LARGE_SLOPE: Final = 0.24
_SMALL: Final = 300
_SMALL_SLOPE: Final = 3.0
_SMALLEST: Final = 50


def kind_of(memory: Memory) -> Kind:
    """The kind of node whose floor holds for a memory."""
    if isinstance(memory, Insight) and memory.card:
        return "card"
    name: LevelName = level_name(memory.level)
    return name


def adjusted(floor: float, memories: int) -> float:
    """A floor as it holds in a store of so many memories.

    In small stores no word is rare and every score is low; in large ones something fits by chance.
    Source: T2 of bench/evaluate.py on random parts of 60 to 600 memories, where with this slope
    about one unanswerable task in five is answered at every size, and on pools of up to 100,000.
    Below 50 memories the floor falls no further: in stores of one to three public runs it would let
    through every second task of another kind, so one in 50, and the same task always.
    """
    if memories > _LARGE:
        return floor + _LARGE_SLOPE * math.log10(memories / _LARGE)
    if memories < _SMALL:
        return floor - _SMALL_SLOPE * math.log10(_SMALL / max(memories, _SMALLEST))
    return floor


@dataclass(frozen=True, slots=True)
class Verdict:
    """What speaks for a memory, as R, and the floor that it is held against."""

    confidence: float
    floor: float

    @property
    def margin(self) -> float:
        """How far above the floor, 0 and more being enough."""
        return self.confidence - self.floor


@dataclass(frozen=True, slots=True)
class Floors:
    """The floors of one answer; `fixed` stands for all of them where it is given.

    `memories` and `runs` count what the store holds; with no runs known, no insight is taken to
    be uncommon. `fitted` are floors that this store's own graph gave, see `calibrate`, and `lifts`
    what is added to R of some memories, see `lifts`.
    """

    memories: int
    runs: int = 0
    strict: bool = False
    fixed: float | None = None
    fitted: Mapping[Kind, Floor] = field(default_factory=dict)
    lifts: Mapping[str, float] = field(default_factory=dict)

    @property
    def lowest(self) -> float:
        """The lowest floor of all kinds."""
        return min(self.of(kind) for kind in FLOORS)

    def of(self, kind: Kind) -> float:
        """The floor of a kind of node."""
        return self._value(self.fitted.get(kind, FLOORS[kind]))

    def judge(self, nominee: Nominee) -> Verdict:
        """Hold a memory's own R and its lift against its floor, or R of the best leaf's vote.

        Whichever is further above its floor counts.
        """
        memory = nominee.hit.memory
        own = Verdict(nominee.hit.score + self.lifts.get(memory.id, 0.0), self.of(kind_of(memory)))
        vouched = self._by_votes(nominee)
        return own if vouched is None else max(own, vouched, key=lambda v: v.margin)

    def best_margin(self, nominee: Nominee, *, lowest: float) -> float:
        """The largest margin that `judge` can find, said without looking at the memory.

        `lowest` is the property of that name, which a caller need not have computed each time.
        """
        vouched = self._by_votes(nominee)
        own = nominee.hit.score + self.lifts.get(nominee.hit.id, 0.0) - lowest
        return own if vouched is None else max(own, vouched.margin)

    def depend_on_runs(self, nominees: Iterable[Nominee]) -> bool:
        """Tell whether some verdict would be another one if the number of runs were known."""
        return self.fixed is None and not self.runs and any(_agreed(n.votes) for n in nominees)

    def _by_votes(self, nominee: Nominee) -> Verdict | None:
        votes = nominee.votes
        if votes is None or votes.share < FEW_VOTES:
            return None
        return Verdict(votes.best, self._value(self._vouched(nominee, votes)))

    def _vouched(self, nominee: Nominee, votes: Votes) -> Floor:
        if votes.share < MANY_VOTES:
            return VOUCHED_BY_FEW
        uncommon = nominee.runs < COMMON * self.runs
        return VOUCHED_BY_ALL if uncommon and _agreed(votes) else VOUCHED

    def _value(self, floor: Floor) -> float:
        if self.fixed is not None:
            return self.fixed
        return adjusted(floor.strict if self.strict else floor.default, self.memories)


def _agreed(votes: Votes | None) -> bool:
    return votes is not None and votes.share >= ALL_VOTES and votes.tasks >= LEAST_TASKS
