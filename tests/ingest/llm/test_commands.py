"""`plan` and `ingest --distiller llm` from the command line: nobody is surprised by a call."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from stepladder.cli import main

EXAMPLES = Path(__file__).parents[3] / "examples"
RUNS = str(EXAMPLES / "repo-bugfix")
NOTES = json.dumps(
    {
        "summary": {"title": "t", "situation": "s", "content": "c", "evidence": []},
        "workflow": {"title": "t", "steps": [], "preconditions": [], "evidence": []},
        "insights": [],
    }
)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def model(server: Any, say: Any) -> list[str]:
    """The options that name a model behind a server of ours."""
    server.script = lambda request, number: say(NOTES, usage=(800, 100))
    return ["--distiller", "llm", "--model", "small", "--base-url", server.url]


def run(*arguments: str, store: Path, typed: str = "") -> Result:
    return CliRunner().invoke(main, ["--store", str(store), *arguments], input=typed)


def test_a_plan_says_calls_tokens_price_and_time_and_sends_nothing(
    server: Any, model: list[str], store: Path
) -> None:
    plain = run("plan", RUNS, *model, "--price", "1,2", "--json", store=store)
    found = json.loads(plain.stdout)
    assert {k: type(v) for k, v in found.items()} == {
        "calls": int,
        "input_tokens": int,
        "output_tokens": int,
        "usd": float,
        "seconds": float,
    }
    assert found["calls"] > 0
    free = json.loads(run("plan", RUNS, *model, "--json", store=store).stdout)
    assert free == {**found, "usd": None}
    assert "calls" in run("plan", RUNS, *model, store=store).stdout
    assert server.requests == []


def test_the_prompts_are_shown_as_they_would_be_sent(
    server: Any, model: list[str], store: Path
) -> None:
    shown = run("ingest", RUNS, *model, "--show-prompts", store=store).stdout
    assert server.requests == []
    run("ingest", RUNS, *model, "--yes", store=store)
    assert server.requests
    for request in server.requests:
        for message in request["messages"]:
            assert message["content"] in shown


def test_without_the_flag_nothing_is_asked(server: Any, store: Path) -> None:
    assert run("ingest", RUNS, store=store).exit_code == 0
    refused = run("ingest", RUNS, "--model", "small", "--base-url", server.url, store=store)
    assert (refused.exit_code, "--distiller llm" in refused.stderr) == (2, True)
    assert server.requests == []


@pytest.mark.parametrize(("typed", "exit_code"), [("", 2), ("n\n", 1), ("y\n", 0)])
def test_without_a_cap_the_plan_is_shown_and_a_yes_is_needed(
    server: Any, model: list[str], store: Path, typed: str, exit_code: int
) -> None:
    done = run("ingest", RUNS, *model, store=store, typed=typed)
    assert done.exit_code == exit_code
    assert "calls, about" in done.stderr
    assert bool(server.requests) == (typed == "y\n")


def test_with_a_cap_nobody_is_asked_and_the_account_is_given(
    server: Any, model: list[str], store: Path
) -> None:
    capped = [*model, "--price", "1,2", "--max-usd", "1"]
    done = run("ingest", RUNS, *capped, "--json", store=store)
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    calls = len(server.requests)
    assert found["llm"] == {
        "calls": calls,
        "input_tokens": calls * 800,
        "output_tokens": calls * 100,
        "usd": pytest.approx(calls * 0.001),
        "answered": calls,
        "misfits": 0,
        "failed": 0,
        "dropped": {"summary: not borne out by the steps": calls},
        "stopped": "",
    }
    again = json.loads(run("ingest", RUNS, *capped, "--json", store=store).stdout)
    assert (again["llm"]["calls"], len(server.requests)) == (0, calls)
    assert "Asked a model: 0 calls" in run("ingest", RUNS, *capped, store=store).stdout


def test_a_dry_run_asks_nobody(server: Any, model: list[str], store: Path) -> None:
    done = run("ingest", RUNS, *model, "--yes", "--dry-run", store=store)
    assert (done.exit_code, "stepladder plan" in done.stderr) == (2, True)
    assert server.requests == []


def test_a_program_answers_in_place_of_a_server(store: Path, tmp_path: Path) -> None:
    program = tmp_path / "answer.py"
    program.write_text(f"import sys\nsys.stdin.read()\nprint({NOTES!r})\n", encoding="utf-8")
    command = f'"{sys.executable}" "{program}"'
    done = run(
        "ingest", RUNS, "--distiller", "llm", "--command", command, "--yes", "--json", store=store
    )
    found = json.loads(done.stdout)["llm"]
    assert found["usd"] is None
    assert found["answered"] == found["calls"] > 0


def test_a_kill_in_the_middle_and_a_second_run_make_each_call_once(
    server: Any, say: Any, model: list[str], store: Path
) -> None:
    third = threading.Event()
    killed = threading.Event()

    def script(request: dict[str, Any], number: int) -> Any:
        if number == 2 and not killed.is_set():
            third.set()
            return say(silent=True)
        return say(NOTES, usage=(800, 100))

    server.script = script
    arguments = ["ingest", RUNS, *model, "--yes", "--workers", "1", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "stepladder.cli", "--store", str(store), *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert third.wait(60)
    os.kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    process.wait()
    killed.set()
    found = json.loads(run(*arguments, store=store).stdout)
    said = [json.dumps(r["messages"]) for r in server.requests]
    assert said[2] in said[3:]  # the one that had no answer yet
    answered = [*said[:2], *said[3:]]
    assert len(answered) == len(set(answered)) == found["new"]


def test_nothing_of_the_account_with_openai_is_sent_to_another_server(
    server: Any, model: list[str], store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, f"canary-{name}")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("STEPLADDER_API_KEY", raising=False)
    run("ingest", RUNS, *model, "--yes", "--limit", "1", store=store)
    assert server.log
    assert b"canary" not in b"".join(server.log)
    monkeypatch.setenv("THEIRS", "theirs-and-mine")
    run("ingest", RUNS, *model, "--yes", "--api-key-env", "THEIRS", store=store)
    assert b"canary" not in b"".join(server.log)
    assert b"Bearer theirs-and-mine" in server.log[-1]


def test_a_model_named_in_the_environment_is_asked_only_where_one_is_wanted(
    server: Any, model: list[str], store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPLADDER_MODEL", "small")
    monkeypatch.setenv("STEPLADDER_BASE_URL", server.url)
    assert run("ingest", RUNS, "--limit", "1", store=store).exit_code == 0
    assert server.requests == []
    done = run("ingest", RUNS, "--distiller", "llm", "--yes", store=store)
    assert done.exit_code == 0
    assert {r["model"] for r in server.requests} == {"small"}
