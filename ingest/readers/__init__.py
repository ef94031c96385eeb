"""The readers, one file a format; a new one is a file, a golden test and a line here."""

from collections.abc import Mapping
from typing import Final

from ...kg import plugins
from ..protocols import TrajectoryReader
from ..source import Source

GROUP: Final = "stepladder.readers"

BUILT_IN: Final[Mapping[str, str]] = {
    "atif": "stepladder.ingest.readers.atif:AtifReader",
    "mini-swe-agent": "stepladder.ingest.readers.mini_swe_agent:MiniSweAgentReader",
    "swe-agent": "stepladder.ingest.readers.swe_agent:SweAgentReader",
    "opencode": "stepladder.ingest.readers.opencode:OpenCodeReader",
    "gemini": "stepladder.ingest.readers.gemini:GeminiReader",
    "openhands": "stepladder.ingest.readers.openhands:OpenHandsReader",
    "claude-code": "stepladder.ingest.readers.claude_code:ClaudeCodeReader",
    "codex": "stepladder.ingest.readers.codex:CodexReader",
    "chat": "stepladder.ingest.readers.chat:ChatReader",
}
"""Our readers in the order in which they are asked: the most particular first."""


def load_readers() -> tuple[TrajectoryReader, ...]:
    """Every reader there is; those of other packages are asked before ours."""
    all_names = plugins.names(GROUP, built_in=BUILT_IN)
    others = [n for n in all_names if n not in BUILT_IN]
    return tuple(
        plugins.load(name, group=GROUP, built_in=BUILT_IN)() for name in (*others, *BUILT_IN)
    )


def reader_for(source: Source, readers: tuple[TrajectoryReader, ...]) -> TrajectoryReader | None:
    """The first reader that recognises the file, or None."""
    return next((r for r in readers if r.recognises(source)), None)
