"""The domain of a run where nobody names one, and where it is named."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from stepladder.facade import KnowledgeBase
from stepladder.ingest.domain import DOMAINS, domain_of
from stepladder.ingest.outcome import SideCars
from stepladder.ingest.record import RunRecord
from stepladder.kg.types import Trace

EXAMPLES = Path(__file__).parents[3] / "examples"
MakeRun = Callable[..., RunRecord]

REPORT = (
    "Durations lose their days\n\nWhen a duration is longer than a day, `format` drops the days. "
    "It should print `1d 02:00`, but it prints `02:00` instead, which is wrong."
)
CHANGE = (
    ("cat src/durations.py", "def format(d): ..."),
    ("sed -i 's/hours/days/' src/durations.py", ""),
)


@pytest.mark.parametrize(
    ("task", "steps", "expected"),
    [
        (REPORT, CHANGE, "repo-bugfix"),
        (REPORT, (("cat src/durations.py", "def format(d): ..."),), ""),
        ("Add a command that lists all durations.", CHANGE, "feature-dev"),
        ("can you look at the durations again", CHANGE, ""),
        (
            "Make the sidebar of the web page collapsible.",
            (("Edit", {"file_path": "/repo/src/Sidebar.tsx"}, "The file has been updated."),),
            "web-dev",
        ),
        (
            "The release leaves files out, fix the packaging.",
            (("Edit", {"file_path": "/repo/pyproject.toml"}, "The file has been updated."),),
            "build-packaging",
        ),
        (
            "I will ask you a question, answer it with SQL. The table is called sales.",
            (("sqlite3 shop.db 'select sum(price) from sales'", "12"),),
            "data-analysis",
        ),
        (
            "How many files are in the directory /etc of this Ubuntu machine?",
            (("ls /etc | wc -l", "220"),),
            "terminal-devops",
        ),
        (
            "This challenge is about an old cipher. Can you decrypt the message and find the flag?",
            (("strings message.bin", "..."),),
            "security",
        ),
        ("hello", (("ls", ""),), ""),
    ],
)
def test_a_domain_is_told_from_words_and_changed_files_or_not_at_all(
    make_run: MakeRun, task: str, steps: tuple[object, ...], expected: str
) -> None:
    assert domain_of(make_run(*steps, task=task)) == expected


def test_a_benchmark_task_on_a_repository_is_a_repair(make_run: MakeRun) -> None:
    run = make_run(*CHANGE, task="Support header rows", task_id="acme__api-12")
    assert domain_of(run) == "repo-bugfix"


def test_a_file_made_only_to_check_is_no_change(make_run: MakeRun) -> None:
    run = make_run(
        ("cat > /tmp/check.py <<'E'\nprint(1)\nE\npython /tmp/check.py", "1"), task=REPORT
    )
    assert domain_of(run) == ""


def test_names_of_domains_are_unique() -> None:
    assert len(set(DOMAINS)) == len(DOMAINS)


def test_rows_beside_a_run_name_its_domain_and_project(tmp_path: Path) -> None:
    rows = [
        {"file": "a.jsonl", "resolved": True, "domain": "security", "project": "acme/gateway"},
        {"instance_id": "b", "domain": "docs"},
        {"file": "c.jsonl", "project": "acme/one"},
        {"file": "c.jsonl", "project": "acme/two", "domain": "docs"},
    ]
    text = "\n".join(json.dumps(row) for row in rows)
    (tmp_path / "outcomes.jsonl").write_text(text, encoding="utf-8")
    (tmp_path / "deep").mkdir()
    side_cars = SideCars()

    def named(name: str, task_id: str = "") -> tuple[str, str]:
        return side_cars.named_in(tmp_path / name, task_id=task_id)

    assert named("a.jsonl") == ("security", "acme/gateway")
    assert named("deep/a.jsonl") == ("security", "acme/gateway")
    assert named("run.json", "b") == ("docs", "")
    assert named("c.jsonl") == ("", "")
    assert named("unknown.jsonl") == ("", "")


def test_what_is_said_comes_before_what_stands_beside_a_run_and_before_a_guess(
    tmp_path: Path,
) -> None:
    source = EXAMPLES / "repo-bugfix" / "api-last-page.traj.json"
    named = tmp_path / "named" / source.name
    bare = tmp_path / "bare" / source.name
    for path in (named, bare):
        path.parent.mkdir()
        shutil.copyfile(source, path)
    row = {"file": source.name, "domain": "web-dev", "project": "acme/pages"}
    (named.parent / "outcomes.jsonl").write_text(json.dumps(row), encoding="utf-8")

    def told(path: Path, **said: str) -> tuple[tuple[str, ...], str]:
        with KnowledgeBase.open(tmp_path / f"{len(list(tmp_path.iterdir()))}.db") as base:
            base.ingest([path], **said)
            [trace] = base.store.find("Trace")
            assert isinstance(trace, Trace)
            return trace.domains, trace.project

    assert told(named, domain="docs", project="acme/guide") == (("docs",), "acme/guide")
    assert told(named) == (("web-dev",), "acme/pages")
    assert told(bare) == (("repo-bugfix",), "api")
