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

from .record import Kind, Phase
from .shell_files import script_files
from .trajectory import ToolCall

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


_NAMES: Final[Mapping[Kind, str]] = {
    "shell": "bash shell sh terminal execute_bash execute_command run_command run_commands "
    "run_shell_command run_terminal_cmd run_terminal_command run_in_terminal exec_command "
    "shell_command local_shell container.exec unified_exec bash_command powershell execute exec "
    "run run_bash cmd tool_shell developer__shell bash_tool execute_shell execute_terminal "
    "run_terminal terminal_tool execute_command_in_terminal local_shell_call debug_exec "
    "connect_exec run_tests runTests interactive_bash bashexecution",
    "read": "read read_file read_files read_many_files view view_file open open_file cat fs_read "
    "goto scroll_up scroll_down notebookread read_notebook view_image get_file_contents view_range "
    "view_code_item view_file_outline filemap read_text_file read_multiple_files get_errors "
    "read_lints getDiagnostics diagnostics list_code_definition_names read_currently_open_file "
    "view_content_chunk set_cursors decompile disassemble test_failure get_changed_files lsp "
    "file_read read_mcp_resource",
    "edit": "edit edit_file multiedit multi_edit str_replace str_replace_editor file_editor "
    "str_replace_based_edit_tool text_editor editor apply_patch patch apply_diff replace "
    "replace_in_file replace_string_in_file multi_replace_string_in_file search_replace "
    "search_and_replace insert insert_content insert_edit_into_file replace_file_content "
    "multi_replace_file_content edit_notebook edit_notebook_file notebookedit reapply append "
    "developer__text_editor planning_file_editor undo_edit json_edit_tool insert_text edit_by_llm "
    "edit_file_by_replace edit_file_by_line insert_content_at_line append_file "
    "delete_file delete delete_path move_path move_file copy_path regex_replace format_file "
    "apply_patch_call strreplace fs_replace",
    "write": "write write_file write_to_file create create_file fs_write save_file new_file "
    "create_new_file create_directory make_directory file_write write_text_file",
    "search": "grep grep_search search_file_content search_files codebase_search semantic_search "
    "search_codebase search_dir search_file searchtext code_search codesearch grep_files "
    "list_code_usages ripgrep search find_symbol find_references usages warp_grep "
    "search_for_pattern finder search_code semanticsearch",
    "list": "glob ls list list_dir list_directory list_files find find_file find_path file_search "
    "find_by_name glob_file_search list_allowed_directories directory_tree find_files",
    "fetch": "webfetch web_fetch fetch fetch_webpage web_read read_web_page read_url_content "
    "websearch web_search google_web_search search_web browse browse_interactive browser "
    "browser_action browser_navigate open_site close_site open_simple_browser fetch_web_content "
    "browser_subagent web_search_call webpage visit_website tavily_search github_repo",
    "plan": "todowrite todo_write todoread todo_read update_plan write_todos update_todo_list "
    "update_todo manage_todo_list task_tracker task_tracking exitplanmode enterplanmode "
    "plan_mode_respond taskcreate taskupdate tasklist taskget task_boundary tododone "
    "report_intent set_plan",
    "delegate": "task agent delegate new_task spawn_agent subagent run_subagent runSubagent "
    "delegate_to_agent codebase_investigator oracle librarian dispatch_agent sessions_spawn "
    "start_agent",
    "think": "think sequentialthinking sequential_thinking thinking reflect recall",
    "submit": "submit finish attempt_completion task_done complete mark_task_complete "
    "exit_forfeit final_answer done complete_task submit_answer",
}
_TOOLS: Final[Mapping[str, Kind]] = {
    re.sub(r"[^a-z0-9]", "", name.lower()): kind
    for kind, names in _NAMES.items()
    for name in names.split()
}
_PHASES: Final[Mapping[Kind, Phase]] = {
    "shell": "run",
    "read": "read",
    "edit": "edit",
    "write": "edit",
    "search": "search",
    "list": "explore",
    "fetch": "read",
    "plan": "think",
    "delegate": "delegate",
    "think": "think",
    "submit": "submit",
    "other": "other",
}
_CODE: Final = frozenset(
    {"python", "runipython", "executeipythoncell", "ipython", "jupyter", "executepython",
     "runnotebookcell", "repl", "pythonrepl", "executecode", "codeinterpreter"}
)  # fmt: skip
_POLLS: Final = frozenset(
    {"bashoutput", "readbash", "writestdin", "taskoutput", "getterminaloutput", "commandstatus",
     "writebash", "sendcommandinput", "shelloutput", "agentoutput"}
)  # fmt: skip
_STOPS: Final = frozenset({"killbash", "killshell", "stopbash", "taskstop", "listbash"})
_MAKERS: Final = frozenset({"editfile", "inserteditintofile", "editor"})
"""Editors that are also used to make a new file."""

