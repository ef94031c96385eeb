"""Runs and insights that were made elsewhere: edges inferred from their words."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from stepladder import KnowledgeBase
from stepladder.kg.consolidation.links import INFERRED, PARENTS

NOON: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
RUNS: Final = (
    "Search the kitchen counter for a mug, cool it in the fridge and bring it to the top shelf.",
    "Search the kitchen counter for a plate, wash it in the sink and bring it to the top shelf.",
    "Search the kitchen counter for a potato, heat it in the stove and bring it to the top shelf.",
)


def remember(
    kb: KnowledgeBase, insights: Sequence[str], *, domain: str = "household", **more: Any
) -> None:
    """Bring in the runs of one domain, and insights."""
    rows: list[dict[str, Any]] = [
        {"id": f"trace-{n}", "level": "trace", "title": text, "domain": "household"}
        for n, text in enumerate(RUNS)
    ]
    rows += [
        {"id": f"insight-{n}", "level": "insight", "content": text, "domain": domain, **more}
        for n, text in enumerate(insights)
    ]
    assert not kb.import_memories(rows).failed


def linked(kb: KnowledgeBase) -> dict[str, list[str]]:
    """The insights above each run."""
    ids = [f"trace-{n}" for n in range(len(RUNS))]
    edges = kb.store.edges(ids, types=["GENERALIZES_TO"])
    found: dict[str, list[str]] = {}
    for edge in edges:
        assert edge.quote in ("", INFERRED)
        assert edge.score is None or 0 < edge.score <= 1
        found.setdefault(edge.source, []).append(edge.target)
    return {id: sorted(above) for id, above in sorted(found.items())}


def test_a_run_is_linked_to_the_insights_that_hold_its_words(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(
            kb,
            ["Cool a mug for long.", "Wash what is dirty in the sink.", "Look up the train times."],
        )
        kb.consolidate(now=NOON)
        assert linked(kb) == {"trace-0": ["insight-0"], "trace-1": ["insight-1"]}


def test_what_shares_words_with_every_run_does_not_take_the_place_of_what_fits_one(
    tmp_path: Path,
) -> None:
    common = [
        f"Search the kitchen counter and bring things to the top shelf number {name}."
        for name in ("one", "two", "three", "four", "five", "six", "seven", "eight")
    ]
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb, [*common, "Cool what is hot, then close the door again."])
        kb.consolidate(now=NOON)
        found = linked(kb)
        assert "insight-8" in found["trace-0"]
        assert [len(above) for above in found.values()] == [PARENTS] * len(RUNS)


def test_insights_of_another_domain_or_that_say_where_they_come_from_are_not_linked(
    tmp_path: Path,
) -> None:
    for number, more in enumerate(({"domain": "web"}, {"parents": []})):
        with KnowledgeBase.open(tmp_path / f"{number}.db") as kb:
            remember(kb, ["Cool a mug for long."], **more)
            if "parents" in more:
                row = {"id": "trace-9", "level": "trace", "title": "Pay.", "domain": "household"}
                kb.import_memories([{**row, "parents": ["insight-0"]}])
            kb.consolidate(now=NOON)
            assert linked(kb) == {}


def test_a_report_of_one_run_stands_above_no_other(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb, ["The agent failed to cool the mug in the fridge."])
        kb.consolidate(now=NOON)
        assert linked(kb) == {}


def test_links_are_taken_back_with_the_run_that_made_them(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb, ["Cool a mug for long."])
        run = kb.consolidate(now=NOON).merge_run
        assert linked(kb) == {"trace-0": ["insight-0"]}
        kb.unmerge(run)
        assert linked(kb) == {}
