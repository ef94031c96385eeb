"""Workflows: a request's procedure in general words, and repairs as short ones."""

from collections.abc import Callable

import pytest

from stepladder.ingest.distillers.rules.chains import chains_of
from stepladder.ingest.distillers.rules.templates import command_template, core_template, file_slot
from stepladder.ingest.distillers.rules.workflow import workflows_of
from stepladder.ingest.record import RunRecord
from stepladder.ingest.shell import main_command, parse
from stepladder.ingest.trajectory import Outcome
from stepladder.kg.types import Workflow

MakeRun = Callable[..., RunRecord]

REPAIR = (
    ("ls", "src\ntests"),
    ("cat > repro.py <<'E'\nassert total(1.5) == 2\nE", ""),
    ("python repro.py", "Traceback (most recent call last):\nAssertionError", 1),
    ("grep -rn floor src", "src/total.py:1: floor"),
    ("cat src/total.py", "floor"),
    ("sed -i 's/floor/round/' src/total.py", ""),
    ("python repro.py", "Traceback (most recent call last):\nAssertionError", 1),
    ("sed -i 's/round/half_up/' src/total.py", ""),
    ("python repro.py", "ok"),
    ("bin/test tests/test_total.py", "3 passed in 0.1s"),
    ("rm repro.py", ""),
    ("git diff", "diff --git a/src/total.py b/src/total.py"),
)


def steps_of(run: RunRecord) -> list[tuple[str, ...]]:
    return [workflow.steps for workflow, _ in workflows_of(run)]


def test_a_repair_is_told_from_the_first_look_to_the_last_check(make_run: MakeRun) -> None:
    run = make_run(*REPAIR, task="Totals are rounded down", ended="2026-01-02T03:04:05Z")
    [(workflow, cited)] = list(workflows_of(run))
    steps = (
        "list <folder>",
        "write <check script>",
        "`python <check script>` (shows the fault)",
        "search the code for <name>",
        "read <source file>",
        "change <source file>",
        "`python <check script>` (passes)",
        "`bin/test <test file>` (passes)",
        "remove <check script>",
        "`git diff`",
    )
    assert cited == (0, 1, 2, 3, 4, 5, 8, 9, 10, 11)
    assert workflow == Workflow(
        id=workflow.id,
        created="2026-01-02T03:04:05Z",
        scope="acme/api",
        title="Totals are rounded down",
        description=(
            "Procedure: `python <check script>` (shows the fault) -> change <source file> -> "
            "`python <check script>` (passes) -> "
            "`bin/test <test file>` (passes) -> remove <check script> -> `git diff`."
        ),
        content="\n".join(f"{n}. {step}" for n, step in enumerate(steps, start=1)),
        task="task-1",
        project="acme/api",
        domains=("repo-bugfix",),
        languages=("python",),
        polarity="do",
        steps=steps,
    )


def test_new_files_of_a_feature_are_part_of_the_change(make_run: MakeRun) -> None:
    run = make_run(
        ("ls", "src"),
        ("Write", {"file_path": "/repo/src/rates.ts", "content": "export const R = 1"}, "created"),
        ("Write", {"file_path": "/repo/src/rates.test.ts", "content": "test()"}, "created"),
        ("npm run test", "Tests: 3 passed, 3 total"),
        ("npm run codegen", "done"),
        ("git add src && git commit -m 'Add rates'", ""),
        task="Add exchange rates",
    )
    assert steps_of(run) == [
        (
            "list <folder>",
            "write a new <source file>",
            "write a new <test file>",
            "`npm run test` (passes)",
            "`npm run <task>`",
            "`git add <file> && git commit -m <message>`",
        )
    ]


