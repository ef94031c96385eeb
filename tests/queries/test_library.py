"""The named queries: their headers, their parameters, and the same answers on both stores."""

import re
from pathlib import Path
from typing import Any

import pytest

from stepladder import KnowledgeBase
from stepladder.kg.errors import UsageError
from stepladder.queries.guard import names_of_parameters
from stepladder.queries.library import (
    NamedQuery,
    Parameter,
    is_name,
    named_queries,
    named_query,
    parse,
)

FOLDER = Path(__file__).parents[2] / "queries" / "library"
CLAUSES = ("MATCH", "OPTIONAL MATCH", "WHERE", "WITH", "UNWIND", "RETURN", "ORDER BY", "LIMIT")
QUERIES = pytest.mark.parametrize("query", named_queries(), ids=lambda q: q.name)


def parameters(query: NamedQuery, kb: KnowledgeBase) -> dict[str, Any]:
    """What to run a query with on the graph of `explored`, so that it has an answer."""
    general = "insight-imported-general"
    learnt = kb.store.edges(["trace-learnt"], direction="out")[0].target
    given: dict[str, dict[str, Any]] = {
        "evidence_path": {"id": learnt},
        "insight_runs": {"id": learnt},
        "insights_of_domain": {"domain": "web-dev"},
        "task_neighbourhood": {"id": kb.store.find("Task")[0].id},
        "stale_insights": {"before": "2026-02-10"},
        "ladder": {"id": "workflow-imported"},
        "runs_of_project": {"project": "acme/kit"},
        "steps_of_run": {"id": kb.store.find("Trace")[0].id},
        "find_memories": {"text": "check"},
    }
    assert kb.store.get([general])
    return given.get(query.name, {})


def test_there_are_at_least_twenty() -> None:
    assert len(named_queries()) >= 20


@QUERIES
def test_a_query_answers_with_the_columns_it_names(
    query: NamedQuery, explored: KnowledgeBase
) -> None:
    found = explored.cypher(query.name, parameters(query, explored))
    assert found.columns == query.columns
    assert found.rows
    assert not found.truncated


@QUERIES
def test_a_query_gives_the_same_on_both_stores(
    query: NamedQuery, explored: KnowledgeBase, explored_on_neo4j: KnowledgeBase
) -> None:
    given = parameters(query, explored)
    ours, theirs = (kb.cypher(query.name, given) for kb in (explored, explored_on_neo4j))
    assert ours.columns == theirs.columns
    assert ours.rows == theirs.rows


@QUERIES
def test_a_query_names_the_parameters_it_uses(query: NamedQuery) -> None:
    assert sorted(names_of_parameters(query.statement)) == sorted(p.name for p in query.parameters)


@QUERIES
def test_a_query_begins_each_line_with_a_clause(query: NamedQuery) -> None:
    lines = query.statement.splitlines()
    assert [line for line in lines if not line.startswith((*CLAUSES, "  "))] == []
    assert [line for line in lines if len(line) > 100] == []
    assert query.statement.count("ORDER BY") >= 1


@QUERIES
def test_a_query_says_what_it_answers(query: NamedQuery) -> None:
    assert query.answers.endswith(".")
    assert not query.title.endswith(".")


def test_every_file_is_a_query() -> None:
    assert [q.name for q in named_queries()] == sorted(p.stem for p in FOLDER.iterdir())


def test_the_evidence_of_an_insight_ends_at_exit_codes(explored: KnowledgeBase) -> None:
    rows = explored.cypher("fixes_of_error", {"error": "No module named", "limit": 1})
    assert len(rows.rows) == 1
    found = dict(zip(rows.columns, rows.rows[0], strict=True))
    assert "No module named" in found["error"]
    assert found["steps_later"] >= 1


def test_what_contradicts_is_found(explored: KnowledgeBase) -> None:
    rows = explored.cypher("contradicting_workflows")
    assert [row[:4] for row in rows.rows] == [
        (
            "workflow-wait",
            "Wait, then retry",
            "workflow-imported",
            "Retry a failed download at once, again and again",
        )
    ] * len(rows.rows)


