"""The facade over a real store and the sample runs that ship with the package."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stepladder import KnowledgeBase
from stepladder.kg.errors import UsageError
from stepladder.kg.types import Retrieval, Trace

EXAMPLES = Path(__file__).parent.parent / "examples"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(tmp_path / "store" / "memory.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """A knowledge base that has read every sample run; tests do not change it."""
    with KnowledgeBase.open(tmp_path_factory.mktemp("kb") / "memory.db") as opened:
        opened.ingest([EXAMPLES])
        yield opened


def rows(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"id": id, "level": "insight", "title": title} for id, title in pairs]


def test_every_sample_run_becomes_a_trace_with_a_summary(taught: KnowledgeBase) -> None:
    levels = taught.stats().levels
    assert levels["trace"] == 21
    assert levels["summary"] == 21


def test_outcomes_come_from_the_files_beside_the_runs(taught: KnowledgeBase) -> None:
    assert taught.stats().outcomes == {"success": 13, "failure": 6, "unknown": 2}


def test_ingesting_the_same_folder_twice_adds_nothing(kb: KnowledgeBase) -> None:
    kb.ingest([EXAMPLES / "web-dev"])
    before = (kb.store.sequence(), kb.store.counts())
    report = kb.ingest([EXAMPLES / "web-dev"])
    assert (report.new, report.updated, report.unchanged) == (0, 0, 2)
    assert kb.store.counts() == before[1]


def test_a_dry_run_counts_and_writes_nothing(kb: KnowledgeBase) -> None:
    report = kb.ingest([EXAMPLES / "web-dev"], dry_run=True)
    assert report.new == 2
    assert kb.stats().levels.get("trace", 0) == 0


def test_a_limit_stops_after_so_many_new_runs(kb: KnowledgeBase) -> None:
    assert kb.ingest([EXAMPLES], limit=3).new == 3
    assert kb.ingest([EXAMPLES], limit=3).new == 3


def test_a_path_that_is_not_there_is_a_usage_error(kb: KnowledgeBase, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file or folder"):
        kb.ingest([tmp_path / "nothing"])


def test_one_bad_file_does_not_stop_the_rest(kb: KnowledgeBase, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    good = EXAMPLES / "web-dev" / "site-card-title.jsonl"
    (runs / "b.jsonl").write_bytes(good.read_bytes())
    (runs / "a.traj.json").write_text('{"trajectory_format": "mini-swe-agent-1.1", "messag')
    (runs / "c.bin").write_bytes(bytes(range(256)))
    report = kb.ingest([runs])
    assert report.new == 1
    assert report.files == 3


def test_a_run_that_grew_replaces_what_stood_on_its_beginning(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    whole = (EXAMPLES / "web-dev" / "site-card-title.jsonl").read_bytes().split(b"\n")
    session = tmp_path / "session.jsonl"
    session.write_bytes(b"\n".join(whole[: len(whole) // 2]))
    first = kb.ingest([session])
    session.write_bytes(b"\n".join(whole))
    second = kb.ingest([session])
    assert (first.new, second.new, second.updated) == (1, 0, 1)
    assert first.traces == second.traces
    (trace,) = kb.store.find("Trace")
    assert isinstance(trace, Trace)
    assert kb.store.counts().labels["Step"] == trace.steps
    session.write_bytes(b"\n".join(whole[: len(whole) // 2]))
    assert kb.ingest([session]).unchanged == 1


def test_a_verdict_that_arrives_later_is_learned_and_not_unlearned(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    session = tmp_path / "run.jsonl"
    session.write_bytes((EXAMPLES / "web-dev" / "site-card-title.jsonl").read_bytes())
    kb.ingest([session])
    verdict = tmp_path / "run.outcome.json"
    verdict.write_text(json.dumps({"status": "success", "source": "human"}))
    assert kb.ingest([session]).updated == 1
    verdict.unlink()
    assert kb.ingest([session]).unchanged == 1
    assert kb.stats().outcomes == {"success": 1}


def test_an_answer_is_recorded_under_its_id_with_what_it_showed(kb: KnowledgeBase) -> None:
    kb.import_memories(rows(("a", "Pin the lock file before the tests run in CI")))
    answer = kb.retrieve("the tests run in CI with another lock file", floor=0.0, now=NOON)
    recorded = kb.store.get([answer.retrieval_id])[answer.retrieval_id]
    assert isinstance(recorded, Retrieval)
    assert recorded.created == "2026-01-01T12:00:00+00:00"
    shown = kb.store.edges([answer.retrieval_id], types=["SHOWED"])
    assert [(e.target, e.rank) for e in shown] == [("a", 1)]


def test_an_answer_can_be_had_without_a_record(kb: KnowledgeBase) -> None:
    before = kb.store.sequence()
    kb.retrieve("anything", record=False)
    assert kb.store.sequence() == before


def test_imported_memories_keep_their_ids_and_are_searched_like_our_own(
    kb: KnowledgeBase,
) -> None:
    report = kb.import_memories(
        [
            {"id": "w1", "level": "workflow", "title": "Release a package", "parents": ["i1"]},
            {"id": "i1", "level": "insight", "title": "Tag only what the tests have passed"},
        ]
    )
    assert (report.new, report.failed) == (2, ())
    assert [h.memory.id for h in kb.search("release a package", levels=["workflow"])] == ["w1"]
    assert [e.target for e in kb.store.ancestry(["w1"])] == ["i1"]
    assert kb.import_memories(rows(("i1", "Tag only what the tests have passed"))).unchanged == 1


def test_rows_that_cannot_be_taken_are_named_and_the_others_stay(kb: KnowledgeBase) -> None:
    report = kb.import_memories(
        [
            {"level": "theory", "title": "x"},
            {"level": "insight"},
            {"id": "a", "level": "trace", "title": "A run", "parents": ["nowhere"]},
        ]
    )
    assert report.new == 1
    assert [(b.row, b.reason) for b in report.failed] == [
        (1, "Unknown level 'theory'. Expected one of trace, workflow, summary, insight."),
        (2, "Neither `title` nor `content`: nothing to remember."),
        (3, "Parent 'nowhere' is not there; left out."),
    ]


def test_an_import_never_overwrites_a_memory_of_ours(kb: KnowledgeBase) -> None:
    kb.ingest([EXAMPLES / "web-dev"])
    (own, *_) = kb.store.find("Summary")
    report = kb.import_memories([{"id": own.id, "level": "summary", "title": "Something else"}])
    assert report.new == 0
    assert kb.store.get([own.id])[own.id] == own


def test_memories_of_a_project_are_seen_by_it_alone(kb: KnowledgeBase) -> None:
    kb.import_memories(
        [{"id": "x", "level": "trace", "title": "Pin the lock file", "project": "acme/api"}]
    )
    assert [h.memory.id for h in kb.search("pin the lock file", scope="acme/api")] == ["x"]
    assert kb.search("pin the lock file", scope="acme/web") == []
    assert [h.memory.id for h in kb.search("pin the lock file")] == ["x"]


def test_a_short_id_is_enough_where_it_is_unique(kb: KnowledgeBase) -> None:
    kb.import_memories(rows(("insight-abc1", "One"), ("insight-abc2", "Two")))
    assert kb.show("insight-abc1").node.id == "insight-abc1"
    with pytest.raises(UsageError, match="short for several: insight-abc1, insight-abc2"):
        kb.show("insight-abc")
    with pytest.raises(UsageError, match="Nothing has the id 'insight-x'"):
        kb.why("insight-x")


def test_forgetting_a_trace_takes_what_stands_on_it_alone(kb: KnowledgeBase) -> None:
    report = kb.ingest([EXAMPLES / "web-dev" / "site-escape-quotes.json"])
    kb.forget(report.traces)
    assert kb.store.counts().levels.get("trace", 0) == 0
    assert kb.store.counts().labels.get("Step", 0) == 0
    assert kb.store.counts().levels.get("insight", 0) == 0
