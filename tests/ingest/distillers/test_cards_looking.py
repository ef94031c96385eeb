"""Cards about searching, reading and reviewing."""

from typing import Any

import pytest

from stepladder.ingest.distillers.rules.card import Hit

GONE = "Error: File does not exist."


def read(path: str, text: str = "1\tx = 1", **more: Any) -> tuple[Any, ...]:
    failure = "environment" if text == GONE else ""
    return ("Read", {"file_path": f"/repo/{path}", **more}, text, failure)


def grep(pattern: str, answer: str, path: str = "") -> tuple[Any, ...]:
    where = {"path": f"/repo/{path}"} if path else {}
    return ("Grep", {"pattern": pattern, **where}, answer)


def glob(pattern: str, answer: str = "No files found") -> tuple[Any, ...]:
    return ("Glob", {"pattern": pattern}, answer)


def edit(path: str) -> tuple[Any, ...]:
    arguments = {"file_path": f"/repo/{path}", "old_string": "a", "new_string": "b"}
    return ("Edit", arguments, f"The file /repo/{path} has been updated.")


def write(path: str) -> tuple[Any, ...]:
    arguments = {"file_path": f"/repo/{path}", "content": "x"}
    return ("Write", arguments, f"File created successfully at: /repo/{path}")


LONG = "def total(rows):\n    return sum(rows)\n" * 3
DIFF = "diff --git a/src/a.py b/src/a.py\n+x = 1\ndiff --git a/src/b.py b/src/b.py\n+y = 2\n"
DOCS = ("WebFetch", {"url": "https://docs.example.org/tool"}, "The flag takes a number. " * 20)
BLOG = ("WebFetch", {"url": "https://blog.example.org/tool"}, "The flag takes a number. " * 20)
JOBS = '{"conclusion": "failure", "jobs": [{"name": "build", "conclusion": "failure"}, {}, {}, {}]}'

