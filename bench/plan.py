"""Compare what a plan says with the tokens that a server counts, on runs of every format.

    pip install bpe-openai
    STEPLADDER_DATA=<folder with trajectories/> python bench/plan.py [RUNS]

A server on this machine answers each prompt with a model's usual form and counts tokens as OpenAI's
tokenizer does (o200k_base): messages with their marks, and the schema. The first half of the runs
is planned before anything is known of the model, the second with what the ledger noted of the
first. Runs are taken in turn from the folders of all formats. What the answers hold is made up:
the figure for tokens out says only that a plan goes by the ledger.
"""

import json
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import zip_longest
from pathlib import Path
from typing import Final

from rich.console import Console

from stepladder.ingest.distillers.llm.options import LlmOptions
from stepladder.ingest.distillers.llm.prompting import prompt_of
from stepladder.ingest.distillers.llm.session import Session
from stepladder.ingest.llm.ledger import Ledger
from stepladder.ingest.llm.model import Prompt
from stepladder.ingest.llm.prices import FREE
from stepladder.ingest.pipeline import runs_in
from stepladder.ingest.readers import load_readers
from stepladder.kg.errors import ReadError

DATA: Final = Path(
    os.environ.get("STEPLADDER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
MESSAGE_TOKENS: Final = 3
"""Tokens around a message, and before the answer. Source: OpenAI's cookbook on counting tokens."""

HOST: Final = "127.0.0.2"
"""This machine, by a name that the program does not know it by: a hosted server counts schemas."""

WORDS: Final = "the check failed first and passed after the module was changed as the task asked "
MAX_BYTES: Final = 5_000_000


class Server(ThreadingHTTPServer):
    """Speaks the chat API and counts tokens with a tokenizer."""

    daemon_threads = True

    def __init__(self) -> None:
        from bpe_openai import get_encoding

        super().__init__((HOST, 0), _Handler)
        encoding = get_encoding("o200k_base")
        self.count = lambda text: len(encoding.encode(text))


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        count = self.server.count
        tokens_in = MESSAGE_TOKENS + count(json.dumps(request["response_format"]))
        tokens_in += sum(MESSAGE_TOKENS + 1 + count(m["content"]) for m in request["messages"])
        content = _answer(request["messages"][-1]["content"])
        message = {"role": "assistant", "content": content}
        answer = {
            "id": "chat-1", "object": "chat.completion", "created": 0, "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": tokens_in, "completion_tokens": count(content)},
        }  # fmt: skip
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet."""


def _answer(user: str) -> str:
    """An answer of the form; the longer the run, the more of it, as models write."""
    size = 1 + min(3, len(user) // 8_000)
    evidence = [{"step": i, "quote": WORDS} for i in range(size)]
    insight = {
        "title": WORDS, "description": WORDS * 2, "content": WORDS * 4, "kind": "",
        "polarity": "do", "applies_when": WORDS, "not_when": WORDS, "evidence": evidence,
    }  # fmt: skip
    return json.dumps(
        {
            "summary": {
                "title": WORDS, "situation": WORDS * 2, "content": WORDS * 3 * size,
                "evidence": evidence,
            },
            "workflow": {
                "title": WORDS, "steps": [WORDS] * (3 + size), "preconditions": [],
                "evidence": evidence,
            },
            "insights": [insight] * min(3, size),
        }
    )  # fmt: skip


def prompts(number: int) -> list[Prompt]:
    """The prompts of runs of all formats in turn, each prompt once."""
    folders = (p for p in sorted((DATA / "trajectories").iterdir()) if p.is_dir())
    in_turn = zip_longest(*(_prompts_in(p) for p in folders))
    found: dict[tuple[str, str], Prompt] = {}
    for prompt in (p for row in in_turn for p in row if p is not None):
        found.setdefault((prompt.system, prompt.user), prompt)
        if len(found) == number:
            break
    return list(found.values())


def _prompts_in(folder: Path) -> Iterator[Prompt]:
    readers = load_readers()
    for file in sorted(p for p in folder.rglob("*") if p.is_file()):
        if file.stat().st_size > MAX_BYTES:
            continue
        try:
            yield from (prompt_of(r) for r in runs_in(file, readers=readers) if r.steps)
        except ReadError:
            continue


def main(number: int) -> None:
    """Plan, ask and compare, one half of the runs after the other."""
    out = Console()
    found = prompts(number)
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options = LlmOptions(
            ledger=Path(folder) / "memory.llm.db",
            model="counted",
            base_url=f"http://{HOST}:{server.server_address[1]}/v1",
            price="1,1",
        )
        half = len(found) // 2
        for name, part in (("nothing known", found[:half]), ("ledger known", found[half:])):
            with Session(options) as session:
                each = {session.asker.hash_of(p): session.plan([p]).input_tokens for p in part}
                plan = session.plan(part)
                session.answer(plan.prompts)
                used = session.report()
            _tell(out, f"{len(part)} runs, {name}: tokens in", plan.input_tokens, used.input_tokens)
            _tell(out, "  tokens out", plan.output_tokens, used.output_tokens)
            both = plan.input_tokens + plan.output_tokens
            _tell(out, "  both", both, used.input_tokens + used.output_tokens)
            with Ledger(options.ledger, model="counted", price=FREE, cap_nano=None) as ledger:
                counted = {e.hash: e.input_tokens for e in ledger.entries()}
            off = [abs(each[h] / counted[h] - 1) for h in each]
            out.print(f"  runs within 10 %, tokens in: {sum(o <= 0.1 for o in off)}")
        server.shutdown()


def _tell(out: Console, what: str, planned: int, used: int) -> None:
    out.print(f"{what}: planned {planned:,}, used {used:,}, {100 * (planned / used - 1):+.1f} %")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
