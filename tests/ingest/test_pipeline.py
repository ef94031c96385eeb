"""What an ingest reports and keeps where files fail, contradict each other or hold no run."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepladder import KnowledgeBase
from stepladder.ingest.distillers import load_distiller
from stepladder.ingest.pipeline import Pipeline
from stepladder.ingest.report import IngestOptions, IngestReport
from stepladder.ingest.source import Source
from stepladder.ingest.trajectory import Trajectory
from stepladder.kg.errors import ReadError
from stepladder.kg.types import Trace

SESSION = "5b7c1f0e-0000-4000-8000-000000000001"


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(tmp_path / "store" / "memory.db") as opened:
        yield opened


class FailingReader:
    """A third party's reader that stumbles over what stands in a file."""

    format = "failing"

    def __init__(self, error: type[Exception]) -> None:
        self._error = error

    def recognises(self, source: Source) -> bool:
        return source.path.suffix == ".odd"

    def read(self, source: Source) -> Iterator[Trajectory]:
        raise self._error(f"{source.path}: {source.text}")
        yield


def ingest_with(kb: KnowledgeBase, reader: FailingReader, path: Path) -> IngestReport:
    pipeline = Pipeline(
        store=kb.store,
        embedder=kb.embedder,
        readers=(reader,),
        distiller=load_distiller("rules"),
    )
    return pipeline.ingest([path], options=IngestOptions(), report=IngestReport())


def session(path: Path, command: str, *, second: int) -> Path:
    """A session of one request and one command, which ends at a second of a minute."""
    time = f"2026-03-01T10:00:{second:02}Z"
    common = {"sessionId": SESSION, "timestamp": time, "cwd": "/srv/shop"}
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": command}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": "done"}
    rows = [
        {"type": "user", "message": {"role": "user", "content": "Tidy the shop"}},
        {"type": "assistant", "message": {"role": "assistant", "id": "m1", "content": [call]}},
        {"type": "user", "message": {"role": "user", "content": [answer]}},
    ]
    path.parent.mkdir(exist_ok=True)
    lines = [json.dumps({"uuid": str(n), **common, **row}) for n, row in enumerate(rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_an_unexpected_error_is_reported_by_its_place_and_not_by_the_text_it_repeats(
    kb: KnowledgeBase, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    file = tmp_path / "a.odd"
    file.write_text("the password that nobody should read", encoding="utf-8")
    (note,) = ingest_with(kb, FailingReader(ValueError), file).failed
    assert note.reason.startswith("ValueError in test_pipeline.py, line ")
    assert "nobody should read" not in note.reason + caplog.text


def test_the_reason_of_an_unreadable_file_names_no_person(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    home = "/home/" + "rosalind/runs/a.odd"
    file = tmp_path / "a.odd"
    file.write_text(f"nothing in {home}", encoding="utf-8")
    (note,) = ingest_with(kb, FailingReader(ReadError), file).failed
    assert "nothing in" in note.reason
    assert "rosalind" not in note.reason


def test_a_file_without_a_run_of_its_own_is_said_to_be_skipped(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    file = tmp_path / "msg_1.json"
    file.write_text(
        json.dumps({"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 1}}),
        encoding="utf-8",
    )
    report = kb.ingest([file])
    assert [n.reason[:17] for n in report.skipped] == ["no run of its own"]


def test_of_two_files_that_claim_one_session_the_same_wins_in_any_order(tmp_path: Path) -> None:
    earlier = session(tmp_path / "a" / "s.jsonl", "ls shelves", second=1)
    later = session(tmp_path / "b" / "s.jsonl", "ls tills", second=2)
    for order in ([earlier, later], [later, earlier]):
        with KnowledgeBase.open(tmp_path / f"{order[0].parent.name}.db") as kb:
            kb.ingest(order)
            again = kb.ingest(order)
            assert (again.new, again.updated, again.unchanged) == (0, 0, 2)
            (trace,) = kb.store.find("Trace")
            assert isinstance(trace, Trace)
            assert Path(trace.source).parent.name == "b"


def test_copies_of_a_run_with_contradicting_verdicts_do_not_overwrite_each_other(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    copies = [session(tmp_path / n / "s.jsonl", "ls", second=1) for n in ("a", "b")]
    for copy, status in zip(copies, ("success", "failure"), strict=True):
        verdict = copy.with_name("s.outcome.json")
        verdict.write_text(json.dumps({"status": status, "source": "human"}), encoding="utf-8")
    assert [kb.ingest(copies).unchanged for _ in range(2)] == [1, 2]
    assert kb.stats().outcomes == {"success": 1}


def test_what_the_caller_says_of_a_run_counts_for_every_copy_of_it(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    first, copy = (session(tmp_path / n / "s.jsonl", "ls", second=1) for n in ("a", "b"))
    kb.ingest([first], project="acme/shop")
    assert kb.ingest([copy], project="acme/store").updated == 1
    assert kb.ingest([first]).unchanged == 1
    assert kb.stats().projects == {"acme/store": 1}
