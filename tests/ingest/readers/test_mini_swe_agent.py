"""Runs of mini-swe-agent, of both versions and without their frame."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stepladder.ingest.readers.mini_swe_agent import MiniSweAgentReader
from stepladder.ingest.source import Source
from stepladder.ingest.trajectory import Observation, Outcome, ToolCall, Trajectory, Turn, Usage
from stepladder.kg.errors import ReadError

TEMPLATE = (
    "<pr_description>\nConsider the following PR description:\n{{task}}\n</pr_description>\n\n"
    "<instructions>\nYou are on {{system}}. At the end `echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT`"
    "\n</instructions>"
)
PROMPT = TEMPLATE.replace("{{task}}", "Sums are wrong.\n\n```bash\npython sums.py\n```").replace(
    "{{system}}", "Linux"
)
SYSTEM = "Answer with ONE block:\n```bash\nyour_command_here\n```"


def runs(folder: Path, content: Any, name: str = "acme__api-7.traj.json") -> list[Trajectory]:
    path = folder / name
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    source = Source(path)
    assert MiniSweAgentReader().recognises(source)
    return list(MiniSweAgentReader().read(source))


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def reply(text: str, **extra: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, "extra": extra}


def document(*messages: dict[str, Any], **info: Any) -> dict[str, Any]:
    return {
        "info": {
            "exit_status": "Submitted",
            "submission": "",
            "mini_version": "1.15.0",
            "model_stats": {"instance_cost": 0.25, "api_calls": 2},
            "config": {
                "agent": {"instance_template": TEMPLATE},
                "model": {"model_name": "vendor/model-1"},
                "environment": {"cwd": "/testbed", "env": {"TOKEN": "never kept"}},
            },
            **info,
        },
        "messages": [{"role": "system", "content": SYSTEM}, user(PROMPT), *messages],
        "trajectory_format": "mini-swe-agent-1",
        "instance_id": "acme__api-7",
    }


def test_a_run_of_version_1_is_read_whole(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    response = {"created": 1_760_078_127, "model": "vendor/model-1", "usage": usage}
    (run,) = runs(
        tmp_path,
        document(
            reply("THOUGHT: Look.\n\n```bash\nls | head\n```", response=response),
            user("<returncode>0</returncode>\n<output>\nsums.py\n</output>"),
            reply("THOUGHT: Done.\n\n```bash\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```"),
            user("diff --git a/sums.py b/sums.py\n"),
            submission="diff --git a/sums.py b/sums.py\n",
        ),
    )
    task = "Sums are wrong.\n\n```bash\npython sums.py\n```"
    assert replace(run, id="", source="") == Trajectory(
        id="",
        format="mini-swe-agent",
        format_version="1",
        source="",
        agent="mini-swe-agent",
        agent_version="1.15.0",
        models=("vendor/model-1",),
        task=task,
        task_id="acme__api-7",
        turns=(
            Turn(role="system", text=SYSTEM, raw_ref="messages[0]"),
            Turn(role="user", text=task, raw_ref="messages[1]"),
            Turn(
                role="agent",
                thought="Look.",
                calls=(
                    ToolCall(
                        name="bash",
                        arguments={"command": "ls | head"},
                        observation=Observation(text="sums.py", exit_code=0),
                        raw_ref="messages[2]",
                    ),
                ),
                timestamp="2025-10-10T06:35:27.000Z",
                model="vendor/model-1",
                raw_ref="messages[2]",
            ),
            Turn(
                role="agent",
                thought="Done.",
                calls=(
                    ToolCall(
                        name="bash",
                        arguments={"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"},
                        raw_ref="messages[4]",
                    ),
                ),
                raw_ref="messages[4]",
            ),
        ),
        cwd="/testbed",
        project="acme/api",
        started="2025-10-10T06:35:27.000Z",
        ended="2025-10-10T06:35:27.000Z",
        usage=Usage(input_tokens=10, output_tokens=2),
        cost_usd=0.25,
        exit_status="Submitted",
        outcome=Outcome(),
    )


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (
            "<returncode>2</returncode>\n<output>\n\x1b[31mno\x1b[0m\n</output> tail\n</output>",
            Observation(
                text="\x1b[31mno\x1b[0m\n</output> tail", exit_code=2, failure="environment"
            ),
        ),
        (
            "<returncode>0</returncode>\n<warning>\nToo long.\n</warning><output_head>\nfirst\n"
            "</output_head>\n<elided_chars>\n9 characters elided\n</elided_chars>\n"
            "<output_tail>\nlast\n</output_tail>",
            Observation(text="first\n[…]\nlast", exit_code=0, truncated=True),
        ),
        (
            "The last command <command>sleep 99</command> timed out and has been killed.\n"
            "The output of the command was:\n <output>\nhalf\n</output>\nPlease try another.",
            Observation(text="half", failure="environment", interrupted=True),
        ),
        (
            "Observation: {'output': 'oops', 'returncode': 1}",
            Observation(
                text="Observation: {'output': 'oops', 'returncode': 1}",
                exit_code=1,
                failure="environment",
            ),
        ),
        ("done\n[exit code 0]", Observation(text="done", exit_code=0)),
    ],
)
def test_each_form_of_an_observation_gives_its_text_and_exit_code(
    tmp_path: Path, shown: str, expected: Observation
) -> None:
    (run,) = runs(tmp_path, document(reply("```bash\nmake\n```"), user(shown), reply("Bye.")))
    assert run.calls[0].observation == expected


def test_a_reply_that_the_harness_refused_has_no_calls(tmp_path: Path) -> None:
    refused = "THOUGHT: Two.\n```bash\nls\n```\n```bash\npwd\n```"
    error = "Please always provide EXACTLY ONE action in triple backticks, found 2 actions."
    (run,) = runs(
        tmp_path,
        document(
            reply(refused),
            user(error),
            reply("THOUGHT: One.\n```bash\nls\n```"),
            user("<returncode>0</returncode>\n<output>\na\n</output>"),
        ),
    )
    assert run.turns[2:4] == (
        Turn(role="agent", text=refused, rejected=True, raw_ref="messages[2]"),
        Turn(role="environment", text=error, raw_ref="messages[3]"),
    )
    assert [c.arguments["command"] for c in run.calls] == ["ls"]


def test_a_run_that_hit_its_limit_keeps_its_last_observation(tmp_path: Path) -> None:
    (run,) = runs(
        tmp_path,
        document(
            reply("```bash\nls\n```"),
            user("<returncode>0</returncode>\n<output>\na\n</output>"),
            user(""),
            exit_status="LimitsExceeded",
        ),
    )
    assert run.exit_status == "LimitsExceeded"
    assert run.calls[0].observation == Observation(text="a", exit_code=0)


def version_2(*messages: dict[str, Any]) -> dict[str, Any]:
    return {
        "info": {"mini_version": "2.4.6", "config": {"agent": {"instance_template": "{{ task }}"}}},
        "messages": [
            {"role": "system", "content": "Use the bash tool."},
            user("Fix it."),
            *messages,
        ],
        "trajectory_format": "mini-swe-agent-1.1",
    }


def action(command: str, id: str) -> dict[str, Any]:
    return {"command": command, "tool_call_id": id}


def result(id: str, output: str, code: int, **extra: Any) -> dict[str, Any]:
    return {
        "role": "tool",
        "tool_call_id": id,
        "content": f"{output[:2]}\n[exit code {code}]",
        "extra": {"raw_output": output, "returncode": code, "timestamp": 1.76e9, **extra},
    }


def test_parallel_calls_of_version_2_get_their_own_results(tmp_path: Path) -> None:
    (run,) = runs(
        tmp_path,
        version_2(
            reply("Both.", actions=[action("ls", "a"), action("cat x", "b")], cost=0.5),
            result("b", "cat: x: No such file", 1),
            result("a", "file", 0),
            {"role": "exit", "content": "", "extra": {"exit_status": "Submitted"}},
        ),
    )
    assert run.turns[2:] == (
        Turn(
            role="agent",
            text="Both.",
            calls=(
                ToolCall(
                    id="a",
                    name="bash",
                    arguments={"command": "ls"},
                    observation=Observation(text="file", exit_code=0),
                    raw_ref="messages[2]",
                ),
                ToolCall(
                    id="b",
                    name="bash",
                    arguments={"command": "cat x"},
                    observation=Observation(
                        text="cat: x: No such file", exit_code=1, failure="environment"
                    ),
                    raw_ref="messages[2]",
                ),
            ),
            raw_ref="messages[2]",
        ),
    )
    assert (run.exit_status, run.cost_usd) == ("Submitted", 0.5)


def test_commands_a_person_rejected_are_kept_apart_from_failures(tmp_path: Path) -> None:
    padded = result("a", "", -1, exception_info="action was not executed")
    words = "Commands not executed. The user rejected your commands with the following message: no"
    (run,) = runs(
        tmp_path,
        version_2(
            reply("", actions=[action("rm -rf /", "a")]),
            padded,
            {**user(words), "extra": {"interrupt_type": "UserRejection"}},
        ),
    )
    assert run.calls[0].observation == Observation(text=words, failure="rejected")
    assert run.turns[-1] == Turn(role="user", text="no", raw_ref="messages[4]")


def test_a_timeout_has_no_exit_code(tmp_path: Path) -> None:
    (run,) = runs(
        tmp_path,
        version_2(
            reply("", actions=[action("sleep 9", "a")]),
            result("a", "half", -1, exception_info="Command 'sleep 9' timed out after 1 seconds"),
        ),
    )
    assert run.calls[0].observation == Observation(
        text="half\nCommand 'sleep 9' timed out after 1 seconds",
        failure="environment",
        interrupted=True,
    )


def test_a_format_error_of_version_2_brings_its_reply_along(tmp_path: Path) -> None:
    extra = {"interrupt_type": "FormatError", "model_response": "No block here."}
    (run,) = runs(
        tmp_path,
        version_2(
            {**user("Tool call error:"), "extra": extra}, reply("", actions=[action("ls", "a")])
        ),
    )
    assert run.turns[2:4] == (
        Turn(role="agent", text="No block here.", rejected=True, raw_ref="messages[2]"),
        Turn(role="environment", text="Tool call error:", raw_ref="messages[2]"),
    )


def test_items_of_the_responses_interface_are_read(tmp_path: Path) -> None:
    item = {
        "object": "response",
        "output": [
            {"type": "message", "content": [{"type": "output_text", "text": "Listing."}]},
            {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": '{"command":'},
        ],
        "extra": {"actions": [action("ls", "c1")]},
    }
    output = {"type": "function_call_output", "call_id": "c1", "output": "a\n[exit code 0]"}
    (run,) = runs(tmp_path, version_2(item, output))
    assert run.turns[-1] == Turn(
        role="agent",
        text="Listing.",
        calls=(
            ToolCall(
                id="c1",
                name="bash",
                arguments={"command": "ls"},
                observation=Observation(text="a", exit_code=0),
                raw_ref="messages[2]",
            ),
        ),
        raw_ref="messages[2]",
    )


def test_a_bare_list_of_messages_is_recognised_by_its_prompt(tmp_path: Path) -> None:
    system = (
        "Use ```mswea_bash_command\n```; echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT at the end."
    )
    (run,) = runs(
        tmp_path,
        [
            {"role": "system", "content": system},
            user("Please solve this issue: Colon missing.\n\nYou can execute bash commands."),
            reply("Read.\n\n```mswea_bash_command\ncat <<'E'\n```bash\nE\n```"),
            user("<returncode>0</returncode>\n<output>\n```bash\n</output>"),
            reply("```mswea_bash_command\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```"),
            user(""),
        ],
        "run.json",
    )
    assert run.task == "Colon missing."
    assert [c.observation for c in run.calls][1:] == [None]
    assert run.calls[0].arguments["command"].startswith("cat <<'E'")


def test_a_file_of_rows_gives_one_run_a_row(tmp_path: Path) -> None:
    rows = [document(reply("```bash\nls\n```")), document(reply("```bash\npwd\n```"))]
    text = "\n".join(json.dumps({**r, "resolved": i == 0}) for i, r in enumerate(rows))
    found = runs(tmp_path, text, "rows.jsonl")
    assert [r.calls[0].arguments["command"] for r in found] == ["ls", "pwd"]
    assert [r.outcome.status for r in found] == ["success", "failure"]
    assert len({r.id for r in found}) == 2


def test_the_same_run_has_the_same_id_wherever_it_lies(tmp_path: Path) -> None:
    content = document(reply("```bash\nls\n```"))
    (one,) = runs(tmp_path, content)
    (other,) = runs(tmp_path, json.dumps(content, indent=4), "copy.traj.json")
    assert (one.id, one.turns) == (other.id, other.turns)


def test_a_file_without_messages_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="No messages"):
        runs(tmp_path, '{"info": {"mini_version": "1.0.0"}, "mess')


def test_runs_on_swe_bench_have_every_call_of_their_files(shared_data: Path) -> None:
    """A call for each reply with one block: 6,633 of 6,858; the other 225 were refused."""
    reader = MiniSweAgentReader()
    files = [
        *sorted((shared_data / "trajectories" / "mini-swe-agent-v1").glob("*.json")),
        *sorted((shared_data / "swebench-verified-runs").glob("*.traj.json")),
    ]
    found = [run for file in files for run in reader.read(Source(file))]
    calls = [c for run in found for c in run.calls]
    assert len(found) == len(files) == 175
    assert len(calls) == 6633
    assert sum(t.rejected for run in found for t in run.turns) == 225
    assert sum(c.observation is None for c in calls) == 175
    assert all("COMPLETE_TASK" in c.arguments["command"] for c in calls if c.observation is None)
    assert sum(c.observation.interrupted for c in calls if c.observation) == 17
    assert not any("<instructions>" in run.task for run in found)
