"""The commands `cypher`, `schema` and `export`: what people see, what programs get."""

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from stepladder import KnowledgeBase
from stepladder.cli import main
from stepladder.kg.types import Batch, Insight
from stepladder.queries.library import named_queries

ROOT = Path(__file__).parent.parent
Stepladder = Callable[..., Result]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    rows = [
        {"id": "insight-general", "level": "insight", "title": "See the check fail first"},
        {
            "id": "insight-web",
            "level": "insight",
            "title": "Look at the page in a browser, then in its console, before the style sheet",
            "parents": ["insight-general"],
            "domain": "web-dev",
        },
    ]
    with KnowledgeBase.open(path) as kb:
        kb.import_memories(rows)
    return path


@pytest.fixture
def stepladder(store: Path, monkeypatch: pytest.MonkeyPatch) -> Stepladder:
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words: str) -> Result:
        return CliRunner().invoke(main, ["--store", str(store), *words])

    return run


class TestCypher:
    def test_json_gives_columns_rows_and_what_was_cut(self, stepladder: Stepladder) -> None:
        result = stepladder(
            "cypher",
            "MATCH (i:Insight) RETURN i.id AS id, i.domains AS domains ORDER BY id",
            "--json",
        )
        found = json.loads(result.stdout)
        assert found.pop("milliseconds") > 0
        assert found == {
            "columns": ["id", "domains"],
            "rows": [["insight-general", []], ["insight-web", ["web-dev"]]],
            "truncated": False,
            "why": "",
            "notes": [],
        }

    def test_csv_has_a_head_and_lists_as_json(self, stepladder: Stepladder) -> None:
        result = stepladder(
            "cypher", "cross_domain_insights", "--param", "min_domains=1", "--format", "csv"
        )
        rows = list(csv.reader(io.StringIO(result.stdout)))
        assert rows == [
            ["id", "title", "domains", "names"],
            [
                "insight-web",
                "Look at the page in a browser, then in its console, before the style sheet",
                "1",
                '["web-dev"]',
            ],
        ]

    def test_people_see_paths_as_cypher_draws_them(self, stepladder: Stepladder) -> None:
        result = stepladder(
            "cypher",
            "MATCH p = (:Insight {id: $id})<--(i) RETURN p",
            "--param",
            "id=insight-general",
        )
        words = " ".join(result.stdout.replace("│", " ").split())
        assert (
            "(:Insight insight-general “See the check fail first”) <-[:GENERALIZES_TO]- "
            "(:Insight insight-web “Look at the page in a browser, then in …”)"
        ) in words
        assert "1 row" in words

    def test_people_see_nulls_maps_and_relationships(self, stepladder: Stepladder) -> None:
        result = stepladder(
            "cypher",
            "MATCH (a)-[r:GENERALIZES_TO]->(b) RETURN r, null AS nothing, {a: [1, true]} AS m",
        )
        words = " ".join(result.stdout.replace("│", " ").split())
        assert "insight-web -[:GENERALIZES_TO]-> insight-general" in words
        assert "{a: [1, true]}" in words
        assert "null" not in words

    @pytest.mark.parametrize(
        ("text", "value"),
        [("3", 3), ("1.5", 1.5), ("true", True), ('["a", 1]', ["a", 1]), ("plain", "plain"),
         ('"3"', "3"), ("a=b", "a=b"), ("", "")],
    )  # fmt: skip
    def test_a_parameter_is_json_where_it_can_be(
        self, text: str, value: Any, stepladder: Stepladder
    ) -> None:
        result = stepladder("cypher", "RETURN $p AS p", "--param", f"p={text}", "--json")
        assert json.loads(result.stdout)["rows"] == [[value]]

    def test_what_is_cut_is_said_on_standard_error(self, stepladder: Stepladder) -> None:
        for form in ("table", "json", "csv"):
            result = stepladder(
                "cypher", "UNWIND [1, 2, 3] AS x RETURN x", "--max-rows", "2", "--format", form
            )
            assert result.exit_code == 0
            assert result.stderr.startswith("Cut: the answer has more than 2 rows.")

    def test_a_label_that_nothing_has_is_said_on_standard_error(
        self, stepladder: Stepladder
    ) -> None:
        result = stepladder("cypher", "MATCH (i:Insigth)-[:CITE]->(s) RETURN i.id")
        assert result.exit_code == 0
        assert result.stderr == (
            "Note: Nothing has the label Insigth. Did you mean Insight?\n"
            "Note: Nothing has the type CITE. Did you mean CITES?\n"
        )

    def test_the_named_queries_are_listed(self, stepladder: Stepladder) -> None:
        shown = stepladder("cypher", "--list").stdout
        listed = json.loads(stepladder("cypher", "--list", "--json").stdout)["queries"]
        assert [q["name"] for q in listed] == [q.name for q in named_queries()]
        for query in named_queries():
            assert query.name in shown
            assert query.title in shown

    @pytest.mark.parametrize(
        ("words", "sentence", "hint"),
        [
            (["CREATE (n)"], "CREATE is not allowed", "stepladder ingest"),
            (["evidence"], "Did you mean", "stepladder cypher --list"),
            ([], "Give a statement or the name of a query.", "stepladder cypher --list"),
            (["RETURN 1", "--param", "x"], "'x' is no parameter.", "--param name=value"),
            (["RETURN $x"], "No value for $x.", "--param name=value"),
            (["evidence_path"], "needs id", "--param id=..."),
        ],
    )
    def test_a_mistake_is_a_sentence_with_the_next_step(
        self, words: list[str], sentence: str, hint: str, stepladder: Stepladder
    ) -> None:
        result = stepladder("cypher", *words)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert sentence in result.stderr
        assert hint in result.stderr

    def test_a_statement_that_takes_too_long_is_stopped(self, stepladder: Stepladder) -> None:
        nested = "UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y RETURN sum(x * y) AS n"
        result = stepladder("cypher", nested, "--timeout", "0.5")
        assert result.exit_code == 2
        assert "was stopped after 0.5 seconds" in result.stderr

    def test_what_a_terminal_would_act_on_is_not_printed(
        self, store: Path, stepladder: Stepladder
    ) -> None:
        evil = Insight(id="insight-evil", created="", title="\x1b]0;owned\x07\u202e [bold]x[/bold]")
        with KnowledgeBase.open(store) as kb:
            kb.store.write(Batch(nodes=(evil,)))
        statement = "MATCH (i:Insight {id: 'insight-evil'}) RETURN i.title AS t, i"
        for form in ("table", "csv", "json"):
            printed = stepladder("cypher", statement, "--format", form).stdout
            assert "\x1b" not in printed
            assert "\u202e" not in printed
            assert "[bold]x[/bold]" in printed


