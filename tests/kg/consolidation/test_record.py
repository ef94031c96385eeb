"""How a consolidation is recorded, and how the next one knows where to go on."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from stepladder import KnowledgeBase
from stepladder.kg.consolidation.consolidate import consolidate
from stepladder.kg.consolidation.progress import considered_up_to
from stepladder.kg.consolidation.state import read_records
from stepladder.kg.errors import StoreError
from stepladder.kg.types import Batch, MergeRun

NOON: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAME: Final = (
    "Run the whole test suite before you commit the change.",
    "Run the whole test suite before you commit the change!",
    "Run the whole test suite before you commit the change",
)
OTHERS: Final = (
    "Pin the versions of all dependencies in a lock file.",
    "Read the error message to its end.",
    "Keep secrets out of the repository.",
    "Name a branch after its ticket.",
)


def remember(kb: KnowledgeBase, *texts: str, first: int = 0) -> None:
    """Bring in insights with these texts."""
    rows: list[dict[str, Any]] = [
        {"id": f"insight-{n}", "level": "insight", "content": text}
        for n, text in enumerate(texts, start=first)
    ]
    kb.import_memories(rows)


@pytest.mark.parametrize("parameters", ["", "no JSON", "[1]", '{"threshold": 0.9}'])
def test_a_merge_run_of_another_program_is_left_alone(tmp_path: Path, parameters: str) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        node = MergeRun(id="merge-foreign", created="", parameters=parameters, merges=2)
        kb.store.write(Batch(nodes=(node,)))
        remember(kb, *SAME)
        assert len(kb.consolidate(now=NOON).merged) == 1
        assert [run.id for run in kb.merges()] != ["merge-foreign"]
        assert kb.store.get(["merge-foreign"]) == {"merge-foreign": node}


def test_a_run_that_another_version_recorded_is_told_of(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        text = '{"form": 99, "seen": ""}'
        kb.store.write(Batch(nodes=(MergeRun(id="merge-late", created="", parameters=text),)))
        with pytest.raises(StoreError, match="merge-late was recorded in form 99"):
            kb.merges()


def test_what_came_since_is_merged_with_what_was_there(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb, *SAME[:2], *OTHERS)
        (first,) = kb.consolidate(now=NOON).merged
        remember(kb, SAME[2], first=6)
        done = kb.consolidate(now=NOON + timedelta(hours=1))
        assert (done.considered, done.new, done.full) == (7, 1, False)
        assert [m.replaces for m in done.merged] == [(first.insight.id,)]
        assert [[i.id for i in m.members] for m in done.merged] == [
            ["insight-0", "insight-1", "insight-6"]
        ]
        assert kb.consolidate(now=NOON + timedelta(hours=2)).merge_run == ""


def test_after_a_run_is_taken_back_what_it_considered_is_new_again(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb, *SAME)
        first = kb.consolidate(now=NOON)
        remember(kb, "Pin the versions of all dependencies in a lock file.", first=3)
        kb.consolidate(now=NOON + timedelta(hours=1))
        assert considered_up_to(kb.store, read_records(kb.store)) is not None
        kb.unmerge(first.merge_run, remember=False)
        assert considered_up_to(kb.store, read_records(kb.store)) is None
        again = kb.consolidate(now=NOON + timedelta(hours=2))
        assert [len(m.members) for m in again.merged] == [3]


def test_a_merged_insight_that_lost_a_member_is_looked_at_again(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb, *SAME)
        (first,) = kb.consolidate(now=NOON).merged
        kb.store.delete(["insight-2"])
        (second,) = consolidate(kb.store, kb.embedder, time="2026-03-01T13:00:00Z").merged
        assert second.replaces == (first.insight.id,)
        assert [i.id for i in second.members] == ["insight-0", "insight-1"]
