"""Sessions of Gemini CLI, written here in each of their forms, and every public one we have."""

import json
from pathlib import Path
from typing import Any

import pytest

from stepladder.ingest.readers.gemini import GeminiReader
from stepladder.ingest.source import Source
from stepladder.ingest.trajectory import Observation, ToolCall, Trajectory, Turn, Usage

SESSION = "f7633853-6663-4dbb-bbf4-6159afa29df8"
CALL = "run_shell_command-1768510319063-53043e87ee1af"
META = {
    "sessionId": SESSION,
    "projectHash": "7e89",
    "startTime": "2026-01-15T20:51:48.582Z",
    "lastUpdated": "2026-01-15T20:52:29.285Z",
    "kind": "main",
}


def message(id: str, kind: str, content: Any = "", **more: Any) -> dict[str, Any]:
    time = "2026-01-15T20:52:00.000Z"
    return {"id": id, "timestamp": time, "type": kind, "content": content, **more}


def tool(output: Any, *, name: str = "run_shell_command", **more: Any) -> dict[str, Any]:
    response = output if isinstance(output, dict) else {"output": output}
    done = {"functionResponse": {"id": CALL, "name": name, "response": response}}
    args = {"command": "make"}
    return {"id": CALL, "name": name, "args": args, "result": [done], "status": "success", **more}


def framed(output: str, code: str = "0") -> str:
    return (
        f"Command: make\nDirectory: (root)\nOutput: {output}\nError: (none)\nExit Code: {code}\n"
        "Signal: 0\nBackground PIDs: (none)\nProcess Group PGID: 26593"
    )


def write(path: Path, *lines: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((s if isinstance(s, str) else json.dumps(s)) + "\n" for s in lines))
    return path


def read(path: Path) -> list[Trajectory]:
    assert GeminiReader().recognises(Source(path))
    return list(GeminiReader().read(Source(path)))


@pytest.fixture
def log(tmp_path: Path) -> Any:
    def run(*lines: Any) -> Trajectory:
        (found,) = read(write(tmp_path / "session.jsonl", *lines))
        return found

    return run


def observation(log: Any, call: dict[str, Any]) -> Observation:
    (done,) = log(META, message("1", "gemini", toolCalls=[call])).calls
    assert done.observation is not None
    return done.observation


def test_a_whole_session_is_read_with_all_that_it_tells(tmp_path: Path) -> None:
    tokens = {"input": 100, "output": 10, "cached": 60, "thoughts": 5, "tool": 0, "total": 115}
    thought = {"subject": "Building", "description": "Run it first."}
    record = {
        **META,
        "directories": ["/home/ada/shop"],
        "messages": [
            message("1", "user", "fix the build"),
            message(
                "2",
                "gemini",
                "I run it.",
                model="gemini-2.5-flash",
                thoughts=[thought],
                tokens=tokens,
                toolCalls=[tool(framed("no rule", "2"), timestamp="2026-01-15T20:52:09.000Z")],
            ),
            message("3", "info", "Gemini CLI update available!"),
        ],
    }
    path = tmp_path / "session-2026-01-15T20-51-f7633853.json"
    path.write_text(json.dumps(record, indent=2))
    (found,) = read(path)
    done = ToolCall(
        id=CALL,
        uid=CALL,
        name="run_shell_command",
        arguments={"command": "make"},
        observation=Observation(text="no rule", exit_code=2, failure="environment"),
        timestamp="2026-01-15T20:52:09.000Z",
        raw_ref="message 2",
    )
    assert found == Trajectory(
        id=SESSION,
        format="gemini",
        source=found.source,
        agent="gemini-cli",
        models=("gemini-2.5-flash",),
        task="fix the build",
        turns=(
            Turn(
                role="user",
                text="fix the build",
                timestamp="2026-01-15T20:52:00.000Z",
                raw_ref="message 1",
            ),
            Turn(
                role="agent",
                text="I run it.",
                thought="Building: Run it first.",
                calls=(done,),
                timestamp="2026-01-15T20:52:00.000Z",
                model="gemini-2.5-flash",
                raw_ref="message 2",
            ),
        ),
        cwd="/home/ada/shop",
        started="2026-01-15T20:52:00.000Z",
        ended="2026-01-15T20:52:00.000Z",
        usage=Usage(input_tokens=100, output_tokens=15, cached_tokens=60, reasoning_tokens=5),
    )


