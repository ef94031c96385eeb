"""Merged insights in the words of a model: made of their members' words, kept, and taken back."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from stepladder import KnowledgeBase
from stepladder.cli import main
from stepladder.ingest.distillers.llm.options import LlmOptions
from stepladder.ingest.llm.batches import BatchWaiting
from stepladder.kg.types import Insight

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
WHEN = "The change is to be committed and the test suite was not run since."
LESSONS = (
    "Run the whole test suite before you commit the change.",
    "Run the whole test suite before committing the change.",
    "Run the whole test suite before you commit a change.",
)
OTHERS = (
    "Read the error message to its end before changing any code.",
    "Read the error message to its end before you change any code.",
)
WORDS = {
    "title": "Run the test suite as a whole before the change is committed",
    "description": "The change is to be committed and the suite was not run.",
    "content": "Run the whole test suite, and commit the change after it was run.",
    "applies_when": "the suite was not run since the change",
    "not_when": "",
}
QUOTES = [
    {"lesson": 1, "quote": "the whole test suite"},
    {"lesson": 2, "quote": "the whole test suite"},
]


def rows(titles: tuple[str, ...]) -> list[dict[str, Any]]:
    return [{"title": t, "description": WHEN, "content": "Run it each time."} for t in titles]


@pytest.fixture
def kb(tmp_path: Path) -> Any:
    with KnowledgeBase.open(tmp_path / "memory.db") as opened:
        opened.import_memories(rows(LESSONS))
        yield opened


@pytest.fixture
def options(server: Any, say: Any, tmp_path: Path) -> LlmOptions:
    server.script = lambda request, number: says(say, {})
    return LlmOptions(ledger=tmp_path / "memory.llm.db", model="small", base_url=server.url)


def says(say: Any, changes: dict[str, Any]) -> Any:
    return say(json.dumps({**WORDS, "evidence": QUOTES, **changes}), usage=(400, 120))


def graph(kb: KnowledgeBase) -> list[Any]:
    return list(kb.store.export())


def merged(kb: KnowledgeBase) -> Insight:
    (found,) = (n for n in kb.store.find("Insight") if isinstance(n, Insight) and n.level > 3)
    return found


def quoted(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The titles of all lessons of a request, as evidence."""
    text = request["messages"][1]["content"]
    found = re.findall(r"^\[(\d+)\]\nTitle: (.*)$", text, re.MULTILINE)
    return [{"lesson": int(number), "quote": title} for number, title in found]


def demand_own_vector(kb: KnowledgeBase, insight: Insight) -> None:
    """The store finds an insight by the words that it has now."""
    (kept,) = kb.store.features([insight.id])
    vector = kb.embedder.encode([insight.key])[0]
    assert kept.vector is not None
    assert float(kept.vector @ vector) > 0.99


def words(insight: Insight) -> dict[str, str]:
    return {name: getattr(insight, name) for name in WORDS}


def test_a_merged_insight_gets_words_made_of_those_of_its_members(
    kb: KnowledgeBase, options: LlmOptions, server: Any
) -> None:
    kb.consolidate(now=NOON)
    ruled, before = merged(kb), graph(kb)
    plan = kb.plan_rewrite_merged(llm=options)
    assert (plan.calls, server.requests, graph(kb)) == (1, [], before)
    done = kb.rewrite_merged(llm=options, now=NOON)
    assert (done.merged, done.written, done.changed, done.stands) == (1, 1, 1, 0)
    assert done.llm is not None
    assert done.llm.calls == len(server.requests) == 1
    (request,) = server.requests
    assert all(title in request["messages"][1]["content"] for title in LESSONS)
    found = merged(kb)
    assert words(found) == WORDS
    assert (found.author, found.origin, found.untrusted) == ("small", "merge", False)
    assert (found.id, found.created, found.scope) == (ruled.id, ruled.created, ruled.scope)
    assert len([line for line in graph(kb) if line not in before]) == 1
    demand_own_vector(kb, found)


def test_words_made_of_those_of_untrusted_members_are_untrusted(
    kb: KnowledgeBase, options: LlmOptions
) -> None:
    kb.import_memories(rows(LESSONS), untrusted=True)
    kb.consolidate(now=NOON)
    kb.rewrite_merged(llm=options, now=NOON)
    assert (merged(kb).author, merged(kb).untrusted) == ("small", True)


def test_a_second_time_and_after_an_undo_no_call_is_made(
    kb: KnowledgeBase, options: LlmOptions, server: Any
) -> None:
    kb.consolidate(now=NOON)
    ruled = graph(kb)
    kb.rewrite_merged(llm=options, now=NOON)
    told = graph(kb)
    again = kb.rewrite_merged(llm=options, now=NOON)
    assert (again.written, again.changed, graph(kb)) == (1, 0, told)
    assert (kb.restore_merged(where="author = 'small'"), graph(kb)) == (1, ruled)
    assert kb.restore_merged() == 0
    assert kb.plan_rewrite_merged(llm=options).calls == 0
    kb.rewrite_merged(llm=options, now=NOON)
    assert (graph(kb), len(server.requests)) == (told, 1)


