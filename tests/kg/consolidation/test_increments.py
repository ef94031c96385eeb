"""What comes in bit by bit is merged as if it had come at once, however it comes."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stepladder import KnowledgeBase
from stepladder.kg.consolidation.consolidate import Request, consolidate
from stepladder.kg.consolidation.prints import Prints
from stepladder.kg.consolidation.progress import considered_up_to
from stepladder.kg.consolidation.state import read_records, read_state
from stepladder.kg.types import Batch

NOON: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
SUBJECTS: Final = (
    "the lock file of the project",
    "a failing migration of the database",
    "the cache of the build server",
    "a test that depends on the clock",
    "the certificate of the proxy",
    "an index that nobody reads",
)
ADVICE: Final = (
    "Check {} before you change anything else.",
    "Check {} before changing anything else.",
    "Write down who owns {} and why it is there.",
    "Write down who owns {} and why it is still there.",
    "Never trust {} when two people edit at once.",
    "Ask for a review as soon as {} is touched.",
)
TEXTS: Final = tuple(a.format(s) for s in SUBJECTS for a in ADVICE)
FIRST: Final = 30
"""So many come first, so that the rest is less than a quarter more."""

Bytes = st.binary(min_size=8, max_size=8)


def bring(kb: KnowledgeBase, numbers: Sequence[int]) -> None:
    """Bring in the insights with these numbers."""
    rows: list[dict[str, Any]] = [
        {"id": f"insight-{n:02d}", "level": "insight", "content": TEXTS[n]} for n in numbers
    ]
    assert not kb.import_memories(rows).failed


def merged(kb: KnowledgeBase) -> set[tuple[str, ...]]:
    """The groups of insights that stand below merged ones."""
    return set(read_state(kb.store).members.values())


def hour(number: int) -> datetime:
    """So many hours after noon."""
    return NOON + timedelta(hours=number)


@settings(
    max_examples=10, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
@given(order=st.permutations(range(len(TEXTS))), size=st.integers(min_value=1, max_value=6))
def test_what_comes_in_parts_in_any_order_is_merged_as_all_at_once(
    order: list[int], size: int
) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        with KnowledgeBase.open(Path(folder) / "parts.db") as kb:
            bring(kb, order[:FIRST])
            kb.consolidate(now=NOON)
            statistics = read_records(kb.store)[0].statistics
            for number in range(FIRST, len(order), size):
                bring(kb, order[number : number + size])
                assert not kb.consolidate(now=hour(number)).full
            in_parts = merged(kb)
        with KnowledgeBase.open(Path(folder) / "whole.db") as kb:
            bring(kb, order)
            request = Request(statistics=statistics)
            consolidate(kb.store, kb.embedder, time="2026-03-01T12:00:00Z", request=request)
            assert in_parts == merged(kb)
            assert in_parts


def test_removing_a_run_leaves_what_is_merged_and_counted(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        bring(kb, range(FIRST))
        kb.import_memories([{"id": "trace-1", "level": "trace", "title": "t", "task": "t"}])
        kb.consolidate(now=NOON)
        before = merged(kb)
        kb.store.delete(["trace-1"])
        bring(kb, range(FIRST, FIRST + 2))
        done = kb.consolidate(now=hour(1))
        assert (done.considered, done.new, done.full) == (FIRST + 2, 2, False)
        assert merged(kb) == before | {("insight-30", "insight-31")}
        assert kb.consolidate(now=hour(2)).considered == FIRST + 2


def test_a_rewritten_insight_is_new_and_counted_once(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        bring(kb, range(FIRST))
        kb.consolidate(now=NOON)
        row = {"id": "insight-00", "level": "insight", "content": "Sort imports by name."}
        kb.import_memories([row])
        done = kb.consolidate(now=hour(1))
        assert (done.considered, done.new) == (FIRST, 1)
        assert ("insight-00", "insight-01") not in merged(kb)


@pytest.mark.parametrize("later", [False, True], ids=["from the start", "that came later"])
def test_an_insight_that_is_worded_as_before_is_merged_as_before(
    tmp_path: Path, later: bool
) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        bring(kb, range(30))
        kb.consolidate(now=NOON)
        pair = (30, 31) if later else (0, 1)
        bring(kb, pair)
        kb.consolidate(now=hour(1))
        ids = tuple(f"insight-{n:02d}" for n in pair)
        before = kb.store.get(ids)
        assert ids in merged(kb)
        other = replace(before[ids[1]], title="Water the plants", description="", content="")
        kb.store.write(Batch(nodes=(other,)))
        kb.consolidate(now=hour(2))
        assert ids not in merged(kb)
        kb.store.write(Batch(nodes=(before[ids[1]],)))
        done = kb.consolidate(now=hour(3))
        assert (ids in merged(kb), done.full) == (True, False)
        kb.store.write(Batch(nodes=(other,)))
        kb.consolidate(now=hour(4))
        assert ids not in merged(kb)
        assert not kb.consolidate(now=hour(5)).merge_run


def test_an_insight_that_was_removed_and_came_back_is_merged_again(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        bring(kb, range(FIRST))
        kb.consolidate(now=NOON)
        before = merged(kb)
        kb.store.delete(["insight-00"])
        bring(kb, [0])
        kb.consolidate(now=hour(1))
        assert merged(kb) == before


def test_runs_that_wait_are_linked_when_an_insight_of_their_domain_comes(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        bring(kb, range(FIRST))
        task = "Renew the certificate of the proxy"
        row = {"id": "trace-1", "level": "trace", "title": task, "task": task, "domain": "security"}
        kb.import_memories([row])
        assert kb.consolidate(now=NOON).counts["links"] == 0
        known = considered_up_to(kb.store, read_records(kb.store))
        assert known is not None
        assert known.waiting == ("security",)
        bring(kb, [30])
        assert kb.consolidate(now=hour(1)).counts["links"] == 0
        late: dict[str, Any] = {
            "id": "insight-late",
            "level": "insight",
            "content": "Renew a certificate before it ends.",
            "domain": "security",
        }
        kb.import_memories([late])
        assert kb.consolidate(now=hour(2)).counts["links"] == 1
        (edge,) = kb.store.edges(["trace-1"], types=["GENERALIZES_TO"])
        assert edge.target == "insight-late"


def test_a_run_that_comes_later_is_linked_to_an_insight_that_was_there(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        bring(kb, range(FIRST))
        early: dict[str, Any] = {
            "id": "insight-early",
            "level": "insight",
            "content": "Renew a certificate before it ends.",
            "domain": "security",
        }
        kb.import_memories([early])
        kb.consolidate(now=NOON)
        task = "Renew the certificate of the proxy"
        row = {"id": "trace-1", "level": "trace", "title": task, "task": task, "domain": "security"}
        kb.import_memories([row])
        bring(kb, [30])
        assert kb.consolidate(now=hour(1)).counts["links"] == 1


def test_a_verdict_does_not_hide_a_run_that_came_before_it(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        bring(kb, range(FIRST))
        kb.consolidate(now=NOON)
        task = "Renew the certificate of the proxy"
        row = {"id": "trace-1", "level": "trace", "title": task, "task": task, "domain": "security"}
        kb.import_memories([row])
        kb.decide("insight-02", "insight-09", "apart", now=hour(1))
        late: dict[str, Any] = {
            "id": "insight-late",
            "level": "insight",
            "content": "Renew a certificate before it ends.",
            "domain": "security",
        }
        kb.import_memories([late])
        assert kb.consolidate(now=hour(2)).counts["links"] == 1


@given(first=st.lists(Bytes, max_size=20), second=st.lists(Bytes, max_size=20), other=Bytes)
def test_fingerprints_in_one_block_are_the_set_of_them(
    first: list[bytes], second: list[bytes], other: bytes
) -> None:
    both = Prints.joined([Prints.of(first), Prints.of(second)])
    assert both == Prints.of([*first, *second])
    assert len(both) == len({*first, *second})
    assert all(p in both for p in (*first, *second))
    assert (other in both) == (other in {*first, *second})
