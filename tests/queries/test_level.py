"""The climb from the nearest runs to what they taught."""

from collections.abc import Callable, Mapping, Sequence

import pytest

from stepladder.kg.embedding.static import StaticEmbedder
from stepladder.kg.protocols import Candidate
from stepladder.kg.stores.sqlite.store import SQLiteStore
from stepladder.kg.terms import count_terms
from stepladder.kg.types import Edge, Insight, Memory, Trace
from stepladder.queries.level import (
    VOTERS,
    Climb,
    Climbed,
    Votes,
    ancestors,
    by_value,
    climb,
    vote,
    with_block,
)
from stepladder.queries.search import Hit, Lookup, Parts, ask, rank


def described(memory: Memory) -> Candidate:
    return Candidate.of(memory, terms=count_terms(memory.key, memory.full), vector=None)


def hit(id: str, score: float, *, level: int = 0, task: str = "") -> Hit:
    kind: type[Memory] = Insight if level >= 3 else Trace
    memory = kind(id=id, created="", level=level, title=id, task=task)
    return Hit(described(memory), score, 4 * score, Parts(score, 0.0, 0.0))


def closed(**above: str) -> Mapping[str, frozenset[str]]:
    return {id: frozenset(names.split()) for id, names in above.items()}


def ids(hits: Sequence[Hit]) -> list[str]:
    return [h.memory.id for h in hits]


def test_ancestors_are_everything_above_and_a_cycle_ends() -> None:
    edges = [
        Edge(source=a, type="GENERALIZES_TO", target=b)
        for a, b in [("t", "s"), ("s", "i"), ("i", "m"), ("m", "i"), ("u", "i")]
    ]
    assert ancestors(edges) == {
        "t": frozenset({"s", "i", "m"}),
        "s": frozenset({"i", "m"}),
        "i": frozenset({"m"}),
        "m": frozenset({"i"}),
        "u": frozenset({"i", "m"}),
    }


def test_nearer_leaves_have_more_weight_and_shares_are_of_all_votes() -> None:
    leaves = [hit("t1", 9), hit("t2", 8), hit("t3", 7)]
    votes = vote(leaves, closed(t1="a all", t2="b all", t3="b all"))
    total = 1 + 0.6309297535714575 + 0.5
    assert {node: round(cast.share, 9) for node, cast in votes.items()} == {
        "a": round(1 / total, 9),
        "all": 1.0,
        "b": round((0.6309297535714575 + 0.5) / total, 9),
    }
    assert ids(votes["b"].leaves) == ["t2", "t3"]


def test_runs_of_one_task_share_one_vote() -> None:
    leaves = [hit("t1", 9, task="x"), hit("t2", 8, task="x"), hit("t3", 7, task="y")]
    votes = vote(leaves, closed(t1="a", t2="b", t3="c"))
    weight = 1 / (1 + 0.6309297535714575)
    assert votes["a"].share == votes["b"].share == pytest.approx(weight)
    assert votes["c"].share == pytest.approx(1 - weight)


def test_only_the_nearest_leaves_vote() -> None:
    leaves = [hit(f"t{n:02d}", 100 - n) for n in range(VOTERS + 5)]
    votes = vote(leaves, {leaf.memory.id: frozenset({leaf.memory.id + "+"}) for leaf in leaves})
    assert len(votes) == VOTERS
    assert f"t{VOTERS}+" not in votes


def climbed(id: str, share: float, level: int, *, runs: int = 0, score: float = 0.0) -> Climbed:
    return Climbed(hit(id, score, level=level), Votes(share, 1, ()), runs)


@pytest.mark.parametrize(
    ("share", "order"),
    [(0.9, "special general"), (0.5, "special general"), (0.3, "general special")],
)
def test_the_surer_the_vote_the_more_specific_the_answer(share: float, order: str) -> None:
    block = [climbed("general", 1.0, 3, runs=200), climbed("special", share, 3, runs=30)]
    assert [c.hit.memory.id for c in by_value(block)] == order.split()


def test_of_equal_value_the_better_fit_comes_first_then_the_id() -> None:
    block = [climbed("b", 0.4, 3), climbed("a", 0.4, 3), climbed("c", 0.4, 3, score=1.0)]
    assert [c.hit.memory.id for c in by_value(block)] == ["c", "a", "b"]
    assert by_value([]) == []


def test_flat_hits_keep_their_place_and_the_block_enters_at_its_best_leaf() -> None:
    flat = [hit("i1", 9, level=3), hit("t1", 8), hit("i2", 7, level=3), hit("i3", 6, level=3)]
    block = (climbed("i3", 0.9, 3), climbed("i1", 0.8, 3), climbed("i4", 0.7, 3))
    order = with_block(flat, Climb(block, flat[1], {}, {}))
    assert ids(order) == ["i1", "i3", "i4", "t1", "i2"]


def test_a_leaf_far_down_brings_its_block_to_the_end() -> None:
    flat = [hit(f"i{n}", 50 - n, level=3) for n in range(12)] + [hit("t", 1)]
    block = (climbed("up", 1.0, 3), climbed("i3", 0.9, 3))
    assert with_block(flat, Climb(block, flat[-1], {}, {})) == [*flat, block[0].hit]


def test_insights_are_found_through_runs_although_they_share_no_word_with_the_task(
    keep: Callable[..., SQLiteStore], memory: Callable[..., Memory], embedder: StaticEmbedder
) -> None:
    store = keep(
        memory("trace", "trace-1", "Dates with a time zone are parsed wrongly"),
        memory("trace", "trace-2", "Dates before 1970 are parsed wrongly"),
        memory("trace", "trace-3", "Add a dark theme to the settings page"),
        memory("summary", "summary-1", "A parser for dates was repaired"),
        memory("insight", "insight-1", "Reproduce before changing anything"),
        memory("insight", "insight-2", "Look at the page in a browser"),
        memory("insight", "insight-3", "Prove it first", level=4),
        above=(
            ("trace-1", "summary-1"),
            ("summary-1", "insight-1"),
            ("trace-2", "insight-1"),
            ("trace-3", "insight-2"),
            ("insight-1", "insight-3"),
        ),
    )
    question = ask(store, embedder, "Dates in a leap year are parsed wrongly")
    found = climb(store, question, rank(store, question, Lookup())[0])
    assert [c.hit.memory.id for c in found.block] == ["insight-1", "insight-3", "insight-2"]
    assert found.block[0].votes.share == pytest.approx(0.765360637)
    assert {leaf.memory.id for leaf in found.block[0].votes.leaves} == {
        "trace-1",
        "trace-2",
        "summary-1",
    }
    assert found.best is not None
    assert found.best.memory.id.startswith("trace")