@pytest.mark.parametrize("by_run", [True, False])
def test_after_the_merge_is_undone_the_graph_is_the_one_from_before_it(
    kb: KnowledgeBase, options: LlmOptions, by_run: bool
) -> None:
    before = graph(kb)
    run = kb.consolidate(now=NOON).merge_run
    kb.rewrite_merged(llm=options, now=NOON)
    if not by_run:
        kb.unmerge(merged(kb).id)
        assert [n for n in graph(kb) if run not in str(n)] == before
    else:
        kb.unmerge(run)
        assert graph(kb) == before


@pytest.mark.parametrize("full", [True, False])
def test_a_later_consolidation_keeps_the_words_of_a_merge_that_it_leaves(
    kb: KnowledgeBase, options: LlmOptions, full: bool
) -> None:
    kb.consolidate(now=NOON)
    kb.rewrite_merged(llm=options, now=NOON)
    told = merged(kb)
    kb.import_memories(rows(("Pin the versions of all dependencies in a lock file.",)))
    done = kb.consolidate(full=full, now=NOON)
    assert (done.merged, merged(kb)) == ((), told)


def test_where_a_merge_grows_rules_choose_words_and_an_undo_brings_the_models_back(
    kb: KnowledgeBase, options: LlmOptions
) -> None:
    kb.consolidate(now=NOON)
    kb.rewrite_merged(llm=options, now=NOON)
    told = merged(kb)
    kb.import_memories(rows(("Run the whole test suite before you commit the change!",)))
    before = graph(kb)
    grown = kb.consolidate(now=NOON)
    assert [m.replaces for m in grown.merged] == [(told.id,)]
    assert merged(kb).author == ""
    kb.unmerge(grown.merge_run)
    assert (graph(kb), merged(kb)) == (before, told)
    demand_own_vector(kb, told)
    kb.consolidate(full=True, now=NOON)
    assert merged(kb) == told


@pytest.mark.parametrize(("again", "author"), [(False, ""), (True, "small")])
def test_where_the_words_of_a_member_change_rules_choose_words_unless_the_model_was_asked_again(
    kb: KnowledgeBase, options: LlmOptions, again: bool, author: str
) -> None:
    kb.consolidate(now=NOON)
    kb.rewrite_merged(llm=options, now=NOON)
    first = kb.store.edges([merged(kb).id], types=("GENERALIZES_TO",), direction="in")[0]
    kb.edit(first.source, {"content": "Run it each and every time."})
    if again:
        kb.rewrite_merged(llm=options, now=NOON)
    kb.consolidate(now=NOON)
    assert merged(kb).author == author


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"evidence": QUOTES[:1]}, "not borne out by its members"),
        (
            {"evidence": [QUOTES[0], {"lesson": 2, "quote": "the whole suite of tests"}]},
            "not borne out by its members",
        ),
        ({"content": "Bake bread with flour, water and salt, then let it cool slowly overnight."},
         "words that no member has"),
        ({"content": "Run the whole test suite 17 times, and commit the change after it was run."},
         "words that no member has"),
        ({"title": "Never run the whole test suite before you commit the change"},
         "the opposite of its members"),
        ({"not_when": "in acme/widgets"}, "names what belongs to one project"),
        ({"title": "Run it"}, "not short and general"),
        ({"applies_when": ""}, "not short and general"),
    ],
)  # fmt: skip
def test_words_that_do_not_pass_are_dropped_and_counted(
    kb: KnowledgeBase, options: LlmOptions, server: Any, say: Any, changes: Any, reason: str
) -> None:
    run = {"level": "trace", "title": "A run", "project": "acme/widgets"}
    kb.import_memories([run])
    kb.consolidate(now=NOON)
    before = graph(kb)
    server.script = lambda request, number: says(say, changes)
    done = kb.rewrite_merged(llm=options, now=NOON)
    assert done.llm is not None
    assert dict(done.llm.dropped) == {f"merged insight: {reason}": 1}
    assert (done.written, done.stands, graph(kb)) == (0, 1, before)


