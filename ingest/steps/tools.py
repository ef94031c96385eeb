"""The native tools of coding agents: what sort each is, and which arguments name file and command.

Names are compared without case, underscores and dashes, since agents agree on words and differ in
spelling (`read_file`, `ReadFile`, `readFile`). Tools of MCP servers (`mcp__files__read_file`) go
by their last part where that reads, edits or runs something.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ..record import Kind, Phase
from ..shell.files import script_files
from ..trajectory import ToolCall
from .tool_names import (
    CODE_ARGUMENTS,
    CODE_TOOLS,
    CONTENT_ARGUMENTS,
    CWD_ARGUMENTS,
    EDITOR_VERBS,
    FOLDER_ARGUMENTS,
    ID_ARGUMENTS,
    KINDS,
    LINE_ARGUMENTS,
    LIST_ARGUMENTS,
    MAIN_ARGUMENTS,
    MAKERS,
    NEW_ARGUMENTS,
    OLD_ARGUMENTS,
    PATCH_ARGUMENTS,
    PATH_ARGUMENTS,
    PHASES,
    POLLS,
    STOPS,
)

_SHOWN_CHARS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """What a call is, read from its name and arguments alone.

    `line` is a shell line, `script` source code that was run; else both are empty. `shown` is the
    tool's name and its main argument. Paths stand as they were given; `adds` are those of `edits`
    that are made anew, as far as the tool is meant for that; with `makes` it may make any.
    `written` are whole new contents of files, by path; `replaced` are pieces of a file and what
    they became.
    """

    kind: Kind
    phase: Phase
    shown: str
    line: str = ""
    script: str = ""
    cwd: str = ""
    reads: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()
    makes: bool = False
    written: tuple[tuple[str, str], ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()
    continues: str = ""
    """Id of the background command whose output the call asks for."""


_SKILL: Final = re.compile(
    r"\s*(edit_file_by_replace|edit_file_by_line|edit_file|insert_content_at_line|append_file"
    r"|create_file|open_file|search_dir|search_file|find_file)"
    r"\(\s*(?:\w+\s*=\s*)?['\"]([^'\"\n]{1,300})['\"]"
)
"""Functions that OpenHands and SWE-agent's Python shells offer as editors."""

_MEMBER: Final = re.compile(r'"(\w{1,40})"\s{0,9}:\s{0,9}"([^"\\\n]{1,400})"')
"""Short members of an object whose text is no valid JSON."""

_PATCH_FILE: Final = re.compile(r"^\*\*\* (Add|Update|Delete) File: ([^\n]{1,300})", re.MULTILINE)
_PATCH_MOVE: Final = re.compile(r"^\*\*\* Move to: ([^\n]{1,300})", re.MULTILINE)
_DIFF_FILE: Final = re.compile(r"^--- (\S+).*\n\+\+\+ (?:b/)?(\S+)", re.MULTILINE)


def use_of(call: ToolCall) -> ToolUse:
    """Read a call: its kind, its phase, and the files or the shell line it is about."""
    name = _plain(call.name)
    kind = _kind(call.name, name)
    if not call.arguments and call.raw.startswith("{"):
        call = replace(call, arguments=dict(_MEMBER.findall(call.raw)))
    arguments = call.arguments
    if name in CODE_TOOLS:
        return _code(call)
    if name in POLLS or name in STOPS:
        return ToolUse(
            kind="shell",
            phase="other",
            shown=_shown(call, _text(arguments, ID_ARGUMENTS)),
            continues=_text(arguments, ID_ARGUMENTS) if name in POLLS else "",
        )
    if kind == "shell":
        return _shell(call, arguments)
    if kind in ("edit", "write"):
        return _edit(call, kind, name)
    paths = _paths(arguments, FOLDER_ARGUMENTS if kind in ("search", "list") else PATH_ARGUMENTS)
    reads = paths if kind in ("read", "search", "list") else ()
    phase: Phase = "search" if kind == "fetch" and "search" in name else PHASES[kind]
    if kind == "other" and ("sql" in name or name.endswith("query")):
        phase = "run"
    main = _text(arguments, MAIN_ARGUMENTS)
    if kind == "read" and paths:
        main = " ".join(paths)
    elif kind in ("search", "list"):
        main = " ".join(dict.fromkeys(filter(None, (main, *paths))))
    return ToolUse(kind=kind, phase=phase, shown=_shown(call, main), reads=reads)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _kind(name: str, plain: str) -> Kind:
    if plain in KINDS:
        return KINDS[plain]
    last = re.split(r"__|\.|:|/", name)[-1]
    kind = KINDS.get(_plain(last), "other")
    inherited = ("read", "edit", "write", "shell", "list", "think")
    if kind == "other" and plain.endswith(("tool", "action")):
        return KINDS.get(plain.removesuffix("tool").removesuffix("action"), "other")
    return kind if kind in inherited else "other"


# --- shells and code ----------------------------------------------------------------------------


def _shell(call: ToolCall, arguments: Mapping[str, Any]) -> ToolUse:
    line = _line(arguments) or ("" if arguments else call.raw)
    cwd = _text(arguments, CWD_ARGUMENTS)
    if str(arguments.get("is_input", "")).lower() == "true" and not line.strip():
        return ToolUse(kind="shell", phase="other", shown=_shown(call, line))
    return ToolUse(
        kind="shell", phase="run", shown=line.strip() or call.name, line=line.strip(), cwd=cwd
    )


