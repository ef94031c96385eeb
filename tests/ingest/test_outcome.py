"""Outcomes as rows and the files beside runs state them."""

import json
from pathlib import Path
from typing import Any

import pytest

from stepladder.ingest.outcome import SideCars, rewarded, stated_in, verified
from stepladder.ingest.trajectory import Outcome


def solved(detail: str, *, reward: float | None = None) -> Outcome:
    return Outcome(status="success", source="verifier", confidence=1, reward=reward, detail=detail)


def unsolved(detail: str, *, reward: float | None = None) -> Outcome:
    return Outcome(status="failure", source="verifier", confidence=1, reward=reward, detail=detail)


def beside(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"resolved": True}, solved("resolved of its row")),
        ({"is_resolved": False}, unsolved("is_resolved of its row")),
        ({"is_resolved": None}, Outcome()),
        ({"instance_id": "a", "target": True}, solved("target of its row")),
        ({"target": True}, Outcome()),
        ({"report": {"resolved": True}}, solved("resolved of its row")),
        ({"test_result": {"report": {"resolved": False}}}, unsolved("resolved of its row")),
        ({"reward": 1.0}, solved("reward of its row", reward=1)),
        ({"reward": 0}, unsolved("reward of its row", reward=0)),
        ({"exit_status": "submitted", "submission": "diff"}, Outcome()),
        ({"resolved": "yes", "report": [], "test_result": None}, Outcome()),
    ],
)
def test_a_row_says_how_its_run_ended(row: dict[str, Any], expected: Outcome) -> None:
    assert stated_in(row) == expected


def test_a_reward_between_nothing_and_all_decides_nothing() -> None:
    assert rewarded(0.5, detail="d") == Outcome(
        source="verifier", confidence=1, reward=0.5, detail="d"
    )
    assert [rewarded(r, detail="") for r in (None, True, "1", float("nan"))] == [None] * 4
    assert [verified(v, detail="") for v in (None, 1, "true")] == [None] * 3


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("verifier/reward.txt", "1\n", solved("reward.txt", reward=1)),
        ("verifier/reward.txt", "0.0", unsolved("reward.txt", reward=0)),
        ("verifier/reward.txt", "", None),
        ("verifier/reward.json", {"reward": 1}, solved("reward.json", reward=1)),
        ("verifier/reward.json", {"tests": 0}, unsolved("reward.json", reward=0)),
        ("verifier/reward.json", {"a": 1, "b": 0}, None),
        (
            "result.json",
            {"trial_name": "t", "verifier_result": {"rewards": {"reward": 1.0}}},
            solved("result.json: verifier_result", reward=1),
        ),
        ("result.json", {"trial_name": "t", "verifier_result": None}, None),
        ("results.json", {"id": "x", "is_resolved": True}, solved("results.json")),
        ("results.json", {"id": "x", "is_resolved": None, "failure_mode": "parse_error"}, None),
        (
            "results.json",
            {
                "results": [
                    {"trial_name": "other", "is_resolved": True},
                    {"trial_name": "trial-1", "is_resolved": False},
                ]
            },
            unsolved("results.json"),
        ),
    ],
)
def test_files_of_a_trial_are_found_from_its_agent_folder(
    tmp_path: Path, name: str, content: Any, expected: Outcome | None
) -> None:
    beside(tmp_path / "trial-1" / name, content)
    run = tmp_path / "trial-1" / "agent" / "trajectory.json"
    assert SideCars().outcome_of(run) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"acme__api-1": {"resolved": True}}, solved("report.json")),
        ({"acme__api-1": {"resolved": False}, "x": {"resolved": True}}, unsolved("report.json")),
        ({"acme__api-1": {"resolved": None}}, None),
        ({"resolved_ids": ["acme__api-1"]}, solved("report.json: resolved_ids")),
        ({"unresolved_ids": ["acme__api-1"]}, unsolved("report.json: unresolved_ids")),
        ({"resolved_ids": [], "error_ids": ["acme__api-1"]}, None),
        (
            {"resolved": [], "generated": ["acme__api-1"], "applied": ["acme__api-1"]},
            unsolved("report.json: generated"),
        ),
        ([], None),
    ],
)
def test_reports_know_a_run_by_its_task_or_its_file(
    tmp_path: Path, content: Any, expected: Outcome | None
) -> None:
    beside(tmp_path / "report.json", content)
    run = tmp_path / "run" / "session.jsonl"
    assert SideCars().outcome_of(run, task_id="acme__api-1") == expected
    assert SideCars().outcome_of(run.with_name("acme__api-1.traj")) == expected
    assert SideCars().outcome_of(run) is None


