"""Runs of SWE-agent and MLGym: their own commands, their demonstrations and their attempts."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stepladder.ingest.readers.swe_agent import SweAgentReader
from stepladder.ingest.readers.swe_agent_actions import call_of
from stepladder.ingest.source import Source
from stepladder.ingest.trajectory import Observation, Outcome, ToolCall, Trajectory, Turn, Usage
from stepladder.kg.errors import ReadError

TASK = "Colon missing.\n\n```\nprint(1\n```"
PROMPT = f"Here's the issue text:\nISSUE:\n{TASK}\n\nINSTRUCTIONS:\nNow, solve it.\nbash-$"


def runs(folder: Path, content: Any, name: str = "acme__api-7.traj") -> list[Trajectory]:
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    source = Source(path)
    assert SweAgentReader().recognises(source)
    return list(SweAgentReader().read(source))


def step(action: str, observation: str, **more: Any) -> dict[str, Any]:
    return {
        "action": action,
        "observation": observation,
        "response": f"Thought.\n```\n{action}\n```",
        "thought": "Thought.",
        "state": '{"open_file": "/api/a.py", "working_dir": "/api"}',
        **more,
    }


def history(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"role": "system", "content": "SETTING", "agent": "primary"},
        {"role": "user", "content": "ISSUE:\nAnother task\n\nINSTRUCTIONS:", "is_demo": True},
        {"role": "assistant", "content": "demo", "action": "open demo.py", "is_demo": True},
        {"role": "user", "content": PROMPT, "agent": "primary"},
        *messages,
    ]


def run_of(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"environment": "swe_main", "trajectory": list(steps), "history": history(), **more}


def test_a_run_of_version_0_is_read_whole(tmp_path: Path) -> None:
    (run,) = runs(
        tmp_path,
        run_of(
            step("edit 4:4\n    print(1)\nend_of_edit\n", "[File: /api/a.py (9 lines total)]"),
            step("python a.py\n", "1\n"),
            step("submit\n", "\ndiff --git a/a.py b/a.py\n"),
            info={
                "exit_status": "submitted",
                "submission": "\ndiff --git a/a.py b/a.py\n",
                "model_stats": {"instance_cost": 0.5, "tokens_sent": 9, "tokens_received": 3},
            },
        ),
    )

    def turn(i: int, name: str, arguments: Any, raw: str, seen: Observation | None) -> Turn:
        ref = f"trajectory[{i}]"
        call = ToolCall(name=name, arguments=arguments, raw=raw, observation=seen, raw_ref=ref)
        return Turn(role="agent", thought="Thought.", calls=(call,), raw_ref=ref)

    edit = {"start_line": 4, "end_line": 4, "replacement_text": "    print(1)", "path": "/api/a.py"}
    assert replace(run, id="", source="") == Trajectory(
        id="",
        format="swe-agent",
        source="",
        agent="swe-agent",
        task=TASK,
        task_id="acme__api-7",
        turns=(
            Turn(role="system", text="SETTING", raw_ref="history[0]"),
            Turn(role="user", text=TASK, raw_ref="history"),
            turn(
                0,
                "edit",
                edit,
                "edit 4:4\n    print(1)\nend_of_edit",
                Observation(text="[File: /api/a.py (9 lines total)]"),
            ),
            turn(1, "bash", {"command": "python a.py"}, "python a.py", Observation(text="1")),
            turn(2, "submit", {}, "submit", None),
        ),
        cwd="/api",
        project="acme/api",
        usage=Usage(input_tokens=9, output_tokens=3),
        cost_usd=0.5,
        exit_status="submitted",
        outcome=Outcome(),
    )


@pytest.mark.parametrize(
    ("action", "name", "arguments"),
    [
        ("ls -F | head", "bash", {"command": "ls -F | head"}),
        ('open "src/a b.py" 12', "open", {"path": "src/a b.py", "line_number": 12}),
        ("goto 583", "goto", {"line_number": 583}),
        ("scroll_down", "scroll_down", {}),
        ('search_dir "def f" src', "search_dir", {"search_term": "def f", "dir": "src"}),
        ("find_file a.py", "find_file", {"file_name": "a.py"}),
        ("edit\nx = 1\nend_of_edit", "edit", {"replacement_text": "x = 1", "path": "/a.py"}),
        (
            "edit 'x = 1' 'x = 2' --replace-all",
            "edit",
            {"search": "x = 1", "replace": "x = 2", "replace_all": True, "path": "/a.py"},
        ),
        (
            "str_replace_editor view /a.py --view_range 3 9",
            "str_replace_editor",
            {"command": "view", "path": "/a.py", "view_range": [3, 9]},
        ),
        (
            "str_replace_editor str_replace /a.py --old_str 'a\nb' --new_str ''",
            "str_replace_editor",
            {"command": "str_replace", "path": "/a.py", "old_str": "a\nb", "new_str": ""},
        ),
        ("submit flag{a b}", "submit", {"submission": "flag{a b}"}),
        ("search_file 'unclosed", "search_file", {}),
    ],
)
def test_own_commands_become_calls_with_named_arguments(
    action: str, name: str, arguments: dict[str, Any]
) -> None:
    assert call_of(action, open_file="/a.py") == (name, arguments)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("Your proposed edit has introduced new syntax error(s). Please", "validation"),
        ("No replacement was performed, old_str `x` did not appear", "validation"),
        ("The path /no does not exist. Please provide a valid path.", "environment"),
        ("Traceback (most recent call last):", ""),
    ],
)
def test_refused_edits_are_no_failures_of_the_environment(
    tmp_path: Path, shown: str, expected: str
) -> None:
    (run,) = runs(tmp_path, run_of(step("edit 1:1\nx\nend_of_edit", shown)))
    assert run.calls[0].observation == Observation(text=shown, failure=expected)  # type: ignore[arg-type]


def native(name: str, arguments: str, action: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    call = {"id": "call_9diWc1DYm4RLmPfHgIaP2wd", "function": function}
    return {"role": "assistant", "content": "Do.", "action": action, "tool_calls": [call]}


def test_a_run_of_version_1_takes_calls_from_its_history_and_the_task_from_its_problem(
    tmp_path: Path,
) -> None:
    config = {
        "agent": {"model": {"name": "vendor/model-1"}},
        "problem_statement": {"text": "Colon missing.", "id": "acme__api-7"},
        "env": {"repo": {"base_commit": "a" * 40, "github_url": "https://github.com/acme/api"}},
    }
    after = {"open_file": "/api/b.py", "working_dir": "/api"}
    (run,) = runs(
        tmp_path,
        {
            "trajectory": [
                step("open b.py", "[File]", state=after, execution_time=0.5, query=["big"] * 9),
                step("edit 'x' 'y'", "Text replaced.", state=after, execution_time=0.25),
                step("", "Exited (autosubmitted)", state={}, thought="Exit due to cost limit"),
            ],
            "history": history(
                native("open", '{"path":"b.py"}', "open b.py"),
                native("edit", '{"search":"x","replace":', "edit 'x' 'y'"),
            ),
            "info": {"exit_status": "submitted (exit_cost)", "swe_agent_version": "1.0.1"},
            "replay_config": json.dumps(config),
            "environment": "acme__api-7",
        },
        "run.traj",
    )
    id = "call_9diWc1DYm4RLmPfHgIaP2wd"
    assert run.turns[2:] == (
        Turn(
            role="agent",
            thought="Thought.",
            calls=(
                ToolCall(
                    id=id,
                    uid=id,
                    name="open",
                    arguments={"path": "b.py"},
                    raw="open b.py",
                    observation=Observation(text="[File]", duration_s=0.5),
                    raw_ref="trajectory[0]",
                ),
            ),
            raw_ref="trajectory[0]",
        ),
        Turn(
            role="agent",
            thought="Thought.",
            calls=(
                ToolCall(
                    id=id,
                    uid=id,
                    name="edit",
                    arguments={"search": "x", "replace": "y", "path": "/api/b.py"},
                    raw="edit 'x' 'y'",
                    observation=Observation(text="Text replaced.", duration_s=0.25),
                    raw_ref="trajectory[1]",
                ),
            ),
            raw_ref="trajectory[1]",
        ),
        Turn(role="environment", text="Exit due to cost limit", raw_ref="trajectory[2]"),
        Turn(role="environment", text="Exited (autosubmitted)", raw_ref="trajectory[2]"),
    )
    assert (run.task, run.task_id, run.models) == (
        "Colon missing.",
        "acme__api-7",
        ("vendor/model-1",),
    )
    assert (run.repository_url, run.commit) == ("https://github.com/acme/api", "a" * 40)
    assert run.outcome == Outcome()


def test_a_history_alone_is_read_without_its_demonstration(tmp_path: Path) -> None:
    observed = {
        "role": "tool",
        "content": "8.2\n(Open file: n/a)\n(Current directory: /api)\nbash-$",
        "tool_call_ids": ["call_9diWc1DYm4RLmPfHgIaP2wd"],
    }
    refused = "Your output was not formatted correctly. You must always include one discussion"
    (run,) = runs(
        tmp_path,
        {
            "history": history(
                native("bash", '{"command":"python a.py"}', "python a.py"),
                observed,
                {"role": "assistant", "content": "Only words.", "action": "", "agent": "primary"},
                {"role": "user", "content": refused, "agent": "primary"},
            )
        },
        "demo.traj",
    )
    assert [t.text for t in run.turns if t.role == "user"] == [TASK]
    assert run.calls[0].observation == Observation(text="8.2")
    assert run.turns[-2:] == (
        Turn(role="agent", text="Only words.", rejected=True, raw_ref="history[4]"),
        Turn(role="environment", text=refused, raw_ref="history[5]"),
    )


def test_every_attempt_of_a_retrying_run_is_a_run(tmp_path: Path) -> None:
    attempts = [run_of(step("ls", "a")), run_of(step("pwd", "/api"))]
    found = runs(tmp_path, {**attempts[1], "attempts": attempts})
    assert [r.calls[0].arguments["command"] for r in found] == ["ls", "pwd"]
    assert [r.turns[2].raw_ref for r in found] == [
        "attempts[0].trajectory[0]",
        "attempts[1].trajectory[0]",
    ]
    assert len({r.id for r in found}) == 2


def test_the_folder_of_version_0_names_the_repository(tmp_path: Path) -> None:
    for folder, project in (("/acme__api", "acme/api"), ("/__home__me__api", ""), ("/app", "")):
        state = json.dumps({"open_file": "n/a", "working_dir": folder})
        (run,) = runs(tmp_path, run_of(step("ls", "a", state=state)), "run.traj")
        assert (run.cwd, run.project) == (folder, project)


def test_scores_of_mlgym_are_a_reward_without_a_verdict(tmp_path: Path) -> None:
    info = {"exit_status": "submitted", "score": [{"Score": 0.2}, {"Score": 0.75}]}
    (run,) = runs(tmp_path, run_of(step("validate", "ok"), info=info))
    assert run.agent == "mlgym"
    assert run.outcome == Outcome(reward=0.75, detail='{"Score": 0.75}')


def test_other_trajectories_are_not_taken(tmp_path: Path) -> None:
    rows = {"instance_id": "a", "trajectory": [{"role": "user", "text": "Hello"}]}
    path = tmp_path / "row.traj"
    path.write_text(json.dumps(rows), encoding="utf-8")
    assert not SweAgentReader().recognises(Source(path))


def test_a_run_that_died_before_its_first_step_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="No steps"):
        runs(tmp_path, {"environment": "swe_main", "trajectory": [], "history": [], "info": {}})


def test_public_runs_have_every_step_of_their_files(shared_data: Path) -> None:
    rows = (shared_data / "trajectories" / "MANIFEST.jsonl").read_text(encoding="utf-8")
    told = {
        row["path"]: row["steps"]
        for row in map(json.loads, rows.splitlines())
        if row["format"] == "swe-agent-traj"
    }
    found = {}
    for path in told:
        (run,) = SweAgentReader().read(Source(shared_data / "trajectories" / path))
        found[path] = len(run.calls)
        assert "INSTRUCTIONS" not in run.task
    assert found == told
