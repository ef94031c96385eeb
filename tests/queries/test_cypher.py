"""The Cypher door on the embedded store and on a real Neo4j."""

import json
import math
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stepladder import KnowledgeBase
from stepladder.kg.cypher import CypherLimits, CypherSource, Rows
from stepladder.kg.errors import StoreError, UsageError
from stepladder.kg.stores.sqlite.store import SQLiteStore
from stepladder.kg.types import Batch, Insight, Scope
from stepladder.queries.cypher import CypherDoor, run
from stepladder.queries.dialect import dialect
from stepladder.queries.guard import check
from stepladder.queries.view import View
from stepladder.queries.view_document import document

HERE = Path(__file__).parent
CONFORMING = tomllib.loads((HERE / "conformance.toml").read_text(encoding="utf-8"))["case"]
HOSTILE = tomllib.loads((HERE / "hostile.toml").read_text(encoding="utf-8"))
SHORT = CypherLimits(timeout_s=1.0)


@pytest.fixture(scope="module")
def door(explored: KnowledgeBase) -> Iterator[CypherDoor]:
    """The embedded store's door."""
    with CypherDoor(explored.store) as opened:
        yield opened


@pytest.fixture(scope="module")
def server_door(explored_on_neo4j: KnowledgeBase) -> Iterator[CypherDoor]:
    """The same graph's door on Neo4j."""
    with CypherDoor(explored_on_neo4j.store) as opened:
        yield opened


@pytest.fixture(params=["embedded", "neo4j"])
def either(request: pytest.FixtureRequest) -> tuple[KnowledgeBase, CypherDoor]:
    """Each of the two, with the knowledge base behind it."""
    names = {"embedded": ("explored", "door"), "neo4j": ("explored_on_neo4j", "server_door")}
    kb, opened = (request.getfixturevalue(name) for name in names[request.param])
    return kb, opened


def insight(id: str, title: str, **values: Any) -> Insight:
    return Insight(id=id, created="2026-01-01T00:00:00Z", title=title, **values)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteStore]:
    with SQLiteStore.open(tmp_path / "memory.db", dim=4) as opened:
        opened.write(Batch(nodes=(insight("insight-1", "One"), insight("insight-2", "Two"))))
        yield opened


@pytest.fixture(scope="module")
def view(explored: KnowledgeBase) -> Iterator[View]:
    with closing(View(explored.store)) as opened:
        yield opened


class TestConformance:
    def test_there_are_at_least_sixty_statements(self) -> None:
        assert len(CONFORMING) >= 60

    @pytest.mark.parametrize("case", CONFORMING, ids=lambda case: case["name"])
    def test_a_statement_runs_on_the_embedded_store(
        self, case: dict[str, Any], door: CypherDoor
    ) -> None:
        rows = door.run(case["statement"], case.get("parameters"))
        assert (not rows.rows) == case.get("empty", False)

    @pytest.mark.parametrize("case", CONFORMING, ids=lambda case: case["name"])
    def test_a_statement_gives_the_same_on_both_stores(
        self, case: dict[str, Any], door: CypherDoor, server_door: CypherDoor
    ) -> None:
        ours, theirs = (
            d.run(case["statement"], case.get("parameters")) for d in (door, server_door)
        )
        assert ours.columns == theirs.columns
        ordered = "ORDER BY" in case["statement"].upper()
        assert same(in_order(ours, ordered=ordered), in_order(theirs, ordered=ordered))
        assert ours.truncated == theirs.truncated

    @pytest.mark.parametrize("difference", dialect().differences, ids=lambda d: d.name)
    def test_a_known_difference_is_as_it_is_said_on_the_embedded_store(
        self, difference: Any, door: CypherDoor
    ) -> None:
        assert answer(door, difference.statement) == difference.embedded

    @pytest.mark.parametrize("difference", dialect().differences, ids=lambda d: d.name)
    def test_a_known_difference_is_as_it_is_said_on_neo4j(
        self, difference: Any, server_door: CypherDoor
    ) -> None:
        assert answer(server_door, difference.statement) == difference.neo4j


def in_order(rows: Rows, *, ordered: bool) -> list[Any]:
    found = [list(row) for row in rows.rows]
    return found if ordered else sorted(found, key=lambda row: json.dumps(row, sort_keys=True))


