"""Claude Code's hooks, called as it calls them: with its JSON, on a real transcript."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stepladder import KnowledgeBase
from stepladder.kg.types import Retrieval
from stepladder.queries.use import Use
from stepladder.serve.hook_state import HookState
from stepladder.serve.hooks import HookOptions, guarded
from stepladder.serve.install.hosts import Wish, hook_entry

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
TRANSCRIPT = EXAMPLES / "web-dev" / "site-card-title.jsonl"
SESSION = "158f10e6-84da-5e64-b146-03080f5ea626"
PROMPT = "Fix a bug in a Python library: a test fails and the usual test runner is not installed"
RUNNER = "When the usual test runner is missing, look for the project's own one"
HEAVY = {"spacy", "sklearn", "tree_sitter", "networkx", "kglite", "mcp", "rich", "openai", "neo4j"}


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kb") / "memory.db"
    with KnowledgeBase.open(path) as kb:
        kb.ingest(f for f in sorted(EXAMPLES.rglob("*")) if f.is_file() and f != TRANSCRIPT)
    return path


@pytest.fixture
def store(taught: Path, tmp_path: Path) -> Path:
    return shutil.copy(taught, tmp_path / "memory.db")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir()
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("CLAUDE", "STEPLADDER"))}
    return {
        **kept,
        "HOME": str(home),
        "USERPROFILE": str(home),
        "STEPLADDER_STATE": str(tmp_path / "state"),
    }


def given(event: str, **fields: Any) -> dict[str, Any]:
    """What Claude Code writes on a hook's standard input."""
    return {
        "session_id": SESSION,
        "transcript_path": "",
        "cwd": str(ROOT.parent / "site"),
        "permission_mode": "default",
        "hook_event_name": event,
        **fields,
    }


