"""Cards about tests, linters, builds and what comes with a change."""

from typing import Any

import pytest

from stepladder.ingest.distillers.rules.card import Hit

TYPES = "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'."
FINDINGS = "src/a.py:3:1: F401 unused import\nFound 1 error."
CLEAN = "All checks passed!"
BUILD = "src/a.c:3:1: error: expected ';' before '}' token\nmake: *** [a.o] Error 1"
FAILED = "FAILED tests/test_dates.py::test_leap - assert 28 == 29\n1 failed, 2 passed in 0.1s"
PASSED = "3 passed in 0.1s"
MORE = "90 passed in 4.1s"


def edit(path: str) -> tuple[Any, ...]:
    arguments = {"file_path": f"/repo/{path}", "old_string": "a", "new_string": "b"}
    return ("Edit", arguments, f"The file /repo/{path} has been updated.")


def write(path: str, text: str = "x") -> tuple[Any, ...]:
    arguments = {"file_path": f"/repo/{path}", "content": text}
    return ("Write", arguments, f"File created successfully at: /repo/{path}")


def read(path: str) -> tuple[Any, ...]:
    return ("Read", {"file_path": f"/repo/{path}"}, "1\tx = 1")


CASES = [
    ("type-errors-fixed", "the same check passes after a change",
     [("npx tsc --noEmit", TYPES, 2), edit("src/a.ts"), ("npx tsc --noEmit",)], [(0, 1, 2)]),
    ("type-errors-fixed", "nothing was changed",
     [("npx tsc --noEmit", TYPES, 2), ("npx tsc --noEmit",)], []),
    ("lint-last", "the linter passes after the last change",
     [edit("src/a.py"), ("ruff check", CLEAN)], [(0, 1)]),
    ("lint-last", "a change comes after it",
     [edit("src/a.py"), ("ruff check", CLEAN), edit("src/b.py")], []),
    ("lint-findings-fixed", "the same linter passes after a change",
     [("ruff check", FINDINGS, 1), edit("src/a.py"), ("ruff check", CLEAN)], [(0, 1, 2)]),
    ("lint-findings-fixed", "the linter is not there",
     [("ruff check", "bash: ruff: command not found", 127), edit("src/a.py"),
      ("ruff check", CLEAN)], []),
    ("build-repaired", "the same build passes after a change",
     [("make", BUILD, 2), edit("src/a.c"), ("make", "cc -o a a.o")], [(0, 1, 2)]),
    ("build-repaired", "the build still fails",
     [("make", BUILD, 2), edit("src/a.c"), ("make", BUILD, 2)], []),
    ("auto-fix", "the fixer, then the linter",
     [("ruff check", FINDINGS, 1), ("ruff check --fix", "Found 1 error (1 fixed)."),
      ("ruff check", CLEAN)], [(0, 1, 2)]),
    ("auto-fix", "an edit by hand",
     [("ruff check", FINDINGS, 1), edit("src/a.py"), ("ruff check", CLEAN)], []),
    ("failure-names-file", "the named file is read and the cause changed",
     [("pytest", FAILED, 1), read("tests/test_dates.py"), edit("src/dates.py"),
      ("pytest", PASSED)], [(0, 1, 2, 3)]),
    ("failure-names-file", "a file that is not named is read",
     [("pytest", FAILED, 1), read("src/money.py"), edit("src/dates.py"), ("pytest", PASSED)], []),
    ("failure-names-file", "nothing was tested",
     [("pytest", "ModuleNotFoundError: No module named 'yaml' in src/dates.py", 1),
      read("src/dates.py"), edit("src/dates.py"), ("pytest", PASSED)], []),
    ("test-first", "a test that fails, a change, and its pass",
     [read("tests/test_dates.py"), edit("tests/test_dates.py"),
      ("pytest tests/test_dates.py", FAILED, 1), edit("src/dates.py"),
      ("pytest tests/test_dates.py", PASSED)], [(1, 2, 3, 4)]),
    ("test-first", "the code was changed before the test ran",
     [read("tests/test_dates.py"), edit("tests/test_dates.py"), edit("src/dates.py"),
      ("pytest tests/test_dates.py", FAILED, 1), edit("src/dates.py"),
      ("pytest tests/test_dates.py", PASSED)], []),
    ("test-first", "another test fails",
     [read("tests/test_dates.py"), edit("tests/test_dates.py"),
      ("pytest tests/test_money.py", FAILED, 1), edit("src/dates.py"),
      ("pytest tests/test_money.py", PASSED)], []),
    ("widen-tests", "one file, then all",
     [edit("src/dates.py"), ("pytest tests/test_dates.py", PASSED), ("pytest", MORE)], [(1, 2)]),
    ("widen-tests", "one file, then another",
     [edit("src/dates.py"), ("pytest tests/test_dates.py", PASSED),
      ("pytest tests/test_money.py", PASSED)], []),
    ("widen-tests", "all were run before the last change",
     [("pytest tests/test_dates.py", PASSED), ("pytest", MORE), edit("src/dates.py")], []),
    ("tests-with-change", "the changed test passes with the changed code",
     [edit("src/dates.py"), read("tests/test_dates.py"), edit("tests/test_dates.py"),
      ("pytest tests/test_dates.py", PASSED)], [(0, 2, 3)]),
    ("tests-with-change", "another test is run",
     [edit("src/dates.py"), read("tests/test_dates.py"), edit("tests/test_dates.py"),
      ("pytest tests/test_money.py", PASSED)], []),
    ("docs-with-change", "the changelog is changed too",
     [edit("src/dates.py"), edit("CHANGELOG.md")], [(0, 1)]),
    ("docs-with-change", "only documents are changed",
     [edit("docs/use.md"), edit("CHANGELOG.md")], []),
    ("run-changed-file", "the script is run",
     [read("tools/report.py"), edit("tools/report.py"), ("python tools/report.py", "3 rows")],
     [(1, 2)]),
    ("run-changed-file", "it is only compiled",
     [read("tools/report.py"), edit("tools/report.py"),
      ("python -m py_compile tools/report.py",)], []),
    ("before-after-output", "the value is another one after the change",
     [write("try.py", "print(1)"), ("python try.py", "344"), edit("src/dates.py"),
      ("python try.py", "345")], [(1, 2, 3)]),
    ("before-after-output", "only the duration differs",
     [write("try.py", "print(1)"), ("python try.py", "344 in 1.20s"), edit("src/dates.py"),
      ("python try.py", "344 in 1.31s")], []),
    ("before-after-output", "the script itself was changed",
     [write("try.py", "print(1)"), ("python try.py", "344"), edit("src/dates.py"),
      edit("try.py"), ("python try.py", "345")], []),
    ("further-cases", "a second script after the first has passed",
     [write("try.py"), ("python try.py", "344"), edit("src/dates.py"), ("python try.py", "345"),
      write("more.py"), ("python more.py", "1\n2")], [(3, 4, 5)]),
    ("further-cases", "the first script still says no",
     [write("try.py"), ("python try.py", "344"), edit("src/dates.py"),
      ("python try.py", "344: failed"), write("more.py"), ("python more.py", "1\n2")], []),
    ("config-parses", "a parser reads the changed file",
     [edit("data/settings.json"), ("jq empty data/settings.json",)], [(0, 1)]),
    ("config-parses", "another file is read",
     [edit("data/settings.json"), ("jq empty data/other.json",)], []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("card", "steps", "found"),
    [pytest.param(card, steps, found, id=f"{card}: {says}") for card, says, steps, found in CASES],
)
def test_a_card_holds_where_it_says_and_only_there(
    card: str, steps: list[Any], found: list[tuple[int, ...]], make_run: Any, hits: Any
) -> None:
    assert hits(card, make_run(*steps)) == [Hit(steps=indexes) for indexes in found]
