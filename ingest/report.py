"""What an ingest is asked for and what it says of its work; nothing here reads a run."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

JUDGED_PAIRS: Final = "judge.pairs"
"""The setting of a store that keeps what models decided on pairs of insights."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileNote:
    """A file or a run in it, and what is to be said about it."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestOptions:
    """What a caller says about the runs, and how far to go.

    `domain` and `project` overrule what the files say. `limit` counts new runs. With `dry_run`
    everything is done but the write.
    """

    domain: str = ""
    project: str = ""
    limit: int | None = None
    since: datetime | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmReport:
    """What was asked of a language model, what it took, and what became of the answers.

    `calls` counts every request, tries again too. `usd` is None where there is no price.
    `answered`, `misfits` and `failed` count runs; `dropped` counts parts of answers by the reason.
    `stopped` says why no more was asked, or is empty.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    answered: int
    misfits: int
    failed: int
    dropped: Mapping[str, int]
    stopped: str = ""


@dataclass(slots=True, kw_only=True)
class IngestReport:
    """What an ingest did: runs by what became of them, files left out, secrets removed by kind.

    `traces` are the ids of new and updated traces, in the order of writing. `llm` is None where no
    language model was asked.
    """

    new: int = 0
    updated: int = 0
    unchanged: int = 0
    traces: list[str] = field(default_factory=list)
    skipped: list[FileNote] = field(default_factory=list)
    failed: list[FileNote] = field(default_factory=list)
    warnings: list[FileNote] = field(default_factory=list)
    redacted: Counter[str] = field(default_factory=Counter)
    files: int = 0
    size_bytes: int = 0
    steps: int = 0
    llm: LlmReport | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far an ingest is: the file it is at, its position, and how many there are."""

    file: Path
    position: int
    total: int
    report: IngestReport