def called(
    store: Path | str, environment: dict[str, str], *words: str, stdin: str | dict[str, Any]
) -> subprocess.CompletedProcess[str]:
    """Call the hook in a process of its own; it must end with code 0 and a quiet stderr."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "stepladder.cli", "--store", str(store), "hook", *words],
        input=stdin if isinstance(stdin, str) else json.dumps(stdin),
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done


def in_process(
    event: str, payload: Any, *, store: Path | str, state: HookState, **options: Any
) -> str:
    from io import StringIO

    text = payload if isinstance(payload, str) else json.dumps(payload)
    return guarded(
        event,
        (),
        options=HookOptions(store=str(store), **options),
        state=state,
        environment={"CLAUDE_CONFIG_DIR": str(state.folder / "claude")},
        stdin=StringIO(text),
    )


@pytest.fixture
def state(tmp_path: Path) -> HookState:
    return HookState(tmp_path / "state")


def told(output: str) -> str:
    value = json.loads(output)["hookSpecificOutput"]
    assert value["hookEventName"] in ("UserPromptSubmit", "SessionStart")
    context: str = value["additionalContext"]
    return context


def test_a_session_is_told_what_applies_taken_in_and_credited(
    store: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    prompt = given("UserPromptSubmit", prompt=PROMPT)
    context = told(called(store, environment, "prompt", stdin=prompt).stdout)
    assert RUNNER in context
    retrieval = context.partition("<memory-")[2].partition(">")[0]

    transcript = tmp_path / f"{SESSION}.jsonl"
    first, *rest = TRANSCRIPT.read_text("utf-8").splitlines()
    attached = {
        "type": "attachment",
        "sessionId": SESSION,
        "uuid": "5d3c1c5e-0000-4000-8000-000000000001",
        "timestamp": json.loads(first)["timestamp"],
        "attachment": {
            "type": "hook_additional_context",
            "content": [context],
            "hookName": "UserPromptSubmit",
            "hookEvent": "UserPromptSubmit",
        },
    }
    transcript.write_text("\n".join([first, json.dumps(attached), *rest]) + "\n", "utf-8")
    (tmp_path / f"{SESSION}.outcome.json").write_text(
        json.dumps({"status": "success", "source": "human"})
    )
    end = given("SessionEnd", transcript_path=str(transcript), reason="exit")
    assert called(store, environment, "stop", stdin=end).stdout == ""
    called(store, environment, "ingest", str(transcript), stdin="")
    with KnowledgeBase.open(store) as kb:
        (trace,) = kb.store.find("Trace", where={"session": SESSION})
        (edge,) = kb.store.edges([retrieval], types=["IN_TRACE"])
        assert edge.target == trace.id
        (shown,) = kb.store.edges([retrieval], types=["SHOWED"])
        (use,) = kb.use(shown.target).values()
    assert use == Use(shown=1, helped=1)


@pytest.fixture
def started(
    state: HookState, monkeypatch: pytest.MonkeyPatch
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """The processes that hooks leave in the background, waited for at the end."""
    monkeypatch.setenv("STEPLADDER_STATE", str(state.folder))
    found: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def noted(*args: Any, **kwargs: Any) -> subprocess.Popen[bytes]:
        found.append(start(*args, **kwargs))
        return found[-1]

    monkeypatch.setattr(subprocess, "Popen", noted)
    yield found
    for process in found:
        process.wait(timeout=120)


def test_the_background_process_takes_the_session_in_once(
    store: Path, state: HookState, started: list[subprocess.Popen[bytes]]
) -> None:
    end = given("SessionEnd", transcript_path=str(TRANSCRIPT))
    assert in_process("stop", end, store=store, state=state) == ""
    assert in_process("stop", end, store=store, state=state) == ""
    (process,) = started
    assert process.wait(timeout=120) == 0
    with KnowledgeBase.open(store) as kb:
        assert len(kb.store.find("Trace", where={"session": SESSION})) == 1
    assert state.failures() == []


def test_what_does_not_apply_is_silence(store: Path, state: HookState) -> None:
    for prompt in (
        "Write a poem about the sea in the manner of Rilke",
        "yes please",
        "/compact and go on with the failing test and its missing runner",
        "",
    ):
        payload = given("UserPromptSubmit", prompt=prompt)
        assert in_process("prompt", payload, store=store, state=state) == ""
    assert state.failures() == []


def test_a_memory_is_told_to_a_session_once(store: Path, state: HookState) -> None:
    payload = given("UserPromptSubmit", prompt=PROMPT)
    assert RUNNER in told(in_process("prompt", payload, store=store, state=state))
    assert RUNNER not in in_process("prompt", payload, store=store, state=state)
    other = {**payload, "session_id": "another"}
    assert RUNNER in told(in_process("prompt", other, store=store, state=state))
    start = given("SessionStart", source="compact")
    in_process("session-start", start, store=store, state=state)
    assert RUNNER in told(in_process("prompt", payload, store=store, state=state))


def test_a_session_starts_with_the_facts_of_its_project_or_with_nothing(
    store: Path, state: HookState, tmp_path: Path
) -> None:
    with KnowledgeBase.open(store) as kb:
        kb.ingest([TRANSCRIPT])
    here = tmp_path / "site"
    (here / ".git").mkdir(parents=True)
    (here / ".git" / "config").write_text(
        '[remote "origin"]\n\turl = git@github.com:acme/kit.git\n'
    )
    start = given("SessionStart", source="startup", cwd=str(here))
    text = told(in_process("session-start", start, store=store, state=state))
    assert text.startswith("<memory-r-")
    with KnowledgeBase.open(store) as kb:
        retrieval = text.partition("<memory-")[2].partition(">")[0]
        ids = [e.target for e in kb.store.edges([retrieval], types=["SHOWED"])]
        assert {n.scope for n in kb.store.get(ids).values()} == {"acme/kit"}
    (here / ".git" / "config").write_text('[remote "origin"]\n\turl = git@github.com:x/new.git\n')
    assert in_process("session-start", start, store=store, state=state) == ""
    assert (
        in_process("session-start", {**start, "source": "resume"}, store=store, state=state) == ""
    )


@pytest.mark.parametrize(
    "stdin", ["", "{", "[]", "null", "\x00\xff", '{"prompt": 7, "cwd": []}', "{" * 100_000]
)
@pytest.mark.parametrize("event", ["session-start", "prompt", "stop", "unheard-of"])
def test_no_input_makes_a_hook_fail(store: Path, state: HookState, event: str, stdin: str) -> None:
    assert in_process(event, stdin, store=store, state=state) == ""


def test_a_failure_is_silent_and_noted_for_doctor(
    environment: dict[str, str], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database" * 100)
    prompt = given("UserPromptSubmit", prompt=PROMPT)
    done = called(broken, environment, "prompt", stdin=prompt)
    assert done.stdout == ""
    (failure,) = HookState(tmp_path / "state").failures()
    assert failure["event"] == "prompt"
    assert "StoreError" in failure["reason"]
    doctor = subprocess.run(
        [sys.executable, "-m", "stepladder.cli", "--store", str(broken), "doctor", "--json"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    by_name = {f["name"]: f for f in json.loads(doctor.stdout)}
    assert doctor.returncode == 1
    assert by_name["store"]["verdict"] == "wrong"
    assert by_name["hooks"]["said"].startswith("1 silent failures")


def test_without_a_store_a_hook_says_nothing_and_makes_none(
    environment: dict[str, str], tmp_path: Path
) -> None:
    prompt = given("UserPromptSubmit", prompt=PROMPT)
    assert called(tmp_path / "none.db", environment, "prompt", stdin=prompt).stdout == ""
    assert not (tmp_path / "none.db").exists()
    assert HookState(tmp_path / "state").failures() == []


def test_a_hook_that_takes_too_long_ends_with_code_0(
    environment: dict[str, str], store: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STUCK, str(tmp_path / "state")],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")
    (failure,) = HookState(tmp_path / "state").failures()
    assert "took longer" in failure["reason"]


STUCK = """
import sys, threading
from pathlib import Path
from stepladder.serve import hooks
from stepladder.serve.hook_state import HookState
hooks.LIMIT_S = 0.05
class Stuck:
    def read(self):
        threading.Event().wait()
