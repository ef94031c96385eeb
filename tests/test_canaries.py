"""Secrets planted in sessions of five formats are found nowhere that Stepladder writes or says.

The canaries are put together here, at run time, so that no file of the repository holds one.
"""

import base64
import json
import logging
import random
import re
import string
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import md5, sha1, sha256, sha512
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw
import pytest
from click.testing import CliRunner

from stepladder import KnowledgeBase
from stepladder.cli import main

SEED = 20_260_501
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
TIME = "2026-04-01T09:00:{:02}.000Z"
CWD = "/srv/shop"


@dataclass(frozen=True)
class Canary:
    """A secret, the line it stands in, and the pieces of it that must not survive."""

    kind: str
    line: str
    pieces: tuple[str, ...]


def drawn(chance: random.Random, alphabet: str, length: int) -> str:
    """Letters and digits as a service would draw them: some of every kind it may hold."""
    while True:
        text = "".join(chance.choice(alphabet) for _ in range(length))
        tests: tuple[Callable[[str], bool], ...] = (str.isdigit, str.islower, str.isupper)
        if all(any(map(t, text)) == any(map(t, alphabet)) for t in tests):
            return text


def json_web_token(chance: random.Random) -> str:
    parts = [{"alg": "HS256"}, {"sub": drawn(chance, ALNUM, 12)}]
    heads = [base64.urlsafe_b64encode(json.dumps(p).encode()).decode().rstrip("=") for p in parts]
    return ".".join([*heads, drawn(chance, ALNUM, 43)])


def private_key(chance: random.Random) -> str:
    lines = [drawn(chance, ALNUM + "+/", 64) for _ in range(4)]
    label = "OPENSSH PRIVATE " + "KEY"
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"])


TOKENS: dict[str, tuple[Callable[[random.Random], str], tuple[str, str]]] = {
    "github": (lambda c: "gh" + "p_" + drawn(c, ALNUM, 36), ("pushed with {}", "GH_TOKEN={}")),
    "gitlab": (
        lambda c: "gl" + "pat-" + drawn(c, ALNUM, 20),
        ("{} is revoked", "glab login -t {}"),
    ),
    "slack": (
        lambda c: "xo" + "xb-" + "123456789012-" + drawn(c, ALNUM, 24),
        ("the bot has {}", "slack: {}"),
    ),
    "aws id": (
        lambda c: "AK" + "IA" + drawn(c, string.ascii_uppercase, 12) + "2345",
        ("caller {} is denied", "profile uses {}"),
    ),
    "aws secret": (
        lambda c: drawn(c, ALNUM + "/+", 40),
        ("aws_secret_access_key = {}", "AWS_SECRET_ACCESS_KEY={}"),
    ),
    "openai": (lambda c: "s" + "k-proj-" + drawn(c, ALNUM, 60) + "9a", ("key {} here", "X={}")),
    "anthropic": (
        lambda c: "sk" + "-ant-api03-" + drawn(c, ALNUM, 93) + "AA",
        ("with {} it answers", "curl -H 'x-api-key: {}'"),
    ),
    "google": (lambda c: "AI" + "za" + drawn(c, ALNUM, 35), ("maps?key={}", "the key is {}")),
    "stripe": (lambda c: "sk" + "_live_" + drawn(c, ALNUM, 24), ("charge by {}", "stripe: {}")),
    "npm": (lambda c: "np" + "m_" + drawn(c, ALNUM, 36), ("{} may publish", "_authToken={}")),
    "pypi": (
        lambda c: "py" + "pi-AgEIcHlwaS5vcmc" + drawn(c, ALNUM, 80),
        ("twine -p {}", "upload with {}"),
    ),
    "sendgrid": (
        lambda c: "S" + "G." + drawn(c, ALNUM, 22) + "." + drawn(c, ALNUM, 43),
        ("mail goes by {}", "SENDGRID={}"),
    ),
    "json web token": (json_web_token, ("session {}", "id_token: {}")),
    "private key": (private_key, ("the key:\n{}\n", "cat id\n{}")),
    "url password": (
        lambda c: drawn(c, ALNUM, 14),
        ("postgres://app:{}@db.internal/shop", "https://bot:{}@git.internal/shop.git"),
    ),
    "password": (lambda c: drawn(c, ALNUM, 14), ("DB_PASSWORD={}", '"password": "{}"')),
    "bearer": (
        lambda c: drawn(c, ALNUM, 32),
        ("Authorization: Bearer {}", "curl -H 'Authorization: Bearer {}' api"),
    ),
    "basic": (
        lambda c: base64.b64encode(("bob:" + drawn(c, ALNUM, 12)).encode()).decode(),
        ("Authorization: Basic {}", "curl -H 'Authorization: Basic {}' api"),
    ),
    "e-mail": (
        lambda c: drawn(c, string.ascii_lowercase, 9) + "@" + "mail.example.org",
        ("ask {}", "From: {}"),
    ),
    "home folder": (
        lambda c: drawn(c, string.ascii_lowercase, 9),
        ("cd /home/{}/shop", "in /Users/{}/shop/a.py"),
    ),
}
"""Of each kind how a secret is drawn, and the two lines it is planted in."""


