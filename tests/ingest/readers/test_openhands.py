"""Conversations of OpenHands: events of both generations, rows and folders."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stepladder.ingest.readers.openhands import OpenHandsReader
from stepladder.ingest.source import Source
from stepladder.ingest.trajectory import Observation, Outcome, ToolCall, Trajectory, Turn, Usage
from stepladder.kg.errors import ReadError

TIME = "2025-01-20T20:29:35.040676"


def read(path: Path, content: Any) -> list[Trajectory]:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    source = Source(path)
    assert OpenHandsReader().recognises(source)
    return list(OpenHandsReader().read(source))


def lines(*rows: Any) -> str:
    return "\n".join(json.dumps(r) for r in rows)


def said(id: int, source: str, content: str) -> dict[str, Any]:
    args = {"content": content}
    return {"id": id, "timestamp": TIME, "source": source, "action": "message", "args": args}


def ran(id: int, command: str, **more: Any) -> dict[str, Any]:
    args = {"command": command, "thought": "Try.", "blocking": False, "hidden": False}
    return {"id": id, "timestamp": TIME, "source": "agent", "action": "run", "args": args, **more}


def saw(cause: int, content: str, code: int, **more: Any) -> dict[str, Any]:
    extras = {"metadata": {"exit_code": code, "working_dir": "/workspace", "suffix": ""}}
    return {
        "id": cause + 1,
        "source": "agent",
        "cause": cause,
        "observation": "run",
        "content": content,
        "extras": extras,
        **more,
    }


def native(name: str, id: str, arguments: str, response: str = "r1") -> dict[str, Any]:
    call = {"id": id, "function": {"name": name, "arguments": arguments}}
    return {
        "tool_call_metadata": {
            "function_name": name,
            "tool_call_id": id,
            "model_response": {
                "id": response,
                "model": "vendor/model-1",
                "choices": [{"message": {"tool_calls": [call]}}],
                "usage": {"prompt_tokens": 7, "completion_tokens": 2},
            },
        }
    }


def test_a_list_of_events_is_read_whole(tmp_path: Path) -> None:
    create = '{"command": "create", "path": "/workspace/a.py", "file_text": "x"}'
    edit = {
        "id": 4,
        "timestamp": TIME,
        "source": "agent",
        "action": "edit",
        "args": {"path": "/workspace/a.py", "content": "", "thought": "Write."},
        **native("str_replace_editor", "toolu_01YYLXwwdBLwtMmjr5Sfsieg", create),
    }
    (run,) = read(
        tmp_path / "trajectory.json",
        [
            {"id": 0, "source": "environment", "observation": "agent_state_changed", "extras": {}},
            said(1, "user", "<uploaded_files>\n/workspace\n</uploaded_files>\nFix it."),
            {"id": 2, "source": "user", "cause": 1, "observation": "null", "content": ""},
            edit,
            {
                "id": 5,
                "source": "agent",
                "cause": 4,
                "observation": "edit",
                "content": "ERROR:\nNo replacement was performed, old_str did not appear",
                "extras": {"path": "/workspace/a.py"},
            },
            ran(6, "pytest"),
            saw(6, "1 failed", 1),
            {"id": 8, "source": "agent", "action": "finish", "args": {"outputs": {}}},
        ],
    )
    assert replace(run, id="", source="") == Trajectory(
        id="",
        format="openhands",
        format_version="0",
        source="",
        agent="openhands",
        models=("vendor/model-1",),
        task="Fix it.",
        turns=(
            Turn(role="user", text="Fix it.", timestamp=TIME, raw_ref="[1]"),
            Turn(
                role="agent",
                thought="Write.",
                calls=(
                    ToolCall(
                        id="toolu_01YYLXwwdBLwtMmjr5Sfsieg",
                        uid="toolu_01YYLXwwdBLwtMmjr5Sfsieg",
                        name="str_replace_editor",
                        arguments=json.loads(create),
                        observation=Observation(
                            text="ERROR:\nNo replacement was performed, old_str did not appear",
                            failure="validation",
                        ),
                        timestamp=TIME,
                        raw_ref="[3]",
                    ),
                ),
                timestamp=TIME,
                model="vendor/model-1",
                raw_ref="[3]",
            ),
            Turn(
                role="agent",
                thought="Try.",
                calls=(
                    ToolCall(
                        name="execute_bash",
                        arguments={"command": "pytest"},
                        observation=Observation(
                            text="1 failed", exit_code=1, failure="environment"
                        ),
                        timestamp=TIME,
                        raw_ref="[5]",
                    ),
                ),
                timestamp=TIME,
                raw_ref="[5]",
            ),
            Turn(
                role="agent",
                calls=(ToolCall(name="finish", arguments={"outputs": {}}, raw_ref="[7]"),),
                raw_ref="[7]",
            ),
        ),
        cwd="/workspace",
        started=TIME,
        ended=TIME,
        usage=Usage(input_tokens=7, output_tokens=2),
    )


def test_parallel_calls_of_one_reply_are_one_turn(tmp_path: Path) -> None:
    both = [
        ran(2, "a", **native("execute_bash", "t1", '{"command": "a"}')),
        ran(3, "b", **native("execute_bash", "t2", '{"command": "b"}')),
    ]
    (run,) = read(
        tmp_path / "t.json", [said(1, "user", "Go."), *both, saw(3, "of b", 0), saw(2, "of a", 0)]
    )
    assert [[(c.arguments["command"], c.observation.text) for c in t.calls if c.observation]
            for t in run.turns if t.calls] == [[("a", "of a"), ("b", "of b")]]  # fmt: skip
    assert run.usage == Usage(input_tokens=7, output_tokens=2)


def test_ids_that_start_again_after_a_resume_name_the_later_action(tmp_path: Path) -> None:
    before, after = [ran(1, "a"), saw(1, "one", 0)], [ran(1, "b"), saw(1, "two", 0)]
    (run,) = read(tmp_path / "t.json", [said(0, "user", "Go."), *before, *after])
    assert [c.observation.text for c in run.calls if c.observation] == ["one", "two"]


def test_a_command_without_new_output_was_interrupted(tmp_path: Path) -> None:
    suffix = "\n[The command has no new output after 30 seconds. You may wait longer]"
    event = saw(1, "Serving", -1)
    event["extras"]["metadata"]["suffix"] = suffix
    (run,) = read(tmp_path / "t.json", [said(0, "user", "Go."), ran(1, "serve"), event])
    assert run.calls[0].observation == Observation(
        text="Serving", failure="environment", interrupted=True
    )


def test_an_action_a_person_rejected_is_no_failure_of_the_environment(tmp_path: Path) -> None:
    event = {**saw(1, "Action has been rejected by the user", 0), "observation": "user_rejected"}
    event["extras"] = {}
    (run,) = read(tmp_path / "t.json", [said(0, "user", "Go."), ran(1, "rm -rf /"), event])
    assert run.calls[0].observation == Observation(
        text="Action has been rejected by the user", failure="rejected"
    )


def test_a_reply_that_was_not_valid_is_a_rejected_turn(tmp_path: Path) -> None:
    error = {"id": 3, "source": "agent", "observation": "error", "extras": {}}
    text = "Parameter 'command' is expected to be one of ['view', 'create']."
    (run,) = read(
        tmp_path / "t.json",
        [said(0, "user", "Go."), ran(1, "ls"), saw(1, "", 0), {**error, "content": text}],
    )
    assert run.turns[2:] == (
        Turn(role="agent", rejected=True, raw_ref="[3]"),
        Turn(role="environment", text=text, raw_ref="[3]"),
    )


def test_condensed_events_and_screenshots_are_left_out(tmp_path: Path) -> None:
    condensation = {"id": 5, "source": "agent", "action": "condensation", "args": {}}
    browsed = {**saw(1, "A page", 0), "observation": "browse"}
    browsed["extras"] = {"screenshot": "data:image/png;base64," + "A" * 999}
    browse = {**ran(1, ""), "action": "browse", "args": {"url": "http://x", "thought": ""}}
    (run,) = read(tmp_path / "t.json", [said(0, "user", "Go."), browse, browsed, condensation])
    assert [(c.name, c.arguments, c.observation) for c in run.calls] == [
        ("browse", {"url": "http://x"}, Observation(text="A page"))
    ]
    assert len(run.turns) == 2


def row(instance: str, history: list[Any], **more: Any) -> dict[str, Any]:
    return {
        "instance_id": instance,
        "instruction": "<issue_description>\nSlow.\n</issue_description>\nBe careful.",
        "history": history,
        "test_result": {"git_patch": ""},
        "metrics": {
            "accumulated_cost": 0.5,
            "accumulated_token_usage": {"prompt_tokens": 9, "completion_tokens": 1},
        },
        "metadata": {"llm_config": {"model": "vendor/model-2", "api_key": "never kept"}},
        **more,
    }


def test_each_row_of_an_evaluation_is_a_run(tmp_path: Path) -> None:
    pairs = [[ran(1, "ls"), saw(1, "a", 0)]]
    events = [said(0, "user", "<issue_description>\nSlow."), ran(1, "pwd"), saw(1, "/", 0)]
    found = read(
        tmp_path / "output.jsonl",
        lines(
            row("acme__api-1", pairs, error="RuntimeError: Agent reached maximum iteration\nmore"),
            row("acme__api-2", events, report={"resolved": True}),
            row("acme__api-3", events, report={"resolved": None}),
        ),
    )
    assert [(r.task_id, r.task, r.project, r.models, r.cost_usd) for r in found] == [
        (f"acme__api-{i}", "Slow.", "acme/api", ("vendor/model-2",), 0.5) for i in (1, 2, 3)
    ]
    assert [r.calls[0].observation for r in found] == [
        Observation(text=t, exit_code=0) for t in ("a", "/", "/")
    ]
    assert [r.outcome.status for r in found] == ["unknown", "success", "unknown"]
    assert found[0].exit_status == "RuntimeError: Agent reached maximum iteration"
    assert found[1].turns[0].text == "Slow."


def test_rows_around_a_damaged_one_are_kept(tmp_path: Path) -> None:
    good = json.dumps(row("acme__api-1", [ran(1, "ls"), saw(1, "a", 0)]))
    for damaged in ([good[:200], good], [good, good[:200]], [good[:200] + "\x00}", good]):
        (run,) = read(tmp_path / "output.jsonl", "\n".join(damaged))
        assert run.task_id == "acme__api-1"


def test_the_resolver_guesses_and_its_flat_events_follow_each_other(tmp_path: Path) -> None:
    (run,) = read(
        tmp_path / "output.jsonl",
        {
            "issue": {"owner": "acme", "repo": "api", "title": "Licence", "body": "MIT."},
            "instruction": "# Problem Statement\nMIT.\n\nIMPORTANT: never ask.",
            "git_patch": "diff",
            "history": [
                {"content": "Please fix it.", "action": "message", "wait_for_response": False},
                {"command": "touch L", "thought": "Add.", "action": "run", "keep_prompt": True},
                {
                    "content": "\r\nroot@b365937733b2:/workspace # ",
                    "command": "touch L",
                    "exit_code": 0,
                    "observation": "run",
                },
            ],
            "success": True,
            "result_explanation": "Done.",
        },
    )
    assert (run.task, run.project) == ("Licence\n\nMIT.", "acme/api")
    assert run.turns[1].calls == (
        ToolCall(
            name="execute_bash",
            arguments={"command": "touch L"},
            observation=Observation(exit_code=0),
            raw_ref="line 1 history[1]",
        ),
    )
    assert run.outcome == Outcome(status="success", source="judge", confidence=0.75, detail="Done.")


def event(kind: str, id: str, source: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "timestamp": TIME, "source": source, "kind": kind, **more}


def act(id: str, call: str, command: str, response: str = "r1") -> dict[str, Any]:
    arguments = json.dumps({"command": command, "security_risk": "LOW", "summary": "s"})
    return event(
        "ActionEvent",
        id,
        "agent",
        thought=[{"type": "text", "text": "<think>hm</think>\n\nTry."}],
        reasoning_content="hm",
        action={"kind": "TerminalAction", "command": command},
        tool_name="terminal",
        tool_call_id=call,
        tool_call={"id": call, "name": "terminal", "arguments": arguments},
        llm_response_id=response,
    )


def see(action: str, call: str, text: str, code: int | None, **more: Any) -> dict[str, Any]:
    return event(
        "ObservationEvent",
        f"of {action}",
        "environment",
        action_id=action,
        tool_call_id=call,
        observation={
            "content": [{"type": "text", "text": text}],
            "exit_code": code,
            "metadata": {"exit_code": code, "working_dir": "/workspace/project"},
            **more,
        },
    )


CONVERSATION = [
    event("SystemPromptEvent", "e0", "agent", system_prompt={"type": "text", "text": "SYSTEM"}),
    event(
        "MessageEvent",
        "e1",
        "user",
        llm_message={"role": "user", "content": [{"type": "text", "text": "Fix it."}]},
    ),
    act("e2", "c2", "ls"),
    act("e3", "c3", "pytest"),
    see("e3", "c3", "2 passed\n[The command completed with exit code 0.]", 0),
    see("e2", "c2", "ls: no", 2),
    act("e4", "c4", "rm x", "r2"),
    event("UserRejectObservation", "e5", "environment", action_id="e4", rejection_reason="No."),
    act("e6", "c6", "curl", "r3"),
    event(
        "UserRejectObservation",
        "e7",
        "environment",
        action_id="e6",
        rejection_reason="Blocked.",
        rejection_source="hook",
    ),
    act("e8", "c8", "a\nb", "r4"),
    event("AgentErrorEvent", "e9", "agent", tool_call_id="c8", error="Cannot validate."),
    see("lost", "c0", "of an action that is not here", 0),
    event(
        "ConversationStateUpdateEvent",
        "e10",
        "environment",
        key="stats",
        value={
            "usage_to_metrics": {
                "agent": {
                    "model_name": "vendor/model-3",
                    "accumulated_cost": 0.5,
                    "accumulated_token_usage": {"prompt_tokens": 8, "completion_tokens": 4},
                }
            }
        },
    ),
    event(
        "ConversationStateUpdateEvent",
        "e11",
        "environment",
        key="execution_status",
        value="finished",
    ),
]


def check_conversation(run: Trajectory) -> None:
    outcomes = [(c.arguments["command"], c.observation) for c in run.calls]
    assert outcomes == [
        ("ls", Observation(text="ls: no", exit_code=2, failure="environment")),
        ("pytest", Observation(text="2 passed", exit_code=0)),
        ("rm x", Observation(text="No.", failure="rejected")),
        ("curl", Observation(text="Blocked.", failure="permission")),
        ("a\nb", Observation(text="Cannot validate.", failure="validation")),
    ]
    assert [len(t.calls) for t in run.turns] == [0, 0, 2, 1, 1, 1, 0]
    assert {t.thought for t in run.turns if t.calls} == {"Try."}
    assert run.turns[-1].text == "of an action that is not here"
    assert (run.format_version, run.cwd) == ("1", "/workspace/project")
    assert run.models == ("vendor/model-3",)
    assert (run.usage, run.cost_usd) == (Usage(input_tokens=8, output_tokens=4), 0.5)
    assert (run.task, run.exit_status, run.started) == ("Fix it.", "finished", TIME)


def test_events_of_the_sdk_are_read(tmp_path: Path) -> None:
    (run,) = read(tmp_path / "events.jsonl", lines(*CONVERSATION))
    check_conversation(run)


def test_a_damaged_first_line_does_not_lose_a_conversation(tmp_path: Path) -> None:
    (run,) = read(tmp_path / "events.jsonl", '{"id": "e0", "kind\n' + lines(*CONVERSATION[1:]))
    assert run.task == "Fix it."
    assert len(run.calls) == 5


def test_a_folder_of_events_is_one_run_read_from_its_first_file(tmp_path: Path) -> None:
    home = tmp_path / "e18b827d3440425a9ff7353c4a6d6a3a"
    (home / "events").mkdir(parents=True)
    state = {"agent": {"llm": {"model": "vendor/model-0"}}, "workspace": {"working_dir": "/w"}}
    paths = [home / "base_state.json"]
    paths[0].write_text(json.dumps(state), encoding="utf-8")
    for i, value in enumerate(CONVERSATION):
        path = home / "events" / f"event-{i:05d}-0a1b2c3d-{i}.json"
        path.write_text(json.dumps(value), encoding="utf-8")
        paths.append(path)
    sources = [Source(p) for p in paths]
    assert all(OpenHandsReader().recognises(s) for s in sources)
    found = {s.path.name: list(OpenHandsReader().read(s)) for s in sources}
    (run,) = found.pop("event-00000-0a1b2c3d-0.json")
    check_conversation(run)
    assert run.id == "e18b827d3440425a9ff7353c4a6d6a3a"
    assert not any(found.values())


def test_numbered_event_files_are_put_in_order_of_their_numbers(tmp_path: Path) -> None:
    folder = tmp_path / "abc123def" / "events"
    folder.mkdir(parents=True)
    events = [said(0, "user", "Go.")]
    for i in range(2, 12, 2):
        events += [ran(i, f"echo {i}"), saw(i, str(i), 0)]
    for i, value in enumerate(events):
        (folder / f"{i}.json").write_text(json.dumps(value), encoding="utf-8")
    (folder / "10.json").write_text('{"id": 10, "source": "agent", "obser', encoding="utf-8")
    cache = tmp_path / "abc123def" / "event_cache" / "0-25.json"
    cache.parent.mkdir()
    assert read(cache, events[:3]) == []
    (run,) = OpenHandsReader().read(Source(folder / "0.json"))
    assert [c.arguments["command"] for c in run.calls] == [f"echo {i}" for i in range(2, 12, 2)]
    assert [c.observation is None for c in run.calls] == [False] * 4 + [True]
    assert len(run.warnings) == 1


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="No events"):
        read(tmp_path / "t.json", [{"id": 0, "source": "environment", "observation": "null"}])


def test_public_runs_have_every_action_of_their_files(shared_data: Path) -> None:
    """The numbers of calls, run by run; the evaluation's 105 are its actions of the agent."""
    found = {}
    for folder in ("events", "output-jsonl", "resolver-jsonl", "v1-events"):
        for path in sorted((shared_data / "trajectories" / f"openhands-{folder}").iterdir()):
            runs = list(OpenHandsReader().read(Source(path)))
            found[path.name.rpartition("--")[2]] = [len(r.calls) for r in runs]
    assert found == {
        "basic_gui_mode.json": [4],
        "basic_interactions.json": [1],
        "trajs_basic.json": [2],
        "examples_output.jsonl": [23, 33, 49],
        "mock_output_output.jsonl": [4, 22],
        "fixtures_events.jsonl": [2],
    }
