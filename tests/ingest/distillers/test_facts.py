"""Facts of a project: commands that ran, errors with their repair, and what its user wishes."""

from collections.abc import Callable

import pytest

from stepladder.ingest.distillers.rules.card import Hit
from stepladder.ingest.distillers.rules.facts import facts_of
from stepladder.ingest.record import RunRecord
from stepladder.kg.types import Insight

MakeRun = Callable[..., RunRecord]


def titles(run: RunRecord) -> list[str]:
    return [insight.title for insight, _ in facts_of(run)]


def test_a_command_that_gave_a_verdict_is_a_fact_of_the_project(make_run: MakeRun) -> None:
    run = make_run(("bin/test tests/test_a.py", "3 passed in 0.1s"), ended="2026-01-02T03:04:05Z")
    [(insight, hit)] = list(facts_of(run))
    assert hit == Hit(steps=(0,))
    assert insight == Insight(
        id=insight.id,
        created="2026-01-02T03:04:05Z",
        scope="acme/api",
        title="Run the tests of this project with `bin/test <test file>`",
        description="How the tests of this project are run.",
        content="`bin/test <test file>` was run in this project and gave a verdict.",
        project="acme/api",
        kind="environmental adaptation",
        polarity="do",
        applies_when="In this project.",
    )


@pytest.mark.parametrize(
    ("line", "output", "code", "expected"),
    [
        ("npm run lint", "no problems", 0, ["Check the style of this project with `npm run lint`"]),
        ("bun run typecheck", "ok", 0,
         ["Check the types of this project with `bun run typecheck`"]),
        ("mise run fmt", "ok", 0, ["Format this project with `mise run fmt`"]),
        ("make build", "done", 0, ["Build this project with `make build`"]),
        ("make -n build", "done", 0, []),
        ("make build", "make: *** [build] Error 2", 2, []),
        ("pytest tests/a_test.py::test_a", "1 passed in 0.1s", 0,
         ["Run the tests of this project with `pytest <test file>`"]),
        ("pytest tests", "1 failed in 0.1s", 1,
         ["Run the tests of this project with `pytest <test file>`"]),
        ("pytest tests", "bash: pytest: command not found", 127,
         ["`pytest` is not available in this project"]),
        ("python -m pytest tests", "/usr/bin/python: No module named pytest", 1,
         ["`python -m pytest` is not available in this project"]),
        ("python -m pytest tests", "ModuleNotFoundError: No module named 'acme'", 1, []),
        ("pytest --strange tests", "ERROR: unrecognized arguments: --strange", 4, []),
        ("api build", "done", 0, []),
    ],
)  # fmt: skip
def test_commands_count_only_where_they_ran(
    make_run: MakeRun, line: str, output: str, code: int, expected: list[str]
) -> None:
    assert titles(make_run((line, output, code))) == expected


def test_the_same_command_is_one_fact(make_run: MakeRun) -> None:
    step = ("pytest tests/test_a.py", "1 passed in 0.1s")
    assert len(titles(make_run(step, step))) == 1


def test_what_the_agent_made_itself_is_no_command_of_the_project(make_run: MakeRun) -> None:
    run = make_run(
        ("cat > repro_test.py <<'E'\ndef test_a(): pass\nE", ""),
        ("pytest repro_test.py", "1 passed in 0.1s"),
    )
    assert titles(run) == []


def test_another_command_that_worked_is_told_with_the_error(make_run: MakeRun) -> None:
    run = make_run(
        ("pytest tests/test_total.py", "bash: pytest: command not found", 127),
        ("bin/test tests/test_total.py", "3 passed in 0.1s"),
    )
    told = {i.title: i for i, _ in facts_of(run)}
    insight = told["Where `pytest <test file>` is not available, use `bin/test <test file>`"]
    assert insight.content == (
        "`pytest <test file>` failed: <name>: command not found. "
        "Worked then: `bin/test <test file>`."
    )
    assert (insight.untrusted, insight.polarity, insight.scope) == (True, "do", "acme/api")


def test_the_same_command_with_other_arguments_repairs_nothing(make_run: MakeRun) -> None:
    run = make_run(
        ("pytest tests/test_x.py", "ERROR: file or directory not found: tests/test_x.py", 4),
        ("pytest tests/test_y.py", "3 passed in 0.1s"),
    )
    assert titles(run) == ["Run the tests of this project with `pytest <test file>`"]


def test_an_installation_that_made_a_command_work_is_named(make_run: MakeRun) -> None:
    run = make_run(
        ("python check.py", "ModuleNotFoundError: No module named 'duckdb'", 1),
        ("cd /repo && pip install duckdb-engine", "Successfully installed duckdb-engine-1"),
        ("python check.py", "ok"),
    )
    assert titles(run) == [
        "When `python <file>` fails with a missing module, install first: "
        "`pip install duckdb-engine`"
    ]


def test_a_refused_edit_is_no_fact_of_the_project(make_run: MakeRun) -> None:
    edit = {"file_path": "/repo/a.py", "old_string": "x", "new_string": "y"}
    run = make_run(
        ("Edit", edit, "File has not been read yet. Read it first.", "validation"),
        ("Read", {"file_path": "/repo/a.py"}, "x"),
        ("Edit", edit, "The file /repo/a.py has been updated."),
    )
    assert titles(run) == []


@pytest.mark.parametrize(
    ("said", "wishes"),
    [
        ("Never push to main without asking.", ["Never push to main without asking"]),
        ("No code changes yet, just the analysis please.",
         ["No code changes yet, just the analysis please"]),
        ("ok. let's use podman instead of docker. it works the same way. can you run it?",
         ["let's use podman instead of docker"]),
        ("You should always add a test first.", ["You should always add a test first"]),
        ("not as a comment, but as a document of its own",
         ["not as a comment, but as a document of its own"]),
        ("Should we always do that?", []),
        ("I don't know, maybe it never worked.", []),
        ("Error: the parser never returns", []),
        ("The parser never returns a value here.", []),
        ("Do not touch /etc/hosts/local please.", []),
        ("I prefer the flight for $279.", []),
    ],
)  # fmt: skip
def test_wishes_are_orders_about_how_to_work(
    make_run: MakeRun, said: str, wishes: list[str]
) -> None:
    assert titles(make_run(("ls", ""), said, ("ls src", ""))) == wishes


def test_a_wish_cites_the_step_that_follows_it(make_run: MakeRun) -> None:
    run = make_run(("ls", ""), "Please never commit the lock file.", ("git status", ""))
    [(insight, hit)] = list(facts_of(run))
    assert hit == Hit(steps=(1,), quote="Please never commit the lock file.")
    assert (insight.polarity, insight.kind) == ("avoid", "interaction protocol adherence")


def test_the_first_message_is_the_task_and_no_wish(make_run: MakeRun) -> None:
    assert titles(make_run(("ls", ""), task="Never push to main without asking.")) == []