def test_each_request_has_its_own_procedure_and_an_answer_joins_the_one_before(
    make_run: MakeRun,
) -> None:
    looks = (("ls", "a"), ("cat a.py", "x"), ("cat b.md", "y"))
    run = make_run(
        *looks, ("git log", "one"), "ok, go on", ("git show HEAD", "z"),
        "Commit and push everything", ("git status", ""), ("git add .", ""),
        ("git commit -m x", ""), ("git push origin main", ""), ("gh run list", "ok"),
        task="Explain how the store works",
    )  # fmt: skip
    told = [(w.title, len(w.steps)) for w, _ in workflows_of(run)]
    assert told == [("Explain how the store works", 5), ("Commit and push everything", 5)]


def test_a_run_of_short_requests_has_one_procedure(make_run: MakeRun) -> None:
    run = make_run(
        ("ls", "a"), ("cat a.py", "x"), "now add the licence file",
        ("cat LICENSE", ""), ("git add LICENSE", ""), ("git commit -m x", ""),
        task="Look at the store",
    )  # fmt: skip
    assert [w.title for w, _ in workflows_of(run)] == ["Look at the store"]


def test_few_steps_are_no_procedure(make_run: MakeRun) -> None:
    assert steps_of(make_run(*REPAIR[:4])) == []


def test_long_procedures_keep_changes_and_checks(make_run: MakeRun) -> None:
    looks = [(f"git {verb}", "x") for verb in ("log", "show", "branch", "status", "diff --stat")]
    run = make_run(*looks, *REPAIR, task="Totals are rounded down")
    [steps] = steps_of(run)
    assert len(steps) == 10
    assert {"change <source file>", "`bin/test <test file>` (passes)"} <= {*steps}


@pytest.mark.parametrize(
    ("status", "last", "polarity"),
    [
        ("success", "1 failed", "do"),
        ("failure", "3 passed", ""),
        ("failure", "1 failed", "avoid"),
        ("unknown", "3 passed", "do"),
        ("unknown", "1 failed", ""),
    ],
)
def test_a_procedure_is_to_follow_where_it_ended_well(
    make_run: MakeRun, status: str, last: str, polarity: str
) -> None:
    outcome = Outcome(status=status, source="verifier")  # type: ignore[arg-type]
    steps = (*REPAIR[:6], ("pytest tests", f"{last} in 0.1s", int("failed" in last)))
    [(workflow, _)] = list(workflows_of(make_run(*steps, outcome=outcome)))
    assert workflow.polarity == polarity


def test_tools_that_worked_are_its_preconditions(make_run: MakeRun) -> None:
    steps = (*REPAIR[:6], ("pytest tests", "3 passed in 0.1s"), ("gh pr create --title a", "ok"))
    [(workflow, _)] = list(workflows_of(make_run(*steps)))
    assert workflow.preconditions == ("`pytest` is available", "`gh` is available")


# --- repairs as workflows -------------------------------------------------------------------------


def test_a_missing_runner_and_what_stood_in_for_it_are_a_chain(make_run: MakeRun) -> None:
    run = make_run(
        ("pytest tests/test_total.py", "bash: pytest: command not found", 127),
        ("ls bin", "test"),
        ("bin/test tests/test_total.py", "3 passed in 0.1s"),
    )
    [(workflow, cited)] = list(chains_of(run))
    assert cited == (0, 1, 2)
    assert workflow.polarity == "do"
    assert workflow.title == (
        "When `pytest <test file>` fails with a command that is not there: "
        "go over to `bin/test <test file>`"
    )
    assert workflow.steps == (
        "`pytest <test file>` (fails: a command that is not there)",
        "list <folder>",
        "`bin/test <test file>` (works)",
    )


def test_an_edit_that_was_refused_and_then_taken_is_a_chain(make_run: MakeRun) -> None:
    edit = {"file_path": "/repo/a.py", "old_string": "x", "new_string": "y"}
    run = make_run(
        ("Edit", edit, "File has not been read yet. Read it first.", "validation"),
        ("Read", {"file_path": "/repo/a.py"}, "x"),
        ("Edit", edit, "The file /repo/a.py has been updated."),
    )
    assert [w.steps for w, _ in chains_of(run)] == [
        (
            "change <file> (fails: a file that was not read before)",
            "read <source file>",
            "change <source file> (works)",
        )
    ]


