"""No way to a model carries a secret or a home: what the server was sent is searched."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepladder import KnowledgeBase
from stepladder.ingest.distillers.llm.options import LlmOptions
from stepladder.ingest.llm.batches import BatchWaiting

RUN = Path(__file__).parents[3] / "examples" / "repo-bugfix" / "ledger-split-cents"
SECRET = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
CANARIES = (SECRET, "zaphodb")
PLANTED = f"\nGH_TOKEN={SECRET}\n/home/zaphodb/work: zaphodb@example.org\n"


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A run in whose every step a secret, a home and a name stand, and beside it no verdict."""
    run = json.loads((RUN / "ledger-split-cents.traj").read_text(encoding="utf-8"))
    for step in run["trajectory"]:
        step["observation"] += PLANTED
        step["thought"] = f"{step.get('thought', '')}{PLANTED}"
    file = tmp_path / "planted" / "planted.traj"
    file.parent.mkdir()
    file.write_text(json.dumps(run), encoding="utf-8")
    return file


@pytest.fixture
def kb(tmp_path: Path) -> Any:
    with KnowledgeBase.open(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture
def options(server: Any, tmp_path: Path) -> LlmOptions:
    return LlmOptions(ledger=tmp_path / "memory.llm.db", model="small", base_url=server.url)


def demand_clean(log: bytes) -> None:
    assert b"redacted" in log
    assert [c for c in CANARIES if c.encode() in log] == []


def test_a_run_that_is_ingested(
    kb: KnowledgeBase, options: LlmOptions, server: Any, planted: Path
) -> None:
    kb.ingest([planted], llm=options)
    demand_clean(b"".join(server.log))


@pytest.mark.parametrize("gone", [False, True])
def test_a_run_that_is_looked_at_again_or_judged(
    kb: KnowledgeBase, options: LlmOptions, server: Any, planted: Path, gone: bool
) -> None:
    kb.ingest([planted])
    if gone:
        planted.unlink()
    kb.redistill(llm=options)
    asked = len(server.requests)
    kb.judge_outcomes(llm=options, votes=1)
    assert len(server.requests) > asked > 0
    demand_clean(b"".join(server.log))


def like_lessons(kb: KnowledgeBase) -> None:
    """A pair of lessons that is merged and one that may be, with what must not leave."""
    titles = (
        ("Read the error message to its end before editing", "A command fails with a long trace."),
        ("Read the whole error message before editing a file", "A command fails."),
        ("Pin dependency versions in the lock file", "Builds differ between machines."),
        ("Pin the versions of dependencies in a lock file for CI", "Builds in CI differ."),
    )
    rows = [{"title": t, "description": d, "content": f"Each time.{PLANTED}"} for t, d in titles]
    kb.import_memories(rows)
    assert (len(kb.consolidate().merged), len(kb.suggestions())) == (1, 1)


def test_a_pair_that_is_judged(kb: KnowledgeBase, options: LlmOptions, server: Any) -> None:
    like_lessons(kb)
    kb.judge_pairs(llm=options)
    assert server.requests
    demand_clean(b"".join(server.log))


def test_a_merged_insight_that_is_written_anew(
    kb: KnowledgeBase, options: LlmOptions, server: Any
) -> None:
    like_lessons(kb)
    kb.rewrite_merged(llm=options)
    assert server.requests
    demand_clean(b"".join(server.log))


def test_whatever_is_handed_in_together(
    kb: KnowledgeBase, batches: Any, tmp_path: Path, planted: Path
) -> None:
    options = LlmOptions(
        ledger=tmp_path / "memory.llm.db", model="small", base_url=batches.url, batch=True
    )
    like_lessons(kb)
    kb.ingest([planted])
    asked: list[Callable[[], object]] = [
        lambda: kb.redistill(llm=options),
        lambda: kb.judge_outcomes(llm=options, votes=1),
        lambda: kb.judge_pairs(llm=options),
        lambda: kb.rewrite_merged(llm=options),
    ]
    for number, ask in enumerate(asked, start=1):
        with pytest.raises(BatchWaiting):
            ask()
        assert len(batches.batches) == number
    demand_clean(b"".join(batches.log))
    demand_clean(b"".join(batches.files.values()))


def test_a_run_that_a_program_is_asked_about(
    kb: KnowledgeBase, tmp_path: Path, planted: Path
) -> None:
    program, heard = tmp_path / "hear.py", tmp_path / "heard.txt"
    program.write_text(
        f"import sys\nopen({str(heard)!r}, 'ab').write(sys.stdin.buffer.read())\nprint('no')\n",
        encoding="utf-8",
    )
    command = f'"{sys.executable}" "{program}"'
    kb.ingest([planted], llm=LlmOptions(ledger=tmp_path / "l.db", command=command))
    demand_clean(heard.read_bytes())
