"""What must speak for a memory before it is shown."""

import pytest

from stepladder.kg.protocols import Candidate
from stepladder.kg.terms import count_terms
from stepladder.kg.types import Insight, Memory, Summary, Trace
from stepladder.queries.applicability import Nominee
from stepladder.queries.floors import Floors, Verdict, kind_of
from stepladder.queries.level import Votes
from stepladder.queries.search import Hit, Parts

SIZE = 1000


def described(memory: Memory) -> Candidate:
    return Candidate.of(memory, terms=count_terms(memory.key, memory.full), vector=None)


def hit(memory: Memory, score: float) -> Hit:
    return Hit(described(memory), score, 4 * score, Parts(score, 0.0, 0.0))


def insight(score: float = 1.0, *, card: str = "") -> Hit:
    return hit(Insight(id="insight-1", created="", title="x", card=card), score)


def votes(share: float, best: float, *, tasks: int = 12) -> Votes:
    leaves = (hit(Trace(id="t1", created="", title="x"), 1.0),)
    leaves += (hit(Trace(id="t2", created="", title="x"), best),)
    return Votes(share, tasks, leaves)


def test_each_kind_of_node_has_its_floor() -> None:
    assert kind_of(Insight(id="i", created="", title="x", card="undo-retry")) == "card"
    assert kind_of(Insight(id="i", created="", title="x", level=5)) == "insight"
    assert kind_of(Summary(id="s", created="", title="x")) == "summary"
    floors = Floors(memories=SIZE)
    assert floors.judge(Nominee(insight(6.0))) == Verdict(6.0, 7.5)
    assert floors.judge(Nominee(insight(6.0, card="undo-retry"))) == Verdict(6.0, 5.5)
    assert floors.lowest == 5.5


@pytest.mark.parametrize(
    ("share", "floor"), [(0.95, 5.5), (0.6, 5.5), (0.2, 5.5), (0.19, 7.5), (0.1, 7.5)]
)
def test_the_fewer_the_votes_the_better_their_leaf_must_fit(share: float, floor: float) -> None:
    verdict = Floors(memories=SIZE).judge(Nominee(insight(), votes(share, 6.0)))
    assert verdict == Verdict(6.0, floor)


def test_hardly_any_votes_are_no_evidence() -> None:
    verdict = Floors(memories=SIZE).judge(Nominee(insight(2.0), votes(0.09, 20.0)))
    assert verdict == Verdict(2.0, 7.5)


def test_a_memory_that_fits_by_itself_needs_no_votes() -> None:
    verdict = Floors(memories=SIZE).judge(Nominee(insight(9.0), votes(0.6, 3.0)))
    assert verdict == Verdict(9.0, 7.5)


@pytest.mark.parametrize(
    ("runs_below", "tasks", "share", "floor"),
    [(30, 12, 0.95, 3.0), (60, 12, 0.95, 5.5), (30, 9, 0.95, 5.5), (30, 12, 0.85, 5.5)],
)
def test_agreement_of_many_on_what_is_uncommon_is_evidence_even_where_no_leaf_fits_well(
    runs_below: int, tasks: int, share: float, floor: float
) -> None:
    nominee = Nominee(insight(), votes(share, 3.2, tasks=tasks), runs_below)
    assert Floors(memories=SIZE, runs=100).judge(nominee) == Verdict(3.2, floor)
    assert Floors(memories=SIZE).judge(nominee) == Verdict(3.2, 5.5)
    assert Floors(memories=SIZE).depend_on_runs([nominee]) == (share > 0.9 and tasks > 9)


def test_strict_floors_are_higher_and_a_given_one_stands_for_all() -> None:
    voted = Nominee(insight(), votes(0.6, 6.0))
    assert Floors(memories=SIZE, strict=True).judge(voted) == Verdict(6.0, 7.5)
    assert Floors(memories=SIZE, strict=True).judge(Nominee(insight(6.0))) == Verdict(6.0, 9.0)
    assert Floors(memories=10**6, fixed=2.0).judge(Nominee(insight(6.0))) == Verdict(6.0, 2.0)
