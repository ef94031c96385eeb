"""The command line: help, the shapes of its JSON, exit codes, messages and hints."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import click
import pytest
from click.testing import CliRunner, Result

from stepladder import KnowledgeBase
from stepladder.cli import COMMANDS, SUMMARIES, main

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
TASK = "Fix a bug in a Python library: a test fails and the usual test runner is not installed"
NUMBER = (int, float)
FOR_PROGRAMS = {"hook", "mcp", "serve"}
"""Commands that another program, or a browser, talks to in its own protocol."""


@dataclass(frozen=True)
class MapOf:
    """An object whose keys are data and whose values are all of one shape."""

    shape: Any


@dataclass(frozen=True)
class Optional:
    """A value of a shape, or null."""

    shape: Any


# The contract. A dict has exactly these keys; a list holds values of its one shape.

NOTE = {"path": str, "reason": str}
INGEST = {
    "new": int,
    "updated": int,
    "unchanged": int,
    "skipped": [NOTE],
    "failed": [NOTE],
    "warnings": [NOTE],
    "redacted": int,
    "redacted_kinds": MapOf(int),
    "traces": [str],
    "files": int,
    "size_bytes": int,
    "steps": int,
    "dry_run": bool,
}
IMPORT = {
    "new": int,
    "updated": int,
    "unchanged": int,
    "failed": [MapOf((int, str))],
    "redacted": int,
    "dry_run": bool,
}
SUPPORT = {
    "traces": int,
    "tasks": int,
    "projects": MapOf(int),
    "domains": MapOf(int),
    "languages": MapOf(int),
    "agents": MapOf(int),
    "models": MapOf(int),
    "outcomes": MapOf(int),
}
ITEM: dict[str, Any] = {
    "id": str,
    "level": str,
    "title": str,
    "text": str,
    "score": NUMBER,
    "why": str,
    "path": [str],
    "polarity": str,
    "untrusted": bool,
    "support": SUPPORT,
    "beneath": [],
}
ITEM["beneath"] = [ITEM]
QUERY = {
    "retrieval_id": str,
    "abstained": bool,
    "reason": str,
    "confidence": NUMBER,
    "floor": NUMBER,
    "considered": int,
    "withheld": MapOf(int),
    "items": [ITEM],
}
NODE = {"label": str, "id": str, "created": str, "scope": str}
MEMORY = {
    **NODE,
    "level_name": str,
    "level": int,
    "title": str,
    "description": str,
    "content": str,
    "task": str,
    "project": str,
    "domains": [str],
    "languages": [str],
    "tools": [str],
    "polarity": str,
    "origin": str,
    "untrusted": bool,
}
INSIGHT = {
    **MEMORY, "kind": str, "applies_when": str, "not_when": str, "card": str, "pack": str,
    "author": str,
}  # fmt: skip
SUMMARY = {**MEMORY, "outcome": str}
TRACE = {
    **MEMORY,
    "format": str,
    "session": str,
    "source": str,
    "content_hash": str,
    "agent": str,
    "agent_version": str,
    "models": [str],
    "started": str,
    "ended": str,
    "steps": int,
    "input_tokens": int,
    "output_tokens": int,
    "cost_usd": NUMBER,
    "outcome": str,
    "outcome_source": str,
    "outcome_confidence": NUMBER,
    "exit_status": str,
    "warnings": [str],
}
STEP = {
    **NODE,
    "index": int,
    "phase": str,
    "tool": str,
    "command": str,
    "program": str,
    "subcommand": str,
    "files": [str],
    "observation": str,
    "exit_code": Optional(int),
    "failure": str,
    "verdict": str,
    "error_class": str,
    "error_signature": str,
    "time": str,
    "raw_ref": str,
    "uid": str,
}
EDGES = [MapOf((str, *NUMBER))]
WHY = {
    "memory": INSIGHT,
    "support": SUPPORT,
    "between": [SUMMARY],
    "traces": [
        {
            "trace": TRACE,
            "path": [str],
            "steps": [{"cited_by": str, "quote": str, **STEP}],
            "steps_left_out": int,
        }
    ],
    "memories_left_out": int,
    "traces_left_out": int,
}
STATS = {
    "levels": MapOf(int),
    "labels": MapOf(int),
    "edges": MapOf(int),
    "domains": MapOf(int),
    "projects": MapOf(int),
    "outcomes": MapOf(int),
    "languages": MapOf(int),
    "agents": MapOf(int),
    "formats": MapOf(int),
    "skipped": MapOf(int),
}
FORGET = {"ids": [str], "removed": int}
FEEDBACK = {"outcome": str, "credited": [str]}
DEMO = {"ingest": INGEST, "stats": STATS, "query": QUERY, "why": WHY}


def misfits(value: Any, shape: Any, place: str = "$") -> list[str]:
    """Where a JSON value is not of a shape."""
    if isinstance(shape, Optional):
        return [] if value is None else misfits(value, shape.shape, place)
    if isinstance(shape, MapOf) and isinstance(value, dict):
        return [m for k, v in value.items() for m in misfits(v, shape.shape, f"{place}.{k}")]
    if isinstance(shape, dict) and isinstance(value, dict):
        differ = sorted(value.keys() ^ shape.keys())
        found = [f"{place}.{key}: {'unknown' if key in value else 'missing'}" for key in differ]
        shared = [key for key in shape if key in value]
        return found + [m for k in shared for m in misfits(value[k], shape[k], f"{place}.{k}")]
    if isinstance(shape, list) and isinstance(value, list):
        return [m for n, v in enumerate(value) for m in misfits(v, shape[0], f"{place}[{n}]")]
    types = shape if isinstance(shape, tuple) else (shape,)
    return [] if type(value) in types else [f"{place}: {value!r}"]


def run(*arguments: str, store: Path | None = None, **environment: str) -> Result:
    before = ["--store", str(store)] if store else []
    return CliRunner().invoke(main, [*before, *arguments], env=environment)


def answered(*arguments: str, store: Path, exit_code: int = 0) -> Any:
    """The JSON that a command prints."""
    done = run(*arguments, "--json", store=store)
    assert (done.exit_code, done.stderr) == (exit_code, "")
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with every sample run; tests add only retrievals to it."""
    store = tmp_path_factory.mktemp("cli") / "memory.db"
    with KnowledgeBase.open(store) as kb:
        kb.ingest([EXAMPLES])
    return store


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def test_the_program_lists_its_commands_with_an_example() -> None:
    said = run("--help").stdout
    assert "Example:\n" in said
    assert [name for name in COMMANDS if f"\n  {name} " not in said] == []
    assert COMMANDS.keys() == SUMMARIES.keys()
    assert run("-h").stdout == said


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_begins_with_a_sentence_and_shows_an_example(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    usage, _, said = command.get_help(
        click.Context(command, help_option_names=["-h", "--help"])
    ).partition("\n\n")
    assert usage.startswith("Usage: ")
    first = " ".join(said.partition("\n\n")[0].split())
    assert first[0].isupper()
    assert ". " in f"{first} "
    example = said.partition("Example:\n")[2].splitlines()[0]
    assert example.startswith("    ")
    assert f"stepladder {name}" in example
    if command.add_help_option:
        assert example.strip() in run(name, "--help").stdout


def test_python_runs_the_program_from_the_checkout() -> None:
    done = subprocess.run(
        [sys.executable, "cli.py", "--help"], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "stepladder ingest" in done.stdout


def test_the_store_is_taken_from_the_environment_unless_it_is_named(
    store: Path, tmp_path: Path
) -> None:
    session = str(EXAMPLES / "web-dev" / "site-card-title.jsonl")
    assert run("ingest", session, STEPLADDER_STORE=str(store)).exit_code == 0
    named = run("stats", "--json", STEPLADDER_STORE=str(tmp_path / "other.db"), store=store)
    assert json.loads(named.stdout)["levels"]["trace"] == 1
    other = run("stats", "--json", STEPLADDER_STORE=str(tmp_path / "other.db"))
    assert json.loads(other.stdout)["levels"].get("trace", 0) == 0


class TestJson:
    def test_of_an_ingest(self, store: Path, tmp_path: Path) -> None:
        runs = tmp_path / "runs"
        runs.mkdir()
        whole = (EXAMPLES / "web-dev" / "site-card-title.jsonl").read_bytes()
        first, _, rest = whole.partition(b"\n")
        (runs / "a.jsonl").write_bytes(first + b"\n{torn\n" + rest)
        (runs / "b.txt").write_text("no run", encoding="utf-8")
        (runs / "c.traj.json").write_text('{"trajectory_format": "mini-swe-agent-1.1"}')
        found = answered("ingest", str(runs), store=store)
        assert misfits(found, INGEST) == []
        counts = {k: len(v) if isinstance(v, list) else v for k, v in found.items()}
        runs_and_files = ("new", "updated", "unchanged", "files", "skipped", "failed", "warnings")
        assert [counts[name] for name in runs_and_files] == [1, 0, 0, 3, 1, 1, 1]
        assert (counts["traces"], found["dry_run"]) == (1, False)
        assert found["steps"] > 0

    def test_of_a_dry_run(self, store: Path) -> None:
        found = answered("ingest", str(EXAMPLES / "web-dev"), "--dry-run", store=store)
        assert misfits(found, INGEST) == []
        assert (found["new"], found["dry_run"]) == (2, True)
        assert answered("stats", store=store)["levels"].get("trace", 0) == 0

    def test_of_an_import(self, store: Path, tmp_path: Path) -> None:
        pool = tmp_path / "pool.jsonl"
        rows = ('{"level": "insight", "title": "Pin the lock file"}', "{torn", '{"level": "idea"}')
        pool.write_text("\n".join(rows), encoding="utf-8")
        found = answered("import", str(pool), store=store)
        assert misfits(found, IMPORT) == []
        assert (found["new"], [sorted(f) for f in found["failed"]]) == (
            1,
            [["line", "reason"], ["reason", "row"]],
        )

    def test_of_a_query_with_an_answer(self, taught: Path) -> None:
        found = answered("query", TASK, store=taught)
        assert misfits(found, QUERY) == []
        assert found["abstained"] is False
        assert found["items"]
        by_format = run("query", TASK, "--format", "json", store=taught)
        assert misfits(json.loads(by_format.stdout), QUERY) == []

    def test_of_a_query_without_an_answer(self, store: Path) -> None:
        found = answered("query", TASK, store=store)
        assert misfits(found, QUERY) == []
        assert (found["abstained"], found["items"]) == (True, [])
        assert found["reason"]

    def test_of_a_memory_and_of_its_evidence(self, taught: Path) -> None:
        item = answered("query", TASK, store=taught)["items"][0]
        assert item["level"] == "insight"
        shown = answered("show", item["id"], store=taught)
        assert misfits(shown, {**INSIGHT, "support": SUPPORT, "edges": EDGES}) == []
        found = answered("why", item["id"], store=taught)
        assert misfits(found, WHY) == []
        assert found["traces"][0]["steps"]

    @pytest.mark.parametrize(
        ("label", "shape"), [("Trace", TRACE), ("Summary", SUMMARY), ("Step", STEP)]
    )
    def test_of_other_nodes(self, taught: Path, label: str, shape: Mapping[str, Any]) -> None:
        with KnowledgeBase.open(taught) as kb:
            id = kb.store.find(label)[0].id
        shown = answered("show", id, store=taught)
        assert misfits(shown, {**shape, "support": SUPPORT, "edges": EDGES}) == []

    def test_of_the_counts(self, taught: Path) -> None:
        found = answered("stats", store=taught)
        assert misfits(found, STATS) == []
        assert set(found["levels"]) == {"trace", "workflow", "summary", "insight"}

    def test_of_what_was_forgotten(self, store: Path) -> None:
        session = str(EXAMPLES / "web-dev" / "site-card-title.jsonl")
        (trace,) = answered("ingest", session, store=store)["traces"]
        found = answered("forget", "--yes", trace[:12], store=store)
        assert misfits(found, FORGET) == []
        assert found["ids"] == [trace]
        assert found["removed"] > 1

    def test_of_feedback(self, taught: Path) -> None:
        answer = answered("query", TASK, store=taught)
        said = ("feedback", answer["retrieval_id"], "--outcome", "success")
        found = answered(*said, store=taught)
        assert misfits(found, FEEDBACK) == []
        assert found["credited"]

    def test_of_the_demonstration(self, store: Path) -> None:
        assert misfits(answered("demo", store=store), DEMO) == []


@pytest.mark.parametrize(
    ("name", "shape"),
    {
        "ingest": INGEST,
        "import": IMPORT,
        "query": {**QUERY, **ITEM},
        "why": WHY,
        "stats": STATS,
        "forget": FORGET,
        "feedback": FEEDBACK,
        "demo": DEMO,
    }.items(),
)
def test_the_documentation_names_every_field(name: str, shape: Mapping[str, Any]) -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
    assert [field for field in shape if f"`{field}`" not in row] == []


def test_the_shapes_are_compared_key_by_key() -> None:
    assert misfits({"a": 1, "c": []}, {"a": str, "b": int, "c": [int]}) == [
        "$.b: missing",
        "$.a: 1",
    ]
    assert misfits({"new": True}, {"new": int}) == ["$.new: True"]
    assert misfits([1.5, "x"], [NUMBER]) == ["$[1]: 'x'"]


class TestFailure:
    def test_an_unknown_id(self, store: Path) -> None:
        for command in ("show", "why"):
            done = run(command, "insight-none", store=store)
            assert (done.exit_code, done.stdout) == (2, "")
            assert done.stderr == (
                "Error: Nothing has the id 'insight-none'.\n"
                "  Find one with: stepladder query 'your task'\n"
            )

    def test_an_id_that_is_short_for_several(self, taught: Path) -> None:
        done = run("show", "insight-", store=taught)
        assert done.exit_code == 2
        assert done.stderr.startswith("Error: 'insight-' is short for several: insight-")

    def test_a_path_that_is_not_there(self, store: Path, tmp_path: Path) -> None:
        done = run("ingest", str(tmp_path / "nothing"), store=store)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr == (
            f"Error: No such file or folder: {tmp_path / 'nothing'}\n  Check the path.\n"
        )

    def test_a_machine_without_sessions(self, store: Path, tmp_path: Path) -> None:
        home = {name: str(tmp_path) for name in ("HOME", "USERPROFILE", "LOCALAPPDATA")}
        home |= {name: "" for name in os.environ if name.startswith(("XDG_", "CLAUDE", "CODEX"))}
        done = run("ingest", store=store, **home)
        assert (done.exit_code, done.stdout) == (2, "")
        assert "Error: No sessions of a known agent on this machine." in done.stderr
        assert "stepladder ingest runs/" in done.stderr

    def test_a_file_that_is_no_database(self, store: Path) -> None:
        store.write_text("a note to myself\n" * 100, encoding="utf-8")
        done = run("stats", store=store)
        assert (done.exit_code, done.stdout) == (1, "")
        assert done.stderr.startswith(f"Error: The file {store} is not a store.")
        assert "Give the path of another file" in done.stderr

    def test_a_database_of_another_program(self, store: Path) -> None:
        connection = apsw.Connection(str(store))
        connection.execute("CREATE TABLE recipe (name TEXT)")
        connection.close()
        done = run("stats", store=store)
        assert done.exit_code == 1
        assert done.stderr.startswith(f"Error: The file {store} is a database of another program.")

    def test_a_store_of_a_later_version(self, store: Path) -> None:
        KnowledgeBase.open(store).close()
        connection = apsw.Connection(str(store))
        connection.pragma("user_version", 999)
        connection.close()
        done = run("stats", store=store)
        assert done.exit_code == 1
        assert "has schema version 999" in done.stderr
        assert "pip install --upgrade stepladder" in done.stderr

    @pytest.mark.parametrize(
        "arguments",
        [
            ("climb",),
            ("query",),
            ("query", "x", "--format", "verse"),
            ("ingest", "--limit", "0", "."),
            ("ingest", "--since", "yesterday", "."),
            ("forget",),
        ],
    )
    def test_a_call_that_cannot_be_meant(self, store: Path, arguments: tuple[str, ...]) -> None:
        done = run(*arguments, store=store)
        assert (done.exit_code, done.stdout) == (2, "")
        assert "Error: " in done.stderr

    def test_nothing_is_deleted_without_a_yes(self, store: Path) -> None:
        session = str(EXAMPLES / "web-dev" / "site-card-title.jsonl")
        (trace,) = answered("ingest", session, store=store)["traces"]
        assert run("forget", trace, store=store).exit_code == 1
        assert answered("show", trace, store=store)["id"] == trace


def test_an_answer_for_a_prompt_is_text_and_nothing_else(taught: Path) -> None:
    done = run("query", TASK, "--format", "prompt", store=taught)
    assert (done.exit_code, done.stderr) == (0, "")
    assert answered("query", TASK, store=taught)["items"][0]["title"] in done.stdout


def test_the_demonstration_shows_a_real_answer_and_its_evidence(store: Path) -> None:
    done = run("demo", store=store)
    assert (done.exit_code, done.stderr) == (0, "")
    ingested, asked, borne_out = done.stdout.split("$ stepladder ")[1:]
    assert "21 runs with " in ingested
    assert "Nothing applies." not in asked
    assert "\n1. " in asked
    assert "step " in borne_out
    assert not store.exists()


def test_what_was_skipped_is_counted_by_reason(store: Path) -> None:
    done = run("ingest", str(EXAMPLES), store=store)
    assert done.exit_code == 0
    assert "no trajectory: Harbor trial result" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="names that are no text exist on Linux only")
def test_a_file_whose_name_is_no_text_is_shown_all_the_same(store: Path, tmp_path: Path) -> None:
    runs = os.fsencode(tmp_path / "runs")
    os.mkdir(runs)
    for name in (b"a\xff.jsonl", b"b\xff.txt"):
        with open(os.path.join(runs, name), "wb") as file:
            file.write((EXAMPLES / "web-dev" / "site-card-title.jsonl").read_bytes())
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    program = [sys.executable, "-m", "stepladder.cli", "--store", str(store)]
    for extra in ([], ["--json"]):
        done = subprocess.run(
            [*program, "ingest", str(tmp_path / "runs"), *extra],
            capture_output=True,
            env=environment,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.isascii()
    found = json.loads(done.stdout)
    assert (found["new"], found["unchanged"], found["failed"]) == (0, 2, [])


def leaves() -> list[tuple[str, ...]]:
    """Every command that does something, with the group it stands in."""
    context = click.Context(main)
    found: list[tuple[str, ...]] = []
    for name in COMMANDS:
        command = main.get_command(context, name)
        below = command.list_commands(context) if isinstance(command, click.Group) else []
        found += [(name, inner) for inner in below] or [(name,)]
    return found


@pytest.mark.parametrize("words", [w for w in leaves() if w[0] not in FOR_PROGRAMS], ids=" ".join)
def test_every_command_that_ends_can_speak_json(words: tuple[str, ...]) -> None:
    assert "--json" in run(*words, "--help").stdout