_VERBS: Final[Mapping[str, tuple[Kind, Phase]]] = {
    "view": ("read", "read"),
    "read": ("read", "read"),
    "create": ("write", "edit"),
    "write": ("write", "edit"),
    "undo_edit": ("edit", "undo"),
}
"""What the `command` argument makes of an editor that does several things."""

_PATH_ARGUMENTS: Final = (
    "path", "file_path", "filePath", "filename", "file_name", "target_file", "file", "targetFile",
    "TargetFile", "AbsolutePath", "absolute_path", "notebook_path", "notebookPath", "relative_path",
    "relativePath", "uri", "image_file", "source_path", "File", "fileName",
)  # fmt: skip
_FOLDER_ARGUMENTS: Final = (
    "path", "dir", "dir_path", "directory", "folder", "target_directory", "DirectoryPath",
    "SearchPath", "SearchDirectory", "search_path", "relative_workspace_path", "root", "file_path",
    "file", "includePattern",
)  # fmt: skip
_LIST_ARGUMENTS: Final = (
    "files", "paths", "file_paths", "filePaths", "absolute_paths", "edits", "replacements",
    "ReplacementChunks", "read_paths",
)  # fmt: skip
_LINE_ARGUMENTS: Final = (
    "command", "cmd", "commands", "CommandLine", "keystrokes", "script", "commandLine", "input",
)  # fmt: skip
_CWD_ARGUMENTS: Final = ("workdir", "cwd", "directory", "dir_path", "Cwd", "working_directory")
_CODE_ARGUMENTS: Final = ("code", "source", "cell", "script", "input")
_CONTENT_ARGUMENTS: Final = (
    "content", "file_text", "contents", "fileText", "CodeContent", "text", "new_content",
)  # fmt: skip
_OLD_ARGUMENTS: Final = (
    "old_string", "old_str", "oldString", "oldText", "old_text", "search", "TargetContent",
)  # fmt: skip
_NEW_ARGUMENTS: Final = (
    "new_string", "new_str", "newString", "newText", "new_text", "replace", "ReplacementContent",
)  # fmt: skip
_PATCH_ARGUMENTS: Final = ("input", "patch", "patchText", "patch_text", "diff", "explanation")
_MAIN_ARGUMENTS: Final = (
    "pattern", "query", "Query", "search_term", "regex", "url", "search", "name", "prompt",
    "sql", "sql_query", "description", "message", "answer", "skill", "title", "objective",
    "file_name", "uri",
)  # fmt: skip
_ID_ARGUMENTS: Final = (
    "bash_id",
    "shellId",
    "session_id",
    "task_id",
    "CommandId",
    "id",
    "shell_id",
)

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
    if name in _CODE:
        return _code(call)
    if name in _POLLS or name in _STOPS:
        return ToolUse(
            kind="shell",
            phase="other",
            shown=_shown(call, _text(arguments, _ID_ARGUMENTS)),
            continues=_text(arguments, _ID_ARGUMENTS) if name in _POLLS else "",
        )
    if kind == "shell":
        return _shell(call, arguments)
    if kind in ("edit", "write"):
        return _edit(call, kind, name)
    paths = _paths(arguments, _FOLDER_ARGUMENTS if kind in ("search", "list") else _PATH_ARGUMENTS)
    reads = paths if kind in ("read", "search", "list") else ()
    phase: Phase = "search" if kind == "fetch" and "search" in name else _PHASES[kind]
    if kind == "other" and ("sql" in name or name.endswith("query")):
        phase = "run"
    main = _text(arguments, _MAIN_ARGUMENTS)
    if kind == "read" and paths:
        main = " ".join(paths)
    elif kind in ("search", "list"):
        main = " ".join(dict.fromkeys(filter(None, (main, *paths))))
    return ToolUse(kind=kind, phase=phase, shown=_shown(call, main), reads=reads)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _kind(name: str, plain: str) -> Kind:
    if plain in _TOOLS:
        return _TOOLS[plain]
    last = re.split(r"__|\.|:|/", name)[-1]
    kind = _TOOLS.get(_plain(last), "other")
    inherited = ("read", "edit", "write", "shell", "list", "think")
    if kind == "other" and plain.endswith(("tool", "action")):
        return _TOOLS.get(plain.removesuffix("tool").removesuffix("action"), "other")
    return kind if kind in inherited else "other"


