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
_TOOL_CALL: Final = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_EXECUTE: Final = re.compile(
    r"<(execute_bash|execute_ipython|execute)>(.*?)(?:</\1>|\Z)", re.DOTALL
)
_OPENING: Final = re.compile(r"```([a-z_]{0,20})\s*")
_THINK: Final = re.compile(r"<(think|thinking)>(.*?)</\1>\s*", re.DOTALL)

_SHELL_MARKS: Final = frozenset({"bash", "mswea_bash_command"})
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
        rest, blocks = _last_block(text, marks=None)
        if blocks:
            name, arguments = call_of(blocks[-1])
            return rest, [TextCall(name, arguments)]
    if style == "shell":
        rest, blocks = _last_block(text, marks=_SHELL_MARKS)
        if len(blocks) == 1:
            return rest, [TextCall("bash", {"command": blocks[0].strip()})]
    return text, []


def _last_block(text: str, *, marks: frozenset[str] | None) -> tuple[str, list[str]]:
    """The text without its last fenced block, and every block, whose mark is one of `marks`."""
    lines = text.split("\n")
    blocks: list[tuple[int, int]] = []
    start = -1
    for i, line in enumerate(lines):
        opening = _OPENING.fullmatch(line)
        if start >= 0 and line.rstrip() == "```":
            blocks.append((start, i))
            start = -1
        elif start < 0 and opening and (marks is None or opening[1] in marks):
            start = i
    if not blocks:
        return text, []
    first, last = blocks[-1]
    rest = "\n".join((*lines[:first], *lines[last + 1 :])).strip()
    return rest, ["\n".join(lines[a + 1 : b]) for a, b in blocks]


def without_thinking(text: str) -> tuple[str, str]:
    """The text without its `<think>` parts, and those parts."""
    end = text.rfind("</think") + len("</thinking>")
    head, tail = (text[:end], text[end:]) if "</think" in text else ("", text)
    thoughts = [m[2].strip() for m in _THINK.finditer(head)]
    return (f"{_THINK.sub('', head)}{tail}".strip() if thoughts else text), "\n".join(thoughts)


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