def test_a_failed_run_without_a_lesson_is_found(explored: KnowledgeBase) -> None:
    rows = explored.cypher("failures_without_lesson").rows
    assert ("trace-lost", "Rename the settings module", "codex", "", 1, "human") in rows


class TestParameters:
    def test_defaults_are_used_where_nothing_is_given(self) -> None:
        assert named_query("cross_domain_insights").values({}) == {"min_domains": 2, "limit": 25}

    def test_texts_are_turned_into_their_types(self) -> None:
        query = named_query("similar_insights")
        values = query.values({"min_score": "0.75", "limit": "3"})
        assert values == {"min_score": 0.75, "limit": 3}
        assert isinstance(values["min_score"], float)

    def test_a_number_stands_for_a_text_where_a_text_is_taken(self) -> None:
        assert named_query("find_memories").values({"text": 12})["text"] == "12"

    @pytest.mark.parametrize("value", ["many", 2.5, True, None, [1]])
    def test_a_value_of_another_type_is_refused(self, value: Any) -> None:
        with pytest.raises(UsageError, match="limit of find_memories is to be of type integer"):
            named_query("find_memories").values({"text": "x", "limit": value})

    def test_one_that_is_needed_is_asked_for(self) -> None:
        with pytest.raises(UsageError, match="evidence_path needs id: id of the insight"):
            named_query("evidence_path").values({})

    def test_an_unknown_one_is_refused(self) -> None:
        with pytest.raises(UsageError, match=r"no parameter 'min'\. It has: min_domains, limit"):
            named_query("cross_domain_insights").values({"min": 2})

    def test_a_truth_value_is_read(self) -> None:
        query = parse(
            "q",
            "// T\n//\n// A.\n//\n// $all  truth = false  x\n//\n// Columns: n\nRETURN $all AS n",
        )
        assert query.values({}) == {"all": False}
        assert query.values({"all": "True"}) == {"all": True}
        with pytest.raises(UsageError):
            query.values({"all": "yes"})


class TestNames:
    def test_an_unknown_name_is_guessed(self) -> None:
        with pytest.raises(UsageError, match="Did you mean 'evidence_path'"):
            named_query("evidence_pat")

    @pytest.mark.parametrize("text", ["evidence_path", "no-such", "MATCH"])
    def test_one_word_is_a_name(self, text: str) -> None:
        assert is_name(text)

    @pytest.mark.parametrize("text", ["RETURN 1", "MATCH(n)RETURN(n)", "", "RETURN\t$x"])
    def test_a_statement_is_no_name(self, text: str) -> None:
        assert not is_name(text)


class TestHeaders:
    TEXT = """// Title
//
// What it answers,
// in two lines.
//
// $id     text          an id
// $text   text = ""     a text
// $score  decimal = 0.5  a number
//
// Columns: a, b
MATCH (n)
RETURN n.a AS a, n.b AS b
"""

    def test_a_header_is_read(self) -> None:
        query = parse("name", self.TEXT)
        assert query == NamedQuery(
            name="name",
            title="Title",
            answers="What it answers, in two lines.",
            parameters=(
                Parameter(name="id", type="text", text="an id", required=True),
                Parameter(name="text", type="text", text="a text", required=False, default=""),
                Parameter(
                    name="score", type="decimal", text="a number", required=False, default=0.5
                ),
            ),
            columns=("a", "b"),
            statement="MATCH (n)\nRETURN n.a AS a, n.b AS b",
        )

    def test_a_header_without_columns_is_an_error(self) -> None:
        with pytest.raises(ValueError, match="does not end with its columns"):
            parse("name", re.sub("Columns", "Rows", self.TEXT))

    def test_a_parameter_of_no_type_is_an_error(self) -> None:
        with pytest.raises(ValueError, match="cannot be read"):
            parse("name", self.TEXT.replace("decimal", "complex"))