class TestSchema:
    def test_people_read_what_labels_mean(self, stepladder: Stepladder) -> None:
        shown = stepladder("schema").stdout
        assert ":Insight 2  something worth knowing in another run" in shown
        assert "-[:GENERALIZES_TO]-> 1  upward" in shown
        assert "(:Insight) to (:Domain) 1" in shown
        assert "None yet: PART_OF" in shown

    def test_programs_get_the_same(self, stepladder: Stepladder) -> None:
        found = json.loads(stepladder("schema", "--json").stdout)
        labels = {label["name"]: label["count"] for label in found["labels"]}
        assert labels["Insight"] == 2
        assert labels["Step"] == 0
        (upward,) = (r for r in found["relationships"] if r["type"] == "GENERALIZES_TO")
        assert upward["links"] == [{"source": "Insight", "target": "Insight", "count": 1}]


class TestExport:
    @pytest.mark.parametrize("form", ["graphml", "cypher"])
    def test_a_file_is_written_and_counted(
        self, form: str, tmp_path: Path, stepladder: Stepladder
    ) -> None:
        file = tmp_path / f"out.{form}"
        result = stepladder("export", form, str(file))
        assert result.stdout.startswith("3 nodes and 2 relationships written to ")
        assert "insight-general" in file.read_text(encoding="utf-8")
        found = json.loads(stepladder("export", form, str(file), "--json").stdout)
        assert found["nodes"] == {"Domain": 1, "Insight": 2}
        assert found["edges"] == {"APPLIES_TO": 1, "GENERALIZES_TO": 1}
        assert found["checksum"] in result.stdout

    def test_a_project_takes_what_it_may_see(
        self, store: Path, tmp_path: Path, stepladder: Stepladder
    ) -> None:
        own = Insight(id="insight-own", created="", title="x", scope="acme/api")
        with KnowledgeBase.open(store) as kb:
            kb.store.write(Batch(nodes=(own,)))
        file = tmp_path / "out.graphml"
        for project, number in (("acme/web", 2), ("acme/api", 3)):
            words = ("export", "graphml", str(file), "--project", project, "--json")
            assert json.loads(stepladder(*words).stdout)["nodes"]["Insight"] == number

    def test_a_folder_that_is_not_there_is_a_sentence(
        self, tmp_path: Path, stepladder: Stepladder
    ) -> None:
        result = stepladder("export", "cypher", str(tmp_path / "no" / "out.cypher"))
        assert result.exit_code == 1
        assert "could not be written" in result.stderr


@pytest.mark.parametrize(
    ("command", "fields"),
    {
        "cypher": ("columns", "rows", "truncated", "why", "milliseconds", "notes", "queries"),
        "schema": ("labels", "relationships", "about", "count", "filled"),
        "export graphml": ("nodes", "edges", "checksum"),
        "export skills": ("insights", "written", "removed", "unchanged", "dry_run"),
        "export pack": ("file", "insights", "left_out", "dry_run"),
    }.items(),
)
def test_the_documentation_names_every_field(command: str, fields: tuple[str, ...]) -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith(f"| `{command}` |"))
    assert [field for field in fields if f"`{field}`" not in row] == []


def test_a_program_may_close_the_pipe(store: Path) -> None:
    """As `stepladder cypher ... | head` does; nothing of the view stays behind."""
    command = [sys.executable, "-m", "stepladder.cli", "--store", str(store), "cypher", "RETURN 1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        process.wait(timeout=60)
    assert process.returncode in (0, 1, 120) or os.name == "nt"
