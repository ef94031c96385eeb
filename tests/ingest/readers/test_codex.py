"""Rollouts of Codex, written here as their lines, and every public one we have."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from stepladder.ingest.readers.codex import CodexReader
from stepladder.ingest.source import Source
from stepladder.ingest.trajectory import Observation, ToolCall, Trajectory, Turn, Usage
from stepladder.kg.errors import ReadError

ID = "019ed50c-2fb3-7002-a384-360bea6e7f04"
CALL = "call_l60TLUHMKhytonPFbK7eA723"
CONTEXT = "<environment_context>\n  <cwd>/home/ada/shop</cwd>\n</environment_context>"
TIME = "2026-06-17T10:07:16.815Z"
_META = {
    "id": ID,
    "timestamp": "2026-06-17T10:06:46.240Z",
    "cwd": "/home/ada/shop",
    "cli_version": "0.140.0",
    "git": {
        "commit_hash": "4e480f9",
        "branch": "main",
        "repository_url": "git@github.com:ada/shop.git",
    },
}


def line(kind: str, payload: dict[str, Any], time: str = TIME) -> dict[str, Any]:
    return {"timestamp": time, "type": kind, "payload": payload}


def meta(**more: Any) -> dict[str, Any]:
    return line("session_meta", {**_META, **more})


def item(kind: str, time: str = TIME, **payload: Any) -> dict[str, Any]:
    return line("response_item", {"type": kind, **payload}, time)


def event(kind: str, time: str = TIME, **payload: Any) -> dict[str, Any]:
    return line("event_msg", {"type": kind, **payload}, time)


def message(role: str, *texts: str, time: str = TIME) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    parts = [{"type": kind, "text": t} for t in texts]
    return item("message", time, role=role, content=parts)


def call(id: str = CALL, name: str = "exec_command", **arguments: Any) -> dict[str, Any]:
    return item("function_call", name=name, call_id=id, arguments=json.dumps(arguments))


def output(content: Any, id: str = CALL) -> dict[str, Any]:
    return item("function_call_output", call_id=id, output=content)


def unified(text: str, *, code: int | None = 0, session: str = "") -> str:
    ended = f"Process running with session ID {session}" if session else ""
    ended = ended or f"Process exited with code {code}"
    return (
        f"Chunk ID: a696c4\nWall time: 0.5 seconds\n{ended}\n"
        f"Original token count: 9\nOutput:\n{text}"
    )


def write(path: Path, *lines: Any) -> Path:
    path.write_text("".join((s if isinstance(s, str) else json.dumps(s)) + "\n" for s in lines))
    return path


def read(path: Path) -> list[Trajectory]:
    assert CodexReader().recognises(Source(path))
    return list(CodexReader().read(Source(path)))


@pytest.fixture
def rollout(tmp_path: Path) -> Any:
    def run(*lines: Any) -> Trajectory:
        (found,) = read(write(tmp_path / "rollout.jsonl", *lines))
        return found

    return run


def observation(rollout: Any, content: Any, *events: Any) -> Observation:
    (done,) = rollout(meta(), call(cmd="make"), *events, output(content)).calls
    assert done.observation is not None
    return done.observation


def test_a_whole_rollout_is_read_with_all_that_it_tells(rollout: Any) -> None:
    tokens = {
        "input_tokens": 900,
        "cached_input_tokens": 700,
        "output_tokens": 80,
        "reasoning_output_tokens": 30,
    }
    found = rollout(
        meta(base_instructions={"text": "You are Codex."}),
        event("task_started"),
        line("turn_context", {"cwd": "/home/ada/shop", "model": "gpt-5.5"}),
        message(
            "user", "<environment_context>\n  <cwd>/home/ada/shop</cwd>\n</environment_context>"
        ),
        message("user", "fix the build\n"),
        event("user_message", message="fix the build\n"),
        item("reasoning", summary=[{"type": "summary_text", "text": "run it"}]),
        event("agent_message", message="I run it."),
        message("assistant", "I run it."),
        call(cmd="make"),
        event("token_count", info={"total_token_usage": {"input_tokens": 400}}),
        output(unified("no rule\n", code=2)),
        event("token_count", info={"total_token_usage": tokens}, rate_limits={}),
        event("token_count", info=None),
        message("assistant", "There is no rule.", time="2026-06-17T10:07:20.000Z"),
        event("task_complete", last_agent_message="There is no rule."),
    )
    done = ToolCall(
        id=CALL,
        uid=CALL,
        name="exec_command",
        arguments={"cmd": "make"},
        observation=Observation(
            text="no rule\n", exit_code=2, failure="environment", duration_s=0.5
        ),
        timestamp=TIME,
        raw_ref="line 10",
    )
    assert found == Trajectory(
        id=ID,
        format="codex",
        source=found.source,
        agent="codex",
        agent_version="0.140.0",
        models=("gpt-5.5",),
        task="fix the build",
        turns=(
            Turn(
                role="user",
                text=CONTEXT,
                injected=True,
                timestamp=TIME,
                raw_ref="line 4",
            ),
            Turn(role="user", text="fix the build", timestamp=TIME, raw_ref="line 5"),
            Turn(
                role="agent",
                text="I run it.",
                thought="run it",
                calls=(done,),
                timestamp=TIME,
                model="gpt-5.5",
                raw_ref="line 7",
            ),
            Turn(
                role="agent",
                text="There is no rule.",
                timestamp="2026-06-17T10:07:20.000Z",
                model="gpt-5.5",
                raw_ref="line 15",
            ),
        ),
        cwd="/home/ada/shop",
        repository_url="git@github.com:ada/shop.git",
        branch="main",
        commit="4e480f9",
        started=TIME,
        ended="2026-06-17T10:07:20.000Z",
        usage=Usage(input_tokens=900, output_tokens=80, cached_tokens=700, reasoning_tokens=30),
        exit_status="task_complete",
    )


def test_a_rollout_of_the_first_versions_is_read(tmp_path: Path) -> None:
    done = json.dumps({"output": "a.py\n", "metadata": {"exit_code": 0, "duration_seconds": 0.1}})
    text = "<environment_context>\nCurrent working directory: /shop\n</environment_context>"
    shell = {"command": ["bash", "-lc", "ls"], "workdir": "/shop"}
    path = write(
        tmp_path / f"rollout-2025-08-01T10-00-00-{ID}.jsonl",
        {"id": ID, "timestamp": TIME, "instructions": None, "git": {"branch": "main"}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "look"}]},
        {
            "type": "function_call",
            "name": "shell",
            "arguments": json.dumps(shell),
            "call_id": CALL,
        },
        {"type": "function_call_output", "call_id": CALL, "output": done},
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAAA"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "ok"}],
        },
    )
    (found,) = read(path)
    assert (found.id, found.cwd, found.branch, found.task) == (ID, "/shop", "main", "look")
    assert [(c.arguments, c.observation) for c in found.calls] == [
        (shell, Observation(text="a.py\n", exit_code=0, duration_s=0.1))
    ]
    assert [t.role for t in found.turns] == ["user", "user", "agent", "agent"]


def test_parallel_calls_are_one_turn_and_get_their_own_answers(rollout: Any) -> None:
    found = rollout(
        meta(),
        message("assistant", "Two at once."),
        call("call_a", cmd="a"),
        call("call_b", cmd="b"),
        output(unified("B"), "call_b"),
        output(unified("A"), "call_a"),
    )
    (turn,) = found.turns
    assert [c.observation and c.observation.text for c in turn.calls] == ["A", "B"]


def test_an_answer_without_its_call_is_kept_and_named(rollout: Any) -> None:
    found = rollout(meta(), output(unified("left over"), "call_x"), message("assistant", "hm"))
    assert [(t.role, t.text) for t in found.turns] == [
        ("environment", "left over"),
        ("agent", "hm"),
    ]
    assert found.warnings == ("line 2: answer to a call that is not in the file",)


@pytest.mark.parametrize("order", [1, -1])
def test_a_request_stands_as_item_and_event_and_counts_once(rollout: Any, order: int) -> None:
    pair = [message("user", "again"), event("user_message", message="again")][::order]
    later = "2026-06-17T11:00:00.000Z"
    second = [{**p, "timestamp": later} for p in pair]
    found = rollout(meta(), *pair, message("assistant", "done"), *second)
    assert [t.text for t in found.turns] == ["again", "done", "again"]


def test_a_request_of_which_only_the_event_is_left_is_kept(rollout: Any) -> None:
    found = rollout(meta(), event("user_message", message="fix it"), message("assistant", "ok"))
    assert found.task == "fix it"


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context><cwd>/x</cwd></environment_context>",
        "<user_instructions>\nbe brief\n</user_instructions>",
        "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nsecret\n</INSTRUCTIONS>",
        "<turn_aborted>\nThe user interrupted\n</turn_aborted>",
        "<permissions instructions>\nsandbox\n</permissions instructions>",
    ],
)
def test_what_the_harness_says_in_the_users_name_is_marked_and_never_the_task(
    rollout: Any, text: str
) -> None:
    found = rollout(meta(), message("user", text), message("user", "fix the build"))
    assert [t.injected for t in found.turns] == [True, False]
    assert found.task == "fix the build"


def test_the_context_of_an_editor_is_parted_from_the_request(rollout: Any) -> None:
    text = "# Context from my IDE setup:\n\n## Active: a.py\n\n## My request for Codex:\nfix it"
    found = rollout(meta(), message("user", text), event("user_message", message=text))
    assert [(t.text, t.injected) for t in found.turns if not t.injected] == [("fix it", False)]


def test_a_picture_in_a_request_stands_as_its_type(rollout: Any) -> None:
    parts = [
        {"type": "input_text", "text": "<image name=[Image #1]>"},
        {"type": "input_image", "image_url": "data:image/png;base64,QUJD"},
        {"type": "input_text", "text": "</image>"},
        {"type": "input_text", "text": "what is wrong here?"},
    ]
    found = rollout(
        meta(),
        item("message", role="user", content=parts),
        event("user_message", message="what is wrong here?"),
    )
    assert [t.text for t in found.turns] == ["what is wrong here?\n[input_image]"]


def test_messages_of_the_harness_are_of_the_system(rollout: Any) -> None:
    found = rollout(meta(), message("developer", "Approved."), message("user", "go"))
    assert [(t.role, t.injected) for t in found.turns] == [("system", True), ("user", False)]


def test_a_compaction_loses_nothing_and_its_summary_is_no_request(rollout: Any) -> None:
    found = rollout(
        meta(),
        message("user", "write it"),
        line("compacted", {"message": "It was written.", "replacement_history": []}),
        event("context_compacted"),
        message("user", "test it", time="2026-06-17T11:00:00.000Z"),
    )
    assert [(t.text, t.injected) for t in found.turns] == [
        ("write it", False),
        ("It was written.", True),
        ("test it", False),
    ]


def test_lines_that_stand_there_twice_count_once(rollout: Any) -> None:
    lines = [meta(), message("user", "go"), call(cmd="ls"), output(unified("a.py"))]
    found = rollout(*[x for x in lines for _ in "12"], *lines)
    assert [(t.role, t.text, len(t.calls)) for t in found.turns] == [
        ("user", "go", 0),
        ("agent", "", 1),
    ]
    assert [c.observation and c.observation.text for c in found.calls] == ["a.py"]


def test_calls_that_share_an_id_keep_their_own_answers(rollout: Any) -> None:
    found = rollout(
        meta(),
        call("call_0", cmd="a"),
        output(unified("A"), "call_0"),
        call("call_0", cmd="b"),
        output(unified("B"), "call_0"),
    )
    seen = [(c.arguments["cmd"], c.observation and c.observation.text) for c in found.calls]
    assert seen == [("a", "A"), ("b", "B")]


def test_a_replayed_history_keeps_the_first_sessions_id_and_the_ids_of_its_calls(
    rollout: Any,
) -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "parent", "depth": 1}}}
    found = rollout(
        meta(source=spawn),
        meta(id="parent", source="cli"),
        message("user", "go"),
        call(cmd="ls"),
        output(unified("a.py")),
        item("agent_message", author="root", content=[{"type": "input_text", "text": "report"}]),
    )
    assert (found.id, found.parent_id) == (ID, "parent")
    assert [c.uid for c in found.calls] == [CALL]
    assert found.turns[-1].role == "environment"


def test_the_order_that_a_sub_agent_was_given_is_its_task(rollout: Any) -> None:
    order = [{"type": "input_text", "text": "look around"}, {"type": "encrypted_content"}]
    found = rollout(
        meta(parent_thread_id="parent"),
        item("agent_message", author="root", content=order),
        message("assistant", "done"),
    )
    assert (found.task, found.parent_id) == ("look around", "parent")


def test_the_frame_of_each_version_is_taken_off_the_output(rollout: Any) -> None:
    plain = "Exit code: 3\nWall time: 0.9 seconds\nTotal output lines: 9\nOutput:\nbad\r\n"
    expected = Observation(text="bad\r\n", exit_code=3, failure="environment", duration_s=0.9)
    assert observation(rollout, plain) == expected
    old = json.dumps({"output": "bad\r\n", "metadata": {"exit_code": 3, "duration_seconds": 0.9}})
    assert observation(rollout, old) == expected
    assert observation(rollout, {"content": old, "success": False}) == expected
    parts = [{"type": "input_text", "text": plain}, {"type": "input_image", "image_url": "data:"}]
    assert observation(rollout, parts).text == "bad\r\n\n[input_image]"
    assert observation(rollout, {"type": "input_text", "text": "a.txt"}).text == "a.txt"
    assert observation(rollout, "Plan updated") == Observation(text="Plan updated")
    assert observation(rollout, "") == Observation()


def test_a_command_that_still_runs_has_no_exit_code(rollout: Any) -> None:
    later = event("exec_command_end", call_id=CALL, exit_code=1)
    found = observation(rollout, unified("…", session="7"), later)
    assert (found.exit_code, found.failure) == (None, "")


def test_events_tell_what_a_missing_or_bare_output_does_not(rollout: Any) -> None:
    ended = event(
        "exec_command_end",
        call_id=CALL,
        aggregated_output="boom",
        exit_code=1,
        duration={"secs": 2, "nanos": 500_000_000},
    )
    (done,) = rollout(meta(), call(cmd="make"), ended).calls
    assert done.observation == Observation(
        text="boom", exit_code=1, failure="environment", duration_s=2.5
    )
    assert observation(rollout, "boom", ended).exit_code == 1
    newer = {"type": "CommandExecution", "id": CALL, "exit_code": 0, "aggregated_output": "ok"}
    (done,) = rollout(meta(), call(cmd="make"), event("item_completed", item=newer)).calls
    assert done.observation == Observation(text="ok", exit_code=0)


def test_output_that_was_cut_says_so(rollout: Any) -> None:
    assert observation(rollout, unified("a\n…47000 tokens truncated…\nz")).truncated
    assert observation(rollout, unified("a\n[... omitted 9 of 99 lines ...]\nz")).truncated
    assert not observation(rollout, unified("a")).truncated


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("exec command rejected by user", "rejected"),
        ("patch rejected by user", "rejected"),
        ("aborted by user after 12.3s", "rejected"),
        ("aborted", "rejected"),
        ("user cancelled MCP tool call", "rejected"),
        ("execution error: Sandbox(Denied { output: ExecToolCallOutput })", "permission"),
        ("failed in sandbox MacosSeatbelt with execution error: Denied(126)", "permission"),
        ("approval policy is Never; reject command — you cannot ask", "permission"),
        ("patch rejected: writing outside of the project; rejected by user approval", "permission"),
        ("`rm -rf /` rejected: blocked by policy", "permission"),
        ("failed to parse function arguments: missing field `cmd`", "validation"),
        ("unsupported call: shel", "validation"),
        ("apply_patch verification failed: Failed to find expected lines", "validation"),
        ("execution error: Io(Custom { kind: Other })", "environment"),
        ("command timed out after 10000 milliseconds", "environment"),
        ("rejected by the server: exec command", ""),
    ],
)
def test_the_four_ways_to_fail_are_told_apart(rollout: Any, text: str, failure: str) -> None:
    assert observation(rollout, text).failure == failure


def test_words_of_refusal_in_a_good_output_are_no_failure(rollout: Any) -> None:
    assert observation(rollout, unified("exec command rejected by user")).failure == ""


def test_a_tool_of_another_server_fails_by_its_own_mark(rollout: Any) -> None:
    def ended(**result: Any) -> dict[str, Any]:
        return event("mcp_tool_call_end", call_id=CALL, result=result)

    bad = {"content": [{"type": "text", "text": "no such page"}], "isError": True}
    assert observation(rollout, "no such page", ended(Ok=bad)).failure == "environment"
    (done,) = rollout(meta(), call(name="fetch"), ended(Err="timed out")).calls
    assert done.observation == Observation(text="timed out", failure="environment")


def test_what_ran_when_the_user_broke_off_was_rejected(rollout: Any) -> None:
    found = rollout(
        meta(),
        event("task_started"),
        call("call_1", cmd="a"),
        output(unified("A"), "call_1"),
        call("call_2", cmd="b"),
        item("web_search_call", action={"type": "search", "query": "q"}),
        event("turn_aborted", reason="interrupted"),
    )
    assert [c.observation for c in found.calls] == [
        Observation(text="A", exit_code=0, duration_s=0.5),
        Observation(failure="rejected", interrupted=True),
        None,
    ]
    assert found.exit_status == "turn_aborted"


def test_every_kind_of_call_is_read(rollout: Any) -> None:
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"
    found = rollout(
        meta(),
        item("custom_tool_call", name="apply_patch", input=patch, call_id="c1", status="completed"),
        item("custom_tool_call_output", call_id="c1", output="Exit code: 0\nOutput:\nSuccess."),
        item("function_call", name="shell", arguments='{"command": ["ls"', call_id="c2"),
        item("function_call", name="search", namespace="mcp__docs__", arguments="{}", call_id="c3"),
        item(
            "local_shell_call",
            call_id="c4",
            action={"type": "exec", "command": ["ls"], "env": {"TOKEN": "x"}},
        ),
        item("web_search_call", id="ws_1", action={"type": "search", "query": "q", "url": None}),
        item("tool_search_call", call_id="c5", arguments={"query": "x"}),
    )
    assert [(c.name, c.arguments, c.raw) for c in found.calls] == [
        ("apply_patch", {"input": patch}, ""),
        ("shell", {}, '{"command": ["ls"'),
        ("mcp__docs__search", {}, ""),
        ("local_shell", {"command": ["ls"]}, ""),
        ("web_search", {"query": "q"}, ""),
    ]
    assert found.calls[0].observation == Observation(text="Success.", exit_code=0)


def test_a_bad_first_line_and_a_torn_last_one_lose_nothing_else(tmp_path: Path) -> None:
    path = write(tmp_path / f"rollout-x-{ID}.jsonl", '{"timestamp": "20', message("user", "go"))
    path.write_bytes(path.read_bytes() + b'\xff\xfe\n{"timestamp": "2026", "typ')
    (found,) = read(path)
    assert (found.id, found.task) == (ID, "go")
    assert found.warnings == ("line 1: not JSON; left out", "line 3: not JSON; left out")


def test_line_separators_in_a_text_split_no_record(rollout: Any) -> None:
    text = "a\u2028b"
    raw = json.dumps(message("user", text), ensure_ascii=False)
    assert rollout(meta(), raw).task == text


def test_a_rollout_without_a_word_has_no_run(tmp_path: Path) -> None:
    assert read(write(tmp_path / "rollout.jsonl", meta())) == []


def test_a_first_line_longer_than_what_is_looked_at_is_recognised(rollout: Any) -> None:
    long = meta(base_instructions={"text": "x" * 100_000})
    assert rollout(long, message("user", "go")).task == "go"


def test_a_compressed_rollout_is_read_or_refused_with_a_reason(tmp_path: Path) -> None:
    lines = write(tmp_path / "plain", meta(), message("user", "go")).read_bytes()
    path = tmp_path / f"rollout-x-{ID}.jsonl.zst"
    if sys.version_info >= (3, 14):
        from compression import zstd

        path.write_bytes(zstd.compress(lines))
        assert [t.task for t in read(path)] == ["go"]
    else:
        path.write_bytes(b"\x28\xb5\x2f\xfd" + lines)
        with pytest.raises(ReadError, match="compressed with Zstandard") as caught:
            read(path)
        assert "Python 3.14" in caught.value.hint


def test_every_public_rollout_is_recognised_and_keeps_each_of_its_calls(
    shared_data: Path,
) -> None:
    folder = shared_data / "trajectories"
    rows = [json.loads(row) for row in (folder / "MANIFEST.jsonl").open(encoding="utf-8")]
    found = {
        row["path"]: sum(len(t.calls) for t in read(folder / row["path"]))
        for row in rows
        if row["format"] == "codex-rollout"
    }
    assert len(found) == 10
    assert found == {row["path"]: row["steps"] for row in rows if row["path"] in found}


def test_a_long_public_rollout_has_the_turns_it_has(shared_data: Path) -> None:
    folder = shared_data / "trajectories" / "codex-rollout"
    (found,) = read(folder / "EntityProcess__agentv--entire_46_c11fcf0c5c_0.jsonl")
    requests = [t for t in found.turns if t.role == "user" and not t.injected]
    failures = [c.observation.failure for c in found.calls if c.observation]
    assert (len(found.turns), len(requests), len(found.calls)) == (51, 2, 98)
    assert failures.count("environment") == 4
    assert all(c.observation for c in found.calls)


def test_odd_files_of_other_projects_tests_break_nothing(shared_data: Path) -> None:
    for path in sorted((shared_data / "odd").iterdir()):
        if CodexReader().recognises(Source(path)):
            list(CodexReader().read(Source(path)))
