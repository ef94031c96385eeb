"""The command line on a real Neo4j: the same words as on a file, and a server that goes away."""

import json
import re
import shutil
import socket
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from stepladder import KnowledgeBase
from stepladder.cli import main
from stepladder.kg.stores.neo4j.write import EDGE_TYPES
from stepladder.kg.types import Batch, Edge, EdgeType, Insight

neo4j = pytest.importorskip(
    "neo4j", reason="needs the package neo4j: pip install stepladder[neo4j]"
)

EXAMPLES = Path(__file__).parent.parent / "examples"
TASK = "Fix a bug in a Python library: a test fails and the usual test runner is not installed"
CHANGING = {"retrieval_id", "time", "milliseconds", "merge_run"}
"""What differs from one call to the next on one store too."""


class Team:
    """A server that a team shares, and the command line on it and on a file beside it."""

    def __init__(self, server: Any, file: Path) -> None:
        self.server = server
        self.file = str(file)

    @property
    def address(self) -> str:
        return f"neo4j://127.0.0.1:{self.server.bolt_port}"

    def run(self, *words: str, store: str = "") -> Result:
        return CliRunner().invoke(main, ["--store", store or self.address, *words])

    def both(self, *words: str) -> Any:
        """What a command says in JSON, the same on the server as on the file."""
        here, there = (
            _plain(json.loads(self.run(*words, "--json", store=store).stdout))
            for store in (self.file, self.address)
        )
        assert there == here
        return there

    def start_process(self, *words: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "stepladder.cli", "--store", self.address, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def ask(self, cypher: str) -> list[list[Any]]:
        """Rows of a statement, past the program."""
        auth = ("neo4j", self.server.password)
        with neo4j.GraphDatabase.driver(self.server.address, auth=auth) as driver:
            return [r.values() for r in driver.execute_query(cypher).records]

    def empty(self) -> None:
        self.ask("MATCH (n) DETACH DELETE n")


def _plain(value: Any) -> Any:
    """JSON without what is new in every call; scores as they are compared between stores."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items() if k not in CHANGING}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return round(value, 4) if isinstance(value, float) else value


@pytest.fixture(scope="module")
def running(start_neo4j: Callable[..., AbstractContextManager[Any]]) -> Iterator[Any]:
    with start_neo4j() as server:
        yield server


@pytest.fixture(scope="module")
def read_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that holds the sample runs."""
    path = tmp_path_factory.mktemp("read") / "memory.db"
    with KnowledgeBase.open(path) as kb:
        kb.ingest([EXAMPLES])
    return path


@pytest.fixture
def team(running: Any, read_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Team:
    """An empty database on the server, its password in the environment, the samples in a file."""
    monkeypatch.setenv("NEO4J_PASSWORD", running.password)
    monkeypatch.setenv("COLUMNS", "200")
    made = Team(running, Path(shutil.copy(read_once, tmp_path)))
    made.empty()
    return made


def test_every_command_says_on_neo4j_what_it_says_on_a_file(team: Team) -> None:
    assert json.loads(team.run("ingest", str(EXAMPLES), "--json").stdout)["new"] == 21
    assert team.both("ingest", str(EXAMPLES))["unchanged"] == 21
    assert team.both("stats")["levels"]["trace"] == 21
    found = "MATCH (i:Insight) RETURN i.id ORDER BY i.title LIMIT 1"
    insight = team.both("cypher", found)["rows"][0][0]
    for command in ("show", "why"):
        team.both(command, insight[:14])
    assert team.both("query", TASK)["items"]
    team.both("consolidate", "--dry-run")
    team.both("consolidate")
    counted = "MATCH (i:Insight) RETURN i.kind AS kind, count(*) AS n ORDER BY n DESC, kind"
    assert team.both("cypher", counted)["rows"]
    team.both("cypher", "cross_domain_insights", "--param", "min_domains=2")
    team.both("cypher", "--list")
    team.both("schema")
    trace = team.both("cypher", "MATCH (t:Trace) RETURN t.id ORDER BY t.id LIMIT 1")["rows"][0][0]
    assert team.both("forget", trace, "--yes")["removed"] > 1
    assert team.both("stats")["levels"]["trace"] == 20


def test_feedback_and_a_holdout_leave_their_edges(team: Team) -> None:
    team.run("migrate", "--to", team.address, store=team.file)
    answer = json.loads(team.run("query", TASK, "--holdout", "1", "--json").stdout)
    shown = answer["items"][0]["id"]
    told = team.run(
        "feedback", answer["retrieval_id"], "--outcome", "success", "--used", shown, "--json"
    )
    assert json.loads(told.stdout)["credited"] == [shown]
    kinds = team.ask("MATCH (:Retrieval)-[e]->() RETURN type(e), count(*) ORDER BY type(e)")
    assert [kind for kind, _ in kinds] == ["SHOWED", "USED", "WITHHELD"]
    assert kinds[1:] == [["USED", 1], ["WITHHELD", 1]]
    assert json.loads(team.run("evaluate", "uplift", "--json").stdout)


def test_a_merge_is_made_listed_and_taken_back(team: Team) -> None:
    rows = [
        {"id": f"insight-{n}", "title": "Run the whole test suite before you hand in", "domain": d}
        for n, d in enumerate(("web-dev", "data-analysis", "repo-bugfix"))
    ]
    with KnowledgeBase.open(team.address) as kb:
        kb.import_memories(rows)
        before = list(kb.store.export())
    made = json.loads(team.run("consolidate", "--json").stdout)
    assert [len(m["members"]) for m in made["merged"]] == [3]
    listed = json.loads(team.run("merges", "--json").stdout)
    assert made["merge_run"] in json.dumps(listed)
    assert team.run("unmerge", made["merge_run"]).exit_code == 0
    with KnowledgeBase.open(team.address) as kb:
        assert list(kb.store.export()) == before


def test_every_type_of_edge_is_taken_and_given_back(team: Team) -> None:
    types: tuple[EdgeType, ...] = EDGE_TYPES  # type: ignore[assignment]
    ends = tuple(Insight(id=f"insight-{n}", created="", title="t") for n in "ab")
    edges = [Edge(source=ends[0].id, type=t, target=ends[1].id) for t in types]
    with KnowledgeBase.open(team.address) as kb:
        kb.store.write(Batch(nodes=ends, edges=tuple(edges)))
        assert kb.store.counts().edges == dict.fromkeys(sorted(types), 1)
        assert {e.type for e in kb.store.edges([ends[0].id])} == set(types)


def test_an_embedded_store_moves_up_and_down_again(team: Team, tmp_path: Path) -> None:
    team.run("query", TASK, store=team.file)
    back = str(tmp_path / "back.db")
    planned = team.run("migrate", "--to", team.address, "--dry-run", "--json", store=team.file)
    assert team.ask("MATCH (n) RETURN count(n)") == [[0]]
    up = json.loads(team.run("migrate", "--to", team.address, "--json", store=team.file).stdout)
    assert json.loads(planned.stdout) == {**up, "dry_run": True, "checksums": {}}
    again = team.run("migrate", "--to", team.address, "--json", store=team.file)
    assert json.loads(again.stdout) == {**up, "added": 0, "edges_added": 0}
    down = json.loads(team.run("migrate", "--to", back, "--json").stdout)
    assert down["checksums"] == up["checksums"]
    assert (down["to"], down["nodes"]) == (back, up["nodes"])
    with KnowledgeBase.open(team.file) as one, KnowledgeBase.open(back) as other:
        assert list(other.store.export()) == list(one.store.export())
    assert team.both("query", TASK)["items"]


def test_a_password_in_the_address_is_never_shown(team: Team) -> None:
    secret = team.server.password
    address = team.address.replace("://", f"://neo4j:{secret}@")
    said = [
        team.run("doctor", store=address),
        team.run("migrate", "--to", team.file, store=address),
        team.run("migrate", "--to", address, store=address),
        team.run("stats", store=f"{address}/none"),
    ]
    assert all(secret not in f"{result.output}{result.stderr}" for result in said)
    assert f"ok store: {team.address}: 0 runs" in said[0].stdout


def test_an_ingest_whose_server_is_killed_says_so_and_goes_on_later(team: Team) -> None:
    with team.start_process("ingest", str(EXAMPLES)) as child:
        while not team.ask("MATCH (t:Trace) RETURN count(t) > 2")[0][0]:
            assert child.poll() is None
        team.server.kill()
        said, complaint = child.communicate()
    team.server.start()
    _ready(team)
    assert child.returncode == 1, said
    assert complaint.startswith("Error: The server ")
    assert re.search(r"\n  .*(run the same command again|Do the same again)", complaint)
    kept = team.ask(
        "MATCH (t:Trace) OPTIONAL MATCH (s:Step)-[:PART_OF]->(t) "
        "WITH t, count(s) AS steps RETURN t.steps, steps"
    )
    assert 2 < len(kept) < 21
    assert all(told == there for told, there in kept)
    assert team.ask("MATCH (s:Step) WHERE NOT (s)-[:PART_OF]->(:Trace) RETURN count(s)") == [[0]]
    assert team.run("ingest", str(EXAMPLES)).exit_code == 0
    with KnowledgeBase.open(team.file) as ours, KnowledgeBase.open(team.address) as theirs:
        assert list(theirs.store.export()) == list(ours.store.export())


def test_a_query_whose_server_goes_away_says_so_and_works_when_it_is_back(team: Team) -> None:
    team.run("migrate", "--to", team.address, store=team.file)
    with KnowledgeBase.open(team.address) as kb:
        answer = kb.retrieve(TASK, record=False)
        team.server.stop()
        result = team.run("query", TASK)
        assert result.exit_code == 1
        assert result.stdout == ""
        assert result.stderr.startswith(f"Error: The server {team.address} does not answer.\n  ")
        team.server.start()
        _ready(team)
        assert kb.retrieve(TASK, record=False) == answer
    assert team.run("query", TASK).exit_code == 0


def _ready(team: Team) -> None:
    """Wait until the database is there, which comes after the port."""
    KnowledgeBase.open(team.address).close()


@contextmanager
def _server_of(agent: str) -> Iterator[int]:
    """The port of something that speaks Bolt 5.4 as far as saying what it is."""
    told = {"server": agent, "connection_id": "1"}
    pairs = (bytes([0x80 + len(t)]) + t.encode() for pair in told.items() for t in pair)
    message = b"\xb1\x70" + bytes([0xA0 + len(told)]) + b"".join(pairs)

    class Bolt(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.rfile.read(20)
            self.wfile.write(b"\x00\x00\x04\x05")
            while len(size := self.rfile.read(2)) == 2:
                if length := int.from_bytes(size, "big"):
                    self.rfile.read(length)
                else:  # the end of a message
                    self.wfile.write(len(message).to_bytes(2, "big") + message + b"\x00\x00")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Bolt) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


class TestRefusals:
    """One sentence, the next step, exit code 1, within five seconds."""

    def refused(self, team: Team, store: str) -> tuple[str, str]:
        start = time.monotonic()
        result = team.run("stats", store=store)
        assert time.monotonic() - start < 5
        assert (result.exit_code, result.stdout) == (1, "")
        message, hint = result.stderr.splitlines()
        assert message.count(". ") == 0
        return message, hint.strip()

    def test_nobody_answers(self, team: Team) -> None:
        message, hint = self.refused(team, "neo4j://127.0.0.1:1")
        assert message == "Error: The server neo4j://127.0.0.1:1 does not answer."
        assert hint.startswith("Check that it runs and that the address is right.")

    def test_somebody_is_silent(self, team: Team) -> None:
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            message, _ = self.refused(team, f"neo4j://127.0.0.1:{silent.getsockname()[1]}")
        assert message.endswith("does not answer.")

    def test_the_password_is_wrong(self, team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NEO4J_PASSWORD", "not-the-one")
        message, hint = self.refused(team, team.address)
        assert message == (
            f"Error: The server {team.address} refused the user 'neo4j' or the password."
        )
        assert hint.startswith("Set NEO4J_USERNAME and NEO4J_PASSWORD, or write both into")

    def test_the_version_is_too_old(self, team: Team) -> None:
        with _server_of("Neo4j/5.13.0") as port:
            message, hint = self.refused(team, f"bolt://127.0.0.1:{port}")
        assert message == (
            f"Error: The server bolt://127.0.0.1:{port} is Neo4j 5.13.0; "
            "Neo4j 5.26 or newer is needed."
        )
        assert hint == "Upgrade it, or start one with: docker compose up -d"

    def test_the_database_is_another_programs(self, team: Team) -> None:
        team.ask("CREATE (:Person {name: 'Ada'})")
        message, hint = self.refused(team, team.address)
        assert message == (
            f"Error: The database {team.address} has nodes but no Stepladder schema."
        )
        assert hint == "Give the address of an empty database: neo4j://host:7687/name"
