"""A model judges how runs ended: strictly, blindly, by majority, and never over a verifier."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from stepladder import KnowledgeBase
from stepladder.cli import main
from stepladder.ingest.distillers.llm.options import LlmOptions
from stepladder.ingest.judging import Agreement, agreement_of
from stepladder.kg.types import Trace

RUNS = Path(__file__).parents[3] / "examples" / "repo-bugfix"
_STEP = re.compile(r"^\[(\d+)\] \w+\ndid: (.{8,80})", re.MULTILINE)
GOOD = {"met": "yes", "checked": "yes", "left": "no"}
BAD = {"met": "no", "checked": "no", "left": "yes"}


def answer(request: dict[str, Any], quote: str = "", **answers: str) -> str:
    index, command = _STEP.findall(request["messages"][1]["content"])[0]
    evidence = [{"step": int(index), "quote": quote or command}]
    return json.dumps({"asked": "A repair.", "evidence": evidence, **answers})


@pytest.fixture
def kb(tmp_path: Path) -> Any:
    """A store of runs whose ends a verifier knows."""
    with KnowledgeBase.open(tmp_path / "memory.db") as opened:
        opened.ingest([RUNS])
        yield opened


@pytest.fixture
def options(server: Any, tmp_path: Path) -> LlmOptions:
    return LlmOptions(
        ledger=tmp_path / "memory.llm.db", model="small", base_url=server.url, workers=1
    )


@pytest.fixture
def unknown(tmp_path: Path) -> Any:
    """A store of the same runs without the files that tell how they ended."""
    folder = tmp_path / "bare"
    for file in sorted(RUNS.rglob("*.traj")):
        run = json.loads(file.read_text(encoding="utf-8"))
        (folder / file.parent.name).mkdir(parents=True)
        (folder / file.parent.name / file.name).write_text(json.dumps(run), encoding="utf-8")
    with KnowledgeBase.open(tmp_path / "unknown.db") as opened:
        opened.ingest([folder])
        assert {t.outcome_source for t in traces(opened)} == {"none"}
        yield opened


def traces(kb: KnowledgeBase) -> list[Trace]:
    return [n for n in kb.store.find("Trace") if isinstance(n, Trace)]


def ends(kb: KnowledgeBase) -> set[tuple[str, str, float]]:
    return {(t.outcome, t.outcome_source, t.outcome_confidence) for t in traces(kb)}


def test_a_majority_decides_and_says_how_far_it_is_trusted(
    unknown: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    number_of_runs = len(traces(unknown))
    server.script = lambda request, number: say(answer(request, **GOOD))
    done = unknown.judge_outcomes(llm=options)
    assert (done.runs, done.success, done.failure) == (number_of_runs, number_of_runs, 0)
    assert ends(unknown) == {("success", "judge", 0.75)}
    assert len(server.requests) == 3 * number_of_runs
    unknown.judge_outcomes(llm=options)
    assert len(server.requests) == 3 * number_of_runs


def test_votes_that_differ_are_trusted_less(
    unknown: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    server.script = lambda request, number: say(answer(request, **(BAD if number % 3 else GOOD)))
    unknown.judge_outcomes(llm=options)
    assert ends(unknown) == {("failure", "judge", 0.5)}


@pytest.mark.parametrize(
    ("answers", "status"),
    [
        (GOOD, "success"),
        ({**GOOD, "checked": "no"}, "unknown"),
        ({**GOOD, "left": "unclear"}, "unknown"),
        ({**GOOD, "met": "unclear"}, "unknown"),
        ({**GOOD, "left": "yes"}, "failure"),
        ({**BAD, "left": "no"}, "failure"),
        ({**GOOD, "quote": "all tests passed, I promise"}, "unknown"),
        ({**BAD, "quote": "all tests failed, I promise"}, "unknown"),
    ],
)
def test_a_success_is_shown_checked_and_leaves_no_error(
    unknown: KnowledgeBase,
    options: LlmOptions,
    server: Any,
    say: Any,
    answers: dict[str, str],
    status: str,
) -> None:
    server.script = lambda request, number: say(answer(request, **answers))
    done = unknown.judge_outcomes(llm=options, limit=1)
    assert getattr(done, status) == done.runs == 1


def test_without_a_majority_or_an_answer_everything_stays(
    unknown: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    before = list(unknown.store.export())
    server.script = lambda request, number: say("who knows")
    done = unknown.judge_outcomes(llm=options, limit=1)
    assert (done.runs, done.unanswered) == (1, 1)
    assert list(unknown.store.export()) == before


def test_a_verifier_is_never_asked_about_and_never_overruled(
    kb: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    known = ends(kb)
    assert {source for _, source, _ in known} == {"verifier"}
    server.script = lambda request, number: say(answer(request, **BAD))
    assert kb.judge_outcomes(llm=options).runs == 0
    assert (ends(kb), server.requests) == (known, [])


def test_a_verifier_that_comes_later_overrules_the_judge(
    unknown: KnowledgeBase, options: LlmOptions, server: Any, say: Any, tmp_path: Path
) -> None:
    server.script = lambda request, number: say(answer(request, **GOOD))
    unknown.judge_outcomes(llm=options)
    unknown.ingest([tmp_path / "bare"])
    assert ends(unknown) == {("success", "judge", 0.75)}
    for file in (tmp_path / "bare").rglob("*.traj"):
        (file.parent / "reward.txt").write_text("0\n", encoding="utf-8")
    unknown.ingest([tmp_path / "bare"])
    assert ends(unknown) == {("failure", "verifier", 1.0)}


def test_what_stands_on_a_run_counts_its_verdict(
    unknown: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    server.script = lambda request, number: say(answer(request, **GOOD))
    unknown.judge_outcomes(llm=options)
    for trace in traces(unknown):
        above = [e.target for e in unknown.store.ancestry([trace.id])]
        for support in unknown.store.support(above).values():
            assert set(support.outcomes) == {"success"}


# --- agreement -----------------------------------------------------------------------------------


def test_the_judge_is_measured_blindly_against_verifiers(
    kb: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    number_of_runs = len(traces(kb))
    before = list(kb.store.export())
    server.script = lambda request, number: say(answer(request, **GOOD))
    found = kb.judge_agreement(llm=options)
    assert (found.runs, found.decided) == (number_of_runs, number_of_runs)
    right = sum(t.outcome == "success" for t in traces(kb))
    assert found.agreement == pytest.approx(right / number_of_runs, abs=1e-4)
    assert list(kb.store.export()) == before
    assert server.requests
    for request in server.requests:
        assert "Outcome: unknown (says: none)" in request["messages"][1]["content"]


def test_agreement_and_kappa_are_those_of_the_table() -> None:
    pairs: Any = [("success", "success")] * 20 + [("success", "failure")] * 5
    pairs += [("failure", "success")] * 10 + [("failure", "failure")] * 15
    pairs += [("failure", "unknown")] * 4
    assert agreement_of(pairs, unanswered=1) == Agreement(
        runs=55,
        decided=50,
        unanswered=1,
        agreement=0.7,
        interval=(0.5625, 0.809),
        kappa=0.4,
        table={
            "failure": {"failure": 15, "success": 10, "unknown": 4},
            "success": {"failure": 5, "success": 20},
        },
    )
    assert agreement_of([]) == Agreement()
    assert agreement_of([("success", "success")]).kappa is None


# --- the commands --------------------------------------------------------------------------------


def run(*arguments: str, store: Path) -> Result:
    return CliRunner().invoke(main, ["--store", str(store), *arguments])


def test_the_commands_plan_judge_and_measure(
    kb: KnowledgeBase, unknown: KnowledgeBase, server: Any, say: Any, tmp_path: Path
) -> None:
    server.script = lambda request, number: say(answer(request, **GOOD))
    named = ["--model", "small", "--base-url", server.url, "--votes", "1"]
    bare, known = tmp_path / "unknown.db", tmp_path / "memory.db"
    calls = len(traces(unknown))
    assert (
        json.loads(run("judge", *named, "--dry-run", "--json", store=bare).stdout)["calls"] == calls
    )
    assert "--- prompt 1 of" in run("judge", *named, "--show-prompts", store=bare).stdout
    assert run("judge", *named, store=bare).exit_code == 2
    assert server.requests == []
    done = json.loads(run("judge", *named, "--yes", "--json", store=bare).stdout)
    assert (done["runs"], done["success"], done["llm"]["calls"]) == (calls, calls, calls)
    measured = run("evaluate", "judge", *named, "--yes", store=known)
    assert f"{len(traces(kb))} runs whose end is known" in measured.stdout
    assert "kappa" in measured.stdout
    as_json = json.loads(run("evaluate", "judge", *named, "--yes", "--json", store=known).stdout)
    assert set(as_json) == {
        "runs", "decided", "unanswered", "agreement", "interval", "kappa", "table", "llm",
    }  # fmt: skip
    planned = run("evaluate", "judge", *named, "--dry-run", "--json", store=known)
    assert json.loads(planned.stdout)["calls"] == 0