def test_a_failure_repaired_in_the_source_is_no_chain(make_run: MakeRun) -> None:
    run = make_run(
        ("cat a.py", "x"),
        ("pytest tests", "1 failed in 0.1s", 1),
        ("sed -i s/x/y/ a.py", ""),
        ("pytest tests", "1 passed in 0.1s"),
    )
    assert list(chains_of(run)) == []


# --- words of commands ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "template"),
    [
        ("git commit -m 'Fix the store'", "`git commit -m <message>`"),
        ("git commit --amend --no-edit", "`git commit --amend --no-edit`"),
        ("git checkout -b fix/login", "`git checkout -b <branch>`"),
        ("git log --oneline -5", "`git log --oneline`"),
        ("git diff main...HEAD", "`git diff <commits>`"),
        ("git push -u origin fix/login", "`git push -u origin <branch>`"),
        ("git show 40e2e948", "`git show <commit>`"),
        ("gh pr create --title 'A b' --body 'c d'", "`gh pr create --title <title> --body <text>`"),
        ("gh issue view 12 --repo acme/api --json title", "`gh issue view <number>`"),
        ("npm run test", "`npm run test`"),
        ("bun run gen:types", "`bun run <task>`"),
        ("mise run lint", "`mise run lint`"),
        ("make", "`make`"),
        ("make docs", "`make docs`"),
        ("make frobnicate", "`make <task>`"),
        ("pnpm --filter @acme/web test", "`pnpm --filter <package> test`"),
        ("pip install -e .[dev]", "`pip install -e .`"),
        ("pip install requests", "`pip install <package>`"),
        ("pytest -x -q tests/test_a.py tests/test_b.py", "`pytest <test file>`"),
        ("pytest tests/test_a.py::test_b", "`pytest <test id>`"),
        ("pytest tests/test_a.py -k rounds", "`pytest <test file> -k <test name>`"),
        ("python -m pytest tests/test_a.py", "`python -m pytest <test file>`"),
        ("python -m acme.tool x", "`python -m <module> <argument>`"),
        ("python -c 'print(1)'", "`python -c <code>`"),
        ("./tests/runtests.py admin_views", "`tests/runtests.py <test module>`"),
        ("python tests/runtests.py admin_views", "`python tests/runtests.py <test module>`"),
        ("/opt/tools/bin/check a.py", "`check <file>`"),
        ("curl -s -X POST https://a.b/c -H 'K: v'", "`curl -X <method> <link> -H <header>`"),
        ("go test ./internal/... -run TestA", "`go test <folder> -run <test name>`"),
    ],
)
def test_a_command_keeps_its_own_words_and_loses_those_of_the_task(
    line: str, template: str
) -> None:
    main = main_command(parse(line))
    assert main is not None
    assert command_template(main) == template


@pytest.mark.parametrize(
    ("line", "core"),
    [
        ("pnpm --filter @acme/web test -- --run a.test.ts", "`pnpm --filter <package> test`"),
        ("pytest -x --tb=short tests/test_a.py -k b", "`pytest <test file>`"),
        ("python3 ./tests/runtests.py a b", "`python3 tests/runtests.py <test module>`"),
        ("bun run lint --fix", "`bun run lint`"),
        ("npx tsc --noEmit", "`npx tsc`"),
    ],
)
def test_the_core_of_a_command_is_what_stays_the_same(line: str, core: str) -> None:
    main = main_command(parse(line))
    assert main is not None
    assert core_template(main) == core


@pytest.mark.parametrize(
    ("path", "slot"),
    [
        ("src/a.py", "<source file>"),
        ("tests/test_a.py", "<test file>"),
        ("pyproject.toml", "<config file>"),
        ("Makefile", "<config file>"),
        (".gitignore", "<config file>"),
        ("README.md", "<document>"),
        ("LICENSE", "<document>"),
        ("data/a.csv", "<data file>"),
        ("bin/tool", "<file>"),
    ],
)
def test_a_file_is_named_by_its_sort(path: str, slot: str) -> None:
    assert file_slot(path) == slot
