"""What Gemini CLI's tools gave back: the frame around a command's output, and why a call failed."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from ..trajectory import Failure, Observation
from .blocks import readable
from .json_values import items, mapping, mappings, string

_SHELL: Final = "run_shell_command"
_FRAME: Final = re.compile(
    r"\A(?:Command: .*?\nDirectory: [^\n]*\n)?(?P<new>(?=Output: ))?(?:Output|Stdout): ", re.DOTALL
)
_TAIL: Final = re.compile(
    r"(?:\nStderr: (?P<stderr>.*?))?(?:\nError: (?P<error>[^\n]*))?"
    r"(?:\nExit Code: (?P<code>-?\d+|\(none\)))?(?:\nSignal: (?P<signal>[^\n]*))?"
    r"(?:\nBackground PIDs: [^\n]*)?(?:\nProcess Group PGID: [^\n]*)?\s*\Z",
    re.DOTALL,
)
_NOTHING: Final = frozenset({"(empty)", "(none)", ""})

_CANCELLED: Final = re.compile(
    r"\[Operation Cancelled\]|Command was (?:automatically )?cancelled|User (?:rejected|cancelled)"
    r"|Tool call cancelled by user|Request cancelled"
)
_DENIED: Final = re.compile(
    r"(?:.{0,300}\b)?(?:denied by policy|execution denied|not in (?:the )?(?:workspace|allowed)"
    r"|within one of the workspace directories|is ignored by configured ignore patterns"
    r"|permission_denied|path_not_in_workspace|policy_violation"
    r"|requires user (?:approval|confirmation))",
    re.DOTALL | re.IGNORECASE,
)
_INVALID: Final = re.compile(
    r"(?:.{0,300}\b)?(?:invalid_tool_params|edit_[a-z_]*(?:found|match|change)|tool_not_registered"
    r"|Invalid parameters|params(?:/\w+)? must|must have required property"
    r"|not found in (?:the )?(?:tool )?registry|could not find the string to replace"
    r"|Expected \d+ occurrences? but found|The 'file_path' must be absolute)",
    re.DOTALL | re.IGNORECASE,
)
_CUT: Final = re.compile(
    r"\.\.\. \[?\d+ (?:lines|characters) truncated\]? \.\.\.|Output too large\."
)


def observation_of(call: Mapping[str, Any]) -> Observation | None:
    """The observation of a recorded tool call; None where it was still under way."""
    status = string(call.get("status"))
    result = call.get("result")
    text = result_text(result) if result is not None else string(call.get("resultDisplay"))
    if not text and status not in ("success", "error", "cancelled"):
        return None
    return observation_from(
        text,
        tool=string(call.get("name")),
        status=status,
        failed=any("error" in response for response in responses(result)),
    )


def observation_from(
    text: str, *, tool: str, status: str, failed: bool = False, reason: str = ""
) -> Observation:
    """The observation that a result's text amounts to; `reason` is the name of its error."""
    shown, code = _unframed(text, status=status) if tool == _SHELL else (text, None)
    wrong = status == "error" or failed
    failure: Failure = ""
    if status == "cancelled" or (wrong and _CANCELLED.match(text)):
        failure = "rejected"
    elif wrong and _INVALID.match(f"{reason} {text}"):
        failure = "validation"
    elif wrong and _DENIED.match(f"{reason} {text}"):
        failure = "permission"
    elif wrong or code:
        failure = "environment"
    return Observation(
        text=readable(shown),
        exit_code=code,
        failure=failure,
        truncated=bool(_CUT.search(text)),
        interrupted=bool(_CANCELLED.match(text)),
    )


def responses(result: Any) -> list[Mapping[str, Any]]:
    """The function responses in a result, which may be a part or a list of parts."""
    parts = mappings([result] if isinstance(result, dict) else result)
    found = (mapping(p.get("functionResponse")).get("response") for p in parts)
    return [r for r in found if isinstance(r, dict)]


def result_text(result: Any) -> str:
    """The text of a result: what its function responses and its own parts say."""
    if isinstance(result, str):
        return result
    texts: list[str] = []
    for part in items([result] if isinstance(result, dict) else result):
        response = mapping(part).get("functionResponse")
        if response is None:
            texts.append(part if isinstance(part, str) else string(mapping(part).get("text")))
            continue
        said = mapping(mapping(response).get("response"))
        told = next((said[k] for k in ("output", "error", "result", "content") if k in said), said)
        texts.append(told if isinstance(told, str) else json.dumps(told, ensure_ascii=False))
    return "\n".join(t for t in texts if t)


def _unframed(text: str, *, status: str) -> tuple[str, int | None]:
    frame = _FRAME.match(text)
    if not frame:
        return text, None
    tail = _TAIL.search(text, frame.end())
    if tail is None:
        return text[frame.end() :], None
    parts = (text[frame.end() : tail.start()], tail["stderr"] or "", tail["error"] or "")
    shown = "\n".join(p for p in parts if p.strip() not in _NOTHING)
    stated = tail["code"]
    if stated and stated != "(none)":
        return shown, int(stated)
    # Newer versions name the code only where it is not 0.
    signalled = (tail["signal"] or "").strip() not in {*_NOTHING, "0"}
    succeeded = stated is None and frame["new"] is not None and status == "success"
    return shown, 0 if succeeded and not signalled else None
