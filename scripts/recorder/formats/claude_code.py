"""Claude Code: one session as JSON lines, one content block a line."""

from typing import Any

from ..recording import MODEL, Clock, Done, Ids, Played, Recording, Tokens
from . import text

_VERSION = "2.1.63"


def write(recording: Recording) -> dict[str, str]:
    """Write `<name>.jsonl`."""
    return {f"{recording.scenario.name}.jsonl": text.lines(_Session(recording).lines())}


class _Session:
    """Keeps the chain of parents while the lines are written."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._ids = Ids(recording.scenario.name)
        self._clock = Clock(recording.scenario.started)
        self._tokens = Tokens(recording.scenario.task)
        self._session = self._ids.uuid()
        self._parent: str | None = None
        self._cwd = recording.cwd

    def lines(self) -> list[dict[str, Any]]:
        found = [self._user(self._recording.scenario.task)]
        for turn in self._recording.turns:
            if turn.by == "user":
                found.append(self._user(turn.text))
            else:
                found.extend(self._agent(turn))
        return found

    def _line(self, kind: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:
        line = {
            "parentUuid": self._parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": self._cwd,
            "sessionId": self._session,
            "version": _VERSION,
            "gitBranch": self._recording.scenario.project.branch,
            "type": kind,
            "message": message,
            "uuid": self._ids.uuid(),
            "timestamp": self._clock.iso(),
            **more,
        }
        self._parent = line["uuid"]
        return line

    def _user(self, content: str) -> dict[str, Any]:
        return self._line("user", {"role": "user", "content": content}, permissionMode="default")

    def _agent(self, turn: Played) -> list[dict[str, Any]]:
        read, wrote = self._tokens.turn(turn)
        message = {
            "model": MODEL,
            "id": self._ids.token("msg_01", length=22),
            "type": "message",
            "role": "assistant",
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": read, "output_tokens": wrote},
        }
        request = self._ids.token("req_011", length=22)
        calls = [(done, self._ids.token("toolu_01", length=22)) for done in turn.done]
        blocks: list[dict[str, Any]] = [{"type": "text", "text": turn.text}]
        blocks += [{"type": "tool_use", "id": i, **_call(done)} for done, i in calls]
        found, spoken = [], []
        for block in blocks:
            line = self._line("assistant", {**message, "content": [block]}, requestId=request)
            found.append(line)
            spoken.append(line["uuid"])
        for (done, call_id), caller in zip(calls, spoken[1:], strict=True):
            found.append(self._result(done, call_id, caller))
        return found

    def _result(self, done: Done, call_id: str, caller: str) -> dict[str, Any]:
        self._cwd = done.cwd
        content, is_error, detail = _observation(done)
        block: dict[str, Any] = {"tool_use_id": call_id, "type": "tool_result", "content": content}
        if is_error or done.action.kind == "run":
            block["is_error"] = is_error
        message = {"role": "user", "content": [block]}
        return self._line("user", message, toolUseResult=detail, sourceToolAssistantUUID=caller)


def _call(done: Done) -> dict[str, Any]:
    action = done.action
    match action.kind:
        case "run":
            return {"name": "Bash", "input": {"command": action.command}}
        case "read":
            return {"name": "Read", "input": {"file_path": done.path}}
        case "write":
            return {"name": "Write", "input": {"file_path": done.path, "content": action.new}}
    change = {"old_string": action.old, "new_string": action.new, "replace_all": False}
    return {"name": "Edit", "input": {"file_path": done.path, **change}}


def _observation(done: Done) -> tuple[str, bool, Any]:
    """Return the text, whether it is an error, and the `toolUseResult`."""
    action, result = done.action, done.result
    if result.problem:
        problem = {
            "no file": "File does not exist.",
            "not found": f"String to replace not found in file.\nString: {action.old}",
            "not unique": "Found several matches of the string to replace, but replace_all is "
            f"false.\nString: {action.old}",
        }[result.problem]
        return f"<tool_use_error>{problem}</tool_use_error>", True, f"Error: {problem}"
    match action.kind:
        case "run":
            output = result.text.rstrip("\n")
            if result.exit_code:
                failed = f"Exit code {result.exit_code}\n{output}"
                return failed, True, f"Error: {failed}"
            detail = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
            return output, False, detail
        case "read":
            count = len(result.text.splitlines())
            file = {
                "filePath": done.path,
                "content": result.text,
                "numLines": count,
                "startLine": 1,
                "totalLines": count,
            }
            shown = text.numbered(result.text, mark="→")
            return shown, False, {"type": "text", "file": file}
        case "write":
            detail = {"type": "create", "filePath": done.path, "content": action.new}
            shown = f"File created successfully at: {done.path}"
            return shown, False, {**detail, "structuredPatch": [], "originalFile": None}
    detail = {
        "filePath": done.path,
        "oldString": action.old,
        "newString": action.new,
        "originalFile": result.before,
        "structuredPatch": _hunks(result.before, result.after),
        "userModified": False,
        "replaceAll": False,
    }
    return f"The file {done.path} has been updated successfully.", False, detail


def _hunks(before: str, after: str) -> list[dict[str, Any]]:
    """Return the change as Claude Code's list of hunks."""
    found: list[dict[str, Any]] = []
    for line in text.diff("", before, after).split("\n")[2:]:
        if line.startswith("@@"):
            old, new = (part[1:].split(",") for part in line.split(" ")[1:3])
            found.append(
                {
                    "oldStart": int(old[0]),
                    "oldLines": int(old[1]) if len(old) > 1 else 1,
                    "newStart": int(new[0]),
                    "newLines": int(new[1]) if len(new) > 1 else 1,
                    "lines": [],
                }
            )
        else:
            found[-1]["lines"].append(line)
    return found
