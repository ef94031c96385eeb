"""Hostile texts in addresses and stores come back as text, in HTML and in JSON."""

import unicodedata
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from stepladder import KnowledgeBase
from stepladder.serve.web.showing import visible

UNSEEN = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
TAGS = {"iframe", "object", "embed", "base", "style", "applet", "marquee"}


class Parts(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


@pytest.fixture(scope="module")
def client(
    hostile: ModuleType,
    tmp_path_factory: pytest.TempPathFactory,
    client_of: Callable[..., TestClient],
) -> TestClient:
    folder: Path = tmp_path_factory.mktemp("hostile")
    kb = KnowledgeBase.open(folder / "memory.db")
    kb.import_memories(
        {
            "id": f"insight-{number:08d}-{payload}",
            "title": payload,
            "content": payload,
            "domain": payload,
            "tools": [payload],
            "kind": payload,
        }
        for number, payload in enumerate(hostile.PAYLOADS)
    )
    return client_of(kb)


@pytest.mark.parametrize("number", range(60))
def test_a_hostile_text_in_an_address_or_an_id_comes_back_as_text(
    client: TestClient, hostile: ModuleType, number: int
) -> None:
    given = quote(hostile.PAYLOADS[number], safe="", errors="replace")
    for path in (
        f"/search?q={given}&level={given}",
        f"/search?q={given}&language={given}&project={given}",
        f"/domains?a={given}&b={given}",
        f"/cypher?name={given}",
        f"/cypher?name=insights_of_domain&domain={given}",
        f"/node/{given}",
        f"/node/insight-{number:08d}-{given}",
        f"/edit?id=insight-{number:08d}",
        f"/undo?id={given}",
        f"/?said={given}",
        f"/{given}",
    ):
        answer = client.get(path)
        assert answer.status_code in (200, 303, 307, 400, 404, 405), path
        found = Parts(answer.text)
        assert found.tags.count("script") == 1
        assert TAGS & set(found.tags) == set()
        assert not [n for n, _ in found.attributes if n.startswith("on") or n == "style"]
        addresses = [v for n, v in found.attributes if n in ("href", "src", "action")]
        assert all(v and (v.startswith(("/", "#"))) and not v.startswith("//") for v in addresses)
        seen = {c for c in answer.text if unicodedata.category(c) in UNSEEN}
        assert seen <= {"\n", "\t"}


@pytest.mark.parametrize("path", ["/search.json?q=x", "/domains.json", "/api/search?q=obey&k=100"])
def test_json_is_ascii(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.content.isascii()
    assert not {chr(b) for b in answer.content if b < 0x20} - {"\n"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\ttext\r\n", "plain\n\ttext\n"),
        ("\x1b[2J\x07\x7f\r", "␛[2J␇␡␍"),
        ("\u202eevil\u2066", "⟨202E⟩evil⟨2066⟩"),
        ("a\u200bb\ufeff\u00ad\u2028", "a⟨200B⟩b⟨FEFF⟩⟨00AD⟩⟨2028⟩"),
        ("\x85\x9b", "⟨0085⟩⟨009B⟩"),
        ("\ud800", "⟨D800⟩"),
        ("naïve 日本 🙂", "naïve 日本 🙂"),
    ],
)
def test_what_cannot_be_seen_shows_as_a_sign(text: str, shown: str) -> None:
    assert visible(text) == shown
