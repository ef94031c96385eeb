"""OpenAI chat messages: one data-set row with `messages`, `resolved` and the test result."""

from typing import Any

from ..recording import AGENT, MODEL, Done, Ids, Played, Recording
from . import editor, text

_SYSTEM = "You are a helpful assistant that can interact with a computer to solve tasks."
_START = (
    "<uploaded_files>\n{cwd}\n</uploaded_files>\nA repository is in {cwd}. Consider this issue:\n\n"
    "<pr_description>\n{task}\n</pr_description>"
)


def write(recording: Recording) -> dict[str, str]:
    """Write `<name>.jsonl` with a single row."""
    scenario, ids = recording.scenario, Ids(recording.scenario.name)
    start = _START.format(cwd=recording.cwd, task=scenario.task)
    messages = [_message("system", _SYSTEM), _message("user", start)]
    for turn in recording.turns:
        messages.extend(_messages(turn, ids))
    row = {
        "instance_id": scenario.name,
        "run_id": f"{AGENT}-{MODEL}-run_1",
        "resolved": bool(recording.verdict and recording.verdict.resolved),
        "messages": messages,
        "tools": [
            _tool("execute_bash", "Run a command in the shell.", ["command"]),
            _tool("str_replace_editor", "View, make and edit files.", ["command", "path"]),
        ],
        "test_result": {
            "git_patch": recording.patch,
            "test_output": recording.verdict.output if recording.verdict else "",
        },
    }
    return {f"{scenario.name}.jsonl": text.lines([row])}


def _message(role: str, content: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def _messages(turn: Played, ids: Ids) -> list[dict[str, Any]]:
    calls = [(done, ids.token("call_")) for done in turn.done]
    if not calls:
        return [_message("assistant", turn.text)]
    wanted = [
        {
            "function": {"name": _name(done), "arguments": text.compact(_arguments(done))},
            "id": call_id,
            "type": "function",
        }
        for done, call_id in calls
    ]
    answers = [
        _message("tool", _observation(done), name=_name(done), tool_call_id=call_id)
        for done, call_id in calls
    ]
    return [_message("assistant", turn.text, tool_calls=wanted), *answers]


def _name(done: Done) -> str:
    return "execute_bash" if done.action.kind == "run" else "str_replace_editor"


def _arguments(done: Done) -> dict[str, Any]:
    if done.action.kind == "run":
        return {"command": done.action.command}
    return editor.arguments(done)


def _observation(done: Done) -> str:
    if done.action.kind == "run":
        shown = done.result.text.rstrip("\n")
        code = done.result.exit_code
        return f"OBSERVATION:\n{shown}\n[The command completed with exit code {code}.]"
    error = "ERROR:\n" if done.result.problem else ""
    return f"OBSERVATION:\n{error}{editor.observation(done)}"


def _tool(name: str, description: str, required: list[str]) -> dict[str, Any]:
    properties = {key: {"type": "string"} for key in required}
    parameters = {"type": "object", "properties": properties, "required": required}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}
