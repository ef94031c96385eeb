"""Small session files of many agents, from other projects' tests: torn, drifted, unknown."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepladder import KnowledgeBase
from stepladder.ingest.readers import load_readers, reader_for
from stepladder.ingest.report import IngestReport
from stepladder.ingest.source import Source

TORN = b'{"type": "assistant", "message": {"content": [{"type": "te'

EXPECTED = {
    "read": 51,
    "no reply of an agent in it": 1,
    "no run of its own: empty, or a part of one that another file of the session holds": 26,
    "no trajectory": 34,
    "no trajectory: Cline task list": 2,
    "no trajectory: MANIFEST": 1,
    "not read yet: Antigravity session": 1,
    "not read yet: Copilot CLI session": 5,
    "not read yet: Cursor transcript": 6,
    "not read yet: Factory Droid session": 3,
    "not read yet: Goose session": 1,
    "not read yet: Grok session": 1,
    "not read yet: Kimi session": 2,
    "not read yet: Kiro session": 2,
    "not read yet: Posit Assistant session": 3,
    "not read yet: SQL dump": 5,
    "not read yet: aider chat history": 1,
    "not read yet: messages of an agent": 14,
    "not read yet: output of `droid exec`": 3,
    "not read yet: pi or OpenClaw session": 10,
}
"""What becomes of the files; those that hold a part of a run lie apart from their session here."""


@pytest.fixture(scope="module")
def odd(shared_data: Path) -> Path:
    return shared_data / "odd"


@pytest.fixture(scope="module")
def ingested(
    odd: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[KnowledgeBase, IngestReport]]:
    with KnowledgeBase.open(tmp_path_factory.mktemp("odd") / "memory.db") as kb:
        yield kb, kb.ingest([odd])


def test_no_odd_file_fails(ingested: tuple[KnowledgeBase, IngestReport]) -> None:
    _, report = ingested
    assert report.failed == []


def test_every_odd_file_is_read_or_refused_with_a_reason(
    odd: Path, ingested: tuple[KnowledgeBase, IngestReport]
) -> None:
    _, report = ingested
    reasons = Counter(note.reason for note in report.skipped)
    read = len(list(odd.iterdir())) - reasons.total()
    assert {**reasons, "read": read} == EXPECTED


def test_a_second_ingest_of_odd_files_adds_nothing(
    odd: Path, ingested: tuple[KnowledgeBase, IngestReport]
) -> None:
    kb, _ = ingested
    before = (kb.store.counts(), kb.store.sequence())
    again = kb.ingest([odd])
    assert (again.new, again.updated, again.failed) == (0, 0, [])
    assert (kb.store.counts(), kb.store.sequence()) == before


def test_a_torn_line_is_named_and_takes_nothing_else_with_it(odd: Path, tmp_path: Path) -> None:
    readers = load_readers()
    tested = 0
    for path in sorted(odd.glob("*.jsonl")):
        whole = Source(path)
        reader = reader_for(whole, readers)
        lines = path.read_bytes().rstrip(b"\n").split(b"\n")
        if reader is None or len(lines) < 3:
            continue
        at = len(lines) // 2
        torn = tmp_path / path.name
        torn.write_bytes(b"\n".join([*lines[:at], TORN, *lines[at:]]))
        found = list(reader.read(Source(torn)))
        expected = list(reader.read(whole))
        assert [[c.name for c in r.calls] for r in found] == [
            [c.name for c in r.calls] for r in expected
        ]
        warnings = {w for r in found for w in r.warnings} - {
            w for r in expected for w in r.warnings
        }
        assert f"line {at + 1}: not JSON; left out" in warnings
        tested += 1
    assert tested >= 30
