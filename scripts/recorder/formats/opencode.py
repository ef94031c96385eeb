"""OpenCode: what `opencode export` gives, a session with messages and their parts."""

from typing import Any

from ..recording import MODEL, Clock, Done, Ids, Played, Recording, Tokens
from . import text

_VERSION = "1.2.26"


def write(recording: Recording) -> dict[str, str]:
    """Write `<name>.json`."""
    return {f"{recording.scenario.name}.json": text.document(_Export(recording).document())}


class _Export:
    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._ids = Ids(recording.scenario.name)
        self._clock = Clock(recording.scenario.started)
        self._tokens = Tokens(recording.scenario.task)
        self._session = self._ids.token("ses_", length=26)
        self._asked = ""

    def _now(self) -> int:
        return int(self._clock.tick().timestamp() * 1000)

    def document(self) -> dict[str, Any]:
        scenario = self._recording.scenario
        created = self._now()
        messages = [self._user(scenario.task)]
        for turn in self._recording.turns:
            messages.append(self._user(turn.text) if turn.by == "user" else self._agent(turn))
        info = {
            "id": self._session,
            "slug": scenario.name,
            "projectID": self._recording.commit,
            "directory": self._recording.cwd,
            "title": text.first_sentence(scenario.task),
            "version": _VERSION,
            "time": {"created": created, "updated": self._now()},
        }
        return {"info": info, "messages": messages}

    def _user(self, content: str) -> dict[str, Any]:
        self._asked = self._ids.token("msg_", length=26)
        info = {
            "role": "user",
            "time": {"created": self._now()},
            "agent": "build",
            "model": {"providerID": "example", "modelID": MODEL},
            "id": self._asked,
            "sessionID": self._session,
        }
        return {"info": info, "parts": [self._part(self._asked, type="text", text=content)]}

    def _part(self, message: str, **values: Any) -> dict[str, Any]:
        own = {"id": self._ids.token("prt_", length=26), "sessionID": self._session}
        return {**values, **own, "messageID": message}

    def _agent(self, turn: Played) -> dict[str, Any]:
        message = self._ids.token("msg_", length=26)
        read, wrote = self._tokens.turn(turn)
        cache = {"read": 0, "write": 0}
        tokens = {"total": read + wrote, "input": read, "output": wrote, "reasoning": 0}
        spent = {"cost": 0, "tokens": {**tokens, "cache": cache}}
        finish = "tool-calls" if turn.done else "stop"
        created, home = self._now(), self._recording.cwd
        parts = [
            self._part(message, type="step-start"),
            self._part(message, type="text", text=turn.text),
            *(self._tool(message, done, turn.text) for done in turn.done),
            self._part(message, type="step-finish", reason=finish, **spent),
        ]
        info = {
            "role": "assistant",
            "time": {"created": created, "completed": self._now()},
            "parentID": self._asked,
            "modelID": MODEL,
            "providerID": "example",
            "mode": "build",
            "agent": "build",
            "path": {"cwd": home, "root": home},
            **spent,
            "finish": finish,
            "id": message,
            "sessionID": self._session,
        }
        return {"info": info, "parts": parts}

    def _tool(self, message: str, done: Done, said: str) -> dict[str, Any]:
        name, state = _state(done, text.first_sentence(said))
        start = self._now()
        state["time"] = {"start": start, "end": start + 100}
        call = self._ids.token("call_")
        return self._part(message, type="tool", callID=call, tool=name, state=state)


def _state(done: Done, title: str) -> tuple[str, dict[str, Any]]:
    """Return the tool's name and the state of the call, without its time."""
    action, result = done.action, done.result
    if result.problem:
        error = (
            f"Error: File not found: {done.path}"
            if result.problem == "no file"
            else "Error: Could not find oldString in the file. It must match exactly, including "
            "whitespace, indentation, and line endings."
        )
        name, values = ("read", {}) if action.kind == "read" else ("edit", _change(done))
        return name, {"status": "error", "input": {"filePath": done.path, **values}, "error": error}
    match action.kind:
        case "run":
            values = {"command": action.command, "description": title}
            metadata: dict[str, Any] = {"output": result.text, "exit": result.exit_code}
            metadata |= {"description": title, "truncated": False}
            return "bash", _completed(values, result.text, title, metadata)
        case "read":
            shown = "\n".join(f"{n}: {s}" for n, s in enumerate(result.text.splitlines(), 1))
            output = f"<path>{done.path}</path>\n<type>file</type>\n<content>{shown}\n</content>"
            values = {"filePath": done.path}
            return "read", _completed(values, output, action.path, {"truncated": False})
        case "write":
            values = {"filePath": done.path, "content": action.new}
            output = "Wrote file successfully."
            return "write", _completed(values, output, action.path, {"exists": False})
    values = {"filePath": done.path, **_change(done)}
    metadata = {"diff": text.diff(done.path, result.before, result.after)}
    return "edit", _completed(values, "Edit applied successfully.", action.path, metadata)


def _change(done: Done) -> dict[str, str]:
    return {"oldString": done.action.old, "newString": done.action.new}


def _completed(
    values: dict[str, Any], output: str, title: str, metadata: dict[str, Any]
) -> dict[str, Any]:
    return {
        "status": "completed",
        "input": values,
        "output": output,
        "title": title,
        "metadata": metadata,
    }