def test_a_message_that_comes_again_replaces_itself_where_it_first_stood(log: Any) -> None:
    found = log(
        META,
        message("1", "user", [{"text": "go"}]),
        message("2", "gemini", "", tokens={"input": 5, "output": 1}),
        {"$set": {"lastUpdated": "2026-01-15T20:53:00Z"}},
        message("3", "user", "and then"),
        message("2", "gemini", "done", tokens={"input": 5, "output": 3}, toolCalls=[tool("x")]),
    )
    assert [t.text for t in found.turns] == ["go", "done", "and then"]
    assert (found.usage, len(found.calls)) == (Usage(input_tokens=5, output_tokens=3), 1)


def test_a_snapshot_brings_messages_and_takes_none_away(log: Any) -> None:
    masked = message("2", "gemini", toolCalls=[tool("[masked]", name="read_file")])
    summary = message("9", "user", "<state_snapshot>so far</state_snapshot>")
    found = log(
        META,
        message("1", "user", "go"),
        message("2", "gemini", toolCalls=[tool("all of it", name="read_file")]),
        {"$set": {"messages": [summary, masked]}},
        message("3", "gemini", "done"),
    )
    assert [(t.text, t.injected) for t in found.turns] == [
        ("go", False),
        ("", False),
        ("<state_snapshot>so far</state_snapshot>", True),
        ("done", False),
    ]
    assert [c.observation and c.observation.text for c in found.calls] == ["all of it"]


def test_a_session_that_stands_in_snapshots_alone_is_read_from_the_last(log: Any) -> None:
    first = message("1", "user", "go")
    found = log(
        META,
        {"$set": {"messages": [first]}},
        {"$set": {"messages": [first, message("2", "gemini", "half")]}},
        {"$set": {"messages": [first, message("2", "gemini", "done")]}},
    )
    assert [t.text for t in found.turns] == ["go", "done"]


def test_what_was_rewound_stays_for_it_was_done(log: Any) -> None:
    found = log(
        META,
        message("1", "user", "use tabs"),
        message("2", "gemini", toolCalls=[tool("ok")]),
        {"$rewindTo": "1"},
        message("3", "user", "use spaces"),
    )
    assert [t.text for t in found.turns] == ["use tabs", "", "use spaces"]
    assert len(found.calls) == 1


