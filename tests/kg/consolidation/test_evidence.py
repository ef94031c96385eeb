"""Evidence in common merges what is only proposed by its words, and wording alone does no more."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from stepladder import KnowledgeBase
from stepladder.kg.types import Batch, Edge, Retrieval, Step, Trace

NOON: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
WHEN: Final = "2026-03-01T09:00:00Z"
PAIR: Final = (
    "Run the whole test suite with a clean cache before you commit a change to the shared parser "
    "module.",
    "Before a change to the shared parser module is committed, run every test with the cache "
    "cleaned, slow ones included.",
)
FURTHER: Final = (
    "Clean the cache, then run all tests of each package, whenever you are about to publish "
    "something that alters how the shared parser behaves."
)
"""Says the same as the first of the pair, and is further from it than the second."""
OPPOSITE: Final = (
    PAIR[0],
    "Never run the whole test suite with a clean cache before you commit a small change to the "
    "shared parser module of a service.",
)
ENDS: Final = ("insight-0", "insight-1")
FAILED: Final = {"phase": "verify", "error_class": "ImportError", "program": "pytest"}
MENDED: Final = {"phase": "build", "program": "pip", "subcommand": "install"}


def remember(kb: KnowledgeBase, texts: Sequence[str] = PAIR) -> None:
    """Bring in two insights that are proposed by their words and not merged."""
    rows: list[dict[str, Any]] = [
        {"id": id, "level": "insight", "content": text}
        for id, text in zip(ENDS, texts, strict=True)
    ]
    assert not kb.import_memories(rows).failed


def show(
    kb: KnowledgeBase,
    insight: str,
    run: int,
    *steps: Mapping[str, Any],
) -> None:
    """Let an insight cite the steps of a run."""
    trace = Trace(id=f"trace-{run}", created=WHEN, title=f"Run {run}")
    made = [
        Step(id=f"step-{run}-{n}", created=WHEN, index=n, tool="bash", command="", **values)
        for n, values in enumerate(steps)
    ]
    edges = [Edge(source=s.id, type="PART_OF", target=trace.id) for s in made]
    edges += [Edge(source=insight, type="CITES", target=s.id) for s in made]
    kb.store.write(Batch(nodes=(trace, *made), edges=tuple(edges)))


def answer(kb: KnowledgeBase, number: int, outcome: Any, *used: str) -> None:
    """Let an answer have been given in which some insights were used."""
    node = Retrieval(
        id=f"retrieval-{number}",
        created=WHEN,
        query=f"question {number}",
        abstained=False,
        confidence=0.9,
        floor=0.1,
        outcome=outcome,
    )
    edges = tuple(Edge(source=node.id, type="USED", target=id) for id in used)
    kb.store.write(Batch(nodes=(node,), edges=edges))


def merged(kb: KnowledgeBase) -> list[tuple[str, tuple[str, ...]]]:
    """Why something was merged, and what."""
    return [(m.why, tuple(i.id for i in m.members)) for m in kb.consolidate(now=NOON).merged]


def proposed(kb: KnowledgeBase) -> list[tuple[str, str]]:
    """The pairs that wait for a verdict."""
    return [(s.a.id, s.b.id) for s in kb.suggestions()]


def test_without_evidence_a_pair_that_is_near_in_words_is_only_proposed(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb)
        assert merged(kb) == []
        assert proposed(kb) == [ENDS]


@pytest.mark.parametrize(("runs", "result"), [(3, [("evidence", ENDS)]), (2, [])])
def test_three_runs_with_one_failure_and_one_remedy_merge_a_pair_and_two_do_not(
    tmp_path: Path, runs: int, result: list[Any]
) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb)
        for run in range(runs):
            show(kb, ENDS[run % 2], run, FAILED, MENDED)
        assert merged(kb) == result
        assert proposed(kb) == ([] if result else [ENDS])


@pytest.mark.parametrize(
    ("domain", "result"),
    [("data-analysis", [("evidence", ("insight-0", "insight-2"))]), ("repo-bugfix", [])],
    ids=["of another domain", "of the same domain"],
)
def test_between_domains_evidence_merges_what_words_alone_do_not_propose(
    tmp_path: Path, domain: str, result: list[Any]
) -> None:
    texts = (*PAIR, FURTHER)
    domains = ("repo-bugfix", "repo-bugfix", domain)
    rows: list[dict[str, Any]] = [
        {"id": f"insight-{n}", "level": "insight", "content": text, "domain": where}
        for n, (text, where) in enumerate(zip(texts, domains, strict=True))
    ]
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        assert not kb.import_memories(rows).failed
        for run in range(3):
            show(kb, ("insight-0", "insight-2")[run % 2], run, FAILED, MENDED)
        assert merged(kb) == result
        assert ("insight-0", "insight-2") not in proposed(kb)


@pytest.mark.parametrize(
    ("failed", "mended"),
    [
        ({**FAILED, "phase": "build"}, MENDED),
        ({**FAILED, "error_class": "SyntaxError"}, MENDED),
        (FAILED, {**MENDED, "subcommand": "uninstall"}),
        (FAILED, {**MENDED, "error_class": "ConnectionError"}),
        (FAILED, {**FAILED, "error_class": ""}),
    ],
    ids=["other phase", "other error", "other remedy", "remedy failed", "only tried again"],
)
def test_runs_of_another_failure_or_remedy_bear_out_nothing_in_common(
    tmp_path: Path, failed: dict[str, str], mended: dict[str, str]
) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb)
        for run in range(3):
            show(kb, ENDS[0], run, FAILED, MENDED)
            show(kb, ENDS[1], 10 + run, failed, mended)
        assert merged(kb) == []


def test_evidence_of_one_of_a_pair_alone_is_none_in_common(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb)
        for run in range(5):
            show(kb, ENDS[0], run, FAILED, MENDED)
        assert merged(kb) == []


@pytest.mark.parametrize(
    ("outcomes", "result"),
    [
        (("success", "success", "success"), [("evidence", ENDS)]),
        (("success", "success"), []),
        (("success", "success", "failure"), []),
        (("success", "success", "unknown"), []),
    ],
)
def test_three_answers_that_both_helped_merge_a_pair(
    tmp_path: Path, outcomes: tuple[str, ...], result: list[Any]
) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb)
        for number, outcome in enumerate(outcomes):
            answer(kb, number, outcome, *ENDS)
        assert merged(kb) == result


def test_answers_that_one_or_the_other_helped_do_not_merge_them(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb)
        for number in range(6):
            answer(kb, number, "success", ENDS[number % 2])
        assert merged(kb) == []


def test_no_evidence_merges_what_says_the_opposite(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb, OPPOSITE)
        for number in range(3):
            answer(kb, number, "success", *ENDS)
        assert merged(kb) == []


def test_what_evidence_merged_is_taken_back_and_stays_apart(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "m.db") as kb:
        remember(kb)
        for number in range(3):
            answer(kb, number, "success", *ENDS)
        run = kb.consolidate(now=NOON)
        assert len(run.merged) == 1
        kb.unmerge(run.merge_run)
        assert kb.consolidate(now=NOON + timedelta(hours=1), full=True).merged == ()
