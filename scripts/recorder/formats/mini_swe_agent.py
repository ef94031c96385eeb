"""mini-swe-agent 2: one JSON document with messages, tool calls and the parsed actions."""

from typing import Any

from ..recording import MODEL, Clock, Done, Ids, Recording, Tokens
from . import text

_VERSION = "2.4.6"
_SYSTEM = "You can use a shell to solve programming tasks."
_INSTANCE = (
    "Please solve this task:\n\n{{task}}\n\n"
    "Every reply needs at least one call of the bash tool. Each command runs in a new shell.\n"
    "When you are done, run `echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat patch.txt`."
)
_SUBMIT = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_OBSERVATION = (
    "<returncode>{{output.returncode}}</returncode>\n<output>\n{{output.output}}</output>"
)


def write(recording: Recording) -> dict[str, str]:
    """Write `<name>.traj.json`."""
    scenario = recording.scenario
    ids, clock, tokens = Ids(scenario.name), Clock(scenario.started), Tokens(scenario.task)
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": _SYSTEM},
        {"role": "user", "content": _INSTANCE.replace("{{task}}", scenario.task)},
    ]
    submission = ""
    for turn in recording.turns:
        read, wrote = tokens.turn(turn)
        calls = [(done, ids.token("call_")) for done in turn.done]
        usage = {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}
        extra = {
            "actions": [{"command": d.action.command, "tool_call_id": i} for d, i in calls],
            "cost": 0.0,
            "timestamp": clock.tick().timestamp(),
            "response": {"model": MODEL, "object": "chat.completion", "usage": usage},
        }
        messages.append(
            {
                "role": "assistant",
                "content": turn.text,
                "tool_calls": [_tool_call(done, call_id) for done, call_id in calls],
                "extra": extra,
            }
        )
        for done, call_id in calls:
            if done.result.text.startswith(_SUBMIT):
                submission = done.result.text.removeprefix(_SUBMIT + "\n")
            else:
                messages.append(_observation(done, call_id, clock))
    end = {"exit_status": "Submitted", "submission": submission}
    messages.append({"role": "exit", "content": submission, "extra": end})
    return {
        f"{scenario.name}.traj.json": text.document(
            {
                "info": {
                    "model_stats": {"instance_cost": 0.0, "api_calls": len(recording.turns)},
                    "config": _config(recording),
                    "mini_version": _VERSION,
                    **end,
                },
                "messages": messages,
                "trajectory_format": "mini-swe-agent-1.1",
                "instance_id": scenario.name,
            }
        )
    }


def _tool_call(done: Done, call_id: str) -> dict[str, Any]:
    arguments = text.compact({"command": done.action.command})
    return {
        "function": {"arguments": arguments, "name": "bash"},
        "id": call_id,
        "type": "function",
    }


def _observation(done: Done, call_id: str, clock: Clock) -> dict[str, Any]:
    result = done.result
    return {
        "role": "tool",
        "tool_call_id": call_id,
        "content": f"<returncode>{result.exit_code}</returncode>\n<output>\n{result.text}</output>",
        "extra": {
            "raw_output": result.text,
            "returncode": result.exit_code,
            "timestamp": clock.tick().timestamp(),
        },
    }


def _config(recording: Recording) -> dict[str, Any]:
    return {
        "agent": {
            "system_template": _SYSTEM,
            "instance_template": _INSTANCE,
            "step_limit": 0,
            "cost_limit": 3.0,
        },
        "agent_type": "minisweagent.agents.default.DefaultAgent",
        "model": {"model_name": MODEL, "observation_template": _OBSERVATION},
        "model_type": "minisweagent.models.litellm_model.LitellmModel",
        "environment": {"cwd": recording.cwd, "env": {"PAGER": "cat"}, "timeout": 60},
        "environment_type": "minisweagent.environments.local.LocalEnvironment",
    }
