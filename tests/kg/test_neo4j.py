"""The store on a real Neo4j: the contract, five writers, a server that goes away, refusals."""

import multiprocessing
import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stepladder.kg.contract import DIM, STORE_CASES, StoreCase
from stepladder.kg.errors import (
    EmbeddingError,
    SchemaError,
    StepladderError,
    StoreError,
    UsageError,
)
from stepladder.kg.protocols import CandidateQuery, WriteReport
from stepladder.kg.settings import Settings
from stepladder.kg.terms import term_id
from stepladder.kg.types import NODE_TYPES, Batch, Edge, Insight, Scope, Step, Trace, Vector

neo4j = pytest.importorskip(
    "neo4j", reason="needs the package neo4j: pip install stepladder[neo4j]"
)

from stepladder.kg.stores.neo4j import Neo4jStore  # noqa: E402
from stepladder.kg.stores.neo4j.address import parse  # noqa: E402
from stepladder.kg.stores.neo4j.schema import check_agent, scripts  # noqa: E402
from stepladder.kg.stores.neo4j.server import statement  # noqa: E402
from stepladder.kg.stores.neo4j.write import EDGE_TYPES  # noqa: E402

LINES = os.environ.get("STEPLADDER_NEO4J_LINES", "5.26").split(",")
STATEMENTS = Path(__file__).parents[2] / "kg" / "stores" / "neo4j" / "statements"
STEPS = 5

WRITER = """
import sys
from stepladder.kg.stores.neo4j import Neo4jStore
from stepladder.kg.types import Batch, Edge, Insight, Step, Trace

address, name, first, last, steps = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
store = Neo4jStore.open(address, dim=8)
for n in range(first, last):
    trace = Trace(id=f"trace-{name}-{n}", created="", title=f"run {n} of {name}", scope=name)
    made = tuple(
        Step(id=f"step-{name}-{n}-{i}", created="", scope=name, index=i, phase="run", tool="bash",
             command="make")
        for i in range(steps)
    )
    own = Insight(id=f"insight-{name}-{n}", created="", title="own lesson", scope=name)
    both = Insight(id="insight-shared", created="", title="shared lesson")
    edges = [Edge(source=s.id, type="PART_OF", target=trace.id) for s in made]
    edges += [Edge(source=trace.id, type="GENERALIZES_TO", target=i.id) for i in (own, both)]
    store.write(Batch(nodes=(trace, *made, own, both), edges=tuple(edges)))
    print(n, flush=True)
"""


class Lab:
    """A running server, and ways to look at its database beside the store."""

    def __init__(self, server: Any) -> None:
        self.server = server

    @property
    def address(self) -> str:
        return self.of("neo4j", f"neo4j:{self.server.password}")

    def of(self, scheme: str, credentials: str = "", *, database: str = "") -> str:
        at = f"{credentials}@" if credentials else ""
        return f"{scheme}://{at}127.0.0.1:{self.server.bolt_port}/{database}"

    def ask(self, cypher: str, **parameters: Any) -> list[list[Any]]:
        """Rows of a statement, past the store."""
        auth = ("neo4j", self.server.password)
        quiet: dict[str, Any] = {"notifications_min_severity": "OFF"}
        with neo4j.GraphDatabase.driver(self.server.address, auth=auth, **quiet) as driver:
            return [r.values() for r in driver.execute_query(cypher, parameters).records]

    def empty(self) -> None:
        while self.ask("MATCH (n) WITH n LIMIT 20000 DETACH DELETE n RETURN count(n)") != [[0]]:
            pass

    def open(self, *, dim: int = 4, timeout_s: float = 30.0) -> Neo4jStore:
        return Neo4jStore.open(self.address, dim=dim, timeout_s=timeout_s)


@pytest.fixture(scope="module", params=LINES[:1])
def running(
    request: pytest.FixtureRequest, start_neo4j: Callable[..., AbstractContextManager[Any]]
) -> Iterator[Lab]:
    with start_neo4j(request.param) as server:
        yield Lab(server)


@pytest.fixture
def lab(running: Lab) -> Lab:
    """The server with an empty database."""
    running.empty()
    return running


@pytest.fixture
def store(lab: Lab) -> Iterator[Neo4jStore]:
    with lab.open() as opened:
        yield opened


