"""Who may come in, who may write, and what a stranger is told."""

from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from stepladder import KnowledgeBase
from stepladder.kg.errors import UsageError
from stepladder.serve.web.door import MAX_BODY_BYTES
from stepladder.serve.web.run import name_of

PORT = 8766
TOKEN = "the-token-of-this-server"
HERE = f"127.0.0.1:{PORT}"
JSON = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8766", "127.0.0.1.evil.example", "", "localhost:x"]
)
def test_a_foreign_host_is_refused(stranger: TestClient, host: str) -> None:
    assert stranger.get("/", headers={"Host": host}).status_code == 421
    assert stranger.get("/api/stats", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", [HERE, "localhost:8766", "[::1]:8766", "localhost"])
def test_this_machine_is_let_in_by_any_of_its_names(stranger: TestClient, host: str) -> None:
    assert stranger.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://" + HERE, "http://127.0.0.1:3000", ""]
)
def test_a_foreign_origin_is_refused(browser: TestClient, form_token: str, origin: str) -> None:
    given = {"token": form_token, "id": "x"}
    assert browser.post("/forget", data=given, headers={"Origin": origin}).status_code == 403
    assert browser.get("/api/stats", headers={"Origin": origin}).status_code == 403


def test_our_own_origin_is_let_in(browser: TestClient) -> None:
    assert browser.get("/", headers={"Origin": f"http://{HERE}"}).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_another_site_caused_is_refused(browser: TestClient, site: str) -> None:
    assert browser.get("/cypher", headers={"Sec-Fetch-Site": site}).status_code == 403


def test_a_form_without_the_field_or_the_cookie_changes_nothing(
    kb: KnowledgeBase, stranger: TestClient, browser: TestClient, form_token: str
) -> None:
    before = kb.store.sequence()
    id = "insight-pair-left"
    for client, token in ((stranger, form_token), (browser, ""), (browser, TOKEN)):
        answer = client.post("/forget", data={"token": token, "id": id})
        assert answer.status_code == 403
        assert "open the address that was printed" in answer.text
    assert kb.store.sequence() == before


@pytest.mark.parametrize("token", ["", "wrong", "the-token-of-this-serveR"])
def test_a_wrong_token_lets_nobody_in(stranger: TestClient, token: str) -> None:
    answer = stranger.get(f"/enter?token={token}")
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_the_token_leaves_the_address_at_once_and_the_cookie_is_for_this_site_alone(
    stranger: TestClient,
) -> None:
    answer = stranger.get(f"/enter?token={TOKEN}")
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"stepladder-{PORT}={TOKEN}; ")
    assert {"HttpOnly", "Path=/", "SameSite=strict"} <= set(cookie.split("; "))


def test_no_page_holds_the_token(browser: TestClient) -> None:
    for path in ("/", "/review", "/merges", "/index.json", "/api/openapi.json"):
        assert TOKEN not in browser.get(path).text


def test_a_stranger_may_read_and_is_offered_no_change(stranger: TestClient) -> None:
    answer = stranger.get("/review")
    assert answer.status_code == 200
    assert "<button" not in answer.text.partition("<main")[2]
    assert "Read only" in answer.text


@pytest.mark.parametrize("path", ["/api/feedback", "/forget", "/api/cypher"])
def test_what_is_too_large_is_refused(browser: TestClient, path: str) -> None:
    body = b"x" * (MAX_BODY_BYTES + 1)
    assert browser.post(path, content=body, headers=JSON).status_code == 413


def test_what_is_too_large_is_refused_though_it_does_not_say_so(browser: TestClient) -> None:
    parts = (b"x" * 10_000 for _ in range(MAX_BODY_BYTES // 10_000 + 1))
    assert browser.post("/api/cypher", content=parts, headers=JSON).status_code == 413


def test_an_address_that_is_too_long_is_refused(stranger: TestClient) -> None:
    assert stranger.get(f"/search?q={'x' * 17_000}").status_code == 414


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("application/json", b"{", 415),
        ("text/plain", b"id=x", 415),
        ("multipart/form-data; boundary=x", b"--x--", 415),
        ("application/x-www-form-urlencoded", b"\xff\xfe=\xff", 400),
        ("application/x-www-form-urlencoded", b"&".join([b"a=1"] * 99), 400),
        ("application/x-www-form-urlencoded", b"", 403),
    ],
)
def test_a_malformed_form_is_refused(
    browser: TestClient, kind: str, body: bytes, status: int
) -> None:
    answer = browser.post("/forget", content=body, headers={"Content-Type": kind})
    assert answer.status_code == status


@pytest.mark.parametrize(
    "path", ["/", "/nowhere", "/static/style.css", "/api/stats", "/search?page=0"]
)
def test_every_answer_keeps_the_page_to_itself(stranger: TestClient, path: str) -> None:
    headers = stranger.get(path).headers
    assert headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == ("no-cache" if "static" in path else "no-store")


def test_on_another_address_reading_needs_the_token_too(
    kb: KnowledgeBase, client_of: Callable[..., TestClient]
) -> None:
    client = client_of(kb, names={"192.168.1.5"}, private=True)
    host = {"Host": "192.168.1.5:8766"}
    assert client.get("/", headers=host).status_code == 401
    assert client.get("/api/stats", headers=host).status_code == 401
    assert client.get("/", headers={"Host": HERE}).status_code == 421
    bearer = {**host, "Authorization": f"Bearer {TOKEN}"}
    assert client.get("/api/stats", headers=bearer).status_code == 200
    assert client.get(f"/enter?token={TOKEN}", headers=host).status_code == 303


def test_what_an_address_is_called_and_whether_others_reach_it() -> None:
    assert name_of("127.0.0.1") == ("127.0.0.1", False)
    assert name_of("::1") == ("[::1]", False)
    assert name_of("localhost") == ("localhost", False)
    assert name_of("192.168.1.5") == ("192.168.1.5", True)
    assert name_of("my-box") == ("my-box", True)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_listening_everywhere_is_refused(host: str) -> None:
    with pytest.raises(UsageError, match="every address"):
        name_of(host)