def test_without_an_answer_or_under_a_spent_cap_the_words_stand(
    kb: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    kb.consolidate(now=NOON)
    before = graph(kb)
    server.script = lambda request, number: say("none")
    done = kb.rewrite_merged(llm=options, now=NOON)
    assert (done.written, done.stands, graph(kb)) == (0, 1, before)
    asked = len(server.requests)
    capped = LlmOptions(
        ledger=options.ledger, model="other", base_url=server.url, price="9,9", max_usd=0.0001
    )
    done = kb.rewrite_merged(llm=capped, now=NOON)
    assert (done.stands, len(server.requests), graph(kb)) == (1, asked, before)


def test_another_model_writes_anew_and_an_undo_goes_back_to_the_rules(
    kb: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    kb.consolidate(now=NOON)
    ruled = graph(kb)
    kb.rewrite_merged(llm=options, now=NOON)
    larger = LlmOptions(ledger=options.ledger, model="larger", base_url=server.url)
    other = "Run the whole suite of tests before the change is committed"
    server.script = lambda request, number: says(say, {"title": other})
    assert kb.plan_rewrite_merged(llm=larger, where="author = ''").calls == 0
    kb.rewrite_merged(llm=larger, where="author = 'small' AND level > 3", now=NOON)
    assert (merged(kb).title, merged(kb).author) == (other, "larger")
    assert (kb.restore_merged(), graph(kb)) == (1, ruled)


def test_an_insight_above_merged_ones_is_told_from_all_that_were_merged(
    kb: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    kb.import_memories(rows(OTHERS))
    run = kb.consolidate(now=NOON)
    first, second = (m.insight.id for m in run.merged)
    kb.decide(first, second, "same", now=NOON)
    server.script = lambda request, number: says(say, {"evidence": quoted(request)})
    kb.rewrite_merged(llm=options, where="level > 4", now=NOON)
    (request,) = server.requests
    shown = request["messages"][1]["content"]
    assert all(title in shown for title in (*LESSONS, *OTHERS))
    assert kb.consolidate(full=True, now=NOON).merged == ()
    top = [n for n in kb.store.find("Insight") if isinstance(n, Insight) and n.level == 5]
    assert [n.author for n in top] == ["small"]


def test_words_that_are_asked_for_in_a_batch_are_fetched_by_the_same_call(
    kb: KnowledgeBase, batches: Any, tmp_path: Path
) -> None:
    options = LlmOptions(
        ledger=tmp_path / "memory.llm.db", model="small", base_url=batches.url, batch=True
    )
    batches.say = lambda request, number: json.dumps({**WORDS, "evidence": QUOTES})
    kb.consolidate(now=NOON)
    with pytest.raises(BatchWaiting):
        kb.rewrite_merged(llm=options, now=NOON)
    assert merged(kb).author == ""
    batches.work()
    assert kb.rewrite_merged(llm=options, now=NOON).changed == 1
    assert words(merged(kb)) == WORDS


def test_an_insight_that_speaks_with_a_rewritten_one_below_it_names_the_model_too(
    kb: KnowledgeBase, options: LlmOptions, server: Any, say: Any
) -> None:
    kb.import_memories(rows(OTHERS))
    run = kb.consolidate(now=NOON)
    server.script = lambda request, number: says(say, {"evidence": quoted(request)})
    kb.rewrite_merged(llm=options, now=NOON)
    first, second = (m.insight.id for m in run.merged)
    kb.decide(first, second, "same", now=NOON)
    before = graph(kb)
    (top,) = (n for n in kb.store.find("Insight") if isinstance(n, Insight) and n.level == 5)
    below = kb.store.get([first, second]).values()
    assert (top.title, top.author) in {(n.title, n.author) for n in below}  # type: ignore[attr-defined]
    larger = LlmOptions(ledger=options.ledger, model="larger", base_url=server.url)
    assert kb.rewrite_merged(llm=larger, where="level = 5", now=NOON).changed == 1
    assert kb.restore_merged(where="author = 'larger'") == 1
    assert (graph(kb), kb.consolidate(full=True, now=NOON).merged) == (before, ())


# --- the command ---------------------------------------------------------------------------------


def run(*arguments: str, store: Path, typed: str = "") -> Result:
    return CliRunner().invoke(main, ["--store", str(store), *arguments], input=typed)


def test_the_command_plans_asks_tells_and_takes_back(
    kb: KnowledgeBase, options: LlmOptions, server: Any, tmp_path: Path
) -> None:
    store = tmp_path / "memory.db"
    kb.consolidate(now=NOON)
    named = ["redistill", "--merged", "--model", "small", "--base-url", server.url]
    assert json.loads(run(*named, "--dry-run", "--json", store=store).stdout)["calls"] == 1
    assert "(merged 1)" in run(*named, "--show-prompts", store=store).stdout
    refused = run(*named, store=store)
    assert (refused.exit_code, "nobody said yes" in refused.stderr) == (2, True)
    wrong = run(*named, "--level", "insight", store=store)
    assert (wrong.exit_code, "Leave --level out" in wrong.stderr) == (2, True)
    alone = run("redistill", "--undo", store=store)
    assert (alone.exit_code, "--merged" in alone.stderr) == (2, True)
    assert server.requests == []
    done = json.loads(run(*named, "--yes", "--json", store=store).stdout)
    assert (done["merged"], done["changed"], done["llm"]["calls"]) == (1, 1, 1)
    assert "1 merged insights: 1 in words" in run(*named, "--yes", store=store).stdout
    assert "in the words of small" in run("show", merged(kb).id, store=store).stdout
    undone = run("redistill", "--merged", "--undo", "--json", store=store)
    assert json.loads(undone.stdout) == {"restored": 1}
    assert "0 merged insights have" in run("redistill", "--merged", "--undo", store=store).stdout
