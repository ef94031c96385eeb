"""Sessions of OpenCode, written here in each of their forms, and every public one we have."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from stepladder.ingest.readers.opencode import OpenCodeReader
from stepladder.ingest.source import Source
from stepladder.ingest.trajectory import Observation, ToolCall, Trajectory, Turn, Usage
from stepladder.kg.errors import ReadError

SESSION = "ses_30bfbb6f4ffeJ2960akRy1tOR3"
CALL = "call_7HjBcRwiFpwrlIsMnWiKmnjQ"
INFO = {
    "id": SESSION,
    "projectID": "e636a08f",
    "directory": "/home/ada/shop",
    "version": "1.2.26",
    "time": {"created": 1773620447500, "updated": 1773622451717},
}
TOKENS = {"input": 10, "output": 5, "reasoning": 3, "cache": {"read": 80, "write": 4}}
SCHEMA = """
    CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, directory text,
        title text, version text, time_created integer, time_updated integer);
    CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text);
    CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, data text);
"""


def asked(*parts: dict[str, Any], id: str = "msg_1") -> dict[str, Any]:
    info = {"id": id, "sessionID": SESSION, "role": "user", "time": {"created": 1773620447569}}
    return {"info": info, "parts": list(parts)}


def replied(*parts: dict[str, Any], id: str = "msg_2", **more: Any) -> dict[str, Any]:
    info = {
        "id": id,
        "sessionID": SESSION,
        "role": "assistant",
        "time": {"created": 1773620448000},
        "modelID": "gpt-5.3-codex",
        "path": {"cwd": "/home/ada/shop"},
        "cost": 0.25,
        "tokens": TOKENS,
        "finish": "stop",
        **more,
    }
    return {"info": info, "parts": list(parts)}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def tool(name: str = "bash", **state: Any) -> dict[str, Any]:
    known = {"status": "completed", "input": {"command": "make"}, "output": "", **state}
    return {"type": "tool", "callID": CALL, "tool": name, "state": known}


def export(path: Path, *messages: dict[str, Any], **info: Any) -> Path:
    document = {"info": {**INFO, **info}, "messages": list(messages)}
    path.write_text(json.dumps(document, indent=2))
    return path


def read(path: Path) -> list[Trajectory]:
    assert OpenCodeReader().recognises(Source(path))
    return list(OpenCodeReader().read(Source(path)))


@pytest.fixture
def session(tmp_path: Path) -> Any:
    def run(*messages: dict[str, Any], **info: Any) -> Trajectory:
        (found,) = read(export(tmp_path / "session.json", *messages, **info))
        return found

    return run


def observation(session: Any, part: dict[str, Any]) -> Observation | None:
    (done,) = session(replied(part)).calls
    found: Observation | None = done.observation
    return found


WHOLE = (
    asked(text("fix the build"), text("<reminder>", synthetic=True)),
    replied(
        {"type": "step-start", "snapshot": "2f6198"},
        {"type": "reasoning", "text": "run it first"},
        tool(
            output="no rule",
            metadata={"exit": 2, "truncated": False},
            time={"start": 1773620449000, "end": 1773620449500},
        ),
        {"type": "step-finish", "reason": "tool-calls", "cost": 0.25, "tokens": TOKENS},
        {"type": "patch", "hash": "6a39", "files": ["/home/ada/shop/Makefile"]},
        {"type": "step-start"},
        text("There is no rule."),
    ),
)


def expected(source: str, refs: tuple[str, str]) -> Trajectory:
    done = ToolCall(
        id=CALL,
        uid=CALL,
        name="bash",
        arguments={"command": "make"},
        observation=Observation(text="no rule", exit_code=2, failure="environment", duration_s=0.5),
        timestamp="2026-03-16T00:20:49.000Z",
        raw_ref=refs[1],
    )
    model, time = "gpt-5.3-codex", "2026-03-16T00:20:48.000Z"
    request = {"role": "user", "timestamp": "2026-03-16T00:20:47.569Z", "raw_ref": refs[0]}
    answer = {"role": "agent", "timestamp": time, "model": model, "raw_ref": refs[1]}
    return Trajectory(
        id=SESSION,
        format="opencode",
        source=source,
        agent="opencode",
        agent_version="1.2.26",
        models=(model,),
        task="fix the build",
        turns=(
            Turn(text="<reminder>", injected=True, **request),  # type: ignore[arg-type]
            Turn(text="fix the build", **request),  # type: ignore[arg-type]
            Turn(thought="run it first", calls=(done,), **answer),  # type: ignore[arg-type]
            Turn(text="There is no rule.", **answer),  # type: ignore[arg-type]
        ),
        cwd="/home/ada/shop",
        started="2026-03-16T00:20:47.569Z",
        ended=time,
        usage=Usage(input_tokens=94, output_tokens=5, cached_tokens=80, reasoning_tokens=3),
        cost_usd=0.25,
        exit_status="stop",
    )


def test_an_export_is_read_with_all_that_it_tells(session: Any) -> None:
    found = session(*WHOLE)
    assert found == expected(found.source, ("msg_1", "msg_2"))


@contextmanager
def database(path: Path, *messages: dict[str, Any], **info: Any) -> Iterator[apsw.Connection]:
    """A database in use: what was written last is in its log only."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = wal")
    connection.execute(SCHEMA)
    add(connection, *messages, **info)
    yield connection
    connection.close()


