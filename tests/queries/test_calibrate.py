"""Floors fitted on a store's own graph, what lifts an insight, and what is kept."""

from pathlib import Path

import numpy as np
import pytest

from stepladder import KnowledgeBase
from stepladder.kg.terms import term_id, tokenize
from stepladder.queries.calibrate import fitted
from stepladder.queries.floors import FLOORS, Floor
from stepladder.queries.lifts import title_share

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_floor_is_put_where_what_applied_and_what_did_not_part() -> None:
    right, wrong = np.linspace(10, 14, 200).tolist(), np.linspace(2, 9.9, 200).tolist()
    fit = fitted("trace", right, wrong, memories=1000)
    assert fit.floor.default == pytest.approx(0.8 * 10 + 0.2 * 7.5)
    assert (fit.fitted, fit.right, fit.wrong, fit.passed) == (True, 200, 200, 1.0)
    assert fit.false < 0.1
    assert fit.floor.strict >= fit.floor.default
    assert fit.strict_false <= fit.false


def test_where_they_do_not_part_or_little_is_known_the_built_in_floor_stands() -> None:
    same = np.linspace(2, 9, 100).tolist()
    assert fitted("card", same, same, memories=1000).floor == FLOORS["card"]
    assert not fitted("card", same, same, memories=1000).fitted
    few = fitted("insight", [12.0] * 19, [1.0] * 200, memories=1000)
    assert (few.floor, few.fitted, few.false) == (FLOORS["insight"], False, 0.0)
    assert fitted("insight", [], [], memories=10).floor == Floor(7.5, 9.0)


def test_the_part_of_a_title_that_a_task_has_leaves_stop_words_out() -> None:
    words = {term_id(stem) for stem in tokenize("the migration deadlocks")}
    assert title_share("Migrations and the deadlock", words) == 1.0
    assert title_share("Lock the migration", words) == 0.5
    assert title_share("", words) == 0.0


def test_a_calibration_is_kept_with_the_store_unless_it_is_a_dry_run(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "memory.db") as kb:
        kb.ingest([EXAMPLES])
        found = kb.calibrate(dry_run=True)
        assert kb.calibration() is None
        assert found.questions == len(kb.store.find("Trace"))
        kept = kb.calibrate()
        assert kb.calibration() == kept
        assert {**vars_of(kept), "time": ""} == {**vars_of(found), "time": ""}


def test_consolidating_fits_the_floors_when_the_store_has_grown(tmp_path: Path) -> None:
    folders = sorted(p for p in EXAMPLES.iterdir() if p.is_dir())
    with KnowledgeBase.open(tmp_path / "memory.db") as kb:
        kb.ingest(folders[:1])
        kb.consolidate(dry_run=True)
        assert kb.calibration() is None
        kb.consolidate()
        first = kb.calibration()
        assert first is not None
        kb.consolidate()
        assert kb.calibration() == first
        kb.ingest(folders)
        kb.consolidate()
        later = kb.calibration()
        assert later is not None
        assert later.memories > first.memories


def vars_of(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in value.__slots__}  # type: ignore[attr-defined]


def test_a_calibrated_store_counts_how_crowded_an_insight_stands(tmp_path: Path) -> None:
    rows = [
        {"id": f"insight-{n:03}", "level": "insight", "title": f"Rotate the log of service {n}"}
        for n in range(110)
    ] + [{"id": "insight-x", "level": "insight", "title": "Lock tables in one order"}]
    with KnowledgeBase.open(tmp_path / "memory.db") as kb:
        kb.import_memories(rows)
        found = kb.calibrate()
        assert len(found.crowding) == 111
        assert min(found.crowding, key=lambda id: found.crowding[id]) == "insight-x"
