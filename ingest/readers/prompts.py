"""Telling what a person wrote from what a harness put into the user's mouth."""

import re
from typing import Final

_TAGS: Final = (
    "agents_md",
    "apps_instructions",
    "background-task-input",
    "background-task-output",
    "bash-input",
    "bash-stderr",
    "bash-stdout",
    "collaboration_mode",
    "command-args",
    "command-contents",
    "command-message",
    "command-name",
    "environment_context",
    "environments",
    "hook_context",
    "hook_prompt",
    "ide_diagnostics",
    "ide_opened_file",
    "ide_selection",
    "local-command-caveat",
    "local-command-stderr",
    "local-command-stdout",
    "model_switch",
    "new-diagnostics",
    "permissions instructions",
    "personality_spec",
    "plugins_instructions",
    "post-tool-use-hook",
    "session-start-hook",
    "session_context",
    "skill",
    "skills_instructions",
    "state_snapshot",
    "subagent_notification",
    "system-reminder",
    "task-notification",
    "teammate-message",
    "turn_aborted",
    "user-memory-input",
    "user-prompt-submit-hook",
    "user_instructions",
    "user_shell_command",
)
_NAMES: Final = "|".join(map(re.escape, _TAGS))
_WRAPPED: Final = re.compile(rf"<({_NAMES})(?:\s[^>]*)?>.*?</\1>", re.DOTALL)
_REMINDERS: Final = re.compile(
    r"(?:\s*<system-reminder>(?:(?!<system-reminder>).)*?</system-reminder>)+\s*\Z", re.DOTALL
)

_INJECTED: Final = re.compile(
    r"\s*(?:"
    r"Caveat: The messages below were generated"
    r"|This session is being continued from a previous conversation"
    r"|\[Request interrupted by user"
    r"|Stop hook feedback:"
    r"|<task-notification>"
    r"|Base directory for this skill:"
    r"|# AGENTS\.md instructions"
    r"|Approved command prefix saved"
    r"|Warning: (?:apply_patch was requested|The maximum number of unified exec)"
    r"|This is the Gemini CLI\. We are setting up the context"
    r"|Another language model started to solve this problem"
    r")"
)

_COMMAND: Final = re.compile(r"\s*<command-message>")
_ARGUMENTS: Final = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_IDE_REQUEST: Final = re.compile(
    r"\A\s*# Context from my IDE setup:.*?^## My request for Codex:\s*", re.DOTALL | re.MULTILINE
)


def own_words(text: str) -> tuple[str, str]:
    """Split a user's message into the person's own words and what was put beside them.

    Either part may be empty. What a person gave a slash command as arguments is their own, unless
    it is one of the harness's own commands such as `/model`.
    """
    if _INJECTED.match(text):
        return "", text.strip()
    if match := _IDE_REQUEST.match(text):
        return text[match.end() :].strip(), match[0].strip()
    own = _WRAPPED.sub("", text).strip()
    injected = "\n".join(m[0] for m in _WRAPPED.finditer(text))
    if _COMMAND.match(text) and not own:
        arguments = _ARGUMENTS.search(text)
        own = arguments[1].strip() if arguments else ""
    return own, injected


def without_reminders(text: str) -> str:
    """The text of a tool's answer without the reminders that a harness set behind it."""
    return _REMINDERS.sub("", text) if text.rstrip().endswith("</system-reminder>") else text
