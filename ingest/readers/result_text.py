"""What the text of a result says about how a command ended, in the words of several harnesses."""

import re
from typing import Final

from ..trajectory import Observation
from .blocks import readable

_RETURN_CODE: Final = re.compile(r"\s*<returncode>\s*(-?\d{1,9})\s*</returncode>")
_TIMED_OUT: Final = re.compile(
    r"The last command <command>.*?timed out|EXECUTION TIMED OUT|COMMAND TIMED OUT|"
    r"The command '.*?' was cancelled because it took more than",
    re.DOTALL,
)
_STOPPED: Final = re.compile(r"\[The command (?:has no new output after|timed out after)")
_DICT: Final = re.compile(r"\s*(?:Observation: )?\{[\"'](?:output|returncode)[\"']:")
_CODE_IN_DICT: Final = re.compile(r"[\"']returncode[\"']\s*:\s*(-?\d{1,9})\b")

_BEFORE: Final = re.compile(
    r"(?:(?:OBSERVATION:|Observation:|Execution result:|The output of the OS:|"
    r"EXECUTION RESULT of \[[\w.-]{1,80}\]:)[ ]*\n)+"
)
_AFTER: Final = re.compile(
    r"(?:\s*\[(?:exit code|The command completed with|Command finished with|"
    r"The command has no new|The command timed out|Current working directory:|"
    r"Python [Ii]nterpreter:|Jupyter )[^\]\n]*\])+\s*\Z"
)
_PROMPT: Final = re.compile(
    r"\s*\(Open file: [^\n]*\)\s*\(Current directory: [^\n]*\)\s*bash-\$\s*\Z|"
    r"\s*(?<!\S)[\w-]{1,60}@[\w.-]{1,80}:\S{0,200} [#$] ?\Z"
)
_EXIT_CODE: Final = re.compile(r"exit code (-?\d{1,9})\.?\]")
_FRAME_CHARS: Final = 1500

_REFUSED: Final = re.compile(
    r"\W{0,3}(?:ERROR:?\s*)?(?:\[?Your proposed edit has introduced new syntax error|"
    r"No replacement was performed|Your edit was not applied|"
    r"Your search and replace strings are the same|Invalid `|Parameter `|"
    r"Cannot execute multiple commands at once)"
)
_ERROR: Final = re.compile(r"ERROR:\n|The path \S+ does not exist\. Please provide a valid path")
_CLIPPED: Final = ("characters elided", "<response clipped>", "[... Observation truncated")


def observation_of(
    text: str, *, exit_code: int | None = None, duration_s: float | None = None
) -> Observation:
    """The observation that a result's text amounts to.

    The frame a harness puts around the output is taken off. `exit_code` wins over what the text
    says; a command that was stopped for time has none.
    """
    shown, code, truncated = unframed(text)
    timed_out = bool(_TIMED_OUT.match(text) or _STOPPED.search(text[-_FRAME_CHARS:]))
    code = code if exit_code is None else exit_code
    if timed_out or (code is not None and code < 0):
        code = None
    failed = bool(code) or timed_out or _ERROR.match(shown)
    return Observation(
        text=readable(shown),
        exit_code=code,
        failure="validation" if _REFUSED.match(shown) else "environment" if failed else "",
        truncated=truncated,
        interrupted=timed_out,
        duration_s=duration_s,
    )


def unframed(text: str) -> tuple[str, int | None, bool]:
    """The output itself, the exit code its frame tells, and whether its middle was left out."""
    match = _RETURN_CODE.match(text)
    code = int(match[1]) if match else None
    if match or _TIMED_OUT.match(text):
        body = text[match.end() :] if match else text
        head, tail = tagged(body, "output_head"), tagged(body, "output_tail")
        before = body[: max(body.find("<output_head>"), 0)]
        if head is not None and tail is not None and "<output>" not in before:
            return f"{head.strip()}\n[…]\n{tail.strip()}", code, True
        output = tagged(body, "output")
        return (body if output is None else output).strip("\n"), code, False
    if _DICT.match(text):
        match = _CODE_IN_DICT.search(text)
        return text, int(match[1]) if match else None, False
    text = _BEFORE.sub("", text, count=1) if _BEFORE.match(text) else text
    body, end = text[:-_FRAME_CHARS], text[-_FRAME_CHARS:]
    frame = _AFTER.search(end) or _PROMPT.search(end)
    said = _EXIT_CODE.findall(frame[0]) if frame else []
    shown = body + (end[: frame.start()] if frame else end)
    return shown.rstrip("\n"), int(said[-1]) if said else None, any(c in text for c in _CLIPPED)


def tagged(text: str, tag: str) -> str | None:
    """What stands from the first opening tag to the last closing one; None without both."""
    start, end = text.find(f"<{tag}>"), text.rfind(f"</{tag}>")
    return text[start + len(tag) + 2 : end] if 0 <= start < end else None


def is_result(text: str) -> bool:
    """Tell whether a text is framed as the result of a command."""
    return bool(
        _RETURN_CODE.match(text)
        or _TIMED_OUT.match(text)
        or _DICT.match(text)
        or _BEFORE.match(text)
        or _AFTER.search(text[-_FRAME_CHARS:])
        or _PROMPT.search(text[-_FRAME_CHARS:])
    )
