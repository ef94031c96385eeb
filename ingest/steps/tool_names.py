"""The native tools of coding agents, by name, and the names of the arguments that they take.

From the tool lists of Claude Code, Codex, Gemini CLI, OpenCode, OpenHands, SWE-agent,
mini-swe-agent, Cline, Cursor, Copilot, Amp, Antigravity, Zed, Goose, pi and Terminus. Names are
lower-cased and stripped of all but letters and digits before they are looked up.
"""

import re
from collections.abc import Mapping
from typing import Final

from ..record import Kind, Phase

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
KINDS: Final[Mapping[str, Kind]] = {
    re.sub(r"[^a-z0-9]", "", name.lower()): kind
    for kind, names in _NAMES.items()
    for name in names.split()
}
PHASES: Final[Mapping[Kind, Phase]] = {
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
CODE_TOOLS: Final = frozenset(
    {"python", "runipython", "executeipythoncell", "ipython", "jupyter", "executepython",
     "runnotebookcell", "repl", "pythonrepl", "executecode", "codeinterpreter"}
)  # fmt: skip
POLLS: Final = frozenset(
    {"bashoutput", "readbash", "writestdin", "taskoutput", "getterminaloutput", "commandstatus",
     "writebash", "sendcommandinput", "shelloutput", "agentoutput"}
)  # fmt: skip
STOPS: Final = frozenset({"killbash", "killshell", "stopbash", "taskstop", "listbash"})
MAKERS: Final = frozenset({"editfile", "inserteditintofile", "editor"})
"""Editors that are also used to make a new file."""

EDITOR_VERBS: Final[Mapping[str, tuple[Kind, Phase]]] = {
    "view": ("read", "read"),
    "read": ("read", "read"),
    "create": ("write", "edit"),
    "write": ("write", "edit"),
    "undo_edit": ("edit", "undo"),
}
"""What the `command` argument makes of an editor that does several things."""

PATH_ARGUMENTS: Final = (
    "path", "file_path", "filePath", "filename", "file_name", "target_file", "file", "targetFile",
    "TargetFile", "AbsolutePath", "absolute_path", "notebook_path", "notebookPath", "relative_path",
    "relativePath", "uri", "image_file", "source_path", "File", "fileName",
)  # fmt: skip
FOLDER_ARGUMENTS: Final = (
    "path", "dir", "dir_path", "directory", "folder", "target_directory", "DirectoryPath",
    "SearchPath", "SearchDirectory", "search_path", "relative_workspace_path", "root", "file_path",
    "file", "includePattern",
)  # fmt: skip
LIST_ARGUMENTS: Final = (
    "files", "paths", "file_paths", "filePaths", "absolute_paths", "edits", "replacements",
    "ReplacementChunks", "read_paths",
)  # fmt: skip
LINE_ARGUMENTS: Final = (
    "command", "cmd", "commands", "CommandLine", "keystrokes", "script", "commandLine", "input",
)  # fmt: skip
CWD_ARGUMENTS: Final = ("workdir", "cwd", "directory", "dir_path", "Cwd", "working_directory")
CODE_ARGUMENTS: Final = ("code", "source", "cell", "script", "input")
CONTENT_ARGUMENTS: Final = (
    "content", "file_text", "contents", "fileText", "CodeContent", "text", "new_content",
)  # fmt: skip
OLD_ARGUMENTS: Final = (
    "old_string", "old_str", "oldString", "oldText", "old_text", "search", "TargetContent",
)  # fmt: skip
NEW_ARGUMENTS: Final = (
    "new_string", "new_str", "newString", "newText", "new_text", "replace", "ReplacementContent",
)  # fmt: skip
PATCH_ARGUMENTS: Final = ("input", "patch", "patchText", "patch_text", "diff", "explanation")
MAIN_ARGUMENTS: Final = (
    "pattern", "query", "Query", "search_term", "regex", "url", "search", "name", "prompt",
    "sql", "sql_query", "description", "message", "answer", "skill", "title", "objective",
    "file_name", "uri",
)  # fmt: skip
ID_ARGUMENTS: Final = (
    "bash_id",
    "shellId",
    "session_id",
    "task_id",
    "CommandId",
    "id",
    "shell_id",
)
