"""One writer a format: a recording in, the text of each file out, named below the domain folder."""

from collections.abc import Callable, Mapping

from ..recording import Recording
from . import (
    claude_code,
    codex,
    gemini,
    harbor,
    mini_swe_agent,
    openai_chat,
    opencode,
    openhands,
    swe_agent,
)

Writer = Callable[[Recording], dict[str, str]]

WRITERS: Mapping[str, Writer] = {
    "claude-code": claude_code.write,
    "codex": codex.write,
    "gemini": gemini.write_json,
    "gemini-jsonl": gemini.write_jsonl,
    "harbor-atif": harbor.write,
    "mini-swe-agent": mini_swe_agent.write,
    "openai-chat": openai_chat.write,
    "opencode": opencode.write,
    "openhands": openhands.write,
    "swe-agent": swe_agent.write,
}

CARRY_OUTCOME = frozenset({"harbor-atif", "openai-chat", "swe-agent"})
"""Formats with a place of their own for the verdict; the others get a row in `outcomes.jsonl`."""
