"""How a step ended: whether it failed, and whether it ran at all.

The exit code decides where there is one, but for programs that use it to answer a question. Where
a format tells none, the words of the output do, and only words that are hardly ever said in
passing: a traceback at the end, a shell that cannot find a program, an edit tool that refuses.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..record import Phase
from ..shell import Command
from ..trajectory import Failure, Observation
from .error_classes import SPECIFIC
from .noise import last_lines
from .phases import tool_name
from .tools import ToolUse

_REJECTED = re.compile(
    r"\A\W{0,3}(?:Error: )?(?:The user doesn't want to |User (?:rejected|denied|declined|cancelled)"
    r"|The user (?:rejected|denied|declined|has rejected|did not)|\[?Request interrupted by user"
    r"|Tool (?:use|call) (?:was )?(?:rejected|cancelled) by (?:the )?user|aborted by user"
    r"|rejected by user|\[Operation Cancelled\])",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\A\W{0,3}(?:Error: )?(?:Claude requested permissions? to |This command requires approval"
    r"|Permission (?:to use|for) .{0,200}denied|.{0,120}(?:denied by policy|not allowed by policy"
    r"|blocked by (?:policy|hook|sandbox))|Command rejected|exec_command failed.{0,40}sandbox)",
    re.DOTALL | re.IGNORECASE,
)
_NEVER_RAN = re.compile(
    r"\A\W{0,3}(?:<tool_use_error>)?(?:Sibling tool call errored|Cancelled: parallel tool call"
    r"|Tool call (?:skipped|cancelled|aborted))",
    re.IGNORECASE,
)
_INVALID: Final = frozenset({"invalid-arguments"})
_REFUSALS: Final = tuple(
    rule
    for rule in SPECIFIC
    if rule.error_class.startswith(("edit-", "patch-", "invalid-", "too-"))
)
_TOOL_ERROR = re.compile(
    r"\A\W{0,4}(?:(?:[A-Z]\w{1,20} )?Error\b|ERROR\b|Failed to |Invalid |Cannot |Could not "
    r"|File (?:does )?not (?:exist|found)"
    r"|No such file|Path does not exist|The path .{0,300} does not exist|Unable to |error: "
    r"|File .{1,300} (?:does not exist|not found)|Directory .{0,300} (?:does not exist|not found)"
    r"|(?:InputValidation|Validation|Type|Value)Error\b|Wrong flag|Tool execution failed"
    r"|\w[\w ]{0,40} failed:|ENOENT|EISDIR|EACCES)"
)
_SHELL_LINE = re.compile(
    r"^(?:(?:/\S*/)?(?:ba|z|da|k)?sh|bash)(?:\[\d+\])?: (?:-c: )?(?:(?:line )?\d+: )?.*"
    r"(?:command not found|: not found|No such file or directory|Permission denied|syntax error"
    r"|unexpected (?:EOF|end of file|token)|bad substitution)"
    r"|^zsh: (?:command not found|no matches)"
)
_PYTHON_END = re.compile(
    r"^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Failed|NotReady"
    r"|Configured"
    r"|Fault|Timeout|DoesNotExist)(?:: .*)?$"
)
_TRACEBACK: Final = "Traceback (most recent call last)"
_FATAL = re.compile(
    r"^(?:fatal: |error: (?:pathspec|failed|could not|unable|cannot|externally)|E: "
    r"|npm (?:ERR!|error) "
    r"|make(?:\[\d+\])?: \*\*\* |panic: |thread '.*' panicked|Segmentation fault|ERR_PNPM"
    r"|error\[E\d+\]|ERROR: (?:No matching|Could not|file or directory|not found)|Killed$"
    r"|error: unrecognized "
    r"|\S+: error: (?:unrecognized|argument|the following|no such|invalid|unknown))"
)
_PROGRAM_SAYS = re.compile(
    r"^[\w./*~-]{1,80}: (?:.{0,300}: )?(?:[Nn]o such file|[Pp]ermission denied"
    r"|[Cc]annot "
    r"|[Cc]an't |[Nn]ot a directory|Is a directory|(?:invalid|illegal|unrecognized|unknown) option"
    r"|missing operand|-e expression|.{0,60}[Oo]peration not permitted"
    r"|command not found|File exists|[Dd]irectory not empty)"
)
_ANSWERS: Final = {
    "grep": 1, "egrep": 1, "fgrep": 1, "zgrep": 1, "rg": 1, "ag": 1, "ack": 1, "diff": 1, "cmp": 1,
    "find": 1, "test": 1, "[": 1, "pgrep": 1, "pkill": 1, "which": 1, "type": 1, "command": 1,
    "hash": 1, "expr": 1, "colordiff": 1, "sdiff": 1, "Select-String": 1, "findstr": 1, "fd": 1,
    "ast-grep": 1, "systemctl": 3, "false": 1, "lsof": 1, "killall": 1, "read": 1, "xargs": 123,
}  # fmt: skip
"""Exit codes up to which a program answers "no" and has not failed."""

_BIT_CODED: Final = {"pylint": 4 | 8 | 16, "yamllint": 2}
"""Linters whose exit code is a set of bits, and the bits that mean findings and no more."""

_ANSWERING: Final = {
    "git": ("grep", "diff", "check-ignore", "config", "merge-base", "show-ref", "rev-parse"),
    **dict.fromkeys(("npm", "pnpm", "yarn"), ("audit", "outdated", "ls", "list", "view")),
    "pip": ("show",),
    "gh": ("status",),
}
"""Sub-commands that answer with an exit code of 1."""

_SERVERS = re.compile(
    r"(?<![\w/-])(?:runserver|serve|dev|start|http\.server|uvicorn|gunicorn|watch|tail -f)"
    r"(?![\w/-])"
)
_PIPE_SWALLOWS: Final = frozenset({"run", "test", "build", "lint", "install"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """`took_effect` is false for a call that never ran: rejected, denied, or not valid."""

    failure: Failure = ""
    failed: bool = False
    took_effect: bool = True


def ending_of(
    observation: Observation | None,
    *,
    use: ToolUse,
    phase: Phase,
    commands: Sequence[Command],
    main: Command | None,
    text: str,
) -> Ending:
    """Judge how a step ended; `text` is the cleaned observation without noise."""
    if observation is None:
        return Ending()
    kept_apart = _not_run(observation, text)
    if kept_apart:
        return kept_apart
    if use.kind == "shell":
        failed = _shell_failed(
            observation, use, phase=phase, commands=commands, main=main, text=text
        )
        return Ending(failure="environment" if failed else "", failed=failed)
    failed, refused = _tool_failed(observation, use, text=text)
    if not failed:
        return Ending()
    failure: Failure = "validation" if refused else observation.failure or "environment"
    return Ending(failure=failure, failed=True, took_effect=False)


def _not_run(observation: Observation, text: str) -> Ending | None:
    """Return the ending of a call that a person, a rule or the harness kept from running."""
    if _NEVER_RAN.match(text):
        return Ending(failure=observation.failure, took_effect=False)
    if observation.failure == "rejected" or _REJECTED.match(text):
        return Ending(failure="rejected", took_effect=False)
    if observation.failure == "permission" or _DENIED.match(text):
        return Ending(failure="permission", failed=True, took_effect=False)
    if observation.failure == "validation":
        return Ending(failure="validation", failed=True, took_effect=False)
    return None


# --- shell lines --------------------------------------------------------------------------------


def _shell_failed(
    observation: Observation,
    use: ToolUse,
    *,
    phase: Phase,
    commands: Sequence[Command],
    main: Command | None,
    text: str,
) -> bool:
    code = observation.exit_code
    if code is None:
        if observation.failure or observation.interrupted:
            if len(text.strip()) < len("Error: 1") and _asks(commands, main):
                return False
            return not (observation.interrupted and _is_server(use))
        return _says_failed(text, phase, main=main)
    if code == 0:
        swallowed = phase in _PIPE_SWALLOWS and _may_swallow(commands)
        return swallowed and _ends_in_error(text)
    return not _is_answer(code, text, commands=commands, main=main) and not (
        code == 124 and _is_server(use)
    )


def _is_answer(code: int, text: str, *, commands: Sequence[Command], main: Command | None) -> bool:
    """Say whether a non-zero exit code is the answer to a question, such as "no match"."""
    last = commands[-1] if commands else None
    for command in (last, main):
        if command is None:
            continue
        tool = command.subcommand.removeprefix("-m ") or tool_name(command)
        tool = tool if tool in _BIT_CODED else tool_name(command)
        bits = _BIT_CODED.get(tool)
        if bits and not code & ~bits:
            return True
        if code == 1 and command.subcommand in _ANSWERING.get(tool, ()):
            return True
        if code <= _ANSWERS.get(tool, 0) and not _complains(tool, text):
            return True
    return False


def _asks(commands: Sequence[Command], main: Command | None) -> bool:
    """Say whether a line asks something whose answer may be no."""
    ends = [c.program for c in (main, *commands[-1:]) if c]
    return any(program in _ANSWERS for program in ends)


def _complains(tool: str, text: str) -> bool:
    """Say whether the output is a complaint of the program itself; of `find` that is usual."""
    if tool == "find":
        return False
    said = [line for line in last_lines(text, 3) if "binary file matches" not in line]
    return any(line.startswith(f"{tool}: ") or _PROGRAM_SAYS.match(line) for line in said)


def _is_server(use: ToolUse) -> bool:
    return bool(_SERVERS.search(use.line[:2_000]))


def _may_swallow(commands: Sequence[Command]) -> bool:
    """Say whether the exit code may be another command's than the main one's."""
    return len(commands) > 1


def _ends_in_error(text: str) -> bool:
    """Say whether an output ends in an uncaught exception, or in a program that was not there."""
    lines = last_lines(text, 60)
    if not lines:
        return False
    tail = lines[-3:]
    short = len(lines) <= 8
    if short and any(_SHELL_LINE.match(line) or _FATAL.match(line) for line in lines):
        return True
    if any("No module named" in line and line.startswith("/") for line in tail):
        return True
    return _TRACEBACK in "\n".join(lines) and any(_PYTHON_END.match(line) for line in tail)


def _says_failed(text: str, phase: Phase, *, main: Command | None) -> bool:
    """Infer from the words of an output alone, where no exit code was recorded."""
    lines = last_lines(text, 60)
    if not lines:
        return False
    tail = lines[-4:]
    if any(_SHELL_LINE.match(line) or _FATAL.match(line) for line in tail):
        return True
    if phase not in ("read", "search", "explore") and any(_PYTHON_END.match(line) for line in tail):
        return True
    short = len(lines) <= 6
    tool = tool_name(main) if main else ""
    said = lines if short else lines[-1:]
    return any(
        _PROGRAM_SAYS.match(line) and (short or line.startswith(f"{tool}: ")) for line in said
    ) and not (phase == "search" and len(lines) > 3)


# --- other tools --------------------------------------------------------------------------------


def _tool_failed(observation: Observation, use: ToolUse, *, text: str) -> tuple[bool, bool]:
    """Return whether a tool failed, and whether it refused the call as it was put."""
    head = text[:600]
    refusal = next(
        (rule for rule in _REFUSALS if rule.needle in head and rule.pattern.search(head)), None
    )
    edits = use.kind in ("edit", "write")
    invalid = refusal is not None and refusal.error_class in _INVALID
    if refusal and (edits or invalid) and not _went_well(head):
        return True, True
    if observation.failure or (observation.exit_code or 0) > 0:
        return True, False
    reads_text = use.kind in ("read", "search") and len(text) > 600
    failed = bool(_TOOL_ERROR.match(head)) and not reads_text and use.kind not in ("think", "plan")
    return failed, False


_WENT_WELL = re.compile(
    r"\W{0,3}(?:The file|File|Successfully|Here's|Done|Edit|Updated)\b.{0,200}"
    r"(?:has been (?:edited|updated)|success|created|applied)"
)


def _went_well(head: str) -> bool:
    return _WENT_WELL.match(head) is not None
