"""The HTTP API: its operations, its description, and what it refuses."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from starlette.testclient import TestClient

from stepladder import KnowledgeBase
from stepladder.serve.json_forms import answer_json, evidence_json, shown_json, stats_json
from stepladder.serve.merge_forms import runs_json, suggestions_json
from stepladder.serve.web.operations import OPERATIONS

TOKEN = "the-token-of-this-server"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
TASK = "a test fails and the usual test runner is not installed"


def test_every_operation_is_described(stranger: TestClient) -> None:
    described = stranger.get("/api/openapi.json").json()
    assert described["openapi"] == "3.1.0"
    found = {(path, m) for path, methods in described["paths"].items() for m in methods}
    assert found == {(o.path, o.method.lower()) for o in OPERATIONS}


def test_every_operation_is_in_the_docs() -> None:
    page = (Path(__file__).parents[3] / "docs" / "http.md").read_text(encoding="utf-8")
    assert [o.path for o in OPERATIONS if f"`{o.method} {o.path}`" not in page] == []


def test_what_is_read_has_the_forms_of_the_commands(
    stranger: TestClient, kb: KnowledgeBase
) -> None:
    def get(path: str) -> Any:
        answer = stranger.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    id = kb.search("the usual test runner is missing", k=1, levels=("insight",))[0].memory.id
    assert get("/api/stats") == stats_json(kb.stats())
    assert (
        get("/api/search?q=the+usual+test+runner+is+missing&k=3&level=insight")["hits"][0]["id"]
        == id
    )
    assert get(f"/api/nodes/{id[:16]}") == shown_json(kb.show(id))
    assert get(f"/api/nodes/{id}/evidence") == evidence_json(kb.why(id))
    assert get("/api/merges") == {"runs": runs_json(kb.merges())}
    assert get("/api/suggestions?limit=1")["suggestions"] == suggestions_json(
        kb.suggestions(limit=1)
    )
    assert get("/api/retrievals?limit=1")["total"] == 2
    assert {label["name"] for label in get("/api/schema")["labels"]} >= {"Insight", "Trace"}


def test_a_task_is_answered_with_and_without_a_record(
    stranger: TestClient, kb: KnowledgeBase
) -> None:
    before = kb.store.sequence()
    read = stranger.post("/api/retrieve", json={"task": TASK, "record": False})
    assert read.json() == answer_json(kb.retrieve(TASK, record=False))
    assert stranger.post("/api/retrieve", json={"task": TASK}).status_code == 401
    assert kb.store.sequence() == before
    kept = stranger.post("/api/retrieve", json={"task": TASK}, headers=BEARER).json()
    told = {"retrieval_id": kept["retrieval_id"], "outcome": "success"}
    credited = stranger.post("/api/feedback", json=told, headers=BEARER).json()["credited"]
    assert credited == sorted(i["id"] for i in kept["items"])


def test_a_lesson_is_kept_or_refused_with_the_reason(
    stranger: TestClient, kb: KnowledgeBase
) -> None:
    lesson = {
        "title": "Look at the last lines of a log before its first ones",
        "description": "A program failed and its log is long.",
        "content": "The first lines only said what was started. The cause stood at the end.",
        "kind": "iterative workflow discipline",
        "polarity": "do",
        "applies_when": "A long log is at hand.",
        "cites": ["1"],
    }
    trace = kb.store.find("Trace")[0].id
    body = {"trace": trace, "lessons": [lesson, {**lesson, "cites": []}]}
    told = stranger.post("/api/lessons", json=body, headers=BEARER).json()
    assert told["lessons"][0]["id"].startswith("insight-")
    assert told["lessons"][1]["refused"].startswith("It cites no step")


def test_a_merge_is_undone_and_decided_on_again(stranger: TestClient, kb: KnowledgeBase) -> None:
    (id,) = (m for run in kb.merges() for m in run.merged)
    undone = stranger.post("/api/unmerge", json={"id": id}, headers=BEARER).json()
    assert undone["insights"] == [id]
    pair = {"a": "insight-merged-a", "b": "insight-merged-b", "verdict": "same"}
    decided = stranger.post("/api/decide", json=pair, headers=BEARER).json()
    assert [m["id"] for m in decided["merged"]] == [id]


def test_an_insight_is_edited(stranger: TestClient, kb: KnowledgeBase) -> None:
    body = {"id": "insight-merged-a", "changes": {"title": "Read all of it first"}}
    assert (
        stranger.post("/api/edit", json=body, headers=BEARER).json()["title"]
        == "Read all of it first"
    )


def test_cypher_reads_and_refuses_to_write(stranger: TestClient) -> None:
    ask = {"statement": "MATCH (i:Insight) RETURN count(i) > $n AS some", "parameters": {"n": 3}}
    assert stranger.post("/api/cypher", json=ask).json()["rows"] == [[True]]
    refused = stranger.post("/api/cypher", json={"statement": "CREATE (n) RETURN n"})
    assert refused.status_code == 400
    assert refused.json()["error"]


WRITES = [o for o in OPERATIONS if o.always_writes]


@pytest.mark.parametrize("token", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN])
@pytest.mark.parametrize("operation", WRITES, ids=lambda o: o.name)
def test_a_change_without_the_token_is_refused(
    stranger: TestClient, kb: KnowledgeBase, operation: Any, token: str
) -> None:
    bodies = {
        "feedback": {"retrieval_id": "r-1", "outcome": "success"},
        "unmerge": {"id": "x"},
        "decide": {"a": "x", "b": "y", "verdict": "same"},
        "edit": {"id": "x", "changes": {}},
        "lessons": {"trace": "x", "lessons": [_LESSON]},
    }
    before = kb.store.sequence()
    headers = {"Authorization": token} if token else {}
    answer = stranger.post(operation.path, json=bodies[operation.name], headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert kb.store.sequence() == before


_LESSON = {
    "title": "t",
    "description": "d",
    "content": "c",
    "kind": "test-driven verification",
    "polarity": "do",
    "applies_when": "a",
    "cites": [],
}


def test_the_cookie_of_a_browser_is_no_token_for_the_api(browser: TestClient) -> None:
    assert browser.post("/api/unmerge", json={"id": "x"}).status_code == 401


@pytest.mark.parametrize(
    ("path", "body", "kind", "status"),
    [
        ("/api/cypher", b"{", "application/json", 422),
        ("/api/cypher", b"\xff", "application/json", 422),
        ("/api/cypher", b'{"statement": "\\ud800"}', "application/json", 422),
        ("/api/cypher", b"[" * 50_000, "application/json", 422),
        ("/api/cypher", b'{"statement": "RETURN 1", "more": 1}', "application/json", 422),
        ("/api/cypher", b'{"statement": "RETURN 1"}', "text/plain", 415),
        ("/api/cypher", b"statement=x", "application/x-www-form-urlencoded", 415),
        ("/api/nowhere", b"{}", "application/json", 404),
        ("/api/stats", b"{}", "application/json", 405),
    ],
)
def test_what_is_malformed_is_refused_as_json(
    stranger: TestClient, path: str, body: bytes, kind: str, status: int
) -> None:
    answer = stranger.post(path, content=body, headers={"Content-Type": kind})
    assert answer.status_code == status
    assert answer.json()["error"]


@pytest.mark.parametrize(
    "query", ["", "q=", "q=a&k=0", "q=a&k=101", "q=a&level=top", "q=a&unknown=1"]
)
def test_parameters_out_of_their_range_are_refused(stranger: TestClient, query: str) -> None:
    assert stranger.get(f"/api/search?{query}").status_code == 422


def test_a_fault_of_ours_is_a_calm_answer_without_details(
    kb: KnowledgeBase, client_of: Callable[..., TestClient]
) -> None:
    client = client_of(kb)
    kb.close()
    answer = client.get("/api/merges")
    assert answer.status_code == 503
    assert "is closed" in answer.json()["error"]
    assert client.get("/").status_code == 503


@pytest.fixture(scope="module")
def described(
    taught_for_web: Path,
    tmp_path_factory: pytest.TempPathFactory,
    serve_store: Callable[[Path], AbstractContextManager[Any]],
) -> Iterator[tuple[Any, str]]:
    """The description of a running server as schemathesis reads it, and the token."""
    schemathesis = pytest.importorskip("schemathesis", reason="pip install stepladder[dev]")
    store = shutil.copy(taught_for_web, tmp_path_factory.mktemp("fuzz") / "memory.db")
    with serve_store(store) as served:
        yield schemathesis.openapi.from_url(f"{served.address}/api/openapi.json"), served.token


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda o: o.name)
def test_no_input_makes_a_fault_and_answers_are_as_described(
    described: tuple[Any, str], operation: Any
) -> None:
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    schema, token = described
    found = schema[operation.path][operation.method]

    @settings(
        max_examples=25,
        derandomize=True,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @_given(found)
    def check(case: Any) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        response = case.call(headers=headers)
        assert response.status_code < 500, case.as_curl_command()
        # Whether a statement is Cypher, or an id is one, no schema says: 400 and 404 say it.
        case.validate_response(response, excluded_checks=[positive_data_acceptance])

    check()


def _given(operation: Any) -> Callable[..., Any]:
    from hypothesis import given

    return given(case=operation.as_strategy())
