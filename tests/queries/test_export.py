"""The graph as GraphML and as a script of Cypher, read back by others."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepladder import KnowledgeBase
from stepladder.kg.errors import StoreError
from stepladder.kg.stores.sqlite.store import SQLiteStore
from stepladder.kg.types import Batch, Edge, Insight, Node, Scope
from stepladder.queries.export import cypher_literal, export, read_graphml, write_cypher

TEXTS = (
    "plain",
    'it\'s "quoted" and `ticked`',
    "C:\\users\\u0041 \\' \\",
    "line\nbreak\r\n\ttab",
    "\x00 \x07 \x1b[31m \x7f \x85 \u2028",
    "</data> & <!-- --> ]]>",
    "{a: 1}; // no /* comment */ $p",
    "“漢字” 😀 ﬀ",
    "'}] AS row MATCH (n) DETACH DELETE n //",
    "",
)


def insight(number: int, title: str) -> Insight:
    return Insight(
        id=f"insight-{number}",
        created="2026-01-01T00:00:00Z",
        title=title,
        content=title * 2,
        domains=(title, "web"),
        untrusted=bool(number % 2),
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteStore]:
    """Texts that are hard to write down, and relationships with every property."""
    nodes = tuple(insight(i, text) for i, text in enumerate(TEXTS))
    edges = tuple(
        Edge(
            source=f"insight-{i}",
            type="SIMILAR_TO",
            target="insight-0",
            score=i / 3,
            quote=text,
            rank=i,
        )
        for i, text in enumerate(TEXTS)
    )
    with SQLiteStore.open(tmp_path / "memory.db", dim=4) as opened:
        opened.write(Batch(nodes=nodes, edges=edges))
        yield opened


def in_order(items: Iterator[Node | Edge]) -> list[Node | Edge]:
    return sorted(items, key=repr)


class TestGraphML:
    def test_networkx_reads_every_node_and_relationship(
        self, explored: KnowledgeBase, tmp_path: Path
    ) -> None:
        file = tmp_path / "out.graphml"
        written = explored.export("graphml", file)
        counts = explored.store.counts()
        assert (dict(written.nodes), dict(written.edges)) == (counts.labels, counts.edges)
        graph = nx.read_graphml(file, force_multigraph=True)
        assert graph.number_of_nodes() == sum(counts.labels.values())
        assert graph.number_of_edges() == sum(counts.edges.values())
        node = graph.nodes["insight-imported-general"]
        assert node["label"] == "Insight"
        assert json.loads(node["domains"]) == ["repo-bugfix"]
        (edge,) = (
            d
            for _, _, d in graph.edges("insight-imported-web", data=True)
            if d["type"] == "SIMILAR_TO"
        )
        assert edge["score"] == 0.75

    def test_what_is_written_is_what_is_read(self, store: SQLiteStore, tmp_path: Path) -> None:
        file = tmp_path / "out.graphml"
        written = export(store, "graphml", file)
        assert read_graphml(file) == written
        titles = {d["title"] for _, d in nx.read_graphml(file).nodes(data=True)}
        assert 'it\'s "quoted" and `ticked`' in titles
        assert "\ufffd \ufffd \ufffd[31m \x7f \x85 \u2028" in titles

    def test_the_checksum_tells_of_any_change(self, store: SQLiteStore, tmp_path: Path) -> None:
        before = export(store, "graphml", tmp_path / "a.graphml")
        assert export(store, "graphml", tmp_path / "b.graphml") == before
        store.write(Batch(nodes=(replace(insight(1, TEXTS[1]), level=4),)))
        after = export(store, "graphml", tmp_path / "c.graphml")
        assert (after.nodes, after.edges) == (before.nodes, before.edges)
        assert after.checksum != before.checksum

    def test_the_same_graph_gives_the_same_file(self, store: SQLiteStore, tmp_path: Path) -> None:
        files = [tmp_path / name for name in ("a.graphml", "b.graphml")]
        for file in files:
            export(store, "graphml", file)
        assert files[0].read_bytes() == files[1].read_bytes()


class TestCypher:
    def test_neo4j_makes_the_same_graph_of_the_script(
        self, explored_on_neo4j: KnowledgeBase, store: SQLiteStore, tmp_path: Path
    ) -> None:
        """On the server's own database, whose nodes are put aside by their ids."""
        file = tmp_path / "out.cypher"
        written = export(store, "cypher", file)
        server = explored_on_neo4j.store
        before = list(server.export())
        try:
            for _ in range(2):
                self.run_script(explored_on_neo4j, file)
            made = [item for item in server.export() if item not in before]
            assert in_order(iter(made)) == in_order(store.export())
            again = write_cypher(iter(made), tmp_path / "again.cypher")
            assert again == written
        finally:
            server.delete([f"insight-{i}" for i in range(len(TEXTS))])

    @staticmethod
    def run_script(kb: KnowledgeBase, file: Path) -> None:
        driver: Any = kb.store._server.driver  # type: ignore[attr-defined]
        text = file.read_text(encoding="utf-8")
        with driver.session() as session:
            for statement in text.split(";\n"):
                if statement.strip():
                    session.run(statement).consume()

    def test_each_statement_is_one_line(self, store: SQLiteStore, tmp_path: Path) -> None:
        file = tmp_path / "out.cypher"
        export(store, "cypher", file)
        first, *lines = file.read_bytes().decode("utf-8").split("\n")
        assert first.startswith("// ")
        assert lines.pop() == ""
        assert all(line.endswith(";") for line in lines)
        assert {line.split(" ")[0] for line in lines} == {"CREATE", "UNWIND"}

    @given(st.text(st.characters(exclude_categories=["Cs"])))
    def test_a_text_is_quoted_so_that_nothing_ends_it(self, text: str) -> None:
        literal = cypher_literal(text)
        inside = literal[1:-1]
        assert literal[0] == literal[-1] == "'"
        assert "'" not in inside.replace("\\\\", "").replace("\\'", "")
        assert not any(ord(c) < 32 for c in inside)

    def test_values_are_written_as_cypher_has_them(self) -> None:
        value = {"a": [1, 2.5, None, True], "b": {"c": "x"}, "d": float("nan"), "e": -3}
        assert cypher_literal(value) == "{a: [1, 2.5, null, true], b: {c: 'x'}, d: null, e: -3}"


