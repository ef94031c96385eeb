"""Every public session of the interactive agents, cut short, thinned out and doubled."""

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from stepladder.ingest.protocols import TrajectoryReader
from stepladder.ingest.readers.claude_code import ClaudeCodeReader
from stepladder.ingest.readers.codex import CodexReader
from stepladder.ingest.readers.gemini import GeminiReader
from stepladder.ingest.readers.opencode import OpenCodeReader
from stepladder.ingest.source import Source
from stepladder.ingest.trajectory import Trajectory
from stepladder.kg.errors import ReadError

READERS: dict[str, Callable[[], TrajectoryReader]] = {
    "claude-code-jsonl": ClaudeCodeReader,
    "codex-rollout": CodexReader,
    "gemini-session": GeminiReader,
    "opencode-export": OpenCodeReader,
}
IN_LINES = ["claude-code-jsonl", "codex-rollout"]
CUTS = 4
"""Of each file; 50 were tried once and found nothing that 4 do not."""


def files(shared_data: Path, label: str) -> list[Path]:
    folder = shared_data / "trajectories"
    rows = [json.loads(row) for row in (folder / "MANIFEST.jsonl").open(encoding="utf-8")]
    return [folder / row["path"] for row in rows if row["format"] == label]


def read(label: str, path: Path, data: bytes) -> list[Trajectory]:
    path.write_bytes(data)
    reader = READERS[label]()
    reader.recognises(Source(path))
    try:
        return list(reader.read(Source(path)))
    except ReadError:
        return []


def calls(runs: list[Trajectory], *, kept: Callable[[int], bool] | None = None) -> Counter[str]:
    """The calls of the runs, or of them those on lines that were kept."""
    found = [c for run in runs for c in run.calls]
    return Counter(
        f"{c.id} {c.name}" for c in found if kept is None or kept(int(c.raw_ref.split()[1]))
    )


def without_lines(runs: list[Trajectory]) -> list[Trajectory]:
    """The runs without the numbers of their lines."""
    return [
        replace(
            run,
            warnings=(),
            turns=tuple(
                replace(t, raw_ref="", calls=tuple(replace(c, raw_ref="") for c in t.calls))
                for t in run.turns
            ),
        )
        for run in runs
    ]


@pytest.mark.parametrize("label", READERS)
def test_a_file_that_was_cut_short_keeps_what_stands_before_the_cut(
    shared_data: Path, tmp_path: Path, label: str
) -> None:
    chance = random.Random(7)
    for file in files(shared_data, label):
        data, path = file.read_bytes(), tmp_path / file.name
        whole = read(label, path, data)
        for _ in range(CUTS):
            cut = chance.randrange(1, len(data))
            left = calls(read(label, path, data[:cut]))
            if label in IN_LINES:
                lines = data[:cut].count(b"\n")
                assert calls(whole, kept=lambda line, n=lines: line <= n) <= left <= calls(whole)
            else:
                assert left.total() <= calls(whole).total()


@pytest.mark.parametrize("label", IN_LINES)
def test_lines_that_are_missing_take_nothing_else_with_them(
    shared_data: Path, tmp_path: Path, label: str
) -> None:
    chance = random.Random(7)
    for file in files(shared_data, label):
        lines, path = file.read_bytes().split(b"\n"), tmp_path / file.name
        whole = read(label, path, b"\n".join(lines))
        gone = set(chance.sample(range(1, len(lines) + 1), max(1, len(lines) // 10)))
        left = b"\n".join(text for n, text in enumerate(lines, start=1) if n not in gone)
        found = calls(read(label, path, left))
        assert calls(whole, kept=lambda line, gone=gone: line not in gone) <= found <= calls(whole)


@pytest.mark.parametrize("label", IN_LINES)
def test_lines_that_stand_there_twice_change_nothing(
    shared_data: Path, tmp_path: Path, label: str
) -> None:
    chance = random.Random(7)
    for file in files(shared_data, label):
        lines, path = file.read_bytes().split(b"\n"), tmp_path / file.name
        whole = read(label, path, b"\n".join(lines))
        twice = set(chance.sample(range(len(lines)), max(1, len(lines) // 5)))
        doubled = b"\n".join(b"\n".join([t] * (1 + (n in twice))) for n, t in enumerate(lines))
        assert without_lines(read(label, path, doubled)) == without_lines(whole)
