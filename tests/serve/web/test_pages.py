"""The pages: each says what its JSON twin says, and what it is asked for."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from stepladder import KnowledgeBase
from stepladder.serve.cypher_json import rows_json
from stepladder.serve.json_forms import evidence_json, stats_json

PAGES = (
    "/",
    "/search?q=test+runner",
    "/ask?task=a+test+fails+and+the+usual+test+runner+is+not+installed",
    "/domains",
    "/domains?a=repo-bugfix&b=web-dev",
    "/review",
    "/merges",
    "/log",
    "/cypher",
    "/cypher?name=coverage_by_domain",
    "/edit?id=insight-pair-left",
    "/forget?id=insight-pair-left",
)


def twin(client: TestClient, path: str) -> dict:
    answer = client.get(path, headers={"Accept": "application/json"})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("path", PAGES)
def test_every_page_has_a_twin_at_its_address_and_by_its_accept_header(
    browser: TestClient, path: str
) -> None:
    page = browser.get(path, headers={"Accept": "text/html,application/json;q=0.9"})
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "<h1" in page.text
    at, _, query = path.partition("?")
    ending = "/index.json" if at == "/" else f"{at}.json"
    by_address = browser.get(f"{ending}?{query}")
    assert by_address.headers["content-type"] == "application/json"
    by_header = twin(browser, path)
    by_header.get("answer") and by_header["answer"].pop("milliseconds", None)
    given = by_address.json()
    given.get("answer") and given["answer"].pop("milliseconds", None)
    assert given == by_header


def test_the_first_page_counts_what_the_command_counts(
    stranger: TestClient, kb: KnowledgeBase
) -> None:
    assert stranger.get("/index.json").json() == stats_json(kb.stats())


def test_an_empty_store_says_what_to_do(
    tmp_path: Path, client_of: Callable[..., TestClient]
) -> None:
    with KnowledgeBase.open(tmp_path / "empty.db") as empty:
        client = client_of(empty)
        for path in PAGES[:-2]:
            assert client.get(path).status_code == 200, path
        assert "stepladder ingest" in client.get("/").text


def test_a_search_comes_in_parts_and_holds_a_level(stranger: TestClient) -> None:
    first = twin(stranger, "/search?q=test&level=insight")
    second = twin(stranger, "/search?q=test&level=insight&page=2")
    assert len(first["hits"]) == 20
    assert {h["level_name"] for h in (*first["hits"], *second["hits"])} == {"insight"}
    assert not {h["id"] for h in first["hits"]} & {h["id"] for h in second["hits"]}


def test_the_id_of_a_node_is_found_by_its_beginning(stranger: TestClient) -> None:
    found = twin(stranger, "/search?q=insight-pair-l")["id"]
    assert found["id"] == "insight-pair-left"


def test_asking_shows_what_an_agent_would_read_and_records_nothing(
    stranger: TestClient, kb: KnowledgeBase
) -> None:
    before = kb.store.sequence()
    data = twin(stranger, PAGES[2])
    assert data["answer"]["items"]
    assert data["answer"]["retrieval_id"] == ""
    assert data["prompt"].startswith("<memory-")
    assert kb.store.sequence() == before


def test_every_node_has_a_page(stranger: TestClient, kb: KnowledgeBase) -> None:
    labels = kb.store.counts().labels
    assert len(labels) == 12
    for label in labels:
        for node in kb.store.find(label)[:3]:
            assert stranger.get(f"/node/{node.id}").status_code == 200, node.id
            assert stranger.get(f"/node/{node.id}.json").json()["id"] == node.id


def test_a_memory_is_shown_with_the_way_down_to_the_steps(
    stranger: TestClient, kb: KnowledgeBase
) -> None:
    hit = kb.search("the usual test runner is missing", k=1, levels=("insight",))[0].memory
    data = twin(stranger, f"/node/{hit.id[:16]}")
    assert data["evidence"] == evidence_json(kb.why(hit.id))
    assert data["ladder"]["walk"][0] == hit.id
    assert data["ladder"]["walk"][-1].startswith("trace-")
    assert [s["label"] for s in data["ladder"]["steps"]] == ["Step", "Step"]
    page = stranger.get(f"/node/{hit.id}").text
    for step in data["ladder"]["steps"]:
        assert f'href="/node/{step["id"]}"' in page


def test_the_walk_can_lead_to_another_run(stranger: TestClient, kb: KnowledgeBase) -> None:
    hit = kb.search("the usual test runner is missing", k=1, levels=("insight",))[0].memory
    runs = [t.trace.id for t in kb.why(hit.id).traces]
    for run in runs:
        assert twin(stranger, f"/node/{hit.id}?trace={run}")["ladder"]["walk"][-1] == run


def test_what_is_not_there_is_a_calm_page(stranger: TestClient) -> None:
    for path in ("/nowhere", "/node/insight-none", "/node/i", "/undo?id=x", "/edit", "/static/x"):
        answer = stranger.get(path, headers={"Accept": "text/html"})
        assert answer.status_code == 404, path
        assert "<h1>Nothing here</h1>" in answer.text
    told = stranger.get("/node/insight-none.json")
    assert told.status_code == 404
    assert told.json()["error"] == "Nothing has the id 'insight-none'."


@pytest.mark.parametrize(
    "path", ["/search?page=0", "/search?page=x", "/search?q=a&level=z", "/log?page=²"]
)
def test_a_value_that_cannot_be_is_said(stranger: TestClient, path: str) -> None:
    answer = stranger.get(path)
    assert answer.status_code == 400
    assert "<h1>That cannot be</h1>" in answer.text


def test_a_named_query_and_a_statement_give_a_table(
    stranger: TestClient, kb: KnowledgeBase
) -> None:
    statement = "MATCH (i:Insight {id: 'insight-pair-left'}) RETURN i.id AS id, i AS node, 3 AS n"
    data = twin(stranger, f"/cypher?statement={statement}")
    wanted = rows_json(kb.cypher(statement))
    assert data["answer"]["rows"] == json.loads(json.dumps(wanted["rows"]))
    page = stranger.get(f"/cypher?statement={statement}").text
    assert page.count('href="/node/insight-pair-left"') == 2
    assert '<td class="number"><bdi>3</bdi></td>' in page
    asked = twin(stranger, "/cypher?name=insights_of_domain")
    assert asked["missing"] == ["domain"]
    assert asked["answer"] is None
    given = twin(stranger, "/cypher?name=insights_of_domain&domain=web-dev&limit=2")
    assert len(given["answer"]["rows"]) == 2


def test_no_named_query_takes_what_the_page_itself_takes(kb: KnowledgeBase) -> None:
    taken = {p.name for q in kb.named_queries() for p in q.parameters}
    assert taken & {"name", "statement", "said", "page"} == set()


@pytest.mark.parametrize("statement", ["MATCH (n) DETACH DELETE n", "RETURN", "nonsense query"])
def test_a_statement_that_is_refused_says_why(stranger: TestClient, statement: str) -> None:
    answer = stranger.get("/cypher", params={"statement": statement})
    assert answer.status_code == 400
    assert "It was not run" in answer.text


def test_the_log_is_newest_first_and_names_what_was_shown(
    stranger: TestClient, kb: KnowledgeBase
) -> None:
    data = twin(stranger, "/log")
    assert data["total"] == 2
    newest, oldest = data["answers"]
    assert (newest["query"], newest["abstained"], newest["shown"]) == ("zzz qqq xxx", True, [])
    shown = [i.memory.id for i in kb.retrieve(oldest["query"], record=False).shown()]
    assert oldest["shown"] == shown


def test_the_map_names_the_insights_that_two_domains_share(
    stranger: TestClient, kb: KnowledgeBase
) -> None:
    data = twin(stranger, "/domains?a=repo-bugfix&b=terminal-devops")
    pair = next(p for p in data["pairs"] if {p["a"], p["b"]} == {"repo-bugfix", "terminal-devops"})
    assert data["shared"] == pair["shared"] == len(data["insights"]) > 0


def test_what_was_read_is_kept_until_something_is_written(
    stranger: TestClient, kb: KnowledgeBase
) -> None:
    before = twin(stranger, "/")["levels"]["insight"]
    kb.import_memories([{"title": "One insight more than before"}])
    assert twin(stranger, "/")["levels"]["insight"] == before + 1


def test_every_page_answers_on_a_shared_store_too(
    explored_on_neo4j: KnowledgeBase, client_of: Callable[..., TestClient]
) -> None:
    client = client_of(explored_on_neo4j)
    nodes = [
        f"/node/{explored_on_neo4j.store.find(label, limit=1)[0].id}"
        for label in explored_on_neo4j.store.counts().labels
    ]
    # The consolidation in this graph is made up, and no run that could be listed.
    pages = (p for p in PAGES[:-2] if p not in ("/review", "/merges"))
    for path in (*pages, *nodes):
        assert client.get(path).status_code == 200, path