def add(connection: apsw.Connection, *messages: dict[str, Any], **info: Any) -> None:
    row = {**INFO, **info}
    connection.execute(
        "INSERT INTO session VALUES (?, 'p', ?, ?, 'x', ?, ?, 0)",
        (
            row["id"],
            row.get("parentID"),
            row["directory"],
            row["version"],
            row["time"]["created"],
        ),
    )
    for message in messages:
        own = {k: v for k, v in message["info"].items() if k not in ("id", "sessionID")}
        id, time = message["info"]["id"], own["time"]["created"]
        connection.execute(
            "INSERT INTO message VALUES (?, ?, ?, ?)", (id, row["id"], time, json.dumps(own))
        )
        for position, part in enumerate(message["parts"]):
            connection.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?)",
                (f"prt_{id}_{position:02}", id, row["id"], json.dumps(part)),
            )


def test_the_database_is_read_with_its_log_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with database(path, *WHOLE):
        before = {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.suffix != ".db-shm"}
        assert path.with_name("opencode.db-wal").stat().st_size > 0
        (found,) = read(path)
        after = {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.suffix != ".db-shm"}
    assert found == expected(found.source, ("msg_1", "msg_2"))
    assert after == before


def test_each_session_of_the_database_is_a_run_and_sub_agents_name_their_parent(
    tmp_path: Path,
) -> None:
    path = tmp_path / "renamed.db"
    with database(path, *WHOLE) as connection:
        later = {"created": 1773620449000}
        sub = asked(text("look around"), id="msg_9")
        add(connection, sub, id="ses_sub", parentID=SESSION, time=later)
        add(connection, id="ses_empty", time=later)
    found = read(path)
    assert [(t.id, t.parent_id, t.task) for t in found] == [
        (SESSION, "", "fix the build"),
        ("ses_sub", SESSION, "look around"),
    ]


def test_a_row_that_is_damaged_is_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with database(path, *WHOLE) as connection:
        connection.execute("UPDATE part SET data = '{' WHERE id = 'prt_msg_1_00'")
    (found,) = read(path)
    assert [t.role for t in found.turns] == ["user", "agent", "agent"]
    assert found.warnings == ("part prt_msg_1_00: not JSON; left out",)


def test_a_database_that_cannot_be_read_is_refused_with_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    path.write_bytes(b"SQLite format 3\0" + b"garbage" * 100)
    with pytest.raises(ReadError, match="cannot be read") as caught:
        read(path)
    assert "opencode export" in caught.value.hint


