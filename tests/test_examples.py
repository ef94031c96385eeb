"""The sample trajectories: they parse, are small, name nobody, and can be recorded again."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
README = EXAMPLES / "README.md"
FILES = sorted(p for p in EXAMPLES.rglob("*") if p.is_file() and p != README)
SIDE_CARS = sorted(EXAMPLES.glob("*/outcomes.jsonl"))

RECORDED_AGAIN = "api-last-page"
MAX_FILE_BYTES = 40_000
MAX_TOTAL_BYTES = 400_000
PRIVATE = re.compile(
    r"/home/|/Users/|/root\b|/tmp/|/var/folders/|[A-Z]:\\\\?Users"  # a machine's paths
    r"|[\w.+-]+@[\w-]+\.\w+"  # an e-mail address
)


def relative(path: Path) -> str:
    return path.relative_to(EXAMPLES).as_posix()


def json_lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def table_rows() -> list[list[str]]:
    lines = README.read_text(encoding="utf-8").splitlines()
    return [line.strip("| ").split(" | ") for line in lines if line.startswith("| `")]


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_a_sample_is_whole_json_or_whole_json_lines(path: Path) -> None:
    if path.suffix == ".jsonl":
        assert all(isinstance(record, dict) for record in json_lines(path))
    elif path.suffix in {".json", ".traj"}:
        assert isinstance(json.loads(path.read_bytes()), dict | list)
    else:
        assert path.parent.name == "verifier"


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_a_sample_names_no_machine_and_no_person(path: Path) -> None:
    assert PRIVATE.findall(path.read_text(encoding="utf-8")) == []


def test_the_samples_are_small() -> None:
    sizes = {relative(path): path.stat().st_size for path in FILES}
    assert {name: size for name, size in sizes.items() if size > MAX_FILE_BYTES} == {}
    assert sum(sizes.values()) < MAX_TOTAL_BYTES


def test_the_table_names_every_run_once() -> None:
    no_runs = {"outcomes.jsonl", "report.json", "result.json", "reward.txt", "test-stdout.txt"}
    runs = [relative(path) for path in FILES if path.name not in no_runs]
    assert sorted(row[0].strip("`") for row in table_rows()) == sorted(runs)


def test_the_table_states_the_outcomes_that_the_verdicts_give() -> None:
    stated = {row[0].strip("`"): row[5] for row in table_rows()}
    assert {name: _outcome(EXAMPLES / name) for name in stated} == stated


def _outcome(run: Path) -> str:
    """Look a verdict up where the format or the side-car of the domain has it."""
    reward = run.parent.parent / "verifier" / "reward.txt"
    report = run.parent / "report.json"
    side_car = run.parent / "outcomes.jsonl"
    if reward.is_file():
        verdicts = [reward.read_text(encoding="utf-8") == "1\n"]
    elif report.is_file():
        verdicts = [json.loads(report.read_bytes())[run.stem]["resolved"]]
    else:
        rows = json_lines(side_car) if side_car.is_file() else []
        verdicts = [row["resolved"] for row in rows if row["file"] == run.name]
        if not verdicts and run.suffix == ".jsonl":
            verdicts = [row["resolved"] for row in json_lines(run) if "resolved" in row]
    return {(): "unknown", (True,): "success", (False,): "failure"}[tuple(verdicts)]


@pytest.mark.parametrize("path", SIDE_CARS, ids=relative)
def test_a_side_car_speaks_of_files_that_are_there_and_shows_its_evidence(path: Path) -> None:
    for row in json_lines(path):
        assert (path.parent / row["file"]).is_file()
        assert row["domain"] == path.parent.name
        assert row["evidence"]
        assert row["resolved"] == (row["exit_code"] == 0)


@pytest.mark.skipif(sys.platform != "linux", reason="samples are recorded on Linux only")
@pytest.mark.skipif(
    not (shutil.which("bash") and shutil.which("git")), reason="recording needs bash and git"
)
def test_recording_a_scenario_again_gives_the_same_bytes() -> None:
    recorder = ROOT / "scripts" / "record_example.py"
    done = subprocess.run(
        [sys.executable, str(recorder), "--check", RECORDED_AGAIN],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