def same(one: Any, other: Any) -> bool:
    """Tell whether two values are equal, decimal numbers up to their last digits."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-12)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    return type(one) is type(other) and one == other


def test_values_of_different_kinds_are_not_the_same() -> None:
    assert same({"a": [1, 0.1 + 0.2]}, {"a": [1, 0.3]})
    assert not same(1, 1.0)
    assert not same([True], [1])
    assert not same({"a": 1}, {"b": 1})


def answer(door: CypherDoor, statement: str) -> str:
    try:
        return json.dumps([list(row) for row in door.run(statement).rows])
    except UsageError:
        return "refused"


class TestReading:
    def test_a_store_on_neo4j_answers_itself(self, explored_on_neo4j: KnowledgeBase) -> None:
        assert isinstance(explored_on_neo4j.store, CypherSource)

    def test_nothing_is_seen_that_is_not_in_the_graph(
        self, either: tuple[KnowledgeBase, CypherDoor], explored: KnowledgeBase
    ) -> None:
        _, door = either
        counts = explored.store.counts()
        labels = door.run("MATCH (n) RETURN labels(n)[0], count(*) ORDER BY labels(n)[0]")
        assert dict(labels.rows) == dict(counts.labels)
        types = door.run("MATCH ()-[r]->() RETURN type(r), count(*)")
        assert dict(types.rows) == dict(counts.edges)

    def test_a_node_shows_its_fields_and_nothing_else(
        self, either: tuple[KnowledgeBase, CypherDoor]
    ) -> None:
        _, door = either
        ((node,),) = door.run("MATCH (m:MergeRun) RETURN m").rows
        assert node == {
            "id": "mergerun-1",
            "labels": ["MergeRun"],
            "properties": {
                "id": "mergerun-1",
                "created": "2026-03-02T00:00:00Z",
                "scope": "shared",
                "parameters": '{"floor": 0.8}',
                "merges": 1,
            },
        }

    def test_vectors_are_left_out(self, either: tuple[KnowledgeBase, CypherDoor]) -> None:
        _, door = either
        rows = door.run(
            "MATCH (i:Insight) RETURN i.vector, i.embedding, i {.*} AS all, properties(i) AS p"
        )
        for vector, embedding, *maps in rows.rows:
            assert (vector, embedding) == (None, None)
            for shown in maps:
                assert "vector" not in shown
                assert "embedding" not in shown

    def test_a_value_that_looks_like_cypher_stays_a_value(
        self, either: tuple[KnowledgeBase, CypherDoor]
    ) -> None:
        _, door = either
        text = "' RETURN 1 //\\u0027 MATCH (n) DETACH DELETE n"
        found = door.run("OPTIONAL MATCH (i:Insight {title: $t}) RETURN i, $t AS t", {"t": text})
        assert found.rows == ((None, text),)

    def test_a_wrong_statement_is_named(self, either: tuple[KnowledgeBase, CypherDoor]) -> None:
        _, door = either
        with pytest.raises(UsageError, match="Cypher: "):
            door.run("MATCH (n RETURN n)")
        with pytest.raises(UsageError, match="Cypher: "):
            door.run("RETURN nothing")

    def test_it_says_how_long_it_took(self, either: tuple[KnowledgeBase, CypherDoor]) -> None:
        assert either[1].run("RETURN 1").milliseconds > 0

    def test_the_view_follows_every_write(self, store: SQLiteStore, tmp_path: Path) -> None:
        with CypherDoor(store) as door:
            titles = "MATCH (i:Insight) RETURN i.title ORDER BY i.title"
            assert door.run(titles).rows == (("One",), ("Two",))
            with SQLiteStore.open(tmp_path / "memory.db", dim=4) as other:
                other.write(Batch(nodes=(insight("insight-3", "Three"),)))
            assert door.run(titles).rows == (("One",), ("Three",), ("Two",))
            store.delete(["insight-1", "insight-2"])
            assert door.run(titles).rows == (("Three",),)

    def test_one_statement_needs_no_door(self, store: SQLiteStore) -> None:
        assert run(store, "MATCH (n) RETURN count(n) AS n").rows == ((2,),)

    def test_an_empty_store_has_nothing(self, tmp_path: Path) -> None:
        with SQLiteStore.open(tmp_path / "empty.db", dim=4) as empty:
            assert run(empty, "MATCH (n) RETURN count(n) AS n").rows == ((0,),)
            assert run(empty, "MATCH (n:Insight)-[:CITES]->() RETURN n").rows == ()

    def test_any_text_comes_back(self, tmp_path: Path) -> None:
        texts = [
            "\0nul",
            "\ud800half",
            "“漢字” 😀",
            "back\\slash \\u0041",
            "a'b\"c`d",
            "\r\n\t\x07",
        ]
        with SQLiteStore.open(tmp_path / "texts.db", dim=4) as kept:
            nodes = tuple(insight(f"insight-{i}", t) for i, t in enumerate(texts))
            kept.write(Batch(nodes=nodes))
            rows = run(kept, "MATCH (i:Insight) RETURN i.title ORDER BY i.id").rows
        assert [t for (t,) in rows] == [t.replace("\ud800", "?") for t in texts]

    def test_several_threads_share_a_door(self, door: CypherDoor) -> None:
        def ask(number: int) -> Any:
            return door.run("RETURN $n * 2 AS n", {"n": number}).rows[0][0]

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(ask, range(40))) == [2 * n for n in range(40)]

    def test_a_closed_store_says_so(self, store: SQLiteStore) -> None:
        with CypherDoor(store) as door:
            store.close()
            with pytest.raises(StoreError):
                door.run("RETURN 1")

    def test_a_door_that_was_closed_opens_again(self, store: SQLiteStore) -> None:
        door = CypherDoor(store)
        assert door.run("RETURN 1 AS x").rows == ((1,),)
        door.close()
        door.close()
        assert door.run("RETURN 2 AS x").rows == ((2,),)
        door.close()

    def test_the_folder_one_stands_in_is_not_imported_from(
        self, store: SQLiteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "json.py").write_text("raise SystemExit(3)", encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        assert run(store, "RETURN 1 AS x").rows == ((1,),)


class TestLimits:
    def test_rows_beyond_the_limit_are_left_out_and_told(
        self, either: tuple[KnowledgeBase, CypherDoor]
    ) -> None:
        _, door = either
        statement = "UNWIND range(1, 5) AS x RETURN x"
        found = door.run(statement, limits=CypherLimits(rows=3))
        assert (found.rows, found.truncated) == (((1,), (2,), (3,)), True)
        assert found.why == "more than 3 rows"
        whole = door.run(statement, limits=CypherLimits(rows=5))
        assert (len(whole.rows), whole.truncated, whole.why) == (5, False, "")

    def test_bytes_beyond_the_limit_are_left_out_and_told(
        self, either: tuple[KnowledgeBase, CypherDoor]
    ) -> None:
        _, door = either
        found = door.run(
            "UNWIND range(1, 5) AS x RETURN $t AS t",
            {"t": "é" * 100},
            limits=CypherLimits(size_bytes=500),
        )
        assert (len(found.rows), found.truncated) == (2, True)
        assert found.why == "more than 500 bytes"

    @pytest.mark.parametrize("case", HOSTILE["bounded"], ids=lambda case: case["name"])
    def test_what_would_take_too_much_is_stopped(
        self, case: dict[str, Any], either: tuple[KnowledgeBase, CypherDoor]
    ) -> None:
        _, door = either
        assert outcome(door, case) in ("bounded", "stopped")
        assert door.run("RETURN 1 AS x").rows == ((1,),)

    def test_the_same_is_cut_on_both(self, door: CypherDoor, server_door: CypherDoor) -> None:
        cut = [c for c in HOSTILE["bounded"] if "truncated" in c]
        for case in cut:
            ours, theirs = (d.run(case["statement"]) for d in (door, server_door))
            assert ours.why == theirs.why == case["truncated"]

    def test_a_view_that_was_ended_is_built_again(self, store: SQLiteStore) -> None:
        with CypherDoor(store) as door:
            doubled = "WITH $t AS s " + "WITH s + s AS s " * 40 + "RETURN size(s) AS n"
            with pytest.raises(UsageError, match="was stopped"):
                door.run(doubled, {"t": "x" * 100}, limits=CypherLimits(timeout_s=5))
            assert door.run("MATCH (n) RETURN count(n) AS n").rows == ((2,),)


def outcome(door: CypherDoor, case: dict[str, Any]) -> str:
    """How a statement ended: with an answer within the limits, or stopped with a sentence."""
    try:
        found = door.run(case["statement"], case.get("parameters"), limits=SHORT)
    except UsageError as error:
        return "stopped" if "was stopped" in str(error) else str(error)
    took_s = found.milliseconds / 1000
    return "bounded" if len(found.rows) <= SHORT.rows and took_s < SHORT.timeout_s + 5 else "not"


class TestTheSecondBar:
    """Statements that come to a store without having been looked at."""

    WRITES = (
        "CREATE (n:Insight {id: 'x'})",
        "MATCH (n) SET n.title = 'x'",
        "MATCH (n) DETACH DELETE n",
        "MERGE (n:Insight {id: 'x'})",
        "CREATE INDEX FOR (n:Insight) ON (n.title)",
        "MATCH (n) FOREACH (x IN [1] | SET n.x = x)",
    )

    @pytest.mark.parametrize("statement", WRITES)
    def test_the_view_refuses_to_write(self, statement: str, view: View) -> None:
        with pytest.raises(UsageError, match="read-only"):
            view.run(statement, {}, limits=SHORT)

    @pytest.mark.skipif(os.name == "nt", reason="Windows cannot forbid a process to open files")
    def test_the_view_cannot_open_files(self, view: View, tmp_path: Path) -> None:
        secret = tmp_path / "secret.csv"
        secret.write_text("word\n", encoding="utf-8")
        with pytest.raises(UsageError, match="cannot open"):
            view.run(f"LOAD CSV FROM '{secret.as_uri()}' AS l RETURN l", {}, limits=SHORT)

    @pytest.mark.parametrize("statement", WRITES)
    def test_neo4j_refuses_to_write(self, statement: str, explored_on_neo4j: KnowledgeBase) -> None:
        store = explored_on_neo4j.store
        assert isinstance(store, CypherSource)
        before = store.sequence(), store.counts()
        with pytest.raises(UsageError, match="refused it as a write"):
            store.cypher(statement, {}, limits=SHORT)
        assert (store.sequence(), store.counts()) == before

    def test_refused_statements_leave_every_store_as_it_was(
        self, either: tuple[KnowledgeBase, CypherDoor]
    ) -> None:
        kb, door = either
        before = kb.store.sequence(), kb.store.counts()
        for case in HOSTILE["refused"]:
            with pytest.raises(UsageError):
                door.run(case["statement"], case.get("parameters"))
        assert (kb.store.sequence(), kb.store.counts()) == before


class TestTheDocument:
    def test_the_same_graph_gives_the_same_bytes(self, explored: KnowledgeBase) -> None:
        assert document(explored.store.export()) == document(explored.store.export())

    def test_a_scope_may_be_written_alone(self, store: SQLiteStore) -> None:
        store.write(Batch(nodes=(insight("insight-own", "Own", scope="acme/api"),)))
        shared = document(store.export(scope=Scope.of())).decode("utf-8")
        assert "insight-own" not in shared
        assert "insight-1" in shared


def test_the_process_of_a_view_ends_with_the_one_that_started_it(tmp_path: Path) -> None:
    """A process that is killed leaves none behind: its pipe closes."""
    script = """