def test_a_report_of_any_name_counts_beside_predictions(tmp_path: Path) -> None:
    run = tmp_path / "acme__api-1" / "acme__api-1.traj.json"
    beside(tmp_path / "model.run-1.json", {"resolved_ids": ["acme__api-1"]})
    assert SideCars().outcome_of(run, task_id="acme__api-1") is None
    beside(tmp_path / "preds.json", {"acme__api-1": {"model_patch": "resolved_ids"}})
    assert SideCars().outcome_of(run, task_id="acme__api-1") == solved(
        "model.run-1.json: resolved_ids"
    )


def test_rows_of_outcomes_name_runs_by_file_or_task(tmp_path: Path) -> None:
    rows = [
        {"file": "a.traj.json", "instance_id": "acme__api-1", "resolved": True},
        {"path": "runs\\b.json", "outcome": "unresolved", "source": "judge"},
        {"instance_id": "acme__api-3", "outcome": "mixed"},
        {"instance_id": "acme__api-4", "resolved": True},
        {"instance_id": "acme__api-4", "resolved": False},
        {"name": "e", "reward": 1},
        "no row",
    ]
    beside(tmp_path / "outcomes.jsonl", "\n".join(map(json.dumps, rows)) + "\n{torn")
    cars = SideCars()
    assert cars.outcome_of(tmp_path / "a.traj.json") == solved("outcomes.jsonl: resolved")
    assert cars.outcome_of(tmp_path / "b.json") == Outcome(
        status="failure", source="judge", confidence=0.75
    )
    assert cars.outcome_of(tmp_path / "c.json", task_id="acme__api-1") == solved(
        "outcomes.jsonl: resolved"
    )
    assert cars.outcome_of(tmp_path / "c.json", task_id="acme__api-3") is None
    assert cars.outcome_of(tmp_path / "c.json", task_id="acme__api-4") is None
    assert cars.outcome_of(tmp_path / "e.jsonl") == solved("outcomes.jsonl: reward", reward=1)


def test_a_side_car_of_the_run_comes_before_all_others(tmp_path: Path) -> None:
    run = tmp_path / "session.jsonl"
    beside(tmp_path / "reward.txt", "0")
    said = {"status": "success", "source": "human", "detail": "merged"}
    beside(tmp_path / "session.outcome.json", said)
    assert SideCars().outcome_of(run) == Outcome(
        status="success", source="human", confidence=1, detail="merged"
    )
    beside(tmp_path / "session.outcome.json", {"status": "success", "confidence": 0.25})
    assert SideCars().outcome_of(run) == Outcome(status="success", confidence=0.25)
    beside(tmp_path / "session.outcome.json", {"status": "great"})
    assert SideCars().outcome_of(run) == unsolved("reward.txt", reward=0)


def test_nothing_is_looked_for_further_up(tmp_path: Path) -> None:
    beside(tmp_path / "reward.txt", "1")
    assert SideCars().outcome_of(tmp_path / "a" / "b" / "run.json") is None


def test_damaged_files_beside_a_run_say_nothing(tmp_path: Path) -> None:
    for name in ("reward.json", "results.json", "report.json", "run.outcome.json"):
        (tmp_path / name).write_bytes(b"\xff{[")
    assert SideCars().outcome_of(tmp_path / "run.json", task_id="a") is None


def test_a_file_is_read_once_however_many_runs_lie_beside_it(tmp_path: Path) -> None:
    beside(tmp_path / "outcomes.jsonl", json.dumps({"file": "a.json", "resolved": True}))
    beside(tmp_path / "reward.txt", "0")
    cars = SideCars()
    assert cars.outcome_of(tmp_path / "a.json") == solved("outcomes.jsonl: resolved")
    assert cars.outcome_of(tmp_path / "b.json") == unsolved("reward.txt", reward=0)
    for path in list(tmp_path.iterdir()):
        path.unlink()
    assert cars.outcome_of(tmp_path / "a.json") == solved("outcomes.jsonl: resolved")
    assert cars.outcome_of(tmp_path / "b.json") == unsolved("reward.txt", reward=0)


def test_every_public_run_on_swe_bench_has_its_verdict(shared_data: Path) -> None:
    cars = SideCars()
    runs = sorted((shared_data / "swebench-verified-runs").glob("*.traj.json"))
    told = [cars.outcome_of(r, task_id=r.name.removesuffix(".traj.json")) for r in runs]
    assert [o.status for o in told if o].count("success") == 100
    assert [o.status for o in told if o].count("failure") == 50
