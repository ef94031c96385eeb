"""A model decides on suggested pairs: twice asked, kept with its name, taken back exactly."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from stepladder import KnowledgeBase
from stepladder.cli import main
from stepladder.ingest.distillers.llm.options import LlmOptions
from stepladder.kg.errors import UsageError

LESSONS = (
    ("Read the error message to its end before editing", "A command fails with a long trace."),
    ("Read the whole error message before editing a file", "A command fails."),
    ("Pin dependency versions in the lock file", "Builds differ between machines."),
    ("Pin the versions of dependencies in a lock file for CI", "Builds in CI differ."),
    ("Delete the build cache when a stale artefact is used", "A build uses old files."),
    ("Clear the build cache after the build uses stale files", "A build shows old behaviour."),
    ("Write to a temporary file and rename it", "A file may be read while it is written."),
    ("Write a temporary file, then rename it over the old one", "Readers may see half a file."),
)


@pytest.fixture
def kb(tmp_path: Path) -> Any:
    """A store with four suggested pairs."""
    with KnowledgeBase.open(tmp_path / "memory.db") as opened:
        rows = [{"title": t, "description": d, "content": "Each time."} for t, d in LESSONS]
        opened.import_memories(rows)
        opened.consolidate()
        assert len(opened.suggestions()) == 4
        yield opened


@pytest.fixture
def options(server: Any, tmp_path: Path) -> LlmOptions:
    return LlmOptions(ledger=tmp_path / "memory.llm.db", model="small", base_url=server.url)


def first_of(request: dict[str, Any]) -> str:
    """The title that stands first in a request."""
    text = request["messages"][1]["content"]
    return str(text.partition("Title: ")[2].partition("\n")[0])


def says(say: Any, relation: str) -> Any:
    return say(json.dumps({"relation": relation, "reason": "So it is."}), usage=(300, 20))


def graph(kb: KnowledgeBase) -> list[Any]:
    return list(kb.store.export())


def titles(kb: KnowledgeBase, judged: Any) -> tuple[str, str]:
    found = kb.store.get([judged.a, judged.b])
    return found[judged.a].title, found[judged.b].title  # type: ignore[attr-defined]


def test_each_pair_is_asked_about_twice_with_the_order_swapped_and_no_other(
    kb: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    pairs = kb.suggestions()
    plan = kb.plan_judge_pairs(llm=options)
    assert (plan.calls, server.requests) == (8, [])
    server.script = lambda request, number: says(say, "different")
    done = kb.judge_pairs(llm=options)
    assert (done.pairs, len(done.decided), done.disagreed) == (4, 4, 0)
    asked = sorted(first_of(r) for r in server.requests)
    assert asked == sorted(i.title for p in pairs for i in (p.a, p.b))
    assert kb.suggestions() == []


def test_without_agreement_nothing_is_decided(
    kb: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    before = graph(kb)
    server.script = lambda request, number: says(say, "first is broader")
    done = kb.judge_pairs(llm=options)
    assert (done.decided, done.disagreed) == ((), 4)
    assert graph(kb) == before
    assert kb.verdicts() == []


def test_without_an_answer_the_pairs_wait_on(
    kb: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    before = graph(kb)
    server.script = lambda request, number: say("perhaps")
    done = kb.judge_pairs(llm=options)
    assert (done.decided, done.unanswered) == ((), 4)
    assert graph(kb) == before
    assert len(kb.suggestions()) == 4


def test_a_broader_lesson_comes_above_the_other_whichever_is_named_first(
    kb: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    broad = "Write to a temporary file and rename it"

    def script(request: dict[str, Any], number: int) -> Any:
        user = request["messages"][1]["content"]
        if broad not in user:
            return says(say, "different")
        is_first = first_of(request) == broad
        return says(say, "first is broader" if is_first else "second is broader")

    server.script = script
    done = kb.judge_pairs(llm=options)
    (judged,) = (j for j in done.decided if j.verdict in ("broader", "narrower"))
    a, b = titles(kb, judged)
    assert (a if judged.verdict == "broader" else b) == broad
    ids = (judged.a, judged.b) if judged.verdict == "broader" else (judged.b, judged.a)
    above = [e.target for e in kb.store.edges([ids[1]], types=("GENERALIZES_TO",), direction="out")]
    assert above == [ids[0]]
    assert done.verdicts == {"apart": 3, judged.verdict: 1}


@pytest.mark.parametrize("relation", ["same", "opposite", "different"])
def test_a_verdict_is_kept_with_its_model_and_taken_back_exactly(
    kb: KnowledgeBase, options: LlmOptions, server: Any, say: Any, relation: str
) -> None:
    before, waiting = graph(kb), kb.suggestions()
    server.script = lambda request, number: says(say, relation)
    done = kb.judge_pairs(llm=options)
    assert graph(kb) != before
    kept = kb.verdicts()
    assert kept == list(done.decided)
    assert {(j.model, j.prompt, j.reason) for j in kept} == {("small", "pair 1", "So it is.")}
    for judged in reversed(kept):
        assert kb.take_back(judged.b, judged.a) == judged
    assert kb.verdicts() == []
    assert kb.suggestions() == waiting
    kb.consolidate()
    assert kb.suggestions() == waiting


def test_a_second_time_nothing_is_asked(
    kb: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    server.script = lambda request, number: says(say, "first is broader")
    kb.judge_pairs(llm=options)
    asked = len(server.requests)
    kb.judge_pairs(llm=options)
    assert len(server.requests) == asked


def test_the_cap_holds_for_judging_too(
    kb: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    server.script = lambda request, number: says(say, "different")
    capped = LlmOptions(
        ledger=options.ledger, model="small", base_url=server.url, price="1,1", max_usd=0.004,
        workers=1,
    )  # fmt: skip
    done = kb.judge_pairs(llm=capped)
    assert done.llm is not None
    assert done.llm.usd is not None
    assert done.llm.usd <= 0.004
    assert "cap" in done.llm.stopped
    assert done.unanswered > 0


def test_there_is_nothing_to_take_back_where_no_model_decided(kb: KnowledgeBase) -> None:
    pair = kb.suggestions()[0]
    kb.decide(pair.a.id, pair.b.id, "apart")
    with pytest.raises(UsageError, match="0 verdicts"):
        kb.take_back(pair.a.id, pair.b.id)


# --- the commands --------------------------------------------------------------------------------


def run(*arguments: str, store: Path, typed: str = "") -> Result:
    return CliRunner().invoke(main, ["--store", str(store), *arguments], input=typed)


def test_the_commands_plan_judge_list_and_take_back(
    kb: KnowledgeBase, server: Any, say: Any, tmp_path: Path
) -> None:
    store = tmp_path / "memory.db"
    server.script = lambda request, number: says(say, "same")
    named = ["--judge", "llm", "--model", "small", "--base-url", server.url]
    dry = json.loads(run("consolidate", "--dry-run", *named, "--json", store=store).stdout)
    assert dry["judge"]["calls"] == 8
    refused = run("consolidate", *named, store=store)
    assert (refused.exit_code, server.requests) == (2, [])
    without = run("consolidate", "--model", "small", store=store)
    assert (without.exit_code, "--judge llm" in without.stderr) == (2, True)
    done = json.loads(run("consolidate", *named, "--yes", "--json", store=store).stdout)
    assert done["judge"]["verdicts"] == {"same": 4}
    assert done["judge"]["llm"]["calls"] == 8
    listed = json.loads(run("verdicts", "--json", store=store).stdout)
    assert {(v["verdict"], v["model"]) for v in listed} == {("same", "small")}
    one = listed[0]
    assert run("verdicts", one["a"], one["b"], "--undo", store=store).exit_code == 0
    assert run("verdicts", "--undo", store=store, typed="n\n").exit_code == 1
    assert "3 taken back" in run("verdicts", "--undo", "--yes", store=store).stdout
    assert json.loads(run("verdicts", "--json", store=store).stdout) == []
    assert len(kb.suggestions()) == 4