CASES = [
    ("guess-path", "a file of the same name is found elsewhere and read",
     [read("src/dates.py", GONE), glob("**/dates.py", "src/time/dates.py"),
      read("src/time/dates.py")], [(0, 1, 2)]),
    ("guess-path", "another file is read after the listing",
     [read("src/dates.py", GONE), glob("**/*.py", "src/money.py"), read("src/money.py")], []),
    ("search-other-words", "a shorter pattern finds it",
     [grep("class ColourTable", "No matches found"),
      grep("ColourTable", "src/t.py:4:ColourTable = make()")], [(0, 1)]),
    ("search-other-words", "the second search is about something else",
     [grep("class ColourTable", "No matches found"), grep("render", "src/t.py:9:render()")], []),
    ("search-other-words", "the second search finds nothing either",
     [grep("class ColourTable", "No matches found"), grep("ColourTable", "No matches found")], []),
    ("search-then-range", "the range holds a line of the search",
     [grep("def total", "120:def total(rows):", "src/a.py"),
      read("src/a.py", LONG, offset=115, limit=40)], [(0, 1)]),
    ("search-then-range", "the whole file is read",
     [grep("def total", "120:def total(rows):", "src/a.py"), read("src/a.py", LONG)], []),
    ("search-then-range", "the range lies elsewhere",
     [grep("def total", "120:def total(rows):", "src/a.py"),
      read("src/a.py", LONG, offset=300, limit=40)], []),
    ("repeat-call", "three equal reads and nothing changed",
     [read("a.py", LONG), read("b.py"), read("a.py", LONG), read("a.py", LONG)], [(0, 2, 3)]),
    ("repeat-call", "a change in between",
     [read("a.py", LONG), read("a.py", LONG), edit("a.py"), read("a.py", LONG)], []),
    ("repeat-call", "a build on a server is waited for",
     [("gh run list --limit 1", LONG), ("gh run list --limit 1", LONG),
      ("gh run list --limit 1", LONG)], []),
    ("guessed-names", "four names in a row are not there",
     [glob("package.json"), glob("README.md"), glob("go.mod"), glob("Makefile"),
      ("ls -la", "total 0")], [(0, 1, 3)]),
    ("guessed-names", "one of them is there",
     [glob("package.json"), glob("README.md"), glob("go.mod", "go.mod"), glob("Makefile")], []),
    ("similar-file-first", "two neighbours are read before the new one is written",
     [read("src/cards/a.ts"), read("src/cards/b.ts"), write("src/cards/c.ts")], [(0, 1, 2)]),
    ("similar-file-first", "the neighbour is of another kind",
     [read("src/cards/a.ts"), read("src/cards/b.css"), write("src/cards/c.ts")], []),
    ("project-guide-first", "the guide is read before the first change",
     [read("CONTRIBUTING.md"), read("src/a.py"), edit("src/a.py")], [(0, 2)]),
    ("project-guide-first", "the guide is what is changed",
     [read("CONTRIBUTING.md"), edit("CONTRIBUTING.md")], []),
    ("file-history", "the log of a file, then its change",
     [("git log --oneline -- src/a.py", "a1 tidy"), edit("src/a.py")], [(0, 1)]),
    ("file-history", "the log of the whole project",
     [("git log --oneline -5", "a1 tidy"), edit("src/a.py")], []),
    ("tests-read-first", "the test of a module is read, then the module changed",
     [read("tests/test_dates.py"), read("src/dates.py"), edit("src/dates.py")], [(0, 2)]),
    ("tests-read-first", "the module had been changed before",
     [edit("src/dates.py"), read("tests/test_dates.py"), edit("src/dates.py")], []),
    ("tests-read-first", "the test belongs to another module",
     [read("tests/test_money.py"), edit("src/dates.py")], []),
    ("search-until-gone", "the old name is gone after the change",
     [grep("old_name", "src/a.py:1:old_name()"), edit("src/a.py"),
      grep("old_name", "No matches found")], [(0, 1, 2)]),
    ("search-until-gone", "the search was empty before",
     [grep("old_name", "No matches found"), edit("src/a.py"),
      grep("old_name", "No matches found")], []),
    ("docs-page", "a page of documentation", [DOCS, edit("src/a.py")], [(0,)]),
    ("docs-page", "a page that is none", [BLOG, edit("src/a.py")], []),
    ("ci-log-first", "the jobs of a run before the change",
     [("gh run view 17 --json jobs", JOBS), edit("src/a.py")], [(0, 1)]),
    ("ci-log-first", "the list of runs tells no job",
     [("gh run list", JOBS), edit("src/a.py")], []),
    ("review-whole-files", "two files of the diff are read",
     [("git diff main...work", DIFF), read("src/a.py"), read("src/b.py")], [(0, 1, 2)]),
    ("review-whole-files", "the files read are not in the diff",
     [("git diff main...work", DIFF), read("src/c.py"), read("src/d.py")], []),
    ("review-right-version", "a file at the branch under review",
     [("git diff --name-only main...work", "src/a.py\n" * 9), ("git show work:src/a.py", LONG)],
     [(0, 1)]),
    ("review-right-version", "the file as it stands",
     [("git diff --name-only main...work", "src/a.py\n" * 9), read("src/a.py", LONG)], []),
    ("review-runs-check", "the tests are run",
     [("git diff", DIFF), read("src/a.py"), ("pytest", "3 passed in 0.1s")], [(0, 2)]),
    ("review-runs-check", "the runner is missing",
     [("git diff", DIFF), ("pytest", "bash: pytest: command not found", 127)], []),
    ("diff-shows-own-files", "the script in the diff is removed",
     [write("try.py"), ("git diff HEAD", "diff --git a/try.py b/try.py\n+x"), ("rm try.py",)],
     [(1, 2)]),
    ("diff-shows-own-files", "it was removed before the diff",
     [write("try.py"), ("rm try.py",), ("git diff HEAD", DIFF)], []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("card", "steps", "found"),
    [pytest.param(card, steps, found, id=f"{card}: {says}") for card, says, steps, found in CASES],
)
def test_a_card_holds_where_it_says_and_only_there(
    card: str, steps: list[Any], found: list[tuple[int, ...]], make_run: Any, hits: Any
) -> None:
    assert hits(card, make_run(*steps)) == [Hit(steps=indexes) for indexes in found]


ISSUE = "Look at https://github.com/acme/api/issues/12, please."


def test_a_named_issue_that_is_read_before_a_change_is_a_hit(make_run: Any, hits: Any) -> None:
    run = make_run(("ls", "src"), ("gh issue view 12", "Dates are wrong"), edit("a.py"), task=ISSUE)
    assert hits("issue-text-first", run) == [Hit(steps=(1,))]


@pytest.mark.parametrize(
    ("steps", "task"),
    [
        ([edit("a.py"), ("gh issue view 12", "Dates are wrong")], ISSUE),
        ([("gh issue view 12", "Dates are wrong")], "Dates are wrong."),
    ],
    ids=["the change comes first", "no issue was named"],
)
def test_an_issue_is_no_hit_else(steps: list[Any], task: str, make_run: Any, hits: Any) -> None:
    assert hits("issue-text-first", make_run(*steps, task=task)) == []