def canaries() -> list[Canary]:
    chance = random.Random(SEED)
    made = []
    for kind, (draw, lines) in TOKENS.items():
        for line in lines:
            secret = draw(chance)
            made.append(Canary(kind=kind, line=line.format(secret), pieces=pieces(kind, secret)))
    chance.shuffle(made)
    return made


def pieces(kind: str, secret: str) -> tuple[str, ...]:
    if kind == "private key":
        return tuple(line for line in secret.splitlines() if "-----" not in line)
    if kind == "basic":
        return (secret, base64.b64decode(secret).decode().partition(":")[2])
    if kind == "e-mail":
        return (secret.partition("@")[0],)
    if len(secret) < 32:
        return (secret,)
    middle = len(secret) // 2
    return (secret, secret[middle - 8 : middle + 8], secret[-16:])


# Five formats. Each takes eight lines: what the user asks and adds, what the agent says, thinks,
# runs and writes, what a command prints and the message of one that fails.


def claude_code(lines: list[str]) -> str:
    asked, said, thought, command, written, printed, failed, added = lines
    rows = [
        said_by("user", asked),
        said_by(
            "assistant",
            [
                {"type": "thinking", "thinking": thought, "signature": ""},
                {"type": "text", "text": said},
                tool_use("t1", "Bash", {"command": command}),
            ],
        ),
        said_by("user", [tool_result("t1", printed)]),
        said_by(
            "assistant",
            [tool_use("t2", "Write", {"file_path": f"{CWD}/a.env", "content": written})],
        ),
        said_by("user", [tool_result("t2", failed, is_error=True)]),
        said_by("user", added),
        said_by("assistant", [{"type": "text", "text": "Done, as you asked."}]),
    ]
    common = {"sessionId": str(uuid.UUID(int=1)), "cwd": CWD, "version": "2.1.0"}
    return "\n".join(
        json.dumps({"uuid": f"u{n}", "timestamp": TIME.format(n), **common, **row})
        for n, row in enumerate(rows)
    )


def said_by(role: str, content: Any) -> dict[str, Any]:
    return {"type": role, "message": {"role": role, "content": content}}


def tool_use(id: str, name: str, arguments: dict[str, str]) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


def tool_result(id: str, text: str, *, is_error: bool = False) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error}


def codex(lines: list[str]) -> str:
    asked, said, thought, command, written, printed, failed, added = lines
    shell = json.dumps({"cmd": command, "workdir": CWD})
    patch = f"*** Begin Patch\n*** Add File: a.env\n+{written}\n*** End Patch"
    git = {"branch": "main", "repository_url": "https://example.org/acme/shop"}
    rows: list[tuple[str, dict[str, Any]]] = [
        ("session_meta", {"id": str(uuid.UUID(int=2)), "cwd": CWD, "git": git}),
        ("response_item", message("user", "input_text", asked)),
        (
            "response_item",
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": thought}]},
        ),
        ("response_item", message("assistant", "output_text", said)),
        (
            "response_item",
            {"type": "function_call", "name": "exec_command", "arguments": shell, "call_id": "c1"},
        ),
        (
            "response_item",
            {"type": "function_call_output", "call_id": "c1", "output": printed},
        ),
        (
            "response_item",
            {"type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": "c2"},
        ),
        (
            "response_item",
            {"type": "custom_tool_call_output", "call_id": "c2", "output": f"error: {failed}"},
        ),
        ("response_item", message("user", "input_text", added)),
        ("response_item", message("assistant", "output_text", "Done, as you asked.")),
    ]
    return "\n".join(
        json.dumps({"timestamp": TIME.format(n), "type": kind, "payload": payload})
        for n, (kind, payload) in enumerate(rows)
    )


