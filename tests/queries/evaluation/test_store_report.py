"""The evaluation of a store: asked again with something left out, as figures and as a page."""

import json
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from stepladder.cli import main
from stepladder.queries.evaluation.lisi import lisi
from stepladder.queries.evaluation.store_report import Bin, Measured, StoreReport, exact_interval
from stepladder.serve.report_html import page

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("evaluate") / "memory.db")
    assert CliRunner().invoke(main, ["--store", path, "ingest", str(EXAMPLES)]).exit_code == 0
    return path


def test_every_share_lies_in_its_interval_and_a_page_is_written(store: str, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    result = CliRunner().invoke(
        main, ["--store", store, "evaluate", "--json", "--sample", "8", "--html", str(file)]
    )
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["asked"] == 8
    assert {m["part"] for m in report["measures"]} >= {"task"}
    assert all(m["low"] <= m["value"] <= m["high"] for m in report["measures"])
    text = file.read_text(encoding="utf-8")
    assert "<svg" in text
    assert "<script" not in text


def test_cards_and_floors_are_told_as_json(store: str) -> None:
    for command in (["evaluate", "cards", "--least", "3", "--json"], ["calibrate", "--json"]):
        result = CliRunner().invoke(main, ["--store", store, *command])
        assert result.exit_code == 0, result.output
        json.loads(result.stdout)


def test_a_file_of_difficulties_that_holds_none_is_refused(store: str, tmp_path: Path) -> None:
    file = tmp_path / "difficulty.json"
    file.write_text('{"case": 3}', encoding="utf-8")
    result = CliRunner().invoke(
        main, ["--store", store, "evaluate", "cards", "--difficulty", str(file)]
    )
    assert result.exit_code == 2
    assert "gives 3 for 'case'" in result.stderr


def test_what_a_page_shows_is_escaped() -> None:
    evil = "<script>alert(1)</script>"
    measures = tuple(
        Measured(part=part, name=evil, count=1, value=0.5, low=0.1, high=high)
        for part, high in ((evil, 0.9), ("", 2.0))
    )
    bins = (Bin(predicted=0.5, succeeded=0.4, low=0.1, high=0.8, runs=5),)
    text = page(StoreReport(memories=1, runs=1, asked=1, measures=measures, bins=bins))

    found: set[str] = set()

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.add(tag)

    Tags().feed(text)
    assert "svg" in found
    assert "script" not in found
    assert evil not in text


def test_mixed_neighbours_count_as_many_groups_and_pure_ones_as_one() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(200, 8)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    mixed = np.eye(2, dtype=np.float32)[np.arange(200) % 2]
    assert lisi(rows, mixed).mean() == pytest.approx(1.93, abs=0.06)
    apart = np.concatenate([rows[:100] * 0.01, rows[:100] * 0.01])
    apart[:100, 0] += 1.0
    apart[100:, 1] += 1.0
    pure = np.repeat(np.eye(2, dtype=np.float32), 100, axis=0)
    assert lisi(apart, pure).mean() == pytest.approx(1.0)


def test_the_interval_of_a_share_is_exact() -> None:
    assert exact_interval(0, 10) == pytest.approx((0.0, 0.3085), abs=1e-4)
    assert exact_interval(5, 10) == pytest.approx((0.1871, 0.8129), abs=1e-4)
    assert exact_interval(10, 10) == pytest.approx((0.6915, 1.0), abs=1e-4)


def test_a_query_explained_draws_each_item_above_its_run_with_scores(store: str) -> None:
    task = "Fix a bug in a Python library: a test fails and the test runner is not installed"
    result = CliRunner().invoke(main, ["--store", store, "query", task, "--explain"])
    assert result.exit_code == 0, result.output
    assert "memories weighed; not shown" in result.output.replace("\n", " ")
    assert " R " in result.output
    assert "trace-" in result.output
