"""Gemini CLI: a chat session, as one document (older) or as JSON lines (2026)."""

import hashlib
from typing import Any

from ..recording import MODEL, Clock, Done, Ids, Played, Recording, Tokens
from . import text

_NAMES = {
    "run": ("run_shell_command", "Shell"),
    "read": ("read_file", "ReadFile"),
    "edit": ("replace", "Edit"),
    "write": ("write_file", "WriteFile"),
}


def write_json(recording: Recording) -> dict[str, str]:
    """Write `session-<name>.json`."""
    head, messages = _session(recording)
    name = f"session-{recording.scenario.name}.json"
    return {name: text.document({**head, "messages": messages})}


def write_jsonl(recording: Recording) -> dict[str, str]:
    """Write `session-<name>.jsonl`: the head, then one message a line."""
    head, messages = _session(recording)
    name = f"session-{recording.scenario.name}.jsonl"
    return {name: text.lines([{**head, "kind": "main"}, *messages])}


def _session(recording: Recording) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    scenario = recording.scenario
    ids, clock, tokens = Ids(scenario.name), Clock(scenario.started), Tokens(scenario.task)
    session = ids.uuid()
    messages = [_user(scenario.task, ids, clock)]
    for turn in recording.turns:
        if turn.by == "user":
            messages.append(_user(turn.text, ids, clock))
        else:
            messages.append(_agent(turn, ids, clock, tokens))
    head = {
        "sessionId": session,
        "projectHash": hashlib.sha256(recording.cwd.encode()).hexdigest(),
        "startTime": messages[0]["timestamp"],
        "lastUpdated": messages[-1]["timestamp"],
    }
    return head, messages


def _user(content: str, ids: Ids, clock: Clock) -> dict[str, Any]:
    return {"id": ids.uuid(), "timestamp": clock.iso(), "type": "user", "content": content}


def _agent(turn: Played, ids: Ids, clock: Clock, tokens: Tokens) -> dict[str, Any]:
    read, wrote = tokens.turn(turn)
    counts = {"input": read, "output": wrote, "cached": 0, "thoughts": 0, "tool": 0}
    message: dict[str, Any] = {
        "id": ids.uuid(),
        "timestamp": clock.iso(),
        "type": "gemini",
        "content": turn.text,
        "thoughts": [],
        "tokens": {**counts, "total": read + wrote},
        "model": MODEL,
    }
    if turn.done:
        message["toolCalls"] = [_call(done, turn.text, ids, clock) for done in turn.done]
    return message


def _call(done: Done, said: str, ids: Ids, clock: Clock) -> dict[str, Any]:
    name, shown_name = _NAMES[done.action.kind]
    call_id = ids.token(f"{name}-{int(clock.tick().timestamp())}000-", length=13)
    answer = _answer(done)
    problem = bool(done.result.problem)
    response = {"error": answer} if problem else {"output": answer}
    return {
        "id": call_id,
        "name": name,
        "args": _arguments(done, said),
        "result": [{"functionResponse": {"id": call_id, "name": name, "response": response}}],
        "status": "error" if problem else "success",
        "timestamp": clock.iso(),
        "resultDisplay": done.result.text if done.action.kind == "run" else "",
        "displayName": shown_name,
    }


def _arguments(done: Done, said: str) -> dict[str, Any]:
    action = done.action
    match action.kind:
        case "run":
            return {"command": action.command, "description": text.first_sentence(said)}
        case "read":
            return {"file_path": done.path}
        case "write":
            return {"file_path": done.path, "content": action.new}
    return {
        "file_path": done.path,
        "instruction": text.first_sentence(said),
        "old_string": action.old,
        "new_string": action.new,
    }


def _answer(done: Done) -> str:
    action, result = done.action, done.result
    match result.problem:
        case "no file":
            return f"File not found: {done.path}"
        case "not found" | "not unique":
            return (
                f"Failed to edit, 0 occurrences found for old_string in {done.path}. No edits "
                "made. The exact text in old_string was not found. Ensure you're not escaping "
                "content incorrectly and check whitespace, indentation, and context. Use "
                "read_file tool to verify."
            )
    match action.kind:
        case "run":
            return (
                f"Command: {action.command}\nDirectory: (root)\n"
                f"Output: {result.text.rstrip() or '(empty)'}\nError: (none)\n"
                f"Exit Code: {result.exit_code}\nSignal: 0\nBackground PIDs: (none)"
            )
        case "read":
            return result.text
        case "write":
            return f"Successfully created and wrote to new file: {done.path}."
    return f"Successfully modified file: {done.path} (1 replacements)."