print(hooks.guarded("prompt", (), options=hooks.HookOptions(store="x"),
    state=HookState(Path(sys.argv[1])), environment={}, stdin=Stuck()))
"""


def test_a_prompt_loads_nothing_heavy(store: Path, environment: dict[str, str]) -> None:
    code = (
        "import sys; sys.argv = ['stepladder', '--store', sys.argv[1], 'hook', 'prompt']\n"
        "from stepladder.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('\\n' + ' '.join(sorted({m.partition('.')[0] for m in sys.modules})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(store)],
        input=json.dumps(given("UserPromptSubmit", prompt=PROMPT)),
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    answer, _, loaded = done.stdout.partition("\n")
    assert RUNNER in told(answer)
    assert HEAVY & set(loaded.split()) == set()


def test_the_stop_hook_asks_for_lessons_once_and_only_where_a_run_turned(
    store: Path, state: HookState, started: list[subprocess.Popen[bytes]]
) -> None:
    stop = given("Stop", transcript_path=str(TRANSCRIPT), stop_hook_active=False)
    assert in_process("stop", stop, store=store, state=state) == ""
    again = {**stop, "stop_hook_active": True}
    assert in_process("stop", again, store=store, state=state, reflect=True) == ""
    asked = json.loads(in_process("stop", stop, store=store, state=state, reflect=True))
    assert asked["decision"] == "block"
    assert len(started) == 2
    assert "change undone (steps 2, 3)" in asked["reason"]
    assert in_process("stop", stop, store=store, state=state, reflect=True) == ""
    dull = EXAMPLES / "repo-bugfix" / "api-accents.jsonl"
    other = {**stop, "session_id": "other", "transcript_path": str(dull)}
    assert in_process("stop", other, store=store, state=state, reflect=True) == ""


def test_the_plugins_hooks_keep_silent_beside_those_of_the_settings(
    store: Path, state: HookState
) -> None:
    payload = given("UserPromptSubmit", prompt=PROMPT)
    settings = state.folder / "claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    entry = hook_entry(("/bin/stepladder",), event="UserPromptSubmit", wish=Wish(command=()))
    settings.write_text(json.dumps({"hooks": {"UserPromptSubmit": [entry]}}))
    assert in_process("prompt", payload, store=store, state=state, plugin=True) == ""
    settings.unlink()
    assert RUNNER in told(in_process("prompt", payload, store=store, state=state, plugin=True))


def test_the_plugin_calls_the_same_hooks_as_the_settings() -> None:
    marketplace = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text("utf-8"))
    (plugin,) = marketplace["plugins"]
    folder = ROOT / plugin["source"]
    manifest = json.loads((folder / ".claude-plugin" / "plugin.json").read_text("utf-8"))
    assert manifest["name"] == plugin["name"] == "stepladder"
    hooks = json.loads((folder / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]
    for event, (entry,) in hooks.items():
        own = hook_entry(("stepladder",), event=event, wish=Wish(command=()))["hooks"][0]
        (called_as,) = entry["hooks"]
        assert f"&& {own['command']} --plugin" in called_as["command"]
        assert called_as["timeout"] == own["timeout"]
    server = json.loads((folder / ".mcp.json").read_text("utf-8"))["mcpServers"]
    assert server == {"stepladder": {"command": "stepladder", "args": ["mcp"]}}


def test_a_holdout_withholds_now_and_then(store: Path, state: HookState) -> None:
    said = [
        in_process(
            "prompt",
            given("UserPromptSubmit", prompt=PROMPT, session_id=f"s{n}"),
            store=store,
            state=state,
            holdout=0.5,
        )
        for n in range(20)
    ]
    assert 0 < sum(not s for s in said) < 20
    with KnowledgeBase.open(store) as kb:
        retrievals = [n for n in kb.store.find("Retrieval") if isinstance(n, Retrieval)]
        assert {r.holdout for r in retrievals} == {0.5}
        assert kb.store.counts().edges["WITHHELD"] == sum(not s for s in said)
