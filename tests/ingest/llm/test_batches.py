"""Questions handed in together: made once, found again by their id, under the cap."""

import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from stepladder import KnowledgeBase
from stepladder.cli import main
from stepladder.ingest.distillers.llm.options import LlmOptions
from stepladder.ingest.llm.batches import BatchWaiting
from stepladder.ingest.llm.ledger import Ledger
from stepladder.ingest.llm.prices import FREE
from stepladder.kg.errors import LlmError, UsageError
from stepladder.kg.types import Memory

RUNS = Path(__file__).parents[3] / "examples" / "repo-bugfix"
_STEP = re.compile(r"^\[(\d+)\] \w+\ndid: (.{8,80})", re.MULTILINE)


def notes(request: dict[str, Any]) -> str:
    index, command = _STEP.findall(request["messages"][1]["content"])[0]
    evidence = [{"step": int(index), "quote": command}]
    return json.dumps(
        {
            "summary": {"title": "t", "situation": "s", "content": "c", "evidence": evidence},
            "workflow": {"title": "t", "steps": [], "preconditions": [], "evidence": []},
            "insights": [],
        }
    )


@pytest.fixture
def kb(tmp_path: Path) -> Any:
    with KnowledgeBase.open(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture
def options(batches: Any, tmp_path: Path) -> LlmOptions:
    batches.say = lambda request, number: notes(request)
    return LlmOptions(
        ledger=tmp_path / "memory.llm.db", model="small", base_url=batches.url, price="1,2",
        batch=True,
    )  # fmt: skip


def states(options: LlmOptions) -> list[tuple[str, int, int]]:
    with Ledger(options.ledger, model="small", price=FREE, cap_nano=None) as ledger:
        return [(e.state, e.input_tokens, e.output_tokens) for e in ledger.entries()
                if e.state != "cached"]  # fmt: skip


def of_model(kb: KnowledgeBase) -> list[str]:
    return [n.id for n in kb.store.find("Summary") if isinstance(n, Memory) and n.origin == "llm"]


def test_questions_are_handed_in_once_and_their_answers_fetched_later(
    kb: KnowledgeBase, options: LlmOptions, batches: Any
) -> None:
    with pytest.raises(BatchWaiting) as first:
        kb.ingest([RUNS], llm=options)
    assert first.value.batches == {"batch_0": "handed in"}
    assert kb.stats().levels == {}
    assert kb.plan([RUNS], llm=options).calls == 0
    with pytest.raises(BatchWaiting) as second:
        kb.ingest([RUNS], llm=options)
    assert second.value.batches == {"batch_0": "in_progress"}
    assert len(batches.batches) == 1
    batches.work()
    report = kb.ingest([RUNS], llm=options)
    assert report.llm is not None
    asked = len(batches.questions(batches.batches[0]))
    assert (report.new, report.llm.calls, report.llm.answered) == (asked, asked, asked)
    assert len(of_model(kb)) == asked
    assert states(options) == [("answered", 900, 300)] * asked
    assert batches.chats == 0


def test_what_is_asked_in_a_batch_is_what_would_be_asked_one_by_one(
    kb: KnowledgeBase, options: LlmOptions, batches: Any
) -> None:
    prompts = kb.plan([RUNS], llm=options).prompts
    with pytest.raises(BatchWaiting):
        kb.ingest([RUNS], llm=options)
    rows = batches.questions(batches.batches[0])
    assert [r["body"]["messages"][1]["content"] for r in rows] == [p.user for p in prompts]
    assert {(r["method"], r["url"]) for r in rows} == {("POST", "/v1/chat/completions")}
    assert batches.batches[0]["endpoint"] == "/v1/chat/completions"


@pytest.mark.parametrize("status", ["expired", "cancelled", "failed"])
def test_what_a_batch_did_not_answer_costs_nothing_and_the_rules_stand(
    kb: KnowledgeBase, options: LlmOptions, batches: Any, status: str
) -> None:
    with pytest.raises(BatchWaiting):
        kb.ingest([RUNS], llm=options)
    batches.work(leave_out=2, status=status)
    report = kb.ingest([RUNS], llm=options)
    assert report.llm is not None
    assert report.llm.failed == 2
    assert len(of_model(kb)) == report.new - 2
    assert sorted(states(options))[-2:] == [("failed", 0, 0)] * 2
    assert len(batches.batches) == 1


def test_answers_that_do_not_fit_are_counted_and_not_asked_again(
    kb: KnowledgeBase, options: LlmOptions, batches: Any
) -> None:
    batches.say = lambda request, number: "what?" if number == 0 else notes(request)
    with pytest.raises(BatchWaiting):
        kb.ingest([RUNS], llm=options)
    batches.work()
    report = kb.ingest([RUNS], llm=options)
    assert report.llm is not None
    assert (report.llm.misfits, len(of_model(kb))) == (1, report.new - 1)
    assert (len(batches.batches), batches.chats) == (1, 0)


@pytest.mark.parametrize("route", ["/files", "/batches"])
def test_a_server_that_breaks_while_it_is_handed_in_makes_no_second_batch(
    kb: KnowledgeBase, options: LlmOptions, batches: Any, route: str
) -> None:
    # The server does the work, and its answer is lost.
    batches.fault = lambda method, path: 500 if path == route else 0
    with pytest.raises(LlmError):
        kb.ingest([RUNS], llm=options)
    batches.fault = lambda method, path: 0
    with pytest.raises(BatchWaiting):
        kb.ingest([RUNS], llm=options)
    assert len(batches.batches) == 1
    batches.work()
    report = kb.ingest([RUNS], llm=options)
    assert len(of_model(kb)) == report.new
    paid = [s for s in states(options) if s[1]]
    assert paid == [("answered", 900, 300)] * report.new


def test_a_server_without_batches_is_named(
    kb: KnowledgeBase, options: LlmOptions, batches: Any
) -> None:
    batches.fault = lambda method, path: 404
    with pytest.raises(LlmError, match="takes no batch") as caught:
        kb.ingest([RUNS], llm=options)
    assert caught.value.hint == "Leave --batch out."
    assert {s[1:] for s in states(options)} == {(0, 0)}


def test_the_cap_holds_over_all_batches_of_one_ingest(
    kb: KnowledgeBase, options: LlmOptions, batches: Any
) -> None:
    capped = LlmOptions(
        ledger=options.ledger, model="small", base_url=batches.url, price="1,2", batch=True,
        max_usd=0.03,
    )  # fmt: skip
    calls = kb.plan([RUNS], llm=capped).calls
    for _ in range(10):
        try:
            report = kb.ingest([RUNS], llm=capped)
            break
        except BatchWaiting:
            batches.work()
    asked = [len(batches.questions(b)) for b in batches.batches]
    assert 0 < asked[0] < calls
    charged = sum(asked) * (900 * 1 + 300 * 2) / 1e6
    assert charged <= 0.03
    assert report.llm is not None
    assert len(of_model(kb)) == sum(asked)


def test_a_program_takes_no_batch(kb: KnowledgeBase, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no batch"):
        kb.plan([RUNS], llm=LlmOptions(ledger=tmp_path / "l.db", command="cat", batch=True))


def test_kept_runs_are_looked_at_again_in_a_batch(
    kb: KnowledgeBase, options: LlmOptions, batches: Any
) -> None:
    kb.ingest([RUNS])
    with pytest.raises(BatchWaiting):
        kb.redistill(llm=options)
    batches.work()
    done = kb.redistill(llm=options)
    assert done.written == done.runs == len(of_model(kb))


def test_of_two_that_hand_in_at_the_same_moment_one_waits_and_sees_the_others_batch(
    kb: KnowledgeBase, options: LlmOptions, batches: Any, tmp_path: Path
) -> None:
    seen: list[dict[str, str]] = []

    def second() -> None:
        with KnowledgeBase.open(tmp_path / "second.db") as other:
            try:
                other.ingest([RUNS], llm=options)
            except BatchWaiting as waiting:
                seen.append(dict(waiting.batches))

    thread = threading.Thread(target=second)

    def fault(method: str, path: str) -> int:
        if path == "/files" and not thread.ident:
            thread.start()
            # Long enough to hand in a batch of its own, were it let.
            thread.join(timeout=1)
        return 0

    batches.fault = fault
    with pytest.raises(BatchWaiting) as first:
        kb.ingest([RUNS], llm=options)
    thread.join()
    assert first.value.batches == {"batch_0": "handed in"}
    assert (seen, len(batches.batches)) == ([{"batch_0": "in_progress"}], 1)


# --- the command ---------------------------------------------------------------------------------


def run(*arguments: str, store: Path) -> Result:
    return CliRunner().invoke(main, ["--store", str(store), *arguments])


def test_the_command_hands_in_says_so_and_fetches(batches: Any, tmp_path: Path) -> None:
    batches.say = lambda request, number: notes(request)
    store = tmp_path / "memory.db"
    words = ["ingest", str(RUNS), "--distiller", "llm", "--model", "small"]
    words += ["--base-url", batches.url, "--batch", "--yes"]
    first = run(*words, store=store)
    assert (first.exit_code, "batch_0 (handed in)" in first.stdout) == (0, True)
    assert "Run the same command again" in first.stderr
    waiting = json.loads(run(*words, "--json", store=store).stdout)
    assert waiting == {
        "batches": {"batch_0": "in_progress"},
        "calls": len(batches.questions(batches.batches[0])),
    }
    batches.work()
    done = json.loads(run(*words, "--json", store=store).stdout)
    assert done["new"] == done["llm"]["answered"] == waiting["calls"]
