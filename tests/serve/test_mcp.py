"""The MCP server as the reference client sees it: in process, over stdio and over HTTP."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2 as httpx
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from stepladder import KnowledgeBase
from stepladder.kg.types import Insight, Retrieval
from stepladder.queries.render import count_tokens
from stepladder.serve.mcp import build
from stepladder.serve.place import Place

EXAMPLES = Path(__file__).parents[2] / "examples"
TASK = "Fix a bug in a Python library: a test fails and the usual test runner is not installed"
RUNNER = "When the usual test runner is missing, look for the project's own one"
SESSION = EXAMPLES / "web-dev" / "site-card-title.jsonl"
HTTP = ("mcp", "--http", "--port", "0")
TOOLS = ["recall", "show", "why", "report_outcome", "record_lesson", "cypher"]


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kb") / "memory.db"
    with KnowledgeBase.open(path) as kb:
        kb.ingest([EXAMPLES])
    return path


@pytest.fixture
def store(taught: Path, tmp_path: Path) -> Path:
    """A copy of a store that has read the sample runs; tests may write to it."""
    return shutil.copy(taught, tmp_path / "memory.db")


@pytest.fixture
def kb(store: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(store) as opened:
        yield opened


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with one Claude Code session in it."""
    folder = tmp_path / "home" / ".claude"
    (folder / "projects" / "site").mkdir(parents=True)
    shutil.copy(SESSION, folder / "projects" / "site" / SESSION.name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    return folder


def call(kb: KnowledgeBase, tool: str, *, project: str = "", **arguments: Any) -> Any:
    """Call a tool in process; return the structure, or the text of the error."""

    async def run() -> Any:
        async with Client(build(kb, place=Place(project=project))) as client:
            result = await client.call_tool(tool, arguments)
            if result.is_error:
                return result.content[0].text
            return result.structured_content

    return anyio.run(run)


def lesson(**changes: Any) -> dict[str, Any]:
    return {
        "title": "Ask before changing files that are copied from outside the repository",
        "description": "A helper is missing in a third-party file that lies in the repository.",
        "content": "A change to a vendored file was refused and had to be undone. Put the change "
        "into a file of the project's own that wraps the vendored one.",
        "kind": "anti-pattern avoidance",
        "polarity": "do",
        "applies_when": "The repository holds copies of third-party files.",
        "not_when": "The task is to update the copies.",
        "cites": ["2", "3"],
        **changes,
    }


async def every_tool(client: Client) -> dict[str, Any]:
    """List the tools and call each; return what they gave."""
    tools = (await client.list_tools()).tools
    assert [t.name for t in tools] == TOOLS
    assert all(t.description and t.output_schema for t in tools)
    recalled = (await client.call_tool("recall", {"task": TASK})).structured_content
    id = recalled["memories"][0]["id"]
    given = {
        "recall": recalled,
        "show": (await client.call_tool("show", {"id": id})).structured_content,
        "why": (await client.call_tool("why", {"id": id})).structured_content,
        "report_outcome": (
            await client.call_tool(
                "report_outcome",
                {"retrieval_id": recalled["retrieval_id"], "outcome": "success", "used": [id]},
            )
        ).structured_content,
        "record_lesson": (
            await client.call_tool("record_lesson", {"lessons": [lesson()], "trace": SESSION.stem})
        )
        .content[0]
        .text,
        "cypher": (
            await client.call_tool(
                "cypher", {"statement": "MATCH (i:Insight) RETURN count(i) AS n LIMIT 1"}
            )
        ).structured_content,
    }
    resources = [str(r.uri) for r in (await client.list_resources()).resources]
    assert resources == ["stepladder://schema", "stepladder://statistics"]
    assert [p.name for p in (await client.list_prompts()).prompts] == ["reflect"]
    return given


def check(given: dict[str, Any]) -> None:
    assert RUNNER in given["recall"]["text"]
    assert given["show"]["label"] == "Insight"
    assert "its own runner" in given["show"]["text"]
    assert given["why"]["text"].startswith("<memory-")
    assert given["report_outcome"]["credited"] == [given["recall"]["memories"][0]["id"]]
    assert "no session of this project" in given["record_lesson"]
    assert given["cypher"]["columns"] == ["n"]


def environment(tmp_path: Path) -> dict[str, str]:
    """The environment without the user's own sessions and store."""
    return {**os.environ, "HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}


def test_the_reference_client_calls_every_tool_in_process(
    kb: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))

    async def run() -> None:
        async with Client(build(kb, place=Place())) as client:
            check(await every_tool(client))

    anyio.run(run)


def test_the_reference_client_calls_every_tool_over_stdio(store: Path, tmp_path: Path) -> None:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "stepladder.cli", "--store", str(store), "mcp"],
        env=environment(tmp_path),
        cwd=str(tmp_path),
    )

    async def run() -> None:
        async with Client(stdio_client(server)) as client:
            check(await every_tool(client))

    anyio.run(run)


