"""The `str_replace_editor` tool that SWE-agent, OpenHands and their data sets share."""

import shlex
from typing import Any

from ..recording import Done
from . import text


def arguments(done: Done) -> dict[str, Any]:
    """Return the arguments of the tool call."""
    action = done.action
    match action.kind:
        case "read":
            return {"command": "view", "path": done.path}
        case "write":
            return {"command": "create", "path": done.path, "file_text": action.new}
    return {
        "command": "str_replace",
        "path": done.path,
        "old_str": action.old,
        "new_str": action.new,
    }


def as_command(done: Done) -> str:
    """Write the call as one line, the way SWE-agent does."""
    values = arguments(done)
    options = [
        f"--{name} {shlex.quote(values[name])}"
        for name in ("file_text", "old_str", "new_str")
        if name in values
    ]
    return " ".join(["str_replace_editor", values["command"], values["path"], *options])


def observation(done: Done) -> str:
    """Return what the tool answers."""
    path, action, result = done.path, done.action, done.result
    match result.problem:
        case "no file":
            return f"The path {path} does not exist. Please provide a valid path."
        case "not found":
            return (
                f"No replacement was performed, old_str `{action.old}` did not appear verbatim "
                f"in {path}."
            )
        case "not unique":
            return (
                f"No replacement was performed. Multiple occurrences of old_str `{action.old}`. "
                "Please ensure it is unique"
            )
    match action.kind:
        case "read":
            shown = text.numbered(result.text)
            return f"Here's the result of running `cat -n` on {path}:\n{shown}\n"
        case "write":
            return f"File created successfully at: {path}"
    return (
        f"The file {path} has been edited. Here's the result of running `cat -n` on a snippet of "
        f"{path}:\n{text.snippet(result.after, action.new)}\n"
        "Review the changes and make sure they are as expected (correct indentation, no duplicate "
        "lines, etc). Edit the file again if necessary."
    )