def test_a_database_of_another_program_is_not_recognised(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE messages (id); CREATE TABLE sessions (id)")
    connection.close()
    assert not OpenCodeReader().recognises(Source(path))


@pytest.mark.parametrize("nested", [False, True])
def test_the_folder_of_files_is_read_from_the_sessions_file(tmp_path: Path, nested: bool) -> None:
    root = tmp_path / "storage"
    place = root / "session" / ("info" if nested else "e636a08f")
    for message in WHOLE:
        id = message["info"]["id"]
        folder = root / "part" / SESSION / id if nested else root / "part" / id
        save(root / "message" / SESSION / f"{id}.json", message["info"])
        for position, part in enumerate(message["parts"]):
            piece = {"id": f"prt_{position:02}", "messageID": id, "sessionID": SESSION, **part}
            save(folder / f"prt_{position:02}.json", piece)
    path = save(place / f"{SESSION}.json", INFO)
    (found,) = read(path)
    assert found == expected(found.source, ("msg_1", "msg_2"))
    for piece in (*(root / "message").rglob("*.json"), *(root / "part").rglob("*.json")):
        assert read(piece) == []
    (root / "message" / SESSION / "msg_0.json").write_text('{"id": "msg')
    (found,) = read(path)
    assert len(found.turns) == 4
    assert found.warnings == (f"{SESSION}/msg_0.json: not JSON; left out",)


def save(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def test_a_session_that_asks_for_files_outside_its_folder_gets_none(tmp_path: Path) -> None:
    save(tmp_path / "message" / "x" / "m.json", asked()["info"])
    path = save(tmp_path / "a" / "b" / "ses.json", {**INFO, "id": "../message/x"})
    assert read(path) == []


def test_messages_without_ids_of_their_own_are_kept_apart(session: Any) -> None:
    found = session(asked(text("a"), id="REDACTED"), asked(text("b"), id="REDACTED"))
    assert [(t.text, t.raw_ref) for t in found.turns] == [("a", "message 1"), ("b", "message 2")]


def test_what_the_harness_says_in_the_users_name_is_marked_and_never_the_task(
    session: Any,
) -> None:
    found = session(
        asked({"type": "subtask", "prompt": "You are a reviewer.", "command": "review"}),
        asked(text("Summarize the task tool output above.", synthetic=True)),
        asked(text("why no changes?"), {"type": "file", "filename": "a.log", "mime": "text/plain"}),
    )
    assert [(t.text, t.injected) for t in found.turns] == [
        ("You are a reviewer.", True),
        ("Summarize the task tool output above.", True),
        ("why no changes?\n[a.log]", False),
    ]
    assert found.task == "why no changes?\n[a.log]"


def test_the_summary_of_a_compaction_is_no_reply(session: Any) -> None:
    found = session(asked(text("go")), replied(text("So far: …"), summary=True))
    assert [(t.role, t.text, t.injected) for t in found.turns] == [
        ("user", "go", False),
        ("user", "So far: …", True),
    ]


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"output": "ok", "metadata": {"exit": 0}}, Observation(text="ok", exit_code=0)),
        (
            {"output": "a", "metadata": {"exit": 1, "truncated": True}},
            Observation(text="a", exit_code=1, failure="environment", truncated=True),
        ),
        ({"status": "running"}, None),
        ({"status": "pending"}, None),
        (
            {"status": "error", "error": "Error: File not found: /x"},
            Observation(text="Error: File not found: /x", failure="environment"),
        ),
        (
            {"status": "error", "error": "The user rejected permission to use this tool call."},
            Observation(
                text="The user rejected permission to use this tool call.", failure="rejected"
            ),
        ),
        (
            {"status": "error", "error": "Tool execution aborted"},
            Observation(text="Tool execution aborted", failure="rejected", interrupted=True),
        ),
        (
            {"status": "error", "error": "The user has specified a rule which prevents you"},
            Observation(
                text="The user has specified a rule which prevents you", failure="permission"
            ),
        ),
        (
            {"status": "error", "error": "Error: oldString not found in content"},
            Observation(text="Error: oldString not found in content", failure="validation"),
        ),
    ],
)
def test_the_end_of_a_call_is_told_by_its_state(
    session: Any, state: dict[str, Any], expected: Observation | None
) -> None:
    assert observation(session, tool(**state)) == expected