@pytest.fixture
def served(store: Path, tmp_path: Path) -> Iterator[str]:
    """The address of a server over HTTP whose token is `secret`."""
    process = subprocess.Popen(
        [sys.executable, "-m", "stepladder.cli", "--store", str(store), *HTTP],
        env={**environment(tmp_path), "STEPLADDER_TOKEN": "secret"},
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        yield process.stderr.readline().removeprefix("listening on ").strip()
    finally:
        process.terminate()
        process.wait(timeout=20)


def test_the_reference_client_calls_every_tool_over_http(served: str) -> None:
    async def run() -> None:
        headers = {"Authorization": "Bearer secret"}
        async with (
            httpx_client(headers) as http,
            Client(streamable_http_client(served, http_client=http)) as client,
        ):
            check(await every_tool(client))

    anyio.run(run)


def httpx_client(headers: dict[str, str]) -> Any:
    """A client of the kind that the reference client speaks HTTP with."""
    return httpx.AsyncClient(headers=headers, timeout=30)


def test_strangers_are_refused_over_http(served: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    good = {
        "Authorization": "Bearer secret",
        "Accept": "application/json, text/event-stream",
    }

    def status(**headers: str) -> int:
        named = {k.replace("_", "-"): v for k, v in headers.items()}
        return httpx.post(served, json=body, headers={**good, **named}).status_code

    assert status() not in (401, 403, 413, 421)
    assert status(Authorization="") == 401
    assert status(Authorization="Bearer wrong") == 401
    assert status(Authorization="Basic secret") == 401
    assert status(Host="evil.example") == 421
    assert status(Host="127.0.0.1.evil.example:80") == 421
    assert status(Origin="http://evil.example") == 403
    assert status(Origin="null") == 403
    assert httpx.post(served, content=b"x" * 600_000, headers=good).status_code in (400, 413)
    assert httpx.post(served, content=b"{", headers=good).status_code in (400, 415)


def test_what_does_not_apply_is_an_empty_answer_with_a_reason(kb: KnowledgeBase) -> None:
    given = call(kb, "recall", task="Translate a poem by Rilke into Portuguese")
    assert (given["abstained"], given["memories"], given["text"]) == (True, [], "")
    assert given["reason"]


def test_replies_keep_the_number_of_tokens_asked_for(kb: KnowledgeBase) -> None:
    given = call(kb, "recall", task=TASK, budget_tokens=120)
    assert count_tokens(given["text"]) <= 120
    id = call(kb, "recall", task=TASK)["memories"][0]["id"]
    for tool in ("show", "why"):
        text = call(kb, tool, id=id, budget_tokens=100)["text"]
        assert count_tokens(text) <= 100
        assert text.count("<memory-") == 1
    assert "less than or equal to 10000" in call(kb, "show", id=id, budget_tokens=30_000)


def test_what_belongs_to_another_project_is_not_shown(kb: KnowledgeBase) -> None:
    trace = next(t for t in kb.store.find("Trace") if t.scope == "acme/kit")
    assert "Nothing has the id" in call(kb, "show", id=trace.id, project="site")
    assert call(kb, "show", id=trace.id, project="acme/kit")["id"] == trace.id
    rows = "MATCH (t:Trace) RETURN DISTINCT t.scope AS scope ORDER BY scope LIMIT 50"
    text = call(kb, "cypher", statement=rows, project="acme/kit")["text"]
    assert re.findall(r'\["(.*)"\]', text) == ["acme/kit"]


def test_cypher_that_writes_is_refused(kb: KnowledgeBase) -> None:
    before = kb.store.counts()
    said = call(kb, "cypher", statement="MATCH (n) DETACH DELETE n")
    assert said.startswith("Error executing tool cypher")
    assert kb.store.counts() == before


def test_an_outcome_needs_a_retrieval_that_showed_what_was_used(kb: KnowledgeBase) -> None:
    recalled = call(kb, "recall", task=TASK)
    id = recalled["retrieval_id"]
    said = call(kb, "report_outcome", retrieval_id=id, outcome="success", used=["insight-no"])
    assert "did not show 'insight-no'" in said
    call(kb, "report_outcome", retrieval_id=id, outcome="failure")
    node = kb.store.get([id])[id]
    assert isinstance(node, Retrieval)
    assert (node.outcome, node.outcome_source) == ("failure", "judge")


def test_a_lesson_enters_as_a_candidate_of_its_project_with_its_evidence(
    kb: KnowledgeBase, home: Path
) -> None:
    given = call(kb, "record_lesson", lessons=[lesson()], project="site")
    (verdict,) = given["lessons"]
    assert verdict["refused"] == ""
    insight = kb.store.get([verdict["id"]])[verdict["id"]]
    assert isinstance(insight, Insight)
    assert (insight.origin, insight.scope, insight.untrusted) == ("agent", "site", True)
    cited = kb.why(insight.id).traces[0]
    assert [c.step.index for c in cited.steps] == [2, 3]
    assert cited.trace.id == given["trace"]
    assert call(kb, "show", id=insight.id, project="acme/kit").startswith("Error")


def test_a_lesson_outlives_a_longer_reading_of_its_run(
    kb: KnowledgeBase, home: Path, tmp_path: Path
) -> None:
    session = home / "projects" / "site" / SESSION.name
    (verdict,) = call(kb, "record_lesson", lessons=[lesson()], project="site")["lessons"]
    records = [json.loads(line) for line in session.read_text("utf-8").splitlines()]
    more = {**records[-1], "uuid": "99999999-aaaa-4bbb-8ccc-dddddddddddd"}
    more["message"] = {**more["message"], "id": "msg_more"}
    session.write_text("\n".join(map(json.dumps, [*records, more])), "utf-8")
    assert kb.ingest([session]).updated == 1
    assert [c.step.index for c in kb.why(verdict["id"]).traces[0].steps] == [2, 3]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"cites": []}, "cites no step"),
        ({"cites": ["400"]}, "not in this run"),
        ({"title": "Never change vendor/tiny.js/x in acme/site again please"}, "names"),
        ({"content": "The function in text.js was wrong and had to be moved elsewhere."}, "file"),
        ({"content": "Write to jane.doe@acme.io before you change a vendored file."}, "email"),
        ({"content": "See commit 3f9a2b7c41d0 for the change to the vendored file."}, "hash"),
        ({"content": "See line 114 of the file for the change that was made there."}, "specific"),
        ({"content": "word " * 200}, "too long"),
        ({"title": "Ask first"}, "too short"),
        ({"applies_when": " "}, "applies_when"),
    ],
)
def test_a_lesson_that_is_none_is_refused_with_the_reason(
    kb: KnowledgeBase, home: Path, changes: dict[str, Any], reason: str
) -> None:
    before = kb.store.counts().labels["Insight"]
    given = call(kb, "record_lesson", lessons=[lesson(**changes)], project="site")
    (verdict,) = given["lessons"]
    assert verdict["id"] == ""
    assert reason in verdict["refused"]
    assert kb.store.counts().labels["Insight"] == before


