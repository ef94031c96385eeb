"""Ingest with a language model: what is sent, what of its words is kept, and what it takes."""

import json
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from stepladder import KnowledgeBase
from stepladder.ingest.distillers import load_distiller
from stepladder.ingest.distillers.llm.cut import cut
from stepladder.ingest.distillers.llm.prompting import prompt_of
from stepladder.ingest.distillers.llm.session import LlmOptions, Plan
from stepladder.ingest.llm.ledger import Ledger
from stepladder.ingest.llm.prices import FREE
from stepladder.ingest.llm.tokens import estimate
from stepladder.ingest.pipeline import runs_in
from stepladder.ingest.readers import load_readers
from stepladder.ingest.record import RunRecord
from stepladder.kg.errors import LlmError, UsageError
from stepladder.kg.types import EVERYTHING, Insight, Memory, Summary, Workflow

EXAMPLES = Path(__file__).parents[3] / "examples"
RUNS = EXAMPLES / "repo-bugfix"
_STEP = re.compile(r"^\[(\d+)\] \w+\ndid: (.{8,80})", re.MULTILINE)

Change = Callable[[dict[str, Any]], object]


def written(request: dict[str, Any], change: Change = lambda notes: None) -> str:
    """What a good model writes about the run in a request; `change` spoils it."""
    index, command = _STEP.findall(request["messages"][1]["content"])[0]
    evidence = [{"step": int(index), "quote": command}]
    notes: dict[str, Any] = {
        "summary": {
            "title": "Repair a fault that a check shows",
            "situation": "A library gives a wrong value and a check shows it.",
            "content": "The check failed, the cause was found, and the check passed.",
            "evidence": evidence,
        },
        "workflow": {
            "title": "Repair a fault that a check shows",
            "steps": ["Run the check.", "Change the module.", "Run the check again."],
            "preconditions": [],
            "evidence": evidence,
        },
        "insights": [
            {
                "title": "Let a failing check show the fault before changing anything",
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
    change(notes)
    return json.dumps(notes)


@pytest.fixture
def kb(tmp_path: Path) -> Any:
    with KnowledgeBase.open(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture
def options(server: Any, say: Any, tmp_path: Path) -> LlmOptions:
    server.script = lambda request, number: say(written(request), usage=(900, 300))
    return LlmOptions(
        ledger=tmp_path / "memory.llm.db", model="small", base_url=server.url, price="1,2"
    )


def of_model(kb: KnowledgeBase, label: str) -> list[Any]:
    return [n for n in kb.store.find(label) if isinstance(n, Memory) and n.origin == "llm"]


def shapes(kb: KnowledgeBase) -> dict[str, int]:
    return dict(kb.stats().levels)


@pytest.fixture(scope="session")
def runs() -> list[RunRecord]:
    files = sorted(p for p in EXAMPLES.rglob("*") if p.suffix in (".json", ".jsonl", ".traj"))
    found = [run for file in files for run in runs_in(file, readers=load_readers())]
    return [run for run in found if run.steps]


# --- beside the rules ----------------------------------------------------------------------------


def test_the_words_of_the_model_stand_beside_those_of_the_rules(
    kb: KnowledgeBase, options: LlmOptions, tmp_path: Path
) -> None:
    with KnowledgeBase.open(tmp_path / "rules.db") as ruled:
        ruled.ingest([RUNS])
        expected = {
            n.id for label in ("Summary", "Workflow", "Insight") for n in ruled.store.find(label)
        }
    report = kb.ingest([RUNS], llm=options)
    assert report.llm is not None
    assert report.llm.calls == report.llm.answered == report.new
    assert report.llm.usd == pytest.approx(report.new * (900 * 1 + 300 * 2) / 1e6)
    assert dict(report.llm.dropped) == {}
    assert expected <= {
        n.id for label in ("Summary", "Workflow", "Insight") for n in kb.store.find(label)
    }
    summaries, workflows, insights = (
        of_model(kb, label) for label in ("Summary", "Workflow", "Insight")
    )
    assert (len(summaries), len(workflows)) == (report.new, report.new)
    assert len(insights) == len({n.scope for n in summaries})
    assert all(n.untrusted for n in (*summaries, *workflows, *insights))
    assert all(n.scope != "shared" for n in insights)
    for node in (*summaries, *workflows, *insights):
        cited = [e for e in kb.store.edges([node.id], scope=EVERYTHING) if e.type == "CITES"]
        assert cited
        assert all(e.quote for e in cited)


def test_a_second_run_makes_no_call(kb: KnowledgeBase, options: LlmOptions, server: Any) -> None:
    kb.ingest([RUNS], llm=options)
    asked, before = len(server.requests), shapes(kb)
    report = kb.ingest([RUNS], llm=options)
    assert report.llm is not None
    assert (len(server.requests), report.llm.calls, shapes(kb)) == (asked, 0, before)


def test_answers_are_used_again_in_another_store_of_the_same_ledger(
    kb: KnowledgeBase, options: LlmOptions, server: Any, tmp_path: Path
) -> None:
    kb.ingest([RUNS], llm=options)
    asked = len(server.requests)
    with KnowledgeBase.open(tmp_path / "second.db") as second:
        assert second.plan([RUNS], llm=options).calls == 0
        second.ingest([RUNS], llm=options)
        assert shapes(second) == shapes(kb)
    assert len(server.requests) == asked


def test_an_interrupted_run_goes_on_where_it_stopped(
    kb: KnowledgeBase, options: LlmOptions, server: Any, tmp_path: Path
) -> None:
    def stop(progress: Any) -> None:
        if progress.position == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kb.ingest([RUNS], llm=options, on_progress=stop)
    kb.ingest([RUNS], llm=options)
    said = [r["messages"][1]["content"] for r in server.requests]
    assert len(said) == len(set(said))
    assert len(of_model(kb, "Summary")) == len(said)


# --- what is not kept ----------------------------------------------------------------------------


def _spoiled(part: str, **fields: Any) -> Change:
    def change(notes: dict[str, Any]) -> None:
        (notes["insights"][0] if part == "insights" else notes[part]).update(fields)

    return change


@pytest.mark.parametrize(
    ("change", "dropped"),
    [
        (_spoiled("summary", evidence=[]), "summary: not borne out by the steps"),
        (
            _spoiled("workflow", evidence=[{"step": 0, "quote": "words of my own making"}]),
            "workflow: not borne out by the steps",
        ),
        (
            _spoiled("insights", evidence=[{"step": 99_999, "quote": "whatever it is"}]),
            "insight: not borne out by the steps",
        ),
        (
            _spoiled("insights", content="Look into src/acme/pager/deep.py as it is always there."),
            "insight: It names a",
        ),
        (_spoiled("insights", kind="cooking"), "insight: Unknown kind 'cooking'."),
        (_spoiled("insights", title="Test"), "insight: The title is"),
        (
            _spoiled("insights", content="Change line 4711 of it, and all will be well again."),
            "insight: Too specific: 'line",
        ),
    ],
)
def test_what_is_not_borne_out_or_tells_its_source_is_dropped(
    kb: KnowledgeBase,
    options: LlmOptions,
    server: Any,
    say: Any,
    change: Change,
    dropped: str,
) -> None:
    server.script = lambda request, number: say(written(request, change))
    report = kb.ingest([RUNS / "ledger-split-cents"], llm=options)
    assert report.llm is not None
    assert dict(report.llm.dropped) == {dropped: 1}
    kept = {type(n) for label in ("Summary", "Workflow", "Insight") for n in of_model(kb, label)}
    part = {"summary": Summary, "workflow": Workflow, "insight": Insight}[dropped.split(":")[0]]
    assert kept == {Summary, Workflow, Insight} - {part}


@pytest.mark.parametrize(
    "told",
    [
        {"content": "I would rather not."},
        {"content": '{"summary": {}}'},
        {"content": "[" * 100_000},
        {"content": None, "message": {"refusal": "No."}},
        {"body": b'{"choices": []}'},
        {"content": "x" * 10 * 2**20},
    ],
)
def test_whatever_the_model_answers_the_rules_stand(
    kb: KnowledgeBase,
    options: LlmOptions,
    server: Any,
    say: Any,
    tmp_path: Path,
    told: dict[str, Any],
) -> None:
    good = {"n": 0}

    def script(request: dict[str, Any], number: int) -> Any:
        if "ledger" in request["messages"][1]["content"] and not good["n"]:
            good["n"] += 1
            return say(written(request))
        return say(**told)

    server.script = script
    report = kb.ingest([RUNS], llm=options)
    with KnowledgeBase.open(tmp_path / "rules.db") as ruled:
        expected = ruled.ingest([RUNS])
    assert report.traces == expected.traces
    assert report.llm is not None
    assert report.llm.misfits + report.llm.failed >= 1


def test_a_server_that_refuses_the_key_stops_before_anything_is_written(
    kb: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    server.script = lambda request, number: say(status=401)
    with pytest.raises(LlmError, match="401") as caught:
        kb.ingest([RUNS], llm=options)
    assert "--api-key-env" in caught.value.hint
    assert shapes(kb) == {}


def test_under_a_cap_that_is_used_up_the_rules_stand(
    kb: KnowledgeBase, options: LlmOptions, server: Any
) -> None:
    capped = LlmOptions(
        ledger=options.ledger, model="small", base_url=server.url, price="1,2", max_usd=0.00001
    )
    report = kb.ingest([RUNS], llm=capped)
    assert report.llm is not None
    assert (report.llm.calls, len(server.requests)) == (0, 0)
    assert "cap" in report.llm.stopped
    assert report.new > 0


# --- before anything is sent ---------------------------------------------------------------------


def test_a_plan_sends_nothing_and_says_how_many_calls_there_will_be(
    kb: KnowledgeBase, options: LlmOptions, server: Any
) -> None:
    plan = kb.plan([RUNS], llm=options)
    assert server.requests == []
    assert shapes(kb) == {}
    report = kb.ingest([RUNS], llm=options)
    assert report.llm is not None
    assert plan.calls == report.llm.calls
    assert plan.usd == pytest.approx((plan.input_tokens + 2 * plan.output_tokens) / 1e6)


def test_a_plan_that_is_not_approved_leaves_everything_as_it_was(
    kb: KnowledgeBase, options: LlmOptions, server: Any
) -> None:
    seen: list[Plan] = []
    report = kb.ingest([RUNS], llm=options, approve=lambda plan: bool(seen.append(plan)))
    assert [p.calls > 0 for p in seen] == [True]
    assert (report.new, server.requests, shapes(kb)) == (0, [], {})


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "No model"),
        ({"model": "a", "command": "b"}, "one model"),
        ({"model": "nobody-knows"}, "price"),
        ({"model": "nobody-knows", "base_url": "https://example.org/v1"}, "price"),
        ({"model": "a", "base_url": "http://localhost:1/v1", "max_usd": 1.0}, "price"),
        ({"command": "claude -p", "max_usd": 1.0}, "price"),
        ({"model": "a", "price": "cheap"}, "Not a price"),
    ],
)
def test_what_is_not_clear_is_asked_before(
    kb: KnowledgeBase, tmp_path: Path, fields: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        kb.plan([RUNS], llm=LlmOptions(ledger=tmp_path / "l.db", **fields))


def test_the_price_of_another_server_is_not_that_of_openai(
    kb: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = date(2026, 9, 13)
    told: dict[str, Any] = {"ledger": tmp_path / "l.db", "model": "gpt-5-mini", "today": listed}
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert kb.plan([RUNS], llm=LlmOptions(**told)).usd is not None
    with pytest.raises(UsageError, match="price"):
        kb.plan([RUNS], llm=LlmOptions(**told, base_url="https://openrouter.ai/api/v1"))
    with pytest.raises(UsageError, match="price") as caught:
        kb.plan([RUNS], llm=LlmOptions(**{**told, "today": date(2027, 6, 1)}))
    assert "as of 2026-09-13" in caught.value.hint
    monkeypatch.setenv("OPENAI_BASE_URL", "https://openrouter.ai/api/v1")
    with pytest.raises(UsageError, match="price"):
        kb.plan([RUNS], llm=LlmOptions(**told))


@pytest.mark.parametrize(
    "fields",
    [{"command": "claude -p"}, {"model": "qwen3:8b", "base_url": "http://localhost:11434/v1"}],
)
def test_a_program_and_a_server_on_this_machine_have_no_price(
    kb: KnowledgeBase, tmp_path: Path, fields: dict[str, Any]
) -> None:
    plan = kb.plan([RUNS], llm=LlmOptions(ledger=tmp_path / "l.db", **fields))
    assert plan.calls > 0
    assert plan.usd is None


def test_the_distiller_cannot_be_had_without_a_model() -> None:
    with pytest.raises(UsageError, match="needs a model"):
        load_distiller("llm")


# --- what is sent --------------------------------------------------------------------------------


def test_secrets_and_homes_never_reach_the_server(
    kb: KnowledgeBase, options: LlmOptions, server: Any, tmp_path: Path
) -> None:
    secret = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
    source = (RUNS / "ledger-split-cents" / "ledger-split-cents.traj").read_text(encoding="utf-8")
    run = json.loads(source)
    planted = 0
    for step in run["trajectory"]:
        step["observation"] += f"\nGH_TOKEN={secret}\n/home/zaphodb/work: zaphodb@example.org\n"
        planted += 1
    file = tmp_path / "planted" / "planted.traj"
    file.parent.mkdir()
    file.write_text(json.dumps(run), encoding="utf-8")
    kb.ingest([file], llm=options)
    log = b"\n".join(server.log)
    assert planted > 0
    assert b"redacted" in log
    for word in (secret, "zaphodb"):
        assert word.encode() not in log


def test_a_run_is_fenced_and_cannot_close_its_fence(runs: list[RunRecord]) -> None:
    for run in runs:
        prompt = prompt_of(run)
        named, _, marked = prompt.user.partition("\n")
        opening, _, rest = marked.partition("\n")
        text, _, closing = rest.rpartition("\n")
        assert closing == opening.replace("<", "</")
        assert opening[1:-1] not in text
        assert named.endswith(f"between {opening} and {closing}.")
        assert prompt.version.startswith("frame 1, summary 1, workflow.")


def test_the_same_run_gives_the_same_prompt(runs: list[RunRecord]) -> None:
    assert [prompt_of(run) for run in runs] == [prompt_of(run) for run in runs]


@pytest.mark.parametrize("limit", [400, 1_500, 12_000])
def test_a_run_is_cut_to_the_limit_and_keeps_what_tells_most(
    runs: list[RunRecord], limit: int
) -> None:
    for run in runs:
        made = cut(run, limit_tokens=limit)
        assert estimate(made.text) <= limit * 1.1
        left_out = len(run.steps) - len(made.steps)
        assert (
            sum(map(int, re.findall(r"^\.\.\. (\d+) steps left out", made.text, re.M))) == left_out
        )
        if limit == 12_000:
            assert left_out == 0


def test_failures_outlive_reads_in_a_cut(runs: list[RunRecord]) -> None:
    run = max(runs, key=lambda r: len(r.steps))
    made = cut(run, limit_tokens=700)
    failed = {s.index for s in run.steps if s.failed}
    looked = {s.index for s in run.steps if s.phase in ("read", "search") and not s.failed}
    assert len(made.steps) < len(run.steps)
    kept_failed = len(failed & made.steps) / max(1, len(failed))
    kept_looked = len((looked - failed) & made.steps) / max(1, len(looked - failed))
    assert kept_failed >= kept_looked


def test_the_ledger_of_a_run_is_readable_afterwards(
    kb: KnowledgeBase, options: LlmOptions, server: Any
) -> None:
    kb.ingest([RUNS], llm=options)
    with Ledger(options.ledger, model="small", price=FREE, cap_nano=None) as ledger:
        entries = ledger.entries()
    made = [e for e in entries if e.state == "answered"]
    assert [(e.input_tokens, e.output_tokens) for e in made] == server.billed
    assert {e.model for e in made} == {"small"}