import os, subprocess, sys
from stepladder.kg.stores.sqlite.store import SQLiteStore
from stepladder.queries.cypher import CypherDoor
started = []
real = subprocess.Popen
class Noted(real):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        started.append(self.pid)
subprocess.Popen = Noted
door = CypherDoor(SQLiteStore.open(sys.argv[1], dim=4))
door.run("RETURN 1")
print(started[0], flush=True)
os._exit(9)
"""
    command = [sys.executable, "-c", script, str(tmp_path / "memory.db")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 9
    wait_until(lambda: not alive(int(ended.stdout)))


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def wait_until(done: Callable[[], bool]) -> None:
    for _ in range(2000):
        if done():
            return
        subprocess.run([sys.executable, "-c", ""], check=True)
    raise AssertionError("it did not come to pass")


def test_every_word_of_the_dialect_is_upper_case_and_in_one_group() -> None:
    rules = dialect()
    assert rules.values <= rules.keywords
    assert set(rules.start) <= rules.keywords
    assert not rules.keywords & set(rules.refused)
    for word in (*rules.keywords, *rules.refused):
        assert word == word.upper()


def test_a_checked_statement_keeps_its_places() -> None:
    found = check("  // c\n MATCH (n:Insight) RETURN n.title AS `t t`", {})
    for token in found.tokens:
        assert found.text.startswith(token.text, token.start)