def message(role: str, kind: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def mini_swe_agent(lines: list[str]) -> str:
    asked, said, thought, command, written, printed, failed, added = lines
    write = f"cat > a.env <<'EOF'\n{written}\nEOF"
    messages = [
        {"role": "system", "content": "You can use a shell."},
        {"role": "user", "content": f"Please solve this task:\n\n{asked}"},
        {"role": "assistant", "content": f"THOUGHT: {thought}\n\n```bash\n{command}\n```"},
        {"role": "user", "content": f"<returncode>0</returncode>\n<output>\n{printed}</output>"},
        {"role": "assistant", "content": f"THOUGHT: {said}\n\n```bash\n{write}\n```"},
        {"role": "user", "content": f"<returncode>1</returncode>\n<output>\n{failed}</output>"},
        {"role": "assistant", "content": f"THOUGHT: {added}\n\n```bash\npytest -q\n```"},
        {"role": "user", "content": "<returncode>0</returncode>\n<output>\n2 passed</output>"},
    ]
    info = {"exit_status": "Submitted", "submission": added, "mini_version": "1.15.0"}
    return json.dumps(
        {"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1"}, indent=2
    )


def chat(lines: list[str]) -> str:
    asked, said, thought, command, written, printed, failed, added = lines
    calls = [
        function_call("k1", "bash", {"command": command}),
        function_call("k2", "write_file", {"path": "a.env", "content": written}),
    ]
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": asked},
        {"role": "assistant", "content": said, "reasoning_content": thought, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "k1", "content": printed},
        {"role": "tool", "tool_call_id": "k2", "content": failed},
        {"role": "user", "content": added},
        {"role": "assistant", "content": "Done, as you asked."},
    ]
    return json.dumps({"messages": messages, "instance_id": "acme__shop-7"})


