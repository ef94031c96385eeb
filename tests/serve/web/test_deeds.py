"""What the forms do to the store, as a browser sends them."""

from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from stepladder import KnowledgeBase
from stepladder.kg.types import Retrieval

Send = Callable[..., str]


@pytest.fixture
def send(browser: TestClient, form_token: str) -> Send:
    """Sends a form as a page of ours does; returns where it leads and what is said there."""

    def send(path: str, *, status: int = 303, **fields: str) -> str:
        origin = {"Origin": "http://127.0.0.1:8766"}
        answer = browser.post(path, data={"token": form_token, **fields}, headers=origin)
        assert answer.status_code == status, answer.text
        return browser.get(answer.headers["location"]).text if status == 303 else answer.text

    return send


def merged(kb: KnowledgeBase) -> set[str]:
    return {id for run in kb.merges() for id in run.merged}


def test_a_merge_is_undone_and_made_again(
    kb: KnowledgeBase, browser: TestClient, send: Send
) -> None:
    (id,) = merged(kb)
    page = browser.get(f"/undo?id={id}").text
    assert "insight-merged-a" in page
    assert "insight-merged-b" in page
    said = send("/undo", id=id)
    assert "1 merged insight taken back" in said
    assert merged(kb) == set()
    send("/review", a="insight-merged-a", b="insight-merged-b", verdict="same")
    assert merged(kb) == {id}


def test_a_whole_consolidation_is_undone(
    kb: KnowledgeBase, browser: TestClient, send: Send
) -> None:
    run = next(r for r in kb.merges() if r.merged)
    assert browser.get(f"/undo?id={run.id}").status_code == 200
    send("/undo", id=run.id, again="1")
    assert run.id not in {r.id for r in kb.merges()}


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("same", "They are the same."),
        ("broader", "The left one is the broader."),
        ("narrower", "The left one is the narrower."),
        ("opposite", "They contradict each other."),
        ("apart", "They are kept apart."),
    ],
)
def test_a_pair_that_is_decided_on_waits_no_more(
    kb: KnowledgeBase, send: Send, verdict: str, said: str
) -> None:
    pair = kb.suggestions()[0]
    assert said in send("/review", a=pair.a.id, b=pair.b.id, verdict=verdict)
    assert (pair.a.id, pair.b.id) not in {(s.a.id, s.b.id) for s in kb.suggestions()}


def test_an_insight_is_put_into_other_words(kb: KnowledgeBase, send: Send) -> None:
    id = "insight-merged-a"
    page = send("/edit", id=id, title="Read it  all\r\nbefore an edit", not_when="Never <b>")
    assert "Saved." in page
    insight = kb.nodes([id])[id]
    assert (insight.title, insight.not_when) == ("Read it  all\nbefore an edit", "Never <b>")
    assert "Never &lt;b&gt;" in page
    assert kb.search("read it all before an edit", k=1)[0].memory.id == id


def test_a_secret_in_new_words_is_removed(kb: KnowledgeBase, send: Send) -> None:
    secret = "ghp_" + "a1B2" * 9
    send("/edit", id="insight-merged-a", content=f"Use the key {secret} for it")
    assert secret not in kb.nodes(["insight-merged-a"])["insight-merged-a"].content


def test_a_card_and_a_merged_insight_are_not_edited(kb: KnowledgeBase, send: Send) -> None:
    card = next(n for n in kb.store.find("Insight") if n.card)
    for id, why in ((card.id, "card of the catalogue"), (merged(kb).pop(), "undo the merge")):
        assert why in send("/edit", id=id, title="Mine now", status=400)
    assert kb.nodes([card.id])[card.id] == card


def test_a_memory_is_taken_out(kb: KnowledgeBase, send: Send) -> None:
    assert "Taken out: 1 node." in send("/forget", id="insight-merged-a")
    assert kb.nodes(["insight-merged-a"]) == {}


def test_an_outcome_is_told(kb: KnowledgeBase, send: Send) -> None:
    id = next(a.retrieval.id for a in kb.retrievals().answers if a.shown)
    assert "Kept: failure." in send("/feedback", id=id, outcome="failure")
    node = kb.nodes([id])[id]
    assert isinstance(node, Retrieval)
    assert (node.outcome, node.outcome_source) == ("failure", "human")


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/review", {"a": "insight-merged-a", "b": "insight-merged-b", "verdict": "maybe"}),
        ("/review", {"a": "insight-merged-a", "b": "insight-merged-a", "verdict": "same"}),
        ("/edit", {"id": "insight-merged-a", "title": " "}),
        ("/edit", {"id": "insight-merged-a", "kind": "magic"}),
        ("/edit", {"id": "insight-merged-a", "polarity": "perhaps"}),
        ("/edit", {"id": "insight-merged-a", "content": "x" * 20_001}),
        ("/feedback", {"id": "insight-merged-a", "outcome": "success"}),
        ("/undo", {"id": "insight-merged-a"}),
    ],
)
def test_what_cannot_be_done_is_said_and_not_done(
    kb: KnowledgeBase, send: Send, path: str, fields: dict[str, str]
) -> None:
    before = kb.store.sequence()
    assert "<h1>That cannot be</h1>" in send(path, status=400, **fields)
    assert kb.store.sequence() == before


def test_what_is_said_is_no_part_of_the_address(browser: TestClient) -> None:
    assert "You won" not in browser.get("/?said=You+won").text