def test_a_call_of_a_tool_that_does_not_exist_is_a_validation_error(session: Any) -> None:
    found = observation(session, tool("invalid", output="unknown tool"))
    assert found == Observation(text="unknown tool", failure="validation")


def test_a_command_that_was_stopped_for_time_failed(session: Any) -> None:
    output = "…\n<bash_metadata>\nbash tool terminated command after exceeding timeout 120000 ms"
    found = observation(session, tool(output=output, metadata={"exit": None}))
    assert found is not None
    assert (found.failure, found.interrupted, found.exit_code) == ("environment", True, None)


def test_cost_and_tokens_count_once_though_steps_repeat_them(session: Any) -> None:
    step = {"type": "step-finish", "cost": 0.25, "tokens": TOKENS}
    found = session(replied(text("a"), step), replied(text("b"), step, id="msg_3"))
    assert found.cost_usd == 0.5
    assert found.usage == Usage(
        input_tokens=188, output_tokens=10, cached_tokens=160, reasoning_tokens=6
    )


def test_a_message_that_broke_off_tells_how_the_session_ended(session: Any) -> None:
    error = {"name": "MessageAbortedError", "data": {"message": "aborted"}}
    assert session(asked(text("go")), replied(error=error)).exit_status == "MessageAbortedError"


def test_a_damaged_export_is_read_up_to_the_damage(tmp_path: Path) -> None:
    path = export(tmp_path / "s.json", *WHOLE)
    whole = path.read_text()
    path.write_text(whole[: whole.index("step-finish")])
    (found,) = read(path)
    assert [len(t.calls) for t in found.turns] == [0, 0, 1]
    assert len(found.warnings) == 1
    path.write_text('{"')
    with pytest.raises(ReadError, match="Nothing could be read"):
        list(OpenCodeReader().read(Source(path)))


@pytest.mark.parametrize(
    "document",
    [
        {"info": {"exit_status": "submitted"}, "messages": [{"role": "user", "content": ""}]},
        {"sessionId": "s", "projectHash": "h", "messages": []},
        {"id": "T-1", "messages": [], "v": 3},
        [{"info": {}, "parts": []}],
    ],
)
def test_files_of_others_are_not_recognised(tmp_path: Path, document: Any) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document))
    assert not OpenCodeReader().recognises(Source(path))


def test_every_public_session_is_recognised_and_keeps_each_of_its_calls(
    shared_data: Path,
) -> None:
    folder = shared_data / "trajectories"
    rows = [json.loads(row) for row in (folder / "MANIFEST.jsonl").open(encoding="utf-8")]
    found = {
        row["path"]: sum(len(t.calls) for t in read(folder / row["path"]))
        for row in rows
        if row["format"] == "opencode-export"
    }
    assert len(found) == 7
    assert found == {row["path"]: row["steps"] for row in rows if row["path"] in found}


def test_a_long_public_session_has_the_turns_it_has(shared_data: Path) -> None:
    folder = shared_data / "trajectories" / "opencode-export"
    (found,) = read(folder / "dayhaysoos__nimbus--entire_07_fe4e0ea90c_1.json")
    requests = [t for t in found.turns if t.role == "user" and not t.injected]
    failures = [c.observation.failure for c in found.calls if c.observation]
    assert (len(found.turns), len(requests), len(found.calls)) == (78, 3, 83)
    assert failures.count("environment") == 4


def test_odd_files_of_other_projects_tests_break_nothing(shared_data: Path) -> None:
    for path in sorted((shared_data / "odd").iterdir()):
        if OpenCodeReader().recognises(Source(path)):
            list(OpenCodeReader().read(Source(path)))
