"""The action lines of SWE-agent as tool calls: its own commands by name, all else as shell."""

import re
import shlex
from collections.abc import Mapping
from typing import Any, Final

from .json_values import integer

_LINE_EDIT: Final = re.compile(
    r"edit[ \t]+(\d{1,9}):(\d{1,9})[^\n]*\n(.*?)(?:\n?end_of_edit\s*)?\Z", re.DOTALL
)
_CURSOR_EDIT: Final = re.compile(r"edit[ \t]*\n(.*?)(?:\n?end_of_edit\s*)?\Z", re.DOTALL)
_OPTION: Final = re.compile(r"--([A-Za-z][\w-]*)(?:=(.*))?", re.DOTALL)

_PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    "open": ("path", "line_number"),
    "goto": ("line_number",),
    "create": ("filename",),
    "scroll_up": (),
    "scroll_down": (),
    "set_cursors": ("start_line", "end_line"),
    "edit": ("search", "replace"),
    "insert": ("text", "line"),
    "append": ("text",),
    "search_dir": ("search_term", "dir"),
    "search_file": ("search_term", "file"),
    "find_file": ("file_name", "dir"),
    "filemap": ("file_path",),
    "view_image": ("image_file",),
    "str_replace_editor": ("command", "path"),
    "submit": ("submission",),
    "exit_forfeit": (),
    "validate": (),
    "decompile": ("binary_path",),
    "disassemble": ("binary_path",),
    "connect_start": ("server_address", "port"),
    "connect_sendline": ("line",),
    "connect_exec": ("command",),
    "connect_stop": (),
    "debug_start": ("binary", "args"),
    "debug_add_breakpoint": ("breakpoint",),
    "debug_continue": (),
    "debug_step": ("number",),
    "debug_exec": ("command",),
    "debug_stop": (),
    "open_site": ("url",),
    "close_site": (),
}
"""The commands of SWE-agent's tool bundles, and the names of what they take in order."""

_NUMBERS: Final = frozenset({"line_number", "start_line", "end_line", "insert_line"})
_FLAGS: Final = frozenset({"replace_all"})
_ON_OPEN_FILE: Final = frozenset({"edit", "insert", "append"})


def call_of(action: str, *, open_file: str = "") -> tuple[str, dict[str, Any]]:
    """Name and arguments of an action line.

    `open_file` is the file that stood open in the windowed viewer: an edit is of that file.
    """
    line = action.strip()
    name = line.split(None, 1)[0] if line else ""
    if name not in _PARAMETERS:
        return "bash", {"command": line}
    arguments = _edit_of(line) if name == "edit" else None
    if arguments is None:
        arguments = _arguments_of(line, _PARAMETERS[name])
    return name, with_open_file(name, arguments, open_file)


def with_open_file(name: str, arguments: Mapping[str, Any], open_file: str) -> dict[str, Any]:
    """The arguments, with the open file as `path` where the command works on that."""
    if name not in _ON_OPEN_FILE or "path" in arguments or open_file in ("", "n/a"):
        return dict(arguments)
    return {**arguments, "path": open_file}


def _edit_of(line: str) -> dict[str, Any] | None:
    by_lines = _LINE_EDIT.match(line)
    if by_lines:
        return {
            "start_line": int(by_lines[1]),
            "end_line": int(by_lines[2]),
            "replacement_text": by_lines[3],
        }
    at_cursors = _CURSOR_EDIT.match(line)
    return {"replacement_text": at_cursors[1]} if at_cursors else None


def _arguments_of(line: str, names: tuple[str, ...]) -> dict[str, Any]:
    """What the words after the command mean; nothing where its quotes do not close."""
    try:
        words = shlex.split(line)[1:]
    except ValueError:
        return {}
    plain: list[str] = []
    options: dict[str, Any] = {}
    at = 0
    while at < len(words):
        option = _OPTION.fullmatch(words[at])
        at += 1
        if option is None:
            plain.append(words[at - 1])
            continue
        key = option[1].replace("-", "_")
        taken = 0 if option[2] is not None or key in _FLAGS else 2 if key == "view_range" else 1
        values = words[at : at + taken] if option[2] is None else [option[2]]
        at += taken
        options[key] = _value(key, values)
    last = len(names) - 1
    named = {
        name: _value(name, [" ".join(plain[i:])] if i == last else plain[i : i + 1])
        for i, name in enumerate(names[: len(plain)])
    }
    return {**named, **options}


def _value(key: str, words: list[str]) -> Any:
    if key == "view_range":
        return [integer(w) for w in words]
    if not words:
        return True
    number = integer(words[0]) if key in _NUMBERS else None
    return words[0] if number is None else number
