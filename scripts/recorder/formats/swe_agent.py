"""SWE-agent 1.1: a `.traj` document and, beside it, the evaluation's `report.json`."""

from typing import Any

from ..recording import MODEL, Done, Ids, Played, Recording, Tokens
from . import editor, text

_SYSTEM = "You can use a computer to solve tasks."
_INSTANCE = (
    "<uploaded_files>\n{cwd}\n</uploaded_files>\nA repository is in {cwd}. Consider this issue:\n\n"
    "<pr_description>\n{task}\n</pr_description>\n\nChange the repository so that it is resolved."
)


def write(recording: Recording) -> dict[str, str]:
    """Write `<name>/<name>.traj` and `<name>/report.json`."""
    scenario = recording.scenario
    name, ids, tokens = scenario.name, Ids(scenario.name), Tokens(scenario.task)
    turns = [*recording.turns[:-1], _submitting(recording)]
    for turn in turns:
        tokens.turn(turn)
    start = _INSTANCE.format(cwd=recording.cwd, task=scenario.task)
    history: list[dict[str, Any]] = [
        _said("system", _SYSTEM, "system_prompt"),
        _said("user", start, "observation"),
    ]
    for turn in turns:
        history.extend(_history(turn, ids))
    files = {
        f"{name}/{name}.traj": text.document(
            {
                "trajectory": [_step(turn) for turn in turns],
                "history": history,
                "info": {
                    "swe_agent_version": "1.1.0",
                    "exit_status": "submitted",
                    "submission": recording.patch,
                    "model_stats": {
                        "instance_cost": 0.0,
                        "tokens_sent": tokens.context,
                        "tokens_received": tokens.spoken,
                        "api_calls": len(turns),
                    },
                },
                "replay_config": _replay_config(recording),
                "environment": name,
            }
        )
    }
    if recording.verdict:
        report = {
            "patch_is_None": False,
            "patch_exists": True,
            "patch_successfully_applied": True,
            "resolved": recording.verdict.resolved,
        }
        files[f"{name}/report.json"] = text.document({name: report})
    return files


def _submitting(recording: Recording) -> Played:
    """Return the last turn; its text goes with the `submit` command, which shows the patch."""
    return Played(by="agent", text=recording.turns[-1].text)


def _action(turn: Played) -> tuple[str, str, str, dict[str, Any]]:
    """Return the action line, the observation, the tool's name and its arguments."""
    if not turn.done:
        return "submit", "", "submit", {}
    (done,) = turn.done
    if done.action.kind == "run":
        command = done.action.command
        return command, _output(done), "bash", {"command": command}
    return (
        editor.as_command(done),
        editor.observation(done),
        "str_replace_editor",
        editor.arguments(done),
    )


def _output(done: Done) -> str:
    shown = done.result.text.rstrip("\n")
    return shown or "Your command ran successfully and did not produce any output."


def _step(turn: Played) -> dict[str, Any]:
    action, observation, _, _ = _action(turn)
    cwd = turn.done[0].cwd if turn.done else ""
    return {
        "action": action,
        "observation": observation,
        "response": turn.text,
        "thought": turn.text,
        "execution_time": 0.1,
        "state": {"working_dir": cwd} if cwd else {},
        "query": [],
        "extra_info": {},
    }


def _said(role: str, content: str, kind: str) -> dict[str, Any]:
    return {"role": role, "content": content, "agent": "main", "message_type": kind}


def _history(turn: Played, ids: Ids) -> list[dict[str, Any]]:
    action, observation, tool, arguments = _action(turn)
    call_id = ids.token("call_")
    function = {"name": tool, "arguments": text.compact(arguments)}
    said = {
        **_said("assistant", turn.text, "action"),
        "thought": turn.text,
        "action": action,
        "tool_calls": [{"function": function, "id": call_id, "type": "function"}],
    }
    if not turn.done:
        return [said]
    seen = _said("tool", f"OBSERVATION:\n{observation}", "observation")
    return [said, {**seen, "tool_call_ids": [call_id]}]


def _replay_config(recording: Recording) -> str:
    repository = {"github_url": recording.scenario.project.remote, "type": "github"}
    base = {**repository, "base_commit": recording.commit}
    return text.compact(
        {"env": {"repo": base}, "agent": {"type": "default", "model": {"name": MODEL}}}
    )
