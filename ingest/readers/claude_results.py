"""What Claude Code's tools gave back: exit codes, and why a call failed.

A command that succeeds leaves no exit code, so 0 is told by the absence of an error. Four kinds
of failure come back as errors and are kept apart: the environment failed, the call was not valid,
a person said no, a rule did.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from ..trajectory import Failure, Observation
from .blocks import Answer
from .json_values import integer, mapping, number, string
from .prompts import without_reminders

_SHELLS: Final = frozenset({"Bash", "PowerShell"})
_EXIT_CODE: Final = re.compile(r"\A(?:Error: )?Exit code (-?\d+)(?:\n|\Z)")
_INVALID: Final = re.compile(r"\A<tool_use_error>(.*?)(?:</tool_use_error>|\Z)", re.DOTALL)
_CANCELLED: Final = re.compile(r"Sibling tool call errored|Cancelled: parallel tool call")
_REJECTED: Final = re.compile(
    r"\A(?:Error: )?(?:The user doesn't want to |User rejected |\[Request interrupted by user)"
)
_DENIED: Final = re.compile(
    r"\A(?:Error: )?(?:"
    r"Claude requested permissions? to |"
    r"This command requires approval|"
    r"Permission (?:to use .{0,2000}? has been |for this .{0,200}? (?:has been |was )?)denied|"
    r"(?:Hook )?PreToolUse:?.{0,200}?(?:hook error|denied this tool|blocked)|"
    r"[^\n]{0,2000}was blocked\. For security, "
    r")",
    re.DOTALL,
)
_TRUNCATED: Final = re.compile(
    r"<persisted-output>|\.\.\. \[\d+ (?:lines|characters) truncated\] \.\.\."
)
_BACKGROUND: Final = "Command running in background with ID"

_DENIALS: Final[Mapping[str, Failure]] = {
    "user-rejected": "rejected",
    "interrupted": "rejected",
    "cancelled": "rejected",
}
"""`toolDenialKind`; its other values name a rule, a hook or a classifier that said no."""


def observation_of(answer: Answer, *, record: Mapping[str, Any], tool: str) -> Observation:
    """The observation that an answer in a session's record amounts to."""
    detail = record.get("toolUseResult", record.get("tool_use_result"))
    fields = mapping(detail)
    text = without_reminders(answer.text)
    denial = string(record.get("toolDenialKind"))
    code = _EXIT_CODE.match(text)
    failure = _failure(text, detail=detail, denial=denial) if answer.is_error or denial else ""
    invalid = _INVALID.match(text)
    shown = text[code.end() :] if code else invalid[1] if invalid else text
    exit_code = int(code[1]) if code else _implied_code(answer, fields=fields, tool=tool)
    return Observation(
        text=shown,
        exit_code=exit_code,
        failure=failure,
        truncated=_is_truncated(text, fields),
        interrupted=fields.get("interrupted") is True
        or denial in ("interrupted", "cancelled")
        or bool(invalid and _CANCELLED.match(invalid[1])),
        duration_s=_duration(fields),
    )


def _failure(text: str, *, detail: Any, denial: str) -> Failure:
    if denial:
        return _DENIALS.get(denial, "permission")
    if _INVALID.match(text) or string(detail).startswith("InputValidationError"):
        return "validation"
    if _REJECTED.match(text) or _REJECTED.match(string(detail)):
        return "rejected"
    if _DENIED.match(text):
        return "permission"
    return "environment"


def _implied_code(answer: Answer, *, fields: Mapping[str, Any], tool: str) -> int | None:
    """The exit code that the record tells otherwise than by the text."""
    stated = integer(fields.get("exitCode"))
    if stated is not None:
        return stated
    unknown = (
        tool not in _SHELLS
        or answer.is_error
        or fields.get("interrupted") is True
        or fields.get("backgroundTaskId")
        or answer.text.startswith(_BACKGROUND)
    )
    if unknown:
        return None
    # `grep` without a match, `diff` with a difference and their like: 1, and no failure.
    return 1 if fields.get("returnCodeInterpretation") else 0


def _is_truncated(text: str, fields: Mapping[str, Any]) -> bool:
    if fields.get("truncated") is True or fields.get("persistedOutputPath"):
        return True
    return bool(_TRUNCATED.search(text))


def _duration(fields: Mapping[str, Any]) -> float | None:
    for name, unit in (("durationMs", 1e3), ("totalDurationMs", 1e3), ("durationSeconds", 1.0)):
        value = number(fields.get(name))
        if value is not None:
            return value / unit
    return None