def insight(name: str, title: str = "Run the tests", **values: Any) -> Insight:
    return Insight(id=f"insight-{name}", created="2026-01-01T00:00:00Z", title=title, **values)


def unit(*values: float) -> Vector:
    vector = np.array(values, np.float32)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def found(store: Neo4jStore, **query: Any) -> list[str]:
    values: dict[str, Any] = {"terms": (), "vector": None, **query}
    return [c.memory.id for c in store.candidates(CandidateQuery(**values))[0]]


@pytest.mark.parametrize("running", LINES, indirect=True)
@pytest.mark.parametrize("case", STORE_CASES, ids=lambda case: case.name)
def test_the_neo4j_store_keeps_the_contract(case: StoreCase, lab: Lab) -> None:
    case.check(lambda: Neo4jStore.open(lab.address, dim=DIM))


def whole(store: Neo4jStore) -> list[int]:
    """The numbers of the runs that are there, after a check that each is there as a whole."""
    runs = sorted(int(t.id.rpartition("-")[2]) for t in store.find("Trace"))
    n = len(runs)
    assert store.counts().labels == ({"Insight": n + 1, "Step": n * STEPS, "Trace": n} if n else {})
    assert store.counts().edges == ({"GENERALIZES_TO": 2 * n, "PART_OF": n * STEPS} if n else {})
    if n:
        assert store.support(["insight-shared"])["insight-shared"].traces == n
    statistics = store.statistics([term_id("lesson"), term_id("run")])
    assert statistics.memories == (2 * n + 1 if n else 0)
    assert len(found(store, terms=("share",))) == (n > 0)
    return runs


def test_five_processes_write_at_once_and_nothing_is_there_twice(lab: Lab) -> None:
    batches = 8
    # They also open the empty database at once, and each makes it a store.
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, lab.address, name, "0", str(batches), str(STEPS)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in "aaabc"
    ]
    said = [child.communicate()[0].split() for child in writers]
    assert said == [[str(n) for n in range(batches)]] * 5
    with lab.open(dim=8) as store:
        n = 3 * batches
        assert store.counts().labels == {"Insight": n + 1, "Step": n * STEPS, "Trace": n}
        assert store.counts().edges == {"GENERALIZES_TO": 2 * n, "PART_OF": n * STEPS}
        assert store.support(["insight-shared"])["insight-shared"].traces == n
        assert store.statistics([]).memories == 2 * n + 1
        assert Counter(t.scope for t in store.find("Trace")) == dict.fromkeys("abc", batches)
    assert (
        lab.ask(
            "MATCH (n) WITH n.id AS id, labels(n) AS l, count(*) AS c WHERE c > 1 AND id "
            "IS NOT NULL RETURN id"
        )
        == []
    )


def test_one_store_serves_many_threads_and_each_reads_what_it_wrote(store: Neo4jStore) -> None:
    def work(thread: int) -> int:
        seen = 0
        for n in range(4):
            vector, name = unit(1, thread, n, 1), f"{thread}-{n}"
            id = f"insight-{name}"
            store.write(Batch(nodes=(insight(name),), vectors={id: vector}))
            seen += id in found(store, vector=vector, limit=1) and id in store.get([id])
        return seen

    with ThreadPoolExecutor(5) as pool:
        assert list(pool.map(work, range(5))) == [4] * 5
    assert store.statistics([term_id("test")]).document_frequency == {term_id("test"): (20, 20)}


def test_reads_come_after_the_writes_of_their_process(store: Neo4jStore) -> None:
    """On a cluster a reader may be behind; it waits for the bookmarks it is given."""
    store.write(Batch(nodes=(insight("a"),)))
    bookmarks = set(store._server._bookmarks.get_bookmarks())
    assert len(bookmarks) == 1
    store.write(Batch(nodes=(insight("b"),)))
    assert not bookmarks & set(store._server._bookmarks.get_bookmarks())