def function_call(id: str, name: str, arguments: dict[str, str]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": id, "type": "function", "function": function}


def atif(lines: list[str]) -> str:
    asked, said, thought, command, written, printed, failed, added = lines
    steps: list[dict[str, Any]] = [
        {"source": "user", "message": asked},
        {
            "source": "agent",
            "message": said,
            "reasoning_content": thought,
            "tool_calls": [atif_call("x1", "bash", {"command": command})],
            "observation": {"results": [{"source_call_id": "x1", "content": printed}]},
        },
        {
            "source": "agent",
            "message": "",
            "tool_calls": [atif_call("x2", "write", {"path": "a.env", "content": written})],
            "observation": {"results": [{"source_call_id": "x2", "content": failed}]},
        },
        {"source": "user", "message": added},
        {"source": "agent", "message": "Done, as you asked."},
    ]
    numbered = [
        {"step_id": n, "timestamp": TIME.format(n), **step} for n, step in enumerate(steps, start=1)
    ]
    agent = {"name": "tester", "version": "1", "model_name": "m"}
    return json.dumps(
        {
            "schema_version": "ATIF-v1.7",
            "session_id": str(uuid.UUID(int=5)),
            "agent": agent,
            "steps": numbered,
        }
    )


def atif_call(id: str, name: str, arguments: dict[str, str]) -> dict[str, Any]:
    return {"tool_call_id": id, "function_name": name, "arguments": arguments}


FORMATS: dict[str, tuple[str, Callable[[list[str]], str]]] = {
    "claude-code": ("session.jsonl", claude_code),
    "codex": ("rollout-2026-04-01T09-00-00-a.jsonl", codex),
    "mini-swe-agent": ("shop.traj.json", mini_swe_agent),
    "chat": ("messages.json", chat),
    "atif": ("trajectory.json", atif),
}
LINES = 8
SESSION_IDS = re.compile(r"00000000-0000-0000-0000-0000000000\d\d")


def plant(folder: Path, planted: list[Canary]) -> None:
    """Write a session of each format with the next eight canaries."""
    for number, (name, write) in enumerate(FORMATS.values()):
        lines = [c.line for c in planted[number * LINES : (number + 1) * LINES]]
        path = folder / str(number) / name
        path.parent.mkdir(parents=True)
        path.write_text(write(lines), encoding="utf-8")


def run(store: Path, *arguments: str) -> str:
    """What a command prints to both streams."""
    done = CliRunner().invoke(main, ["--store", str(store), *arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return str(done.output)


def forms(piece: str) -> Iterator[bytes]:
    """A piece of a secret as it may be written: plain, escaped, encoded."""
    raw = piece.encode()
    yield from (raw, piece.upper().encode(), piece.lower().encode())
    yield from (
        json.dumps(piece)[1:-1].replace("/", "\\/").encode(),
        quote(piece, safe="").encode(),
    )
    yield from (piece.encode("utf-16-le"), raw.hex().encode(), raw[::-1])
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + raw)
        whole = encoded[4 if shift else 0 : len(raw + b"\0" * shift) // 3 * 4]
        yield whole
        yield whole.translate(bytes.maketrans(b"+/", b"-_"))


def found_in(data: bytes, planted: list[Canary]) -> set[tuple[str, str]]:
    """Kind and piece of the canaries that some form of betrays."""
    return {
        (c.kind, piece)
        for c in planted
        for piece in c.pieces
        if any(len(form) > 5 and form in data for form in forms(piece))
    }


def cells(store: Path) -> bytes:
    """All values of all tables: a text that spans two pages is whole here and not in the file."""
    connection = apsw.Connection(str(store), flags=apsw.SQLITE_OPEN_READONLY)
    tables = [n for (n,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")]
    values = (
        cell
        for name in tables
        for row in connection.execute(f"SELECT * FROM {name}")
        for cell in row
    )
    data = b"\n".join(v if isinstance(v, bytes) else str(v).encode() for v in values)
    connection.close()
    return data


def test_the_search_sees_what_it_looks_for() -> None:
    (canary, *_) = (c for c in canaries() if c.kind == "github")
    for form in forms(canary.pieces[0]):
        assert found_in(b"xx" + form + b"xx", [canary])
    again = base64.b64encode(("a log line: " + canary.line).encode())
    assert found_in(again, [canary])


def test_forty_canaries_of_twenty_kinds_are_planted_in_every_place(tmp_path: Path) -> None:
    planted = canaries()
    assert len(planted) == LINES * len(FORMATS) == 40
    assert len({c.kind for c in planted}) == 20
    plant(tmp_path, planted)
    texts = [p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()]
    assert {c.kind for c in planted if not found_in(b"\n".join(texts), [c])} == set()


def test_no_canary_reaches_the_store_the_log_a_prompt_or_an_answer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    planted = canaries()
    plant(tmp_path / "runs", planted)
    torn = tmp_path / "runs" / "torn.traj.json"
    torn.write_text(mini_swe_agent([c.line for c in planted[:LINES]])[:900], encoding="utf-8")
    pool = tmp_path / "pool.jsonl"
    pool.write_text(
        "\n".join(
            json.dumps({"level": level, "title": planted[n].line, "content": planted[n + 1].line})
            for n, level in enumerate(("insight", "workflow", "a theory"))
        ),
        encoding="utf-8",
    )
    store = tmp_path / "store" / "memory.db"
    with KnowledgeBase.open(store) as kb:  # held open, so that the write-ahead log stays
        said = [run(store, "ingest", str(tmp_path / "runs"), "--json")]
        report = json.loads(said[0])
        assert report["new"] >= len(FORMATS)
        assert report["redacted"] >= len(planted)
        assert len(report["redacted_kinds"]) >= 15
        said.append(run(store, "ingest", str(tmp_path / "runs")))
        said.append(run(store, "import", str(pool)))
        said.append(run(store, "import", str(pool), "--json"))
        for number, canary in enumerate(planted):
            form = ("table", "prompt", "json")[number % 3]
            said.append(run(store, "query", f"What to do: {canary.line}", "--format", form))
        said += [run(store, "stats"), run(store, "stats", "--json")]
        for label in ("Trace", "Workflow", "Summary", "Insight"):
            for node in kb.store.find(label):
                said += [run(store, "show", node.id), run(store, "why", node.id)]
                said += [
                    run(store, "show", node.id, "--json"),
                    run(store, "why", node.id, "--json"),
                ]
        for label in ("Step", "Task", "Retrieval"):
            said += [run(store, "show", node.id) for node in kb.store.find(label)[:5]]
        beside = [store.with_name(store.name + end) for end in ("", "-wal", "-shm")]
        assert all(path.stat().st_size > 0 for path in beside)
        written = {path.name: found_in(path.read_bytes(), planted) for path in beside}
        assert written == {path.name: set() for path in beside}
        assert found_in(cells(store), planted) == set()
    spoken = "\n".join(said).encode()
    assert found_in(spoken, planted) == set()
    assert found_in(b"\n".join(spoken.split()), planted) == set()
    assert found_in(caplog.text.encode(), planted) == set()
    assert found_in(store.read_bytes(), planted) == set()


def test_no_canary_in_the_frame_of_a_session_is_kept(tmp_path: Path) -> None:
    planted = canaries()
    by_kind = {c.kind: c for c in planted}
    frame = {
        "gitBranch": by_kind["github"].line,
        "version": by_kind["npm"].line,
        "cwd": by_kind["home folder"].line.removeprefix("cd ").removeprefix("in "),
        "timestamp": by_kind["slack"].line,
        "slug": by_kind["stripe"].line,
    }
    session = [json.loads(row) for row in claude_code(["Tidy up"] * LINES).split("\n")]
    for row in session:
        row |= frame
        row["message"] |= {"model": by_kind["openai"].line, "id": by_kind["gitlab"].line}
    folder = tmp_path / by_kind["e-mail"].pieces[0] / "runs" / by_kind["google"].pieces[0]
    folder.mkdir(parents=True)
    text = "\n".join(json.dumps(row) for row in session)
    (folder / "session.jsonl").write_text(text, encoding="utf-8")
    store = tmp_path / "memory.db"
    said = run(store, "ingest", str(tmp_path), "--json")
    (trace,) = json.loads(said)["traces"]
    said += run(store, "show", trace) + run(store, "why", trace, "--json")
    kept = [c for c in planted if c.kind != "e-mail"]  # a name alone is no address
    assert found_in(store.read_bytes() + cells(store) + said.encode(), kept) == set()


def lookalikes() -> list[str]:
    """Two hundred lines with hashes, ids and encoded data that are no secrets."""
    chance = random.Random(SEED)
    data = [chance.randbytes(48) for _ in range(200)]
    lines: list[Callable[[bytes], str]] = [
        lambda d: f"commit {sha1(d).hexdigest()}",
        lambda d: f"index {sha1(d).hexdigest()[:7]}..{md5(d).hexdigest()[:7]} 100644",
        lambda d: f"request {uuid.UUID(bytes=d[:16])} took 12 ms",
        lambda d: f'"integrity": "sha512-{base64.b64encode(sha512(d).digest()).decode()}",',
        lambda d: f"    --hash=sha256:{sha256(d).hexdigest()} \\",
        lambda d: f'checksum = "{sha256(d).hexdigest()}"',
        lambda d: f"golang.org/x/mod v0.8.0 h1:{base64.b64encode(sha256(d).digest()).decode()}",
        lambda d: f"FROM python@sha256:{sha256(d).hexdigest()}",
        lambda d: f"{md5(d).hexdigest()}  dist/shop-1.2.0.tar.gz",
        lambda d: f"data:image/png;base64,{base64.b64encode(d).decode()}",
        lambda d: f"assert encode(payload) == b'{base64.b64encode(d).decode()}'",
        lambda d: f"Created wheel: sha256={sha256(d).hexdigest()} size=10231",
        lambda d: f'ETag: "{md5(d).hexdigest()}"',
        lambda d: f"pod/shop-api-{sha1(d).hexdigest()[:10]}-x7k2p Running",
        lambda d: f"Merge {sha1(d).hexdigest()} into {sha1(d[1:]).hexdigest()}",
        lambda d: f'    "etag": "W/\\"{sha1(d).hexdigest()[:27]}\\"",',
        lambda d: f"0x{int.from_bytes(d[:4], 'big'):08x}: mov eax, {d[0]}",
        lambda d: f'"_id": "{d[:12].hex()}", "name": "row {d[0]}"',
        lambda d: f"cache key: node-modules-{sha256(d).hexdigest()}",
        lambda d: f"sha1-{base64.b64encode(sha1(d).digest()).decode()}",
    ]
    return [lines[n % len(lines)](block) for n, block in enumerate(data)]


def test_of_200_lookalikes_at_most_two_are_taken_out_of_a_session(tmp_path: Path) -> None:
    lines = lookalikes()
    assert len(set(lines)) == 200
    for number, start in enumerate(range(0, 200, LINES)):
        name, write = list(FORMATS.values())[number % len(FORMATS)]
        path = tmp_path / "runs" / str(number) / name
        path.parent.mkdir(parents=True)
        text = write(lines[start : start + LINES])
        own_id = str(uuid.UUID(int=1000 + number))
        path.write_text(SESSION_IDS.sub(own_id, text), encoding="utf-8")
    report = json.loads(run(tmp_path / "memory.db", "ingest", str(tmp_path / "runs"), "--json"))
    assert report["new"] == 25
    assert report["redacted"] <= 2
