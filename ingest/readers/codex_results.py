"""What Codex's tools gave back, in the forms of its versions, and why a call failed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..trajectory import Failure, Observation
from .blocks import said
from .json_values import decoded, integer, mapping, number, string

_HEADER: Final = re.compile(
    r"(?:Chunk ID: [^\n]*"
    r"|Script (?:completed|failed|running)[^\n]*"
    r"|Exit code: (?P<exit>-?\d+)"
    r"|Wall time:? (?P<wall>[\d.]+) seconds?"
    r"|Process exited with code (?P<process>-?\d+)"
    r"|Process running with session ID (?P<running>[^\n]*)"
    r"|Original token count: \d+"
    r"|Total output lines: \d+)\n"
)
_OUTPUT: Final = re.compile(r"\n?Output:(?:\n|\Z)(?:Total output lines: \d+\n\n?)?")
_TRUNCATED: Final = re.compile(
    r"…\d+ (?:tokens|chars|characters|bytes|lines) truncated…"
    r"|\[\.\.\. omitted \d+ of \d+ lines \.\.\.\]"
    r"|\AWarning: truncated output"
)
_TIMED_OUT: Final = re.compile(r"\A(?:command timed out after|timeout after) \d+")

_FAILURES: Final[tuple[tuple[re.Pattern[str], Failure], ...]] = (
    (
        re.compile(
            r"(?:execution error: )?(?:Sandbox\(|sandbox denied|failed in sandbox|sandbox error)"
            r"|approval policy is |[^\n]*ask for escalated permissions if the approval policy"
            r"|patch rejected: |[^\n]{0,2000}rejected: blocked by policy"
            r"|[^\n]*rejected by user approval settings"
            r"|This action was rejected due to unacceptable risk",
            re.IGNORECASE,
        ),
        "permission",
    ),
    (
        re.compile(
            r"(?:[\w ]{0,20})rejected by user|user (?:cancelled|rejected) MCP tool call"
            r"|aborted by user|aborted\s*\Z|[^\n]{0,2000}Rejected\(\\?\"rejected by user"
        ),
        "rejected",
    ),
    (
        re.compile(
            r"failed to parse function arguments|unsupported (?:custom tool )?call"
            r"|apply_patch (?:verification failed|handler received)|invalid patch"
            r"|(?:Error: )?Invalid (?:patch|Context|arguments)|write_stdin failed: Unknown"
        ),
        "validation",
    ),
    (
        re.compile(
            r"execution error|exec_command failed|command timed out after|timeout after"
            r"|tool call (?:error|failed)|failed to (?:spawn|run|execute|read)"
        ),
        "environment",
    ),
)
"""How the text of a call that failed begins; the first that matches counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """The text of an output without its frame, and what the frame told."""

    text: str
    exit_code: int | None = None
    duration_s: float | None = None
    success: bool | None = None
    running: bool = False


def observation_of(output: Any, event: Mapping[str, Any]) -> Observation | None:
    """The observation of a call: its output, and what the event of its end adds.

    Either may be absent (None, or an empty mapping); with neither there is no observation.
    """
    if output is None and not event:
        return None
    shown = _unframed(output) if output is not None else _Shown(text=_text_of(event))
    code = shown.exit_code
    if code is None and not shown.running:
        code = integer(event.get("exit_code"))
    if code is not None and code < 0:
        code = None
    return Observation(
        text=shown.text,
        exit_code=code,
        failure=_failure(shown, code=code, event=event),
        truncated=bool(_TRUNCATED.search(shown.text)),
        interrupted=bool(_TIMED_OUT.match(shown.text) or shown.text.startswith("aborted")),
        duration_s=_duration(event) if shown.duration_s is None else shown.duration_s,
    )


def _unframed(output: Any) -> _Shown:
    if isinstance(output, str):
        fields = decoded(output) if output.startswith('{"output"') else None
        return _of_fields(fields) if isinstance(fields, dict) else _of_text(output)
    if isinstance(output, dict) and "content" in output:
        success = output.get("success")
        shown = _unframed(output["content"])
        return _Shown(
            text=shown.text,
            exit_code=shown.exit_code,
            duration_s=shown.duration_s,
            success=success if isinstance(success, bool) else shown.success,
        )
    return _of_text(said(output))


def _of_fields(fields: Mapping[str, Any]) -> _Shown:
    metadata = mapping(fields.get("metadata"))
    return _Shown(
        text=said(fields.get("output")),
        exit_code=integer(metadata.get("exit_code")),
        duration_s=number(metadata.get("duration_seconds")),
    )


def _of_text(text: str) -> _Shown:
    told: dict[str, str] = {}
    at = 0
    while match := _HEADER.match(text, at):
        told.update({k: v for k, v in match.groupdict().items() if v})
        at = match.end()
    output = _OUTPUT.match(text, at) if at else None
    if not output:
        return _Shown(text=said(text))
    code = told.get("exit") or told.get("process")
    wall = told.get("wall", "")
    return _Shown(
        text=said(text[output.end() :]),
        exit_code=int(code) if code else None,
        duration_s=float(wall) if re.fullmatch(r"\d+(?:\.\d+)?", wall) else None,
        running="running" in told,
        success=False if text.startswith("Script failed") else None,
    )


def _failure(shown: _Shown, *, code: int | None, event: Mapping[str, Any]) -> Failure:
    declined = event.get("status") == "declined"
    if code == 0 and not declined:
        return ""
    found = next((f for pattern, f in _FAILURES if pattern.match(shown.text)), "")
    if found or declined:
        return found or "rejected"  # type: ignore[return-value]
    unsuccessful = (
        shown.success is False
        or event.get("success") is False
        or event.get("status") == "failed"
        or _is_error(event.get("result"))
    )
    return "environment" if code or unsuccessful else ""


def _is_error(result: Any) -> bool:
    """Tell whether the result of a tool of another server is one of its errors."""
    fields = mapping(result)
    content = mapping(fields.get("Ok")) or fields
    return "Err" in fields or content.get("isError") is True


def _text_of(event: Mapping[str, Any]) -> str:
    if "result" in event:
        fields = mapping(event["result"])
        content = mapping(fields.get("Ok")) or fields
        return said(fields.get("Err") or content.get("content"))
    whole = string(event.get("aggregated_output"))
    return said(whole or string(event.get("stdout")) + string(event.get("stderr")))


def _duration(event: Mapping[str, Any]) -> float | None:
    fields = mapping(event.get("duration"))
    seconds, nanos = number(fields.get("secs")), number(fields.get("nanos"))
    return None if seconds is None else seconds + (nanos or 0.0) / 1e9