def test_a_search_sees_what_another_open_store_wrote(lab: Lab) -> None:
    with lab.open() as one, lab.open() as other:
        near, far = unit(1, 0, 0, 0), unit(0, 1, 0, 0)
        one.write(Batch(nodes=(insight("a"), insight("b")), vectors={"insight-a": near}))
        assert found(other, vector=near, limit=1) == ["insight-a"]
        assert found(other, terms=("test",)) == ["insight-a", "insight-b"]
        other.write(Batch(vectors={"insight-a": far, "insight-b": near}))
        assert found(one, vector=near, limit=1) == ["insight-b"]
        one.write(Batch(nodes=(insight("a", "Pin it", level=4, scope="acme/api"),)))
        assert found(other, vector=far, limit=1, scope=Scope.of()) == ["insight-b"]
        assert found(other, vector=far, limit=1, min_level=4) == ["insight-a"]
        assert found(other, terms=("test",)) == ["insight-b"]
        one.delete(["insight-b"])
        one.write(Batch(nodes=(insight("c", "Pin it"),)))
        assert found(other, vector=near) == ["insight-a"]
        assert found(other, terms=("pin",)) == ["insight-a", "insight-c"]


def write_one(store: Neo4jStore, name: str) -> None:
    store.write(Batch(nodes=(insight(name),)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks, such as Linux")
def test_a_forked_process_may_use_the_store_it_inherited(store: Neo4jStore) -> None:
    write_one(store, "before")
    child = multiprocessing.get_context("fork").Process(target=write_one, args=(store, "child"))
    child.start()
    write_one(store, "parent")
    child.join()
    assert child.exitcode == 0
    names = ["insight-before", "insight-child", "insight-parent"]
    assert found(store, terms=("test",)) == names


class TestWhatPeopleSee:
    def test_a_node_has_one_label_and_plain_properties(self, lab: Lab, store: Neo4jStore) -> None:
        text = "Caf\u00e9"
        node = insight("a", text, domains=("web",), kind="repository exploration")
        store.write(Batch(nodes=(node,), vectors={"insight-a": unit(1, 0, 0, 0)}))
        ((labels, properties),) = lab.ask("MATCH (n:Insight) RETURN labels(n), properties(n)")
        assert labels == ["Insight"]
        assert properties == {
            "id": "insight-a", "created": "2026-01-01T00:00:00Z", "scope": "shared", "level": 3,
            "title": text, "description": "", "content": "", "task": "", "project": "",
            "domains": ["web"], "languages": [], "tools": [], "polarity": "", "origin": "rules",
            "untrusted": False, "kind": "repository exploration", "applies_when": "",
            "not_when": "", "card": "", "pack": "", "author": "",
        }  # fmt: skip

    def test_what_the_store_keeps_for_itself_is_linked_to_nothing_they_see(
        self, lab: Lab, store: Neo4jStore
    ) -> None:
        trace = Trace(id="trace-1", created="", title="t", task="task-1")
        up = Edge(source="trace-1", type="GENERALIZES_TO", target="insight-a")
        store.write(Batch(nodes=(trace, insight("a")), edges=(up,)))
        store.set_setting("embedder", "static-256")
        labels = {label for (label,) in lab.ask("MATCH (n) UNWIND labels(n) AS l RETURN l")}
        assert {label for label in labels if label in NODE_TYPES} == {"Trace", "Insight"}
        assert all(label.startswith("_") for label in labels - NODE_TYPES.keys())
        between = lab.ask("MATCH (a)-[r]->(b) RETURN DISTINCT labels(a)[0], type(r), labels(b)[0]")
        assert sorted(between) == [
            ["Trace", "GENERALIZES_TO", "Insight"],
            ["_Entry", "_STANDS_ON", "_Entry"],
        ]

    def test_the_servers_own_vector_index_answers_in_cypher(
        self, lab: Lab, store: Neo4jStore
    ) -> None:
        vectors = {"insight-a": unit(1, 0, 0, 0), "insight-b": unit(0, 1, 0, 0)}
        store.write(Batch(nodes=(insight("a"), insight("b"), insight("c")), vectors=vectors))
        rows = lab.ask(
            "CALL db.index.vector.queryNodes('memory_vector', 5, [1.0, 1.0, 0.0, 0.0]) "
            "YIELD node, score MATCH (i:Insight {id: node.id}) RETURN i.id ORDER BY i.id"
        )
        assert rows == [["insight-a"], ["insight-b"]]

    def test_what_people_add_to_a_node_stays_and_is_passed_over(
        self, lab: Lab, store: Neo4jStore
    ) -> None:
        write_one(store, "a")
        lab.ask("MATCH (i:Insight) SET i.note = 'look at this', i:Favourite")
        assert store.write(Batch(nodes=(insight("a", "Other"),))) == WriteReport(changed=1)
        assert store.get(["insight-a"]) == {"insight-a": insight("a", "Other")}
        assert lab.ask("MATCH (i:Favourite) RETURN i.note, i.title") == [["look at this", "Other"]]

    def test_a_node_they_delete_is_found_no_more(self, lab: Lab, store: Neo4jStore) -> None:
        store.write(Batch(nodes=(insight("a"), insight("b"))))
        lab.ask("MATCH (i:Insight {id: 'insight-a'}) DETACH DELETE i")
        assert found(store, terms=("test",)) == ["insight-b"]
        assert list(store.get(["insight-a"])) == []


class TestOddValues:
    def test_numbers_and_texts_past_what_neo4j_takes_come_back(self, store: Neo4jStore) -> None:
        long = "call-" + "x" * 20_000
        trace = Trace(
            id="trace-1", created="", title="t", input_tokens=10**30, cost_usd=float("inf")
        )
        step = Step(
            id="step-1", created="", index=-(10**30), phase="", tool="", command="c" * 100_000,
            uid=long, exit_code=0,
        )  # fmt: skip
        edge = Edge(source="step-1", type="PART_OF", target="trace-1")
        store.write(Batch(nodes=(trace, step), edges=(edge,)))
        assert store.get(["trace-1", "step-1"]) == {"trace-1": trace, "step-1": step}
        assert store.known_actions([long, long + "x"]) == {long: "trace-1"}
        assert store.find("Step", where={"uid": long}) == [step]
        assert store.find("Trace", where={"input_tokens": 10**30}) == [trace]
        assert store.write(Batch(nodes=(trace, step), edges=(edge,))) == WriteReport()

    def test_a_value_that_is_no_number_is_the_same_value_again(self, store: Neo4jStore) -> None:
        trace = Trace(id="trace-1", created="", title="t", cost_usd=float("nan"))
        assert store.write(Batch(nodes=(trace,))) == WriteReport(added=1)
        assert store.write(Batch(nodes=(trace,))) == WriteReport()

    def test_an_id_that_cannot_be_looked_up_is_refused(self, store: Neo4jStore) -> None:
        with pytest.raises(StoreError, match="longer than Neo4j can look up"):
            write_one(store, "x" * 5000)
        assert store.counts().labels == {}

    def test_words_of_the_search_language_are_words(self, store: Neo4jStore) -> None:
        store.write(Batch(nodes=(insight("a", "AND OR NOT * ? ~ : \\ / ( ) [x TO y]"),)))
        assert found(store, terms=("and", "not")) == ["insight-a"]
        assert found(store, terms=('x") OR *:*',)) == []

    def test_a_node_keeps_its_kind(self, store: Neo4jStore) -> None:
        write_one(store, "a")
        step = Step(id="insight-a", created="", index=0, phase="run", tool="bash", command="ls")
        with pytest.raises(StoreError, match="has label Insight and cannot take Step"):
            store.write(Batch(nodes=(step,)))

    def test_a_circle_of_generalisations_ends(self, store: Neo4jStore) -> None:
        pairs = (("trace-1", "insight-a"), ("insight-a", "insight-b"), ("insight-b", "insight-a"))
        up = tuple(Edge(source=a, type="GENERALIZES_TO", target=b) for a, b in pairs)
        trace = Trace(id="trace-1", created="", title="t")
        store.write(Batch(nodes=(trace, insight("a"), insight("b")), edges=up))
        ids = ["insight-a", "insight-b"]
        assert len(store.ancestry(["trace-1"])) == 3
        assert [s.traces for s in store.support(ids).values()] == [1, 1]
        store.delete_edges(up[:1])
        assert [s.traces for s in store.support(ids).values()] == [0, 0]

    def test_a_term_that_is_everywhere_is_looked_up_only_where_it_comes_first(
        self, store: Neo4jStore
    ) -> None:
        common = tuple(insight(f"{i:04d}", "common") for i in range(2500))
        store.write(Batch(nodes=(*common, insight("rare", "rare word"))))
        assert found(store, terms=("rare", "common")) == ["insight-rare"]
        assert len(found(store, terms=("common", "rare"), limit=50)) == 50


class TestVectors:
    def test_those_of_another_length_are_refused_until_they_are_reset(self, lab: Lab) -> None:
        with lab.open(dim=4) as store:
            store.write(Batch(nodes=(insight("a"),), vectors={"insight-a": unit(1, 0, 0, 0)}))
        with lab.open(dim=2) as store, lab.open(dim=4) as other:
            assert found(other, vector=unit(1, 0, 0, 0)) == ["insight-a"]
            longer = {"insight-a": unit(1, 0)}
            with pytest.raises(EmbeddingError, match="vectors of 4 numbers") as raised:
                store.write(Batch(vectors=longer))
            assert raised.value.hint.endswith("stepladder reembed")
            with pytest.raises(EmbeddingError, match="vectors of 4 numbers"):
                found(store, vector=unit(1, 0))
            store.reset_vectors(dim=2)
            assert [c.vector for c in store.features(["insight-a"])] == [None]
            assert found(store, terms=("test",), vector=unit(1, 0)) == ["insight-a"]
            assert store.write(Batch(vectors=longer)) == WriteReport(changed=1)
            assert found(store, vector=unit(1, 0)) == ["insight-a"]
            found(other, terms=("test",))
            with pytest.raises(EmbeddingError, match="vectors of 2 numbers"):
                found(other, vector=unit(1, 0, 0, 0))

    def test_a_store_without_any_takes_the_length_it_is_opened_with(self, lab: Lab) -> None:
        with lab.open(dim=4) as store:
            write_one(store, "a")
        with lab.open(dim=2) as store:
            store.write(Batch(vectors={"insight-a": unit(1, 0)}))
            assert found(store, vector=unit(1, 0)) == ["insight-a"]
        with pytest.raises(UsageError, match="does not fit vectors of 2 numbers"):
            Neo4jStore.open(lab.address, dim=2, centre=np.zeros(3, np.float32))

    def test_one_of_zeros_is_kept_and_points_nowhere(self, store: Neo4jStore) -> None:
        nothing = np.zeros(4, np.float32)
        vectors = {"insight-a": nothing, "insight-b": unit(1, 0, 0, 0)}
        store.write(Batch(nodes=(insight("a"), insight("b")), vectors=vectors))
        assert found(store, vector=unit(1, 0, 0, 0), limit=1) == ["insight-b"]
        assert found(store, vector=unit(1, 0, 0, 0)) == ["insight-a", "insight-b"]
        assert found(store, vector=nothing) == []
        assert store.features(["insight-a"])[0].vector.tolist() == [0.0] * 4
        store.write(Batch(vectors={"insight-a": unit(1, 0, 0, 0), "insight-b": nothing}))
        assert found(store, vector=unit(1, 0, 0, 0), limit=1) == ["insight-a"]

    def test_values_that_are_not_finite_are_refused(self, store: Neo4jStore) -> None:
        broken = np.array([np.nan, 1, 0, 0], np.float32)
        with pytest.raises(EmbeddingError, match="not finite"):
            store.write(Batch(nodes=(insight("a"),), vectors={"insight-a": broken}))
        assert store.find("Insight") == []


def refused(address: str, kind: type[StepladderError] = StoreError) -> tuple[str, str]:
    """What opening says, within five seconds."""
    start = time.monotonic()
    with pytest.raises(kind) as raised:
        Neo4jStore.open(address)
    assert time.monotonic() - start < 5
    return str(raised.value), raised.value.hint


class TestRefusals:
    def test_a_wrong_password(self, lab: Lab) -> None:
        message, hint = refused(lab.of("neo4j", "neo4j:secret-and-wrong"))
        server = f"neo4j://127.0.0.1:{lab.server.bolt_port}"
        assert message == f"The server {server} refused the user 'neo4j' or the password."
        assert hint.startswith("Set NEO4J_USERNAME and NEO4J_PASSWORD, or write both into")
        assert "secret" not in message + hint

    def test_no_password(self, lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("NEO4J_PASSWORD", raising=False)
        message, _ = refused(lab.of("bolt"))
        assert message.endswith("asks for a user and a password.")

    def test_a_password_from_the_environment_opens(
        self, lab: Lab, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("NEO4J_PASSWORD", lab.server.password)
        Neo4jStore.open(lab.of("bolt")).close()

    def test_nobody_there(self) -> None:
        message, hint = refused("neo4j://neo4j:secret@127.0.0.1:1")
        assert message == "The server neo4j://127.0.0.1:1 does not answer."
        assert hint.startswith("Check that it runs")

    def test_a_host_without_an_address(self) -> None:
        assert "does not answer" in refused("neo4j://neo4j:secret@no-such-host.invalid")[0]

    def test_somebody_who_says_nothing(self) -> None:
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            port = silent.getsockname()[1]
            assert "does not answer" in refused(f"neo4j://neo4j:secret@127.0.0.1:{port}")[0]

    def test_a_web_server(self) -> None:
        class Answer(BaseHTTPRequestHandler):
            def handle(self) -> None:
                self.request.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        with HTTPServer(("127.0.0.1", 0), Answer) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            message, hint = refused(f"neo4j://neo4j:secret@127.0.0.1:{server.server_port}")
            server.shutdown()
        assert "a web server answers and not Bolt" in message
        assert "7687" in hint

    @pytest.mark.parametrize("scheme", ["neo4j+s", "bolt+ssc"])
    def test_encryption_that_the_server_does_not_speak(self, lab: Lab, scheme: str) -> None:
        message, hint = refused(lab.of(scheme, "neo4j:secret"))
        assert message.endswith("does not speak TLS.")
        plain = f"{scheme.partition('+')[0]}://127.0.0.1:{lab.server.bolt_port}"
        assert hint == f"Leave the encryption out: {plain}"

    def test_a_server_that_wants_encryption(self) -> None:
        with socket.socket() as closing:
            closing.bind(("127.0.0.1", 0))
            closing.listen()
            port = closing.getsockname()[1]

            def close_each() -> None:
                while True:
                    try:
                        client, _ = closing.accept()
                    except OSError:
                        return
                    client.recv(64)
                    client.close()

            threading.Thread(target=close_each, daemon=True).start()
            _, hint = refused(f"neo4j://neo4j:secret@127.0.0.1:{port}")
            closing.shutdown(socket.SHUT_RDWR)
        assert hint == f"Where it wants encryption, ask for it: neo4j+s://127.0.0.1:{port}"

    def test_a_database_that_is_not_there(self, lab: Lab) -> None:
        credentials = f"neo4j:{lab.server.password}"
        message, hint = refused(lab.of("neo4j", credentials, database="nothere"))
        assert message.endswith("/nothere has no database of this name.")
        assert "CREATE DATABASE" in hint

    def test_a_database_of_another_program(self, lab: Lab) -> None:
        lab.ask("CREATE (:Person {name: 'Ada'})")
        message, hint = refused(lab.address)
        assert message.endswith("has nodes but no Stepladder schema.")
        assert hint == "Give the address of an empty database: neo4j://host:7687/name"
        assert lab.ask("MATCH (n) RETURN labels(n)") == [[["Person"]]]

    def test_a_store_of_a_later_version(self, lab: Lab) -> None:
        lab.open().close()
        lab.ask("MATCH (s:_Store) SET s.version = 99")
        message, hint = refused(lab.address, SchemaError)
        known = f"this program knows up to {len(scripts())}."
        assert message.endswith(f"has schema version 99; {known}")
        assert hint == "Upgrade with: pip install --upgrade stepladder"

    @pytest.mark.parametrize(
        "agent", ["Neo4j/4.4.40", "Neo4j/5.13.0", "Neo4j/5.25.1", "Memgraph/3.0", "Neo4j/dev"]
    )
    def test_a_version_that_is_too_old(self, agent: str) -> None:
        with pytest.raises(StoreError, match=r"Neo4j 5\.26 or newer is needed\.$") as raised:
            check_agent(agent, address="neo4j://localhost:7687")
        assert raised.value.hint

    @pytest.mark.parametrize("agent", ["Neo4j/5.26.12", "Neo4j/5.27-aura", "Neo4j/2025.10.1"])
    def test_a_version_that_is_new_enough(self, agent: str) -> None:
        check_agent(agent, address="neo4j://localhost:7687")


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_server_that_goes_away_leaves_no_batch_half_written(lab: Lab, end: str) -> None:
    with lab.open(dim=8):
        pass
    command = [sys.executable, "-c", WRITER, lab.address, "a", "0", "1000", str(STEPS)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        acknowledged = [int(child.stdout.readline()) for _ in range(5)]
        getattr(lab.server, end)()
        child.terminate()
        acknowledged += [int(line) for line in child.stdout if line.endswith("\n")]
    lab.server.start()
    with lab.open(dim=8) as store:
        runs = whole(store)
        assert runs == list(range(len(runs)))
        # One more than acknowledged may have landed: the server went before it said so.
        assert len(runs) - len(acknowledged) in (0, 1)
    again = [sys.executable, "-c", WRITER, lab.address, "a", "0", str(len(runs) + 2), str(STEPS)]
    subprocess.run(again, check=True, stdout=subprocess.DEVNULL)
    with lab.open(dim=8) as store:
        assert whole(store) == list(range(len(runs) + 2))


def test_a_store_says_that_its_server_went_away_and_goes_on_when_it_is_back(lab: Lab) -> None:
    with lab.open(timeout_s=0.1) as store:
        store.write(Batch(nodes=(insight("a"),)))
        lab.server.stop()
        calls: tuple[Callable[[], object], ...] = (
            lambda: store.write(Batch(nodes=(insight("b"),))),
            lambda: store.get(["insight-a"]),
            lambda: found(store, terms=("test",)),
            lambda: next(store.export()),
        )
        for call in calls:
            with pytest.raises(StoreError, match=r"does not answer\.$") as raised:
                call()
            assert "run the same command again" in raised.value.hint
        lab.server.start()
        lab.open().close()  # waits until the database is there, as the short timeout does not
        store.write(Batch(nodes=(insight("b"),)))
        assert found(store, terms=("test",)) == ["insight-a", "insight-b"]


class TestAddresses:
    NOTHING = Settings.read({})

    def test_every_part_is_understood(self) -> None:
        address = parse("neo4j+s://ada:p%40ss%2Fword@db.example.org:7000/team", self.NOTHING)
        assert (address.uri, address.database) == ("neo4j+s://db.example.org:7000", "team")
        assert (address.user, address.password) == ("ada", "p@ss/word")
        assert address.shown == "neo4j+s://db.example.org:7000/team"
        assert address.direct == "bolt+s://db.example.org:7000"
        assert "p@ss" not in repr(address)

    def test_what_is_left_out_is_the_default_or_comes_from_the_environment(self) -> None:
        settings = Settings.read({"NEO4J_USERNAME": "ada", "NEO4J_PASSWORD": "secret"})
        address = parse("bolt://[::1]", settings)
        assert (address.uri, address.database) == ("bolt://[::1]:7687", None)
        assert (address.user, address.password) == ("ada", "secret")
        assert "secret" not in repr(settings)
        assert parse("bolt://h", Settings.read({"NEO4J_PASSWORD": "secret"})).user == "neo4j"
        assert parse("bolt://h", self.NOTHING).user == ""

    @pytest.mark.parametrize(
        "text", ["neo4j://", "neo4j://u:secret@host:port", "neo4j://u:secret@host/a/b", "http://h"]
    )
    def test_what_is_none_is_refused_without_telling_the_password(self, text: str) -> None:
        with pytest.raises(UsageError) as raised:
            parse(text, self.NOTHING)
        assert "secret" not in f"{raised.value} {raised.value.hint}"


class TestStatements:
    def test_labels_and_types_are_those_of_the_graph(self) -> None:
        """They are written out, because Cypher takes no parameter for them."""
        for path in STATEMENTS.glob("*.cypher"):
            text = path.read_text(encoding="utf-8")
            if "Trace|Step|" in text:
                assert ("|".join(NODE_TYPES) in text) or path.name == "m001_graph.cypher", path.name
        assert all(f"[edge:{type}]" in statement("count_edges") for type in EDGE_TYPES)
        assert all(f"(n:{label})" in statement("count_nodes") for label in NODE_TYPES)

    def test_each_is_used(self) -> None:
        code = "".join(p.read_text(encoding="utf-8") for p in STATEMENTS.parent.glob("*.py"))
        names = {p.stem for p in STATEMENTS.glob("*.cypher") if not p.stem.startswith("m0")}
        texts = "".join(p.read_text(encoding="utf-8") for p in STATEMENTS.glob("*.cypher"))
        made = {f"{some}edges_{way}" for some in ("", "some_") for way in ("in", "out")}
        made |= {n for n in names if f"INSERT {n}\n" in texts}
        unused = {n for n in names if f'"{n}"' not in code} - made
        assert unused == set()