def test_a_lesson_that_is_known_is_refused(kb: KnowledgeBase, home: Path) -> None:
    call(kb, "record_lesson", lessons=[lesson()], project="site")
    given = call(kb, "record_lesson", lessons=[lesson()], project="site")
    assert given["lessons"][0]["refused"].startswith("It repeats insight-")


def test_at_most_three_lessons_are_taken_from_a_run(kb: KnowledgeBase, home: Path) -> None:
    titles = (
        "Ask before changing files that are copied from outside the repository",
        "Run the whole suite once after the last edit of a source file",
        "Read the formatting rules of a repository before the first edit",
        "Measure a slow query before adding an index for it",
    )
    lessons = [lesson(title=t, description=f"{t}, as the case was here.") for t in titles]
    first = call(kb, "record_lesson", lessons=lessons[:3], project="site")
    assert [v["refused"] for v in first["lessons"]] == ["", "", ""]
    more = call(kb, "record_lesson", lessons=lessons[3:], project="site")
    assert more["lessons"][0]["refused"] == "At most 3 lessons are taken from one run."
    assert "at most 3" in call(kb, "record_lesson", lessons=lessons, project="site")


def test_the_prompt_gives_where_the_run_turned(kb: KnowledgeBase, home: Path) -> None:
    async def run() -> str:
        async with Client(build(kb, place=Place(project="site"))) as client:
            result = await client.get_prompt("reflect", {})
            return result.messages[0].content.text

    text = anyio.run(run)
    assert "change undone (steps 2, 3)" in text
    assert "the user said: No, never touch vendor/" in text
    assert "at most three lessons" in text


def test_resources_say_what_the_graph_is_and_holds(kb: KnowledgeBase) -> None:
    async def run() -> tuple[str, Any]:
        async with Client(build(kb, place=Place(project="acme/kit"))) as client:
            schema = await client.read_resource("stepladder://schema")
            counts = await client.read_resource("stepladder://statistics")
            return schema.contents[0].text, json.loads(counts.contents[0].text)

    schema, counts = anyio.run(run)
    assert "(:Retrieval)-[:IN_TRACE]->(:Trace)" in schema
    assert counts["levels"]["trace"] == 3
