"""A server of our own that speaks the chat API, well or badly, as a script says."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass(frozen=True)
class Say:
    """What the server does with one request.

    `content` is what the model says. `body` replaces the whole answer. With `cut` the connection
    ends in the middle of the body; with `silent` nothing comes until the server is closed.
    """

    content: str | None = '{"word": "yes"}'
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    message: dict[str, Any] = field(default_factory=dict)
    finish: str = "stop"
    usage: tuple[int, int] | None = (10, 5)
    cut: bool = False
    silent: bool = False


class ChatServer(ThreadingHTTPServer):
    """Answers the chat route by `script`, and remembers what it was sent and what it charged."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script: Callable[[dict[str, Any], int], Say] = lambda request, number: Say()
        self.requests: list[dict[str, Any]] = []
        self.log: list[bytes] = []
        self.billed: list[tuple[int, int]] = []
        self.lock = threading.Lock()
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay quiet about clients that hang up."""


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        request = json.loads(sent)
        with self.server.lock:
            number = len(self.server.requests)
            self.server.requests.append(request)
            self.server.log.append(str(self.headers).encode() + sent)
            say = self.server.script(request, number)
            if say.status == 200 and say.usage:
                self.server.billed.append(say.usage)
        if say.silent:
            self.server.closing.wait()
            return
        body = say.body if say.body is not None else _body(say, request)
        self.send_response(say.status)
        for name, value in say.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if say.cut else body)

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet."""


def _body(say: Say, request: dict[str, Any]) -> bytes:
    if say.status != 200:
        return json.dumps({"error": {"message": f"broken with {say.status}"}}).encode()
    message = {"role": "assistant", "content": say.content, **say.message}
    answer: dict[str, Any] = {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": say.finish}],
    }
    if say.usage:
        tokens_in, tokens_out = say.usage
        answer["usage"] = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}
    return json.dumps(answer).encode()


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A chat server on this machine that says yes unless its script says otherwise."""
    with ChatServer() as chat:
        thread = threading.Thread(target=chat.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield chat
        chat.closing.set()
        chat.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def say() -> type[Say]:
    """What a server can be told to do."""
    return Say
