"""Tool calls that stand in the text of a reply, for models without calls of their own."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from .json_values import decoded, mapping, string
from .swe_agent_actions import call_of

_FUNCTION: Final = re.compile(
    r"<function=([\w.-]{1,80})>(.*?)(?:</function>|(?=<function=)|\Z)", re.DOTALL
)
_PARAMETER: Final = re.compile(
    r"<parameter=([\w.-]{1,80})>(.*?)(?:</parameter>|(?=<parameter=)|\Z)", re.DOTALL
)
_TOOL_CALL: Final = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)
_EXECUTE: Final = re.compile(
    r"<(execute_bash|execute_ipython|execute)>(.*?)(?:</\1>|\Z)", re.DOTALL
)
_FENCE: Final = re.compile(r"^```[a-z_]{0,20}[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
_SHELL_FENCE: Final = re.compile(
    r"^```(?:bash|mswea_bash_command)[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE
)
_THINK: Final = re.compile(r"<(think|thinking)>(.*?)</\1>\s*", re.DOTALL)

_SHELL_PROMPTS: Final = (
    "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
    "mswea_bash_command",
    "Act: bash",
)
_DECODED: Final = frozenset({"view_range", "insert_line"})
_EXECUTED: Final[Mapping[str, tuple[str, str]]] = {
    "execute_bash": ("execute_bash", "command"),
    "execute_ipython": ("execute_ipython_cell", "code"),
    "execute": ("execute_ipython_cell", "code"),
}


@dataclass(frozen=True, slots=True)
class TextCall:
    """A call in the text: its tool's name and its arguments."""

    name: str
    arguments: Mapping[str, Any]


def fence_style(prompt: str) -> str:
    """Which fenced blocks are actions, by the words of the prompt: `swe-agent`, `shell`, none."""
    if "bash-$" in prompt and "end_of_edit" in prompt:
        return "swe-agent"
    return "shell" if any(word in prompt for word in _SHELL_PROMPTS) else ""


def calls_in(text: str, *, style: str = "") -> tuple[str, list[TextCall]]:
    """What a reply says besides its calls, and the calls, in order.

    `style` is what `fence_style` told; without it a fenced block is a part of the text.
    """
    for pattern, made in (
        (_FUNCTION, _function),
        (_TOOL_CALL, _json_call),
        (_EXECUTE, _executed),
    ):
        found = [made(m) for m in pattern.finditer(text)]
        calls = [c for c in found if c is not None]
        if calls:
            return pattern.sub("", text).strip(), calls
    if style == "swe-agent":
        blocks = list(_FENCE.finditer(text))
        if blocks:
            name, arguments = call_of(blocks[-1][1])
            spoken = text[: blocks[-1].start()] + text[blocks[-1].end() :]
            return spoken.strip(), [TextCall(name, arguments)]
    if style == "shell":
        blocks = list(_SHELL_FENCE.finditer(text))
        if len(blocks) == 1:
            command = {"command": blocks[0][1].strip()}
            return _SHELL_FENCE.sub("", text).strip(), [TextCall("bash", command)]
    return text, []


def without_thinking(text: str) -> tuple[str, str]:
    """The text without its `<think>` parts, and those parts."""
    thoughts = "\n".join(m[2].strip() for m in _THINK.finditer(text))
    return (_THINK.sub("", text).strip(), thoughts) if thoughts else (text, "")


def _function(match: re.Match[str]) -> TextCall:
    arguments = {}
    for found in _PARAMETER.finditer(match[2]):
        value = found[2].removeprefix("\n").removesuffix("\n")
        plain = decoded(value) if found[1] in _DECODED else None
        arguments[found[1]] = value if plain is None else plain
    return TextCall(match[1], arguments)


def _json_call(match: re.Match[str]) -> TextCall | None:
    fields = mapping(decoded(match[1]))
    name = string(fields.get("name"))
    return TextCall(name, mapping(decoded(fields.get("arguments")))) if name else None


def _executed(match: re.Match[str]) -> TextCall:
    name, key = _EXECUTED[match[1]]
    return TextCall(name, {key: match[2].strip()})
