"""What words alone propose: near pairs, each other's nearest, and no level above merged ones."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np

from stepladder import KnowledgeBase
from stepladder.kg.consolidation.clusters import mutual
from stepladder.kg.consolidation.plan import Limits
from stepladder.kg.types import Batch, MergeRun

NOON: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
RULE: Final = (
    "Open before judging empty: treat any closed container as unexplored, open the drawer, the "
    "fridge or the cabinet first, and only then decide whether the target object is inside it."
)
MISTAKE: Final = (
    "The agent took a closed container for empty and left the fridge or the drawer shut, so that "
    "the target object inside was missed and every other room was searched."
)
NEARER: Final = (
    "Treat a closed container as unexplored: look into the drawer, the fridge or the cabinet "
    "before every other room is searched for the target object."
)
SHORT: Final = (
    "Read the log of a failed build to its end.",
    "A failed build had printed what was wrong with it.",
)
COPIES: Final = (
    "Run the whole test suite before you commit the change.",
    "Run the whole test suite before you commit the change!",
    "Run the whole test suite in the clean container before you commit the change.",
    "Run the whole test suite in the clean container before you commit the change!",
)


def remember(kb: KnowledgeBase, *texts: str, first: int = 0) -> None:
    """Bring in insights with these texts."""
    rows: list[dict[str, Any]] = [
        {"id": f"insight-{n}", "level": "insight", "content": text}
        for n, text in enumerate(texts, start=first)
    ]
    assert not kb.import_memories(rows).failed


def proposed(kb: KnowledgeBase) -> list[tuple[str, str]]:
    """The pairs that wait for a verdict."""
    return sorted((s.a.id, s.b.id) for s in kb.suggestions())


def nearest(pairs: Sequence[tuple[int, int]], near: Sequence[float], unit: Sequence[int]) -> Any:
    """Which of the pairs are each other's nearest."""
    first, second = np.array(pairs, np.intp).T
    return mutual(first, second, np.array(near, np.float32), unit=np.array(unit, np.intp)).tolist()


def test_of_pairs_those_are_each_others_nearest_that_are_near_to_nothing_more() -> None:
    pairs = [(0, 1), (1, 2), (2, 3)]
    assert nearest(pairs, [0.5, 0.6, 0.4], [0, 1, 2, 3]) == [False, True, False]
    assert nearest(pairs, [0.6, 0.5, 0.6], [0, 1, 2, 3]) == [True, False, True]


def test_copies_are_no_neighbours_of_each_other_and_have_their_neighbours_in_common() -> None:
    pairs = [(0, 1), (1, 2), (0, 3)]
    assert nearest(pairs, [0.9, 0.6, 0.5], [0, 0, 2, 3]) == [False, True, False]
    assert nearest([(0, 1)], [0.9], [0, 0]) == [False]


def test_long_texts_that_are_each_others_nearest_are_proposed_though_their_words_differ(
    tmp_path: Path,
) -> None:
    limits = Limits()
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb, RULE, MISTAKE)
        done = kb.consolidate(now=NOON)
        (found,) = done.suggested
        assert limits.mutual_long <= found.nearness < limits.mutual
        assert done.merged == ()
        assert proposed(kb) == [("insight-0", "insight-1")]


def test_short_texts_have_to_be_nearer(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb, *SHORT)
        assert kb.consolidate(now=NOON).suggested == ()
        near = kb.compare_pairs([("insight-0", "insight-1")])[0].nearness
        assert Limits().mutual_long <= near < Limits().mutual


def test_a_pair_is_no_longer_proposed_for_being_nearest_once_something_nearer_is_there(
    tmp_path: Path,
) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb, RULE, MISTAKE)
        kb.consolidate(now=NOON)
        remember(kb, NEARER, first=2)
        kb.consolidate(now=NOON + timedelta(hours=1))
        assert proposed(kb) == [("insight-0", "insight-2")]
        kb.keep_apart("insight-0", "insight-2", now=NOON + timedelta(hours=2))
        assert proposed(kb) == [("insight-0", "insight-1")]


def test_words_alone_merge_no_merged_insights_and_a_verdict_does(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb, *COPIES)
        done = kb.consolidate(now=NOON)
        assert sorted([i.id for i in m.members] for m in done.merged) == [
            ["insight-0", "insight-1"],
            ["insight-2", "insight-3"],
        ]
        for hour in (1, 2):
            assert kb.consolidate(now=NOON + timedelta(hours=hour), full=True).merged == ()
        assert len(proposed(kb)) == 4
        assert {m.insight.level for m in done.merged} == {4}
        assert len(kb.store.find("Insight", where={"origin": "merge"})) == 2
        above = [m.insight for m in done.merged]
        topic = kb.decide(above[0].id, above[1].id, "same", now=NOON + timedelta(hours=3))
        assert [m.insight.level for m in topic.merged] == [5]


def test_a_run_of_before_that_had_other_limits_is_read(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb, RULE, MISTAKE)
        id = kb.consolidate(now=NOON).merge_run
        node = kb.store.get([id])[id]
        assert isinstance(node, MergeRun)
        assert '"mutual"' in node.parameters
        text = node.parameters.replace('"mutual"', '"across"')
        other = MergeRun(id="merge-before", created=node.created, parameters=text)
        assert kb.store.delete([id]) == 1
        kb.store.write(Batch(nodes=(other,)))
        assert [run.id for run in kb.merges()] == ["merge-before"]