def _line(arguments: Mapping[str, Any]) -> str:
    """Return the shell line of a call; a list is an argument vector or several lines."""
    for name in LINE_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value:
            words = [_line(w) if isinstance(w, Mapping) else str(w) for w in value]
            if name == "commands":
                return "\n".join(words)
            return _of_vector(words)
    return ""


def _of_vector(words: list[str]) -> str:
    """Return the line that an argument vector amounts to: `["bash", "-lc", line]` is `line`."""
    if len(words) == 3 and words[1] in ("-c", "-lc", "-ic", "/c", "-Command"):
        return words[2]
    if len(words) == 2 and words[0] in ("apply_patch", "applypatch"):
        return f"apply_patch <<'EOF'\n{words[1].rstrip()}\nEOF"
    return shlex.join(words) if len(words) > 1 else words[0]


def _code(call: ToolCall) -> ToolUse:
    script = _text(call.arguments, CODE_ARGUMENTS) or call.raw
    skill = _SKILL.match(script)
    if skill:
        kind, path = _kind(skill[1], _plain(skill[1])), (skill[2],)
        edits = kind in ("edit", "write")
        return ToolUse(
            kind=kind,
            phase=PHASES[kind],
            shown=f"{skill[1]} {skill[2]}",
            reads=() if edits else path,
            edits=path if edits else (),
            adds=path if kind == "write" else (),
        )
    reads, writes = script_files(script)
    return ToolUse(
        kind="shell",
        phase="run",
        shown=_shown(call, script),
        script=script,
        reads=reads,
        edits=writes,
    )


# --- edits --------------------------------------------------------------------------------------


def _edit(call: ToolCall, kind: Kind, name: str) -> ToolUse:
    arguments = call.arguments
    phase: Phase = "undo" if name == "undoedit" else "edit"
    verb = arguments.get("command")
    if isinstance(verb, str) and verb in EDITOR_VERBS:
        kind, phase = EDITOR_VERBS[verb]
    shown_verb = verb if isinstance(verb, str) and len(verb) < 20 else ""
    paths = _paths(arguments, PATH_ARGUMENTS)
    shown = _shown(call, " ".join(filter(None, (shown_verb, *paths))))
    if kind == "read":
        return ToolUse(kind=kind, phase=phase, shown=shown, reads=paths)
    if "patch" in name or name == "applydiff" or (not paths and _patch(call)):
        changed, added = patched(_patch(call), paths)
        shown = _shown(call, " ".join(changed))
        return ToolUse(kind="edit", phase=phase, shown=shown, edits=changed, adds=added)
    content = _text(arguments, CONTENT_ARGUMENTS)
    whole = kind == "write" and paths
    return ToolUse(
        kind=kind,
        phase="other" if name in ("createdirectory", "makedirectory") else phase,
        shown=shown,
        edits=() if name in ("createdirectory", "makedirectory") else paths,
        adds=paths if whole else (),
        makes=name in MAKERS,
        written=((paths[0], content),) if whole else (),
        replaced=tuple(_replacements(arguments)),
    )


def _patch(call: ToolCall) -> str:
    return _text(call.arguments, PATCH_ARGUMENTS) or call.raw


def patched(patch: str, named: tuple[str, ...] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files that a patch changes and those among them that it adds.

    Knows the envelope of `apply_patch` (V4A) and unified diffs.
    """
    files = [(verb, path.strip()) for verb, path in _PATCH_FILE.findall(patch)]
    changed = [path for _, path in files] + [p.strip() for p in _PATCH_MOVE.findall(patch)]
    added = [path for verb, path in files if verb == "Add"]
    for before, after in _DIFF_FILE.findall(patch):
        changed.append(before.removeprefix("a/") if after == "/dev/null" else after)
        added += [after] if before == "/dev/null" else []
    return tuple(dict.fromkeys([*named, *changed])), tuple(dict.fromkeys(added))


def _replacements(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what was replaced by what: of the call itself, or of its list of edits."""
    several = arguments.get("edits") or arguments.get("replacements")
    for one in [arguments, *(several if isinstance(several, list) else [])]:
        if isinstance(one, Mapping):
            old, new = _text(one, OLD_ARGUMENTS), _text(one, NEW_ARGUMENTS)
            if old:
                yield old, new


# --- arguments ----------------------------------------------------------------------------------


def _text(arguments: Mapping[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""


def _paths(arguments: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the paths that a call names, alone or in a list of strings or of objects."""
    found: list[str] = []
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str) and value and "\n" not in value:
            found.append(value.removeprefix("file://"))
            break
    for name in LIST_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, str) and value.startswith("["):
            value = _decoded(value)
        for one in value if isinstance(value, list) else []:
            path = _text(one, PATH_ARGUMENTS) if isinstance(one, Mapping) else one
            if isinstance(path, str) and path and "\n" not in path:
                found.append(path)
    return tuple(dict.fromkeys(found))


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _shown(call: ToolCall, main: str) -> str:
    return f"{call.name} {main}".strip()[:_SHOWN_CHARS]