def test_a_lost_first_line_noise_and_a_torn_last_line_lose_nothing_else(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", "Loaded cached credentials.", message("2", "gemini", "hi"))
    path.write_bytes(path.read_bytes() + b'{"id":"3","type":"us')
    (found,) = read(path)
    assert [t.text for t in found.turns] == ["hi"]
    assert found.id.startswith("run-")
    assert found.warnings == ("line 1: not JSON; left out",)


def test_a_damaged_document_is_read_up_to_the_damage(tmp_path: Path) -> None:
    whole = json.dumps({**META, "messages": [message("1", "user", "go")] * 3}, indent=1)
    path = tmp_path / "s.json"
    path.write_text(whole[: whole.index("go") + 10])
    (found,) = read(path)
    assert found.task == "go"
    assert len(found.warnings) == 1


def test_a_saved_chat_is_read_and_answers_find_their_calls_by_name(tmp_path: Path) -> None:
    ask = {"functionCall": {"name": "read_file", "args": {"path": "a"}}}
    again = {"functionCall": {"name": "read_file", "args": {"path": "b"}}}
    one = {"functionResponse": {"name": "read_file", "response": {"output": "A"}}}
    two = {"functionResponse": {"name": "read_file", "response": {"error": "File not found"}}}
    chat = [
        {
            "role": "user",
            "parts": [{"text": "This is the Gemini CLI. We are setting up the context"}],
        },
        {"role": "user", "parts": [{"text": "look"}, {"inlineData": {"mimeType": "image/png"}}]},
        {
            "role": "model",
            "parts": [{"text": "hm", "thought": True}, {"text": "I look."}, ask, again],
        },
        {"role": "user", "parts": [one, two]},
        {"role": "model", "parts": [{"text": "done"}]},
    ]
    for name, document in (("a.json", chat), ("b.json", {"history": chat, "authType": "x"})):
        path = tmp_path / name
        path.write_text(json.dumps(document))
        (found,) = read(path)
        assert [(t.role, t.text, t.thought, t.injected) for t in found.turns] == [
            ("user", "This is the Gemini CLI. We are setting up the context", "", True),
            ("user", "look\n[image/png]", "", False),
            ("agent", "I look.", "hm", False),
            ("agent", "done", "", False),
        ]
        assert [(c.arguments, c.observation) for c in found.calls] == [
            ({"path": "a"}, Observation(text="A")),
            ({"path": "b"}, Observation(text="File not found", failure="environment")),
        ]


def test_the_streamed_output_is_read(tmp_path: Path) -> None:
    def told(role: str, content: str, **more: Any) -> dict[str, Any]:
        return {"type": "message", "role": role, "content": content, **more}

    path = write(
        tmp_path / "out.jsonl",
        {"type": "init", "session_id": SESSION, "model": "gemini-3"},
        told("user", "look"),
        told("assistant", "I ", delta=True),
        told("assistant", "look.", delta=True),
        {"type": "tool_use", "tool_name": "edit", "tool_id": "t-1", "parameters": {"a": 1}},
        {
            "type": "tool_result",
            "tool_id": "t-1",
            "status": "error",
            "error": {"type": "invalid_tool_params", "message": "old_string is required"},
        },
        told("assistant", "Done.", delta=True),
        {"type": "result", "status": "success", "stats": {"input_tokens": 9, "output_tokens": 2}},
    )
    (found,) = read(path)
    assert [(t.role, t.text) for t in found.turns] == [
        ("user", "look"),
        ("agent", "I look."),
        ("agent", ""),
        ("agent", "Done."),
    ]
    assert [(c.name, c.arguments, c.observation) for c in found.calls] == [
        ("edit", {"a": 1}, Observation(text="old_string is required", failure="validation"))
    ]
    assert (found.id, found.models, found.exit_status) == (SESSION, ("gemini-3",), "success")
    assert found.usage == Usage(input_tokens=9, output_tokens=2)


def test_the_frame_of_each_version_is_taken_off_a_commands_output(log: Any) -> None:
    assert observation(log, tool(framed("a\nError: b"))) == Observation(
        text="a\nError: b", exit_code=0
    )
    assert observation(log, tool(framed("(empty)", "1"))) == Observation(
        exit_code=1, failure="environment"
    )
    newer = "Output: a.txt\nProcess Group PGID: 12345"
    assert observation(log, tool(newer)) == Observation(text="a.txt", exit_code=0)
    assert observation(log, tool("Output: no\nExit Code: 2")).exit_code == 2
    assert observation(log, tool("Output: no\nSignal: 9")).exit_code is None
    older = (
        "Command: make\nDirectory: (root)\nStdout: a\nStderr: b\nError: (none)\nExit Code: (none)"
    )
    assert observation(log, tool(older)) == Observation(text="a\nb")


def test_the_frame_is_left_where_it_is_in_the_answers_of_other_tools(log: Any) -> None:
    assert observation(log, tool(framed("a"), name="read_file")).text == framed("a")


@pytest.mark.parametrize(
    ("response", "status", "failure"),
    [
        (
            {"error": "[Operation Cancelled] Reason: User did not allow tool call"},
            "cancelled",
            "rejected",
        ),
        ({"error": "Tool execution denied by policy."}, "error", "permission"),
        ({"error": "Path not in workspace: /etc/passwd"}, "error", "permission"),
        ({"error": "params must have required property 'file_path'"}, "error", "validation"),
        ({"error": "Failed to edit, could not find the string to replace."}, "error", "validation"),
        ({"error": "File not found: /x"}, "error", "environment"),
        ({"error": "File not found: /x"}, "success", "environment"),
        ({"output": "could not find the string to replace"}, "success", ""),
    ],
)
def test_the_four_ways_to_fail_are_told_apart(
    log: Any, response: dict[str, str], status: str, failure: str
) -> None:
    found = observation(log, tool(response, name="edit", status=status))
    assert found.failure == failure


def test_answers_come_as_text_as_parts_or_not_at_all(log: Any) -> None:
    def result(value: Any, **more: Any) -> dict[str, Any]:
        return {"id": "c", "name": "look", "args": None, "result": value, **more}

    assert observation(log, result("plain", status="success")).text == "plain"
    assert observation(log, result({"text": "part"}, status="success")).text == "part"
    other = {"functionResponse": {"response": {"matches": [1]}}}
    assert observation(log, result([other], status="success")).text == '{"matches": [1]}'
    shown = result(None, status="success", resultDisplay="shown")
    assert observation(log, shown).text == "shown"
    (waiting,) = log(META, message("1", "gemini", toolCalls=[result(None)])).calls
    assert waiting.observation is None


def test_files_that_a_request_refers_to_are_parted_from_it(log: Any) -> None:
    expanded = "fix @a.py\n--- Content from referenced files ---\nx = 1"
    found = log(META, message("1", "user", expanded))
    assert [(t.text, t.injected) for t in found.turns] == [
        ("--- Content from referenced files ---\nx = 1", True),
        ("fix @a.py", False),
    ]
    shown = log(META, message("1", "user", "expanded", displayContent="typed"))
    assert [(t.text, t.injected) for t in shown.turns] == [("expanded", True), ("typed", False)]


def test_a_bare_command_is_no_task(log: Any) -> None:
    found = log(META, message("1", "user", "/help"), message("2", "user", "/src/a.py is broken"))
    assert found.task == "/src/a.py is broken"


def test_a_sub_agent_names_its_parent_and_the_folder_its_project(tmp_path: Path) -> None:
    place = tmp_path / "tmp" / "shop"
    meta = {**META, "sessionId": "sub", "kind": "subagent"}
    path = place / "chats" / SESSION / "sub.jsonl"
    write(path, meta, message("1", "user", "look"))
    write(place / ".project_root", "/home/ada/shop")
    (found,) = read(path)
    assert (found.id, found.parent_id, found.cwd) == ("sub", SESSION, "/home/ada/shop")


def test_the_folder_is_found_in_the_first_words_of_the_harness(log: Any) -> None:
    context = (
        "<session_context>\nI'm currently working in the directory: /home/ada/shop\n"
        "</session_context>"
    )
    assert log(META, message("1", "user", context), message("2", "user", "go")).cwd == (
        "/home/ada/shop"
    )


@pytest.mark.parametrize(
    "document",
    [
        [{"sessionId": "s", "messageId": 0, "type": "user", "message": "only prompts"}],
        {"sessionId": "s", "uuid": "u", "message": {}, "startTime": "", "lastUpdated": ""},
        {"role": "user", "content": "hi"},
        {"history": [{"role": "user", "content": "swe-agent"}]},
    ],
)
def test_files_of_others_are_not_recognised(tmp_path: Path, document: Any) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document))
    assert not GeminiReader().recognises(Source(path))


def test_every_public_session_is_recognised_and_keeps_each_of_its_calls(
    shared_data: Path,
) -> None:
    folder = shared_data / "trajectories"
    rows = [json.loads(row) for row in (folder / "MANIFEST.jsonl").open(encoding="utf-8")]
    found = {
        row["path"]: sum(len(t.calls) for t in read(folder / row["path"]))
        for row in rows
        if row["format"] == "gemini-session"
    }
    assert len(found) == 4
    assert found == {row["path"]: row["steps"] for row in rows if row["path"] in found}


def test_a_public_session_has_the_turns_it_has(shared_data: Path) -> None:
    folder = shared_data / "trajectories" / "gemini-session"
    (found,) = read(folder / "entireio__cli--entire_ab_2b9748b105_0.json")
    assert (len(found.turns), len(found.calls)) == (12, 9)
    assert [c.observation and c.observation.exit_code for c in found.calls] == [
        None, 0, 0, 0, None, 0, None, 0, 0,
    ]  # fmt: skip


def test_odd_files_of_other_projects_tests_break_nothing(shared_data: Path) -> None:
    for path in sorted((shared_data / "odd").iterdir()):
        if GeminiReader().recognises(Source(path)):
            list(GeminiReader().read(Source(path)))
