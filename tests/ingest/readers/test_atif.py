"""Harbor's trajectory format: every version, sub-agents, continuations and copies."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stepladder.ingest.readers.atif import AtifReader
from stepladder.ingest.source import Source
from stepladder.ingest.trajectory import Observation, ToolCall, Trajectory, Turn, Usage
from stepladder.kg.errors import ReadError

SESSION = "6f1d2a3c-0b1c-4d2e-8f90-123456789abc"


def write(path: Path, content: Any) -> Source:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return Source(path)


def read(path: Path, content: Any) -> list[Trajectory]:
    source = write(path, content)
    assert AtifReader().recognises(source)
    return list(AtifReader().read(source))


def document(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "ATIF-v1.7",
        "session_id": SESSION,
        "agent": {"name": "openhands", "version": "1.1.0", "model_name": "vendor/model-1"},
        "steps": list(steps),
        **more,
    }


def step(source: str, message: Any, **more: Any) -> dict[str, Any]:
    return {"step_id": 1, "source": source, "message": message, **more}


def call(id: str, name: str, arguments: Any) -> dict[str, Any]:
    return {"tool_call_id": id, "function_name": name, "arguments": arguments}


def results(*found: Any) -> dict[str, Any]:
    return {"results": [{"source_call_id": i, "content": c} for i, c in found]}


def test_a_run_is_read_whole(tmp_path: Path) -> None:
    time = "2026-01-02T03:04:05Z"
    (run,) = read(
        tmp_path / "trajectory.json",
        document(
            step("system", "You are an agent."),
            step("user", [{"type": "text", "text": "Fix it."}, {"type": "image", "source": {}}]),
            step(
                "agent",
                "Both at once.",
                reasoning_content="Think.",
                timestamp=time,
                model_name="vendor/model-2",
                tool_calls=[call("a", "bash", {"command": "ls"}), call("b", "bash", '{"command":')],
                observation=results(("b", "no\n[exit code 2]"), ("a", [{"text": "x"}])),
            ),
            notes="a key of a later version",
            final_metrics={
                "total_prompt_tokens": 9,
                "total_completion_tokens": 3,
                "total_cached_tokens": 4,
                "total_cost_usd": 0.5,
                "total_steps": 99,
            },
        ),
    )
    assert replace(run, source="") == Trajectory(
        id=SESSION,
        format="atif",
        format_version="1.7",
        source="",
        agent="openhands",
        agent_version="1.1.0",
        models=("vendor/model-2",),
        task="Fix it.\n[image]",
        turns=(
            Turn(role="system", text="You are an agent.", raw_ref="steps[0]"),
            Turn(role="user", text="Fix it.\n[image]", raw_ref="steps[1]"),
            Turn(
                role="agent",
                text="Both at once.",
                thought="Think.",
                calls=(
                    ToolCall(
                        id="a",
                        name="bash",
                        arguments={"command": "ls"},
                        observation=Observation(text="x"),
                        timestamp=time,
                        raw_ref="steps[2]",
                    ),
                    ToolCall(
                        id="b",
                        name="bash",
                        raw='{"command":',
                        observation=Observation(text="no", exit_code=2, failure="environment"),
                        timestamp=time,
                        raw_ref="steps[2]",
                    ),
                ),
                timestamp=time,
                model="vendor/model-2",
                raw_ref="steps[2]",
            ),
        ),
        started=time,
        ended=time,
        usage=Usage(input_tokens=9, output_tokens=3, cached_tokens=4),
        cost_usd=0.5,
    )


@pytest.mark.parametrize("version", [f"ATIF-v1.{n}" for n in range(10)])
def test_any_version_is_recognised(tmp_path: Path, version: str) -> None:
    content = document(step("user", "Go."), step("agent", "Done."), schema_version=version)
    (run,) = read(tmp_path / "trajectory.json", content)
    assert run.format_version == version.removeprefix("ATIF-v")


def terminus(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return document(*steps, **{"agent": {"name": "terminus-2", "extra": {}}, **more})


PROMPT = "You are an assistant.\n\nTask Description:\nWrite a.\n\nCurrent terminal state:\n$"
SCREEN = "New Terminal Output:\n\nroot@x:/app# ls\na\nroot@x:/app#\n\n\n\n\n\n"


def test_a_screen_shows_what_all_keystrokes_of_a_step_did(tmp_path: Path) -> None:
    calls = [
        call("call_0_1", "bash_command", {"keystrokes": "ls\n", "duration": 0.1}),
        call("call_0_2", "bash_command", {"keystrokes": "C-c", "duration": 0.1}),
    ]
    (run,) = read(
        tmp_path / "trajectory.json",
        terminus(
            step("system", PROMPT),
            step("agent", "Analysis: List.", tool_calls=calls, observation=results((None, SCREEN))),
        ),
    )
    assert run.task == "Write a."
    assert run.turns[1] == Turn(
        role="agent",
        thought="Analysis: List.",
        calls=(
            ToolCall(
                id="call_0_1",
                name="bash_command",
                arguments={"command": "ls", "keystrokes": "ls\n", "duration": 0.1},
                raw_ref="steps[1]",
            ),
            ToolCall(
                id="call_0_2",
                name="bash_command",
                arguments={"keystrokes": "C-c", "duration": 0.1},
                observation=Observation(text="root@x:/app# ls\na\nroot@x:/app#"),
                raw_ref="steps[1]",
            ),
        ),
        raw_ref="steps[1]",
    )


def test_a_reply_kept_as_the_json_it_was_has_its_commands(tmp_path: Path) -> None:
    commands = [{"keystrokes": "ls\n", "duration": 1}]
    plan = {"analysis": "See.", "plan": "List.", "commands": commands, "task_complete": True}
    (run,) = read(
        tmp_path / "trajectory.json",
        terminus(step("user", PROMPT), step("agent", json.dumps(plan))),
    )
    assert run.turns[1].thought == "See.\nList."
    assert [(c.name, c.arguments.get("command")) for c in run.calls] == [
        ("bash_command", "ls"),
        ("mark_task_complete", None),
    ]


def test_a_reply_that_was_no_valid_json_is_rejected(tmp_path: Path) -> None:
    error = "ERROR: Missing required fields: analysis"
    broken = step("agent", "{broken", observation=results((None, error)))
    (run,) = read(tmp_path / "trajectory.json", terminus(step("user", PROMPT), broken))
    assert run.turns[1:] == (
        Turn(role="agent", text="{broken", rejected=True, raw_ref="steps[1]"),
        Turn(role="environment", text=error, raw_ref="steps[1]"),
    )


def test_a_summary_handed_over_is_not_what_the_user_said(tmp_path: Path) -> None:
    handed = "Here are the answers the other agent provided.\n\nAll fine."
    (run,) = read(
        tmp_path / "trajectory.json",
        terminus(step("system", PROMPT), step("agent", "Done."), step("user", handed)),
    )
    assert run.turns[-1] == Turn(role="user", text=handed, injected=True, raw_ref="steps[2]")
    assert [t.text for t in run.turns if t.role == "user" and not t.injected] == ["Write a."]


def test_a_continued_run_is_one_run_and_copies_count_once(tmp_path: Path) -> None:
    first = document(
        step("user", "Go."),
        step("agent", "", tool_calls=[call("a", "bash", {"command": "ls"})]),
        continued_trajectory_ref="trajectory.cont-1.json",
        final_metrics={"total_prompt_tokens": 5},
    )
    second = document(
        step("user", "Go.", is_copied_context=True),
        step("agent", "copied", is_copied_context=True),
        step("agent", "", tool_calls=[call("b", "bash", {"command": "pwd"})]),
        final_metrics={"total_prompt_tokens": 9},
    )
    continuation = write(tmp_path / "trajectory.cont-1.json", second)
    (run,) = read(tmp_path / "trajectory.json", first)
    assert [c.arguments["command"] for c in run.calls] == ["ls", "pwd"]
    assert [t.raw_ref for t in run.turns] == ["steps[0]", "steps[1]", "continuation steps[2]"]
    assert run.usage.input_tokens == 9
    assert AtifReader().recognises(continuation)
    assert list(AtifReader().read(continuation)) == []
    (alone,) = read(tmp_path / "elsewhere" / "trajectory.cont-1.json", second)
    assert (alone.task, len(alone.calls)) == ("Go.", 1)


def test_sub_agents_name_the_run_that_started_them(tmp_path: Path) -> None:
    inner = {
        "trajectory_id": "0a1b2c3d-0000-4000-8000-00000000000a",
        "agent": {"name": "explorer"},
        "steps": [step("user", "Look."), step("agent", "Seen.")],
    }
    outer = document(step("user", "Go."), step("agent", "Done."), subagent_trajectories=[inner])
    parent, child = read(tmp_path / "trajectory.json", outer)
    assert (child.id, child.parent_id, child.agent) == (
        "0a1b2c3d-0000-4000-8000-00000000000a",
        parent.id,
        "explorer",
    )
    side = terminus(step("user", "Q?"), step("agent", "A."), session_id=f"{SESSION}-questions")
    side["agent"]["extra"] = {"parent_session_id": SESSION}
    (told,) = read(tmp_path / "trajectory.summarization-1-questions.json", side)
    assert told.parent_id == SESSION


def test_a_trial_folder_names_the_task(tmp_path: Path) -> None:
    content = document(step("user", "Go."), step("agent", "Done."))
    result = {"task_name": "hello-world", "trial_name": "x", "started_at": "2026-01-02"}
    write(tmp_path / "one" / "result.json", result)
    (run,) = read(tmp_path / "one" / "agent" / "trajectory.json", content)
    assert (run.task_id, run.started) == ("hello-world", "2026-01-02")
    write(tmp_path / "two" / "config.json", {"task": {"path": "tasks/acme__api-7"}})
    (run,) = read(tmp_path / "two" / "agent" / "trajectory.json", content)
    assert (run.task_id, run.project) == ("acme__api-7", "acme/api")


def test_rows_of_a_data_set_are_runs(tmp_path: Path) -> None:
    rows = [document(step("user", f"Task {i}"), step("agent", "Done.")) for i in range(2)]
    found = read(tmp_path / "rows.jsonl", "\n".join(map(json.dumps, rows)))
    assert [r.task for r in found] == ["Task 0", "Task 1"]


def test_a_file_without_steps_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="No steps"):
        read(tmp_path / "trajectory.json", '{"schema_version": "ATIF-v1.4", "session_id": "x", "st')


def test_golden_files_of_harbor_have_their_calls_and_turns(shared_data: Path) -> None:
    """Turns of the agent, of which a copy in the file of answers (3 of its 4) is left out."""
    found = []
    for path in (shared_data / "trajectories" / "atif").iterdir():
        (run,) = AtifReader().read(Source(path))
        assert run.task
        found.append((len(run.calls), sum(t.role == "agent" for t in run.turns)))
    assert sorted(found) == [(0, 1), (0, 1), (2, 2), (3, 3), (3, 4), (4, 4), (7, 7)]
