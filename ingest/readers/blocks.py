"""Content blocks of messages, as Anthropic's interface shapes them, and identifiers of calls.

Nothing here knows a session format: what is said, thought, called and answered in one message.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

from ..trajectory import ToolCall
from .json_values import arguments_of, mapping, mappings, string

_DATA_URL: Final = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,[A-Za-z0-9+/=]{64,}")
_LONG_RUN: Final = re.compile(r"[A-Za-z0-9+/]{2048,}={0,2}")
"""No text of people or programs runs on for so long without a space or a full stop."""

_CALLS: Final = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_UNIQUE: Final = re.compile(r"(?=.*\d)[A-Za-z0-9_-]{20,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a message gives back for one tool call."""

    call_id: str
    text: str
    is_error: bool


def readable(text: str) -> str:
    """The text with encoded files left out by name and size, and fit to be encoded again."""
    if "base64," in text:
        text = _DATA_URL.sub(lambda m: _left_out(m[1], len(m[0])), text)
    if len(text) > 2048:
        text = _LONG_RUN.sub(lambda m: _left_out("data", len(m[0])), text)
    if text.isascii():
        return text
    return text.encode("utf-8", errors="replace").decode("utf-8")


def said(content: Any) -> str:
    """The text of a message or of a tool's answer; pictures and documents stand as their type.

    Thoughts, calls and answers of tools in it are left out.
    """
    if isinstance(content, str):
        return readable(content)
    blocks = [content] if isinstance(content, dict) else content
    if not isinstance(blocks, list):
        return ""
    return "\n".join(p for p in map(_block_text, blocks) if p)


def thought(content: Any) -> str:
    """The model's reasoning in a message; empty where it is encrypted."""
    found = (string(b.get("thinking")) for b in mappings(content) if b.get("type") == "thinking")
    return "\n".join(readable(t) for t in found if t.strip())


def calls(content: Any, *, timestamp: str = "", raw_ref: str = "") -> list[ToolCall]:
    """The tool calls in a message, in order, without their answers."""
    return [
        _call(block, timestamp=timestamp, raw_ref=raw_ref)
        for block in mappings(content)
        if block.get("type") in _CALLS
    ]


def answers(content: Any) -> list[Answer]:
    """The answers to tool calls in a message, in order."""
    return [
        Answer(
            call_id=string(block.get("tool_use_id")),
            text=said(block.get("content")),
            is_error=block.get("is_error") is True,
        )
        for block in mappings(content)
        if string(block.get("type")).endswith("tool_result")
    ]


def unique_id(call_id: str) -> str:
    """The identifier of a call if no other call anywhere can bear it, else nothing.

    Some servers count from 0 in each session (`functions.bash:0`), some give `toolu_01` to all.
    """
    return call_id if _UNIQUE.fullmatch(call_id) else ""


def _call(block: Any, *, timestamp: str, raw_ref: str) -> ToolCall:
    arguments, raw = arguments_of(block.get("input"))
    return ToolCall(
        id=string(block.get("id")),
        uid=unique_id(string(block.get("id"))),
        name=string(block.get("name")) or "unknown",
        arguments=arguments,
        raw=raw,
        timestamp=timestamp,
        raw_ref=raw_ref,
    )


def _block_text(block: Any) -> str:
    if isinstance(block, str):
        return readable(block)
    fields = mapping(block)
    kind = string(fields.get("type"))
    if kind in _CALLS or kind.endswith(("thinking", "tool_result")):
        return ""
    text = string(fields.get("text"))
    if text or kind in ("", "text"):
        return readable(text)
    if kind == "tool_reference":
        return string(fields.get("tool_name"))
    source = mapping(fields.get("source"))
    return _left_out(string(source.get("media_type")) or kind, len(string(source.get("data"))))


def _left_out(kind: str, length: int) -> str:
    return f"[{kind}, {length * 3 // 4} bytes]" if length else f"[{kind}]"
