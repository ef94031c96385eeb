"""Harbor: a trial folder with an ATIF trajectory, the reward and the result."""

import hashlib
from typing import Any

from ..recording import AGENT, MODEL, Clock, Done, Ids, Played, Recording, Tokens, zulu
from . import text

_VERSION = "1.0.0"


def write(recording: Recording) -> dict[str, str]:
    """Write `<name>__<id>/` with `agent/trajectory.json`, `verifier/` and `result.json`."""
    scenario = recording.scenario
    ids, clock, tokens = Ids(scenario.name), Clock(scenario.started), Tokens(scenario.task)
    trial = f"{scenario.name}__{ids.token('', length=7)}"
    session = ids.uuid()
    steps: list[dict[str, Any]] = [_user(clock, scenario.task)]
    for turn in recording.turns:
        add = _user(clock, turn.text) if turn.by == "user" else _agent(turn, ids, clock, tokens)
        steps.append(add)
    numbered = [{"step_id": n, **step} for n, step in enumerate(steps, start=1)]
    trajectory = {
        "schema_version": "ATIF-v1.7",
        "session_id": session,
        "trajectory_id": ids.uuid(),
        "agent": {
            "name": AGENT,
            "version": _VERSION,
            "model_name": MODEL,
            "extra": {"cwd": recording.cwd, "repository_url": scenario.project.remote},
        },
        "steps": numbered,
        "final_metrics": {
            "total_prompt_tokens": tokens.context,
            "total_completion_tokens": tokens.spoken,
            "total_cached_tokens": 0,
            "total_cost_usd": 0.0,
            "total_steps": len(numbered),
        },
    }
    files = {
        f"{trial}/agent/trajectory.json": text.document(trajectory),
        f"{trial}/result.json": text.document(_result(recording, trial, ids, clock, tokens)),
    }
    if recording.verdict:
        files[f"{trial}/verifier/reward.txt"] = f"{int(recording.verdict.resolved)}\n"
        files[f"{trial}/verifier/test-stdout.txt"] = recording.verdict.output
    return files


def _user(clock: Clock, message: str) -> dict[str, Any]:
    return {"timestamp": clock.iso(), "source": "user", "message": message}


def _agent(turn: Played, ids: Ids, clock: Clock, tokens: Tokens) -> dict[str, Any]:
    read, wrote = tokens.turn(turn)
    step: dict[str, Any] = {
        "timestamp": clock.iso(),
        "source": "agent",
        "model_name": MODEL,
        "message": turn.text,
    }
    calls = [(done, ids.token("call_")) for done in turn.done]
    if calls:
        step["tool_calls"] = [_call(done, call_id) for done, call_id in calls]
        step["observation"] = {"results": [_answer(done, call_id) for done, call_id in calls]}
    step["metrics"] = {"prompt_tokens": read, "completion_tokens": wrote, "cost_usd": 0.0}
    return step


def _call(done: Done, call_id: str) -> dict[str, Any]:
    action = done.action
    match action.kind:
        case "run":
            name, arguments = "bash", {"command": action.command}
        case "read":
            name, arguments = "read_file", {"path": done.path}
        case "write":
            name, arguments = "write_file", {"path": done.path, "content": action.new}
        case "edit":
            name = "edit_file"
            arguments = {"path": done.path, "old": action.old, "new": action.new}
    return {"tool_call_id": call_id, "function_name": name, "arguments": arguments}


def _answer(done: Done, call_id: str) -> dict[str, Any]:
    answer: dict[str, Any] = {"source_call_id": call_id}
    if done.action.kind == "run":
        code = done.result.exit_code
        answer["content"] = done.result.text + (f"[exit code {code}]\n" if code else "")
        answer["extra"] = {"exit_code": code}
    elif done.result.problem:
        answer["content"] = f"Error: {done.result.problem} in {done.path}"
    else:
        answer["content"] = done.result.text or f"Changed {done.path}"
    return answer


def _result(
    recording: Recording, trial: str, ids: Ids, clock: Clock, tokens: Tokens
) -> dict[str, Any]:
    scenario, verdict = recording.scenario, recording.verdict
    name = f"acme/{scenario.name}"
    rewards = {"reward": float(verdict.resolved)} if verdict else None
    return {
        "id": ids.uuid(),
        "task_name": name,
        "trial_name": trial,
        "task_id": {"path": name},
        "source": "acme",
        "task_checksum": hashlib.sha256(scenario.task.encode()).hexdigest(),
        "agent_info": {
            "name": AGENT,
            "version": _VERSION,
            "model_info": {"name": MODEL, "provider": "example"},
        },
        "agent_result": {
            "n_input_tokens": tokens.context,
            "n_cache_tokens": 0,
            "n_output_tokens": tokens.spoken,
            "cost_usd": 0.0,
        },
        "verifier_result": {"rewards": rewards},
        "exception_info": None,
        "started_at": zulu(scenario.started),
        "finished_at": clock.iso(),
    }
