"""The embedder behind an OpenAI-compatible server, against a real server on this machine."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from stepladder.kg.embedding.openai import OpenAIEmbedder
from stepladder.kg.errors import EmbeddingError

Rows = list[list[float]]


class EmbeddingServer(ThreadingHTTPServer):
    """Answers the embeddings route with numbers made from the text; can be told to misbehave."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, object]] = []
        self.keys: list[str] = []
        self.status = 200
        self.dim = 4
        self.change: Callable[[Rows], object] = lambda rows: rows
        self.body: bytes | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: EmbeddingServer

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(request)
        self.server.keys.append(self.headers["Authorization"])
        found = self.path == "/v1/embeddings"
        status = self.server.status if found else 404
        if status == 200:
            dim = request.get("dimensions", self.server.dim)
            rows = self.server.change([numbers(text, dim) for text in request["input"]])
            data = [
                {"object": "embedding", "index": index, "embedding": row}
                for index, row in enumerate(rows)
            ]
            answer: dict[str, object] = {
                "object": "list",
                "data": data[::-1],
                "model": request["model"],
                "usage": {"prompt_tokens": 1, "total_tokens": 1},
            }
        else:
            answer = {"error": {"message": f"broken with {status}"}}
        body = self.server.body or json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("retry-after-ms", "1")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet."""


def numbers(text: str, dim: int) -> list[float]:
    return [float(len(text)), *(float(ord(char)) for char in text.ljust(dim - 1)[: dim - 1])]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    pytest.importorskip("openai", reason="install the extra: pip install 'stepladder[openai]'")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with EmbeddingServer() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def remote(server: EmbeddingServer, *, dim: int | None = 4) -> OpenAIEmbedder:
    return OpenAIEmbedder("tiny", server.url, dim=dim, api_key="any")


def test_a_server_s_vectors_come_back_in_order_and_with_length_one(server: EmbeddingServer) -> None:
    texts = ["first", "b", "third text"]
    expected = np.array([numbers(text, 4) for text in texts])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    vectors = remote(server).encode(texts)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    assert server.requests == [
        {"model": "tiny", "input": texts, "encoding_format": "float", "dimensions": 4}
    ]


def test_blank_texts_give_zeros_and_are_not_sent(server: EmbeddingServer) -> None:
    vectors = remote(server).encode(["", "word", " \n"])
    assert [bool(row.any()) for row in vectors] == [False, True, False]
    assert [request["input"] for request in server.requests] == [["word"]]
    assert remote(server).encode([]).shape == (0, 4)


def test_many_and_long_texts_are_sent_in_several_requests(server: EmbeddingServer) -> None:
    texts = [f"text {number}" for number in range(300)] + ["long " * 5_000] * 20
    vectors = remote(server).encode(texts)
    sent = [request["input"] for request in server.requests]
    assert [len(batch) for batch in sent] == [128, 128, 56, 8]
    assert max(len(text) for batch in sent for text in batch) == 16_000
    np.testing.assert_array_equal(vectors[299], remote(server).encode(["text 299"])[0])


def test_an_unknown_dimension_is_asked_of_the_server_once(server: EmbeddingServer) -> None:
    asking = remote(server, dim=None)
    assert asking.dim == 4
    assert asking.encode(["one", "two"]).shape == (2, 4)
    np.testing.assert_array_equal(asking.centre, np.zeros(4, dtype=np.float32))
    assert asking.name == "openai:tiny"
    assert [request["input"] for request in server.requests] == [["dimension"], ["one", "two"]]
    assert all("dimensions" not in request for request in server.requests)


def test_making_an_embedder_sends_nothing(server: EmbeddingServer) -> None:
    assert remote(server, dim=None).name == "openai:tiny"
    assert server.requests == []


@pytest.mark.parametrize(
    ("status", "hint", "tries"),
    [
        (500, "Run the command again later, or look at the server's log.", 3),
        (429, "Wait and run the command again, or check the account's quota.", 3),
        (
            401,
            "Check the key, and that it may use this model. "
            "OPENAI_API_KEY goes to OpenAI alone, STEPLADDER_API_KEY to any server.",
            1,
        ),
        (404, "Check the model's name, and that base_url ends in /v1.", 1),
        (400, "The model may have one dimension only: leave dim out.", 1),
    ],
)
def test_a_refusal_becomes_an_error_with_a_hint(
    status: int, hint: str, tries: int, server: EmbeddingServer
) -> None:
    server.status = status
    with pytest.raises(EmbeddingError, match=f"'tiny'.*broken with {status}") as caught:
        remote(server).encode(["text"])
    assert caught.value.hint == hint
    assert len(server.requests) == tries


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda rows: [row[:3] for row in rows], "2 x 4 numbers expected, got 2 x 3"),
        (lambda rows: rows[:1], "2 x 4 numbers expected, got 1 x 4"),
        (lambda rows: [], "missing or not finite"),
        (lambda rows: [rows[0], rows[1][:2]], ""),
        (lambda rows: [rows[0], [float("nan")] * 4], "missing or not finite"),
        (lambda rows: [rows[0], ["a", "b", "c", "d"]], ""),
    ],
)
def test_vectors_of_another_shape_are_refused(
    change: Callable[[Rows], object], reason: str, server: EmbeddingServer
) -> None:
    server.change = change
    with pytest.raises(EmbeddingError, match=f"no usable vectors of 'tiny': .*{reason}") as caught:
        remote(server).encode(["one", "two"])
    assert "dim" in caught.value.hint


@pytest.mark.parametrize("body", [b"{}", b"[]", b"not json", b'{"data": [{"index": 0}]}'])
def test_an_answer_that_is_no_embedding_is_refused(body: bytes, server: EmbeddingServer) -> None:
    server.body = body
    with pytest.raises(EmbeddingError, match="'tiny'"):
        remote(server).encode(["text"])


def test_a_server_that_is_not_there_is_named(server: EmbeddingServer) -> None:
    with EmbeddingServer() as gone:
        pass
    with pytest.raises(EmbeddingError, match=re.escape(gone.url)) as caught:
        remote(gone).encode(["text"])
    assert caught.value.hint == "Check that base_url is right and the server is running."


def test_a_missing_key_is_an_error_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "STEPLADDER_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(EmbeddingError) as caught:
        OpenAIEmbedder("tiny", dim=4).encode(["text"])
    assert caught.value.hint == "Set OPENAI_API_KEY, or STEPLADDER_API_KEY for another server."


def test_the_key_of_openai_is_sent_to_no_other_server(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("STEPLADDER_API_KEY", raising=False)
    OpenAIEmbedder("tiny", server.url, dim=4).encode(["text"])
    monkeypatch.setenv("STEPLADDER_API_KEY", "theirs")
    OpenAIEmbedder("tiny", server.url, dim=4).encode(["text"])
    assert server.keys == ["Bearer none", "Bearer theirs"]