# --- shells and code ----------------------------------------------------------------------------


def _shell(call: ToolCall, arguments: Mapping[str, Any]) -> ToolUse:
    line = _line(arguments) or ("" if arguments else call.raw)
    cwd = _text(arguments, _CWD_ARGUMENTS)
    if str(arguments.get("is_input", "")).lower() == "true" and not line.strip():
        return ToolUse(kind="shell", phase="other", shown=_shown(call, line))
    return ToolUse(
        kind="shell", phase="run", shown=line.strip() or call.name, line=line.strip(), cwd=cwd
    )


def _line(arguments: Mapping[str, Any]) -> str:
    """Return the shell line of a call; a list is an argument vector or several lines."""
    for name in _LINE_ARGUMENTS:
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
    script = _text(call.arguments, _CODE_ARGUMENTS) or call.raw
    skill = _SKILL.match(script)
    if skill:
        kind, path = _kind(skill[1], _plain(skill[1])), (skill[2],)
        edits = kind in ("edit", "write")
        return ToolUse(
            kind=kind,
            phase=_PHASES[kind],
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
    if isinstance(verb, str) and verb in _VERBS:
        kind, phase = _VERBS[verb]
    shown_verb = verb if isinstance(verb, str) and len(verb) < 20 else ""
    paths = _paths(arguments, _PATH_ARGUMENTS)
    shown = _shown(call, " ".join(filter(None, (shown_verb, *paths))))
    if kind == "read":
        return ToolUse(kind=kind, phase=phase, shown=shown, reads=paths)
    if "patch" in name or name == "applydiff" or (not paths and _patch(call)):
        changed, added = patched(_patch(call), paths)
        shown = _shown(call, " ".join(changed))
        return ToolUse(kind="edit", phase=phase, shown=shown, edits=changed, adds=added)
    content = _text(arguments, _CONTENT_ARGUMENTS)
    whole = kind == "write" and paths
    return ToolUse(
        kind=kind,
        phase="other" if name in ("createdirectory", "makedirectory") else phase,
        shown=shown,
        edits=() if name in ("createdirectory", "makedirectory") else paths,
        adds=paths if whole else (),
        makes=name in _MAKERS,
        written=((paths[0], content),) if whole else (),
        replaced=tuple(_replacements(arguments)),
    )


def _patch(call: ToolCall) -> str:
    return _text(call.arguments, _PATCH_ARGUMENTS) or call.raw


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
            old, new = _text(one, _OLD_ARGUMENTS), _text(one, _NEW_ARGUMENTS)
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
    for name in _LIST_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, str) and value.startswith("["):
            value = _decoded(value)
        for one in value if isinstance(value, list) else []:
            path = _text(one, _PATH_ARGUMENTS) if isinstance(one, Mapping) else one
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
