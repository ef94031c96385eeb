"""Runs that rules looked at reach the model, and lose nothing where it fails."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from stepladder import KnowledgeBase
from stepladder.cli import main
from stepladder.ingest.distillers.llm.options import LlmOptions
from stepladder.kg.errors import UsageError
from stepladder.kg.types import Memory

RUNS = Path(__file__).parents[3] / "examples" / "repo-bugfix"
_STEP = re.compile(r"^\[(\d+)\] \w+\ndid: (.{8,80})", re.MULTILINE)


def written(request: dict[str, Any], *, title: str) -> str:
    index, command = _STEP.findall(request["messages"][1]["content"])[0]
    evidence = [{"step": int(index), "quote": command}]
    return json.dumps(
        {
            "summary": {"title": "t", "situation": "s", "content": "c", "evidence": evidence},
            "workflow": {"title": "t", "steps": [], "preconditions": [], "evidence": []},
            "insights": [
                {
                    "title": title,
                    "description": "A fault is reported and no check shows it yet.",
                    "content": "A check that fails first proves that it looks at the right place.",
                    "kind": "test-driven verification",
                    "polarity": "do",
                    "applies_when": "no check fails yet",
                    "not_when": "",
                    "evidence": evidence,
                }
            ],
        }
    )


TITLE = "Let a failing check show the fault before changing anything"
OTHER = "Write the check that fails before the module is changed at all"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return Path(shutil.copytree(RUNS, tmp_path / "runs"))


@pytest.fixture
def kb(tmp_path: Path, runs: Path) -> Any:
    """A store of runs that rules have looked at."""
    with KnowledgeBase.open(tmp_path / "memory.db") as opened:
        opened.ingest([runs])
        yield opened


@pytest.fixture
def options(server: Any, say: Any, tmp_path: Path) -> LlmOptions:
    server.script = lambda request, number: say(written(request, title=TITLE), usage=(900, 300))
    return LlmOptions(ledger=tmp_path / "memory.llm.db", model="small", base_url=server.url)


def made_by(kb: KnowledgeBase, origin: str) -> dict[str, Memory]:
    found = (n for label in ("Workflow", "Summary", "Insight") for n in kb.store.find(label))
    return {n.id: n for n in found if isinstance(n, Memory) and n.origin == origin}


def test_runs_of_the_rules_get_the_words_of_the_model_at_the_wanted_level(
    kb: KnowledgeBase, options: LlmOptions, server: Any
) -> None:
    ruled = made_by(kb, "rules")
    traces = kb.stats().levels["trace"]
    done = kb.redistill(llm=options, where="distiller = 'rules'", levels=["insight"])
    assert (done.runs, done.written, done.stands) == (traces, traces, 0)
    assert done.llm is not None
    assert done.llm.calls == len(server.requests) == traces
    assert made_by(kb, "rules") == ruled
    told = made_by(kb, "llm")
    assert {type(m).__name__ for m in told.values()} == {"Insight"}
    assert done.added == len(told) > 0
    for id in told:
        edges = kb.store.edges([id])
        assert any(e.type == "CITES" and e.quote for e in edges)
        assert any(e.type == "GENERALIZES_TO" and e.source in ruled for e in edges)
        assert kb.why(id).traces


def test_a_second_time_no_call_is_made_and_nothing_changes(
    kb: KnowledgeBase, options: LlmOptions, server: Any
) -> None:
    kb.redistill(llm=options)
    asked, before = len(server.requests), list(kb.store.export())
    assert kb.plan_redistill(llm=options).calls == 0
    again = kb.redistill(llm=options)
    assert (again.added, again.changed, again.removed) == (0, 0, 0)
    assert (len(server.requests), list(kb.store.export())) == (asked, before)


def test_the_question_is_the_one_an_ingest_asks(
    kb: KnowledgeBase, options: LlmOptions, server: Any, runs: Path, tmp_path: Path
) -> None:
    with KnowledgeBase.open(tmp_path / "second.db") as second:
        second.ingest([runs], llm=options)
        asked = len(server.requests)
        kb.redistill(llm=options)
        assert len(server.requests) == asked
        assert made_by(kb, "llm") == made_by(second, "llm")


def test_runs_whose_files_are_gone_are_told_from_their_kept_steps(
    kb: KnowledgeBase, options: LlmOptions, server: Any, runs: Path
) -> None:
    shutil.rmtree(runs)
    done = kb.redistill(llm=options)
    assert done.written == done.runs == kb.stats().levels["trace"]
    assert done.llm is not None
    assert dict(done.llm.dropped) == {}
    assert done.added > 0
    assert all("did: " in r["messages"][1]["content"] for r in server.requests)


def test_what_the_model_said_before_gives_way_and_the_rules_stay(
    kb: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    kb.redistill(llm=options, levels=["insight"])
    ruled, before = made_by(kb, "rules"), made_by(kb, "llm")
    server.script = lambda request, number: say(written(request, title=OTHER))
    newer = LlmOptions(ledger=options.ledger, model="larger", base_url=options.base_url)
    kb.redistill(llm=newer, where="distiller = 'llm'", levels=["insight"])
    after = made_by(kb, "llm")
    assert {m.title for m in after.values()} == {OTHER}
    assert not set(after) & set(before)
    assert made_by(kb, "rules") == ruled


def test_where_the_model_fails_everything_stays(
    kb: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    kb.redistill(llm=options, levels=["insight"])
    before = list(kb.store.export())
    server.script = lambda request, number: say("no object at all")
    newer = LlmOptions(ledger=options.ledger, model="larger", base_url=options.base_url)
    done = kb.redistill(llm=newer)
    assert (done.written, done.stands) == (0, done.runs)
    assert list(kb.store.export()) == before


def test_an_interrupted_run_goes_on_and_asks_nothing_twice(
    kb: KnowledgeBase, options: LlmOptions, server: Any
) -> None:
    def stop(number: int) -> None:
        if number == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kb.redistill(llm=options, on_run=stop)
    asked = len(server.requests)
    kb.redistill(llm=options)
    assert len(server.requests) == asked == kb.stats().levels["trace"]


def test_a_filter_chooses_runs_and_a_limit_cuts_them(
    kb: KnowledgeBase, options: LlmOptions
) -> None:
    traces = kb.stats().levels["trace"]
    assert kb.plan_redistill(llm=options).calls == traces
    assert kb.plan_redistill(llm=options, where="distiller != 'rules'").calls == 0
    assert kb.plan_redistill(llm=options, where="steps > 0 AND steps < 0").calls == 0
    assert kb.plan_redistill(llm=options, limit=2).calls == 2
    with pytest.raises(UsageError, match="Unknown field"):
        kb.plan_redistill(llm=options, where="colour = red")


# --- the command ---------------------------------------------------------------------------------


def run(*arguments: str, store: Path, typed: str = "") -> Result:
    return CliRunner().invoke(main, ["--store", str(store), *arguments], input=typed)


def test_the_command_plans_asks_and_tells(
    kb: KnowledgeBase, options: LlmOptions, server: Any, tmp_path: Path
) -> None:
    store = tmp_path / "memory.db"
    named = ["redistill", "--level", "insight", "--where", "distiller = 'rules'"]
    named += ["--model", "small", "--base-url", server.url]
    traces = kb.stats().levels["trace"]
    dry = run(*named, "--dry-run", "--json", store=store)
    assert json.loads(dry.stdout)["calls"] == traces
    assert "--- prompt 1 of" in run(*named, "--show-prompts", store=store).stdout
    refused = run(*named, store=store, typed="")
    assert (refused.exit_code, "nobody said yes" in refused.stderr) == (2, True)
    assert server.requests == []
    done = json.loads(run(*named, "--yes", "--json", store=store).stdout)
    assert (done["runs"], done["written"], done["llm"]["calls"]) == (traces, traces, traces)
    assert f"{traces} runs: {traces} written anew" in run(*named, "--yes", store=store).stdout
    unnamed = run("redistill", "--dry-run", store=store)
    assert (unnamed.exit_code, "No model is named" in unnamed.stderr) == (2, True)


def test_under_a_cap_no_more_is_spent_and_the_rest_stands(
    kb: KnowledgeBase, options: LlmOptions, server: Any, tmp_path: Path
) -> None:
    capped = LlmOptions(
        ledger=options.ledger, model="small", base_url=server.url, price="1,2", max_usd=0.017,
        workers=1,
    )  # fmt: skip
    done = kb.redistill(llm=capped)
    assert done.llm is not None
    assert done.llm.usd is not None
    assert done.llm.usd <= 0.017
    assert "cap" in done.llm.stopped
    assert 0 < done.written < done.runs