def test_only_what_a_project_may_see_is_written(store: SQLiteStore, tmp_path: Path) -> None:
    own = replace(insight(99, "own"), scope="acme/api")
    store.write(Batch(nodes=(own,)))
    shared = export(store, "graphml", tmp_path / "a.graphml", scope=Scope.of())
    every = export(store, "graphml", tmp_path / "b.graphml", scope=Scope.of("acme/api"))
    assert (shared.nodes["Insight"], every.nodes["Insight"]) == (len(TEXTS), len(TEXTS) + 1)


def test_a_file_is_replaced_only_by_a_whole_one(store: SQLiteStore, tmp_path: Path) -> None:
    file = tmp_path / "out.cypher"
    file.write_text("old", encoding="utf-8")
    store.close()
    with pytest.raises(StoreError):
        export(store, "cypher", file)
    assert file.read_text(encoding="utf-8") == "old"
    assert [p.name for p in tmp_path.iterdir() if "partial" in p.name] == []


def test_a_folder_that_is_not_there_is_named(store: SQLiteStore, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="could not be written"):
        export(store, "graphml", tmp_path / "nothing" / "out.graphml")


def test_an_empty_store_makes_an_empty_file(tmp_path: Path) -> None:
    with SQLiteStore.open(tmp_path / "empty.db", dim=4) as empty:
        for form in ("graphml", "cypher"):
            written = export(empty, form, tmp_path / f"out.{form}")
            assert (written.nodes, written.edges) == ({}, {})
