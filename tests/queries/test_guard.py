"""What a statement must be before a store sees it."""

import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepladder.kg.errors import UsageError
from stepladder.queries.guard import check, names_of_parameters
from stepladder.queries.hidden import without_labels
from stepladder.queries.library import named_queries
from stepladder.queries.notes import notes_on

HERE = Path(__file__).parent
HOSTILE = tomllib.loads((HERE / "hostile.toml").read_text(encoding="utf-8"))
CONFORMING = tomllib.loads((HERE / "conformance.toml").read_text(encoding="utf-8"))["case"]
WRITING = ("CREATE", "SET", "DELETE", "MERGE", "REMOVE", "LOAD", "FOREACH", "DROP")


def test_there_are_at_least_thirty_hostile_statements() -> None:
    assert len(HOSTILE["refused"]) >= 30


@pytest.mark.parametrize("case", HOSTILE["refused"], ids=lambda case: case["name"])
def test_what_does_more_than_read_is_refused_in_a_sentence(case: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as refused:
        check(case["statement"], case.get("parameters", {}))
    assert case["says"] in str(refused.value)


@pytest.mark.parametrize("case", CONFORMING, ids=lambda case: case["name"])
def test_what_reads_is_taken(case: dict[str, Any]) -> None:
    check(case["statement"], case.get("parameters", {}))


@pytest.mark.parametrize(
    "statement",
    [
        "MATCH (s:Step) WHERE s.command = 'CREATE (n)' RETURN s.set, s {.create, .delete}",
        "RETURN 'it\\'s // no comment' AS a, \"/* neither */\" AS b;",
        "MATCH (`LOAD CSV`:Insight) RETURN `LOAD CSV`.title AS `DELETE`",
        "RETURN 1.5e3 AS a, 0x1F AS b, [1, 2, 3][0..2] AS c, -1 AS d",
        "// CREATE\nMATCH (n) /* SET */ RETURN n",
    ],
)
def test_words_in_quotes_comments_and_properties_mean_nothing(statement: str) -> None:
    check(statement, {})


def test_what_is_run_holds_no_comment_and_no_semicolon() -> None:
    found = check("// a\nMATCH (n) /* b\nc */ RETURN 'x // y' AS t ; ", {})
    assert found.text == " \nMATCH (n) \n RETURN 'x // y' AS t"


def test_a_property_of_another_node_in_the_map_of_a_pattern_is_refused() -> None:
    with pytest.raises(UsageError, match=r"g\.merge_run cannot stand in the map"):
        check("MATCH ()-[g]->() MATCH (r:MergeRun {id: g.merge_run}) RETURN r", {})
    check("MATCH (a) RETURN collect({k: a.id}), a {.id, k: a.id}, [{k: a.id}]", {})


def test_a_mistyped_function_is_guessed() -> None:
    with pytest.raises(UsageError, match=r"Did you mean toLower\?"):
        check("RETURN toLowr('A')", {})


def test_parameters_are_named_once_in_their_order() -> None:
    assert names_of_parameters("RETURN $b + $a + $b, '$c' // $d") == ("b", "a")


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (2**63, "more than 64 bits"),
        ({1: 2}, "no JSON value: dict"),
        ([{"a": {1, 2}}], "no JSON value: set"),
        (b"x", "no JSON value: bytes"),
    ],
)
def test_a_parameter_that_is_no_json_value_is_refused(value: Any, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        check("RETURN $p", {"p": value})


def test_a_parameter_nested_without_end_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(UsageError, match="nested too deeply"):
        check("RETURN $p", {"p": endless})


def test_an_enormous_statement_is_refused() -> None:
    with pytest.raises(UsageError, match="20,000 are allowed"):
        check("RETURN " + "1 + " * 10_000 + "1", {})


@given(st.text(max_size=60), st.sampled_from(WRITING), st.text(max_size=60))
def test_nothing_around_a_writing_word_makes_it_pass(before: str, word: str, after: str) -> None:
    """Where it passes, the word was in quotes, a comment, a longer name, or behind a point."""
    statement = f"MATCH (n) {before} {word} {after}"
    try:
        found = check(statement, {})
    except UsageError:
        return
    for place, token in enumerate(found.tokens):
        if token.upper == word:
            assert found.tokens[place - 1].text == "."


@given(st.text(max_size=200))
def test_any_text_is_taken_or_refused_and_nothing_else(text: str) -> None:
    for statement in (text, f"RETURN {text}", f"MATCH (n) WHERE {text} RETURN n"):
        with suppress(UsageError):
            check(statement, {})


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("MATCH (n) RETURN n", "MATCH (n:!_A&!_B) RETURN n"),
        ("MATCH ()-[r]->() RETURN r", "MATCH (:!_A&!_B)-[r]->() RETURN r"),
        (
            "MATCH (a:Insight), (b {id: 'x'})-->(c) WHERE (b) IS NULL RETURN (a), [(b)]",
            "MATCH (a:Insight), (b :!_A&!_B{id: 'x'})-->(c) WHERE (b) IS NULL RETURN (a), [(b)]",
        ),
        (
            "MATCH p = shortestPath((a)-[*]-(b)) RETURN p",
            "MATCH p = shortestPath((a:!_A&!_B)-[*]-(b)) RETURN p",
        ),
        (
            "MATCH (t:Trace) CALL { MATCH (n) RETURN n } OPTIONAL MATCH (m) RETURN m, (t.x)",
            "MATCH (t:Trace) CALL { MATCH (n:!_A&!_B) RETURN n } "
            "OPTIONAL MATCH (m:!_A&!_B) RETURN m, (t.x)",
        ),
        ("MATCH (n:Insight) RETURN n", "MATCH (n:Insight) RETURN n"),
        (
            "MATCH (a:Tool), (b:Tool) RETURN shortestPath((a)-[*]-(b))",
            "MATCH (a:Tool), (b:Tool) RETURN shortestPath((a)-[*]-(b))",
        ),
    ],
)
def test_nodes_of_the_store_itself_are_not_seen(statement: str, expected: str) -> None:
    assert without_labels(check(statement, {}), ("_A", "_B")) == expected
    assert without_labels(check(statement, {}), ()) == statement


@pytest.mark.parametrize(
    ("statement", "notes"),
    [
        ("MATCH (i:Insight|Summary)-[:CITES|USES*1..2]->(:Step {id: 'x'}) RETURN i", ()),
        ("MATCH (i:Insigth) RETURN i", ("Nothing has the label Insigth. Did you mean Insight?",)),
        (
            "MATCH ()-[r:CITES|CITE]->() WHERE r:Gone RETURN r",
            (
                "Nothing has the type CITE. Did you mean CITES?",
                "Nothing has the label Gone.",
            ),
        ),
        ("MATCH (n:`My Own`&Step) RETURN {a: n, b: Insigth}", ("Nothing has the label My Own.",)),
    ],
)
def test_labels_and_types_of_nothing_are_noted(statement: str, notes: tuple[str, ...]) -> None:
    assert notes_on(check(statement, {})) == notes


def test_no_statement_of_ours_is_noted() -> None:
    for query in named_queries():
        given = {p.name: "x" for p in query.parameters if p.required}
        assert notes_on(check(query.statement, query.values(given))) == ()
