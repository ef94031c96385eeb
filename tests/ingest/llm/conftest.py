"""Servers of our own that speak the chat API, well or badly, and take batches."""

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


class BatchServer(ThreadingHTTPServer):
    """Speaks the routes of files and batches; `work` answers a batch when it is told to."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _BatchHandler)
        self.files: dict[str, bytes] = {}
        self.batches: list[dict[str, Any]] = []
        self.chats = 0
        self.log: list[bytes] = []
        self.fault: Callable[[str, str], int] = lambda method, path: 0
        self.say: Callable[[dict[str, Any], int], str] = lambda request, number: "{}"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def questions(self, batch: dict[str, Any]) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]

    def work(self, *, leave_out: int = 0, status: str = "completed") -> None:
        """Answer every batch that waits, but for the last few questions of each."""
        for batch in self.batches:
            if batch["status"] != "in_progress":
                continue
            asked = self.questions(batch)
            done = asked[: len(asked) - leave_out]
            lines = [self._line(row, number) for number, row in enumerate(done)]
            file = f"file-{len(self.files)}"
            self.files[file] = b"\n".join(lines)
            batch.update(status=status, output_file_id=file)

    def _line(self, row: dict[str, Any], number: int) -> bytes:
        message = {"role": "assistant", "content": self.say(row["body"], number)}
        body = {
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 900, "completion_tokens": 300},
        }
        response = {"status_code": 200, "body": body}
        return json.dumps({"custom_id": row["custom_id"], "response": response}).encode()


class _BatchHandler(BaseHTTPRequestHandler):
    server: BatchServer

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.log.append(sent)
        path = self.path.removeprefix("/v1")
        status = self.server.fault("POST", path)
        if status in range(400, 500):
            return self._answer({"error": {"message": "no such route"}}, status)
        made: dict[str, Any] = {}
        if path == "/files":
            content = sent.split(b"\r\n\r\n")
            body = next(p for p in content if p.startswith(b"{")).rpartition(b"\r\n--")[0]
            id = f"file-{len(self.server.files)}"
            self.server.files[id] = body
            made = {"id": id, "object": "file", "bytes": len(body), "created_at": 0,
                    "filename": "q", "purpose": "batch", "status": "processed"}  # fmt: skip
        elif path == "/batches":
            made = {"id": f"batch_{len(self.server.batches)}", "object": "batch", "created_at": 0,
                    "status": "in_progress", **json.loads(sent)}  # fmt: skip
            self.server.batches.append(made)
        else:
            self.server.chats += 1
        return self._answer(made, status or 200)

    def do_GET(self) -> None:
        path = self.path.removeprefix("/v1").partition("?")[0]
        if path == "/batches":
            return self._answer({"object": "list", "data": self.server.batches, "has_more": False})
        id = path.split("/")[2]
        if path.endswith("/content"):
            return self._answer(None, body=self.server.files[id])
        return self._answer(next(b for b in self.server.batches if b["id"] == id))

    def _answer(self, value: Any, status: int = 200, *, body: bytes | None = None) -> None:
        body = json.dumps(value).encode() if body is None else body
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet."""


@pytest.fixture
def batches() -> Iterator[BatchServer]:
    with BatchServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
