"""Cards about checks: what shows a fault, what proves a change, and what proves nothing."""

from typing import Any

import pytest

from stepladder.ingest.distillers.rules.card import Hit
from stepladder.ingest.trajectory import Turn

FIX = ("sed -i 's/<=/</' src/paging.py",)
FIX_AGAIN = ("sed -i 's/start/first/' src/paging.py",)
WRITE = ("cat > repro.py <<'EOF'\nfrom src.paging import page\nassert page(4) is None\nEOF",)
TRACEBACK = "Traceback (most recent call last):\n"
FAULT = ("python repro.py", f'{TRACEBACK}  File "/repo/src/paging.py", line 3\nAssertionError', 1)
GOOD = ("python repro.py", "ok")
RED = ("pytest tests/test_paging.py", "FAILED tests/test_paging.py::test_last\n"
       "1 failed, 3 passed in 0.10s", 1)  # fmt: skip
GREEN = ("pytest tests/test_paging.py", "4 passed in 0.10s")
DIFF = ("git diff", "--- a/src/paging.py\n+++ b/src/paging.py\n@@ -1 +1 @@\n-a <= b\n+a < b")
SUBMIT = ("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",)
SAME = ("bin/check", "FAIL split(100, 3) gives 99\n1 failed, 2 passed", 1)
ONE_ACTION = Turn(
    role="environment", text="Please always provide EXACTLY ONE action, found 2 actions."
)
REFUSED = Turn(role="agent", text="```ls```\n```cat a```", rejected=True)

CASES = [
    ("existing-tests", "a test of the project passes after the change", [FIX, GREEN], [(0, 1)]),
    ("existing-tests", "it ran before the change only", [GREEN, FIX], []),
    ("existing-tests", "it is the agent's own test file",
     [("cat > tests/test_new.py <<'EOF'\ndef test(): pass\nEOF",), FIX,
      ("pytest tests/test_new.py", "1 passed in 0.10s")], []),
    ("existing-tests", "it is named by a label of the agent's own test",
     [("cat > tests/queries/test_new.py <<'EOF'\npass\nEOF",), FIX,
      ("tests/runtests.py queries.test_new", "Ran 1 test in 0.1s\n\nOK")], []),
    ("existing-tests", "no test was selected",
     [FIX, ("pytest -k nothing", "5 deselected in 0.10s", 5)], []),
    ("repro-first", "the script fails before and passes after",
     [WRITE, FAULT, FIX, GOOD], [(1, 2, 3)]),
    ("repro-first", "it failed for its set-up only",
     [WRITE, ("python repro.py", "ModuleNotFoundError: No module named 'src'", 1), FIX, GOOD], []),
    ("repro-first", "it is never run again", [WRITE, FAULT, FIX, GREEN], []),
    ("repro-own-bug", "the script is repaired before the code is changed",
     [WRITE, ("python repro.py", 'Traceback (most recent call last):\n  File "/repo/repro.py", '
              "line 2, in <module>\nNameError: name 'page' is not defined", 1),
      ("sed -i 's/page(4)/paging.page(4)/' repro.py",), FAULT, FIX], [(1, 2, 3)]),
    ("repro-own-bug", "the error was raised in the project",
     [WRITE, ("python repro.py", 'Traceback (most recent call last):\n  File "/repo/src/paging.py"'
              ", line 2, in page\nNameError: name 'rows' is not defined", 1),
      ("sed -i 's/4/5/' repro.py",), GOOD, FIX], []),
    ("own-check-only", "nothing but the own script passed", [WRITE, FIX, GOOD, SUBMIT], [(1, 2)]),
    ("own-check-only", "a test of the project ran too", [WRITE, FIX, GOOD, GREEN, SUBMIT], []),
    ("own-check-only", "only a document was changed",
     [WRITE, ("sed -i 's/a/b/' README.md",), GOOD, SUBMIT], []),
    ("baseline-first", "the same tests before and after", [GREEN, FIX, GREEN], [(0, 2)]),
    ("baseline-first", "other tests after", [GREEN, FIX, ("pytest tests/test_other.py",
                                                         "2 passed in 0.10s")], []),
    ("baseline-compare", "the change is set aside, tested without, and brought back",
     [FIX, RED, ("git stash",), RED, ("git stash pop",)], [(1, 2, 3)]),
    ("baseline-compare", "the change is undone and another test runs",
     [FIX, RED, ("git checkout src/paging.py",), ("pytest tests/test_other.py",
                                                  "2 passed in 0.10s"), FIX], []),
    ("check-can-fail", "the check fails without the change",
     [WRITE, FIX, GOOD, ("git stash",), FAULT, ("git stash pop",)], [(2, 3, 4)]),
    ("check-can-fail", "it passes both ways", [WRITE, FIX, GOOD, ("git stash",), GOOD], []),
    ("check-until-pass", "it passes after the second change",
     [FIX, RED, FIX_AGAIN, GREEN], [(0, 1, 2, 3)]),
    ("check-until-pass", "a narrower selection passes",
     [FIX, RED, FIX_AGAIN, ("pytest tests/test_paging.py::test_first", "1 passed in 0.1s")], []),
    ("check-until-pass", "the first edit only printed something",
     [("sed -i '3i print(\"DEBUG\", x)' src/paging.py",), RED, FIX, GREEN], []),
    ("broken-test-reworked", "the test is read and the code changed again",
     [FIX, RED, ("sed -n '1,20p' tests/test_paging.py", "def test_last():"), FIX_AGAIN, GREEN],
     [(1, 2, 3, 4)]),
    ("broken-test-reworked", "the test is changed instead",
     [FIX, RED, ("sed -n '1,20p' tests/test_paging.py", "def test_last():"),
      ("sed -i 's/1/2/' tests/test_paging.py",), GREEN], []),
    ("fix-no-effect", "the same output after two changes",
     [SAME, FIX, SAME, FIX_AGAIN, SAME], [(0, 2, 4)]),
    ("fix-no-effect", "the output moved",
     [SAME, FIX, ("bin/check", "FAIL split(1, 2) gives 0\n1 failed, 2 passed", 1), FIX_AGAIN,
      SAME], []),
    ("fix-no-effect", "nothing was changed in between", [SAME, FIX, SAME, SAME, SAME], []),
    ("fail-loop", "the same failure three times",
     [("make", "make: *** No rule to make target 'all'.  Stop.", 2)] * 3, [(0, 1, 2)]),
    ("fail-loop", "something was changed in between",
     [("make", "make: *** No rule to make target 'all'.  Stop.", 2), FIX,
      ("make", "make: *** No rule to make target 'all'.  Stop.", 2)] * 2, []),
    ("no-tests-ran", "and a corrected run follows",
     [("pytest tests -k pagin", "collected 0 items\n\nno tests ran in 0.01s", 5), GREEN],
     [(0, 1)]),
    ("no-tests-ran", "and is taken for a pass", [("bin/test checks/a.py", "no tests ran")], [(0,)]),
    ("no-tests-ran", "the agent's own tests skip themselves",
     [("cat > check_skip.py <<'EOF'\nimport unittest\nEOF",),
      ("python check_skip.py", "Ran 2 tests in 0.000s\n\nOK (skipped=2)")], []),
    ("submit-failing", "the last check failed", [FIX, RED, SUBMIT], [(0, 1)]),
    ("submit-failing", "the failure was a comparison without the change",
     [FIX, ("git stash",), RED, SUBMIT], []),
    ("submit-failing", "a later check passed", [FIX, RED, GREEN, SUBMIT], []),
    ("diff-read", "the diff of the changed file is shown", [FIX, DIFF, SUBMIT], [(0, 1)]),
    ("diff-read", "the diff of another file is shown",
     [FIX, ("git diff setup.py", "+++ b/setup.py\n@@ -1 +1 @@\n-a\n+b"), SUBMIT], []),
    ("cleanup", "the script goes, then the diff is read",
     [WRITE, FIX, ("rm repro.py",), DIFF, SUBMIT], [(2, 3)]),
    ("cleanup", "nothing is looked at after", [WRITE, FIX, DIFF, ("rm repro.py",), SUBMIT], []),
    ("leftover", "the script is still there", [WRITE, FIX, SUBMIT], [(0, 2)]),
    ("leftover", "it was removed by a wildcard", [WRITE, FIX, ("rm -f repro*.py",), SUBMIT], []),
    ("leftover", "it lies outside the project",
     [("cat > /tmp/repro.py <<'EOF'\npass\nEOF",), FIX, SUBMIT], []),
    ("one-action", "one action after a refusal", [REFUSED, ONE_ACTION, ("ls", "a")], [(0,)]),
    ("one-action", "the reply was refused for its form",
     [REFUSED, Turn(role="environment", text="Missing required field: analysis"), ("ls", "a")],
     []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "steps", "expected"),
    [(name, steps, expected) for name, _, steps, expected in CASES],
    ids=[f"{name}: {what}" for name, what, _, _ in CASES],
)
def test_the_card_fires_on_exactly_these_steps(
    make_run: Any, hits: Any, name: str, steps: list[Any], expected: list[tuple[int, ...]]
) -> None:
    assert hits(name, make_run(*steps)) == [Hit(steps=found) for found in expected]


def test_a_run_of_which_the_agent_did_not_end_is_not_handed_over(make_run: Any, hits: Any) -> None:
    assert hits("submit-failing", make_run(FIX, RED)) == []
    assert hits("submit-failing", make_run(FIX, RED, end="I could not find the cause.")) == [
        Hit(steps=(0, 1))
    ]


def test_a_script_without_exit_code_is_judged_by_its_words(make_run: Any, hits: Any) -> None:
    check = ("bin/check", "FAIL split(100, 3) gives 99", None)
    run = make_run(check, FIX, check, FIX_AGAIN, check, end="I give up.")
    assert hits("fix-no-effect", run) == [Hit(steps=(0, 2, 4))]
    assert hits("submit-failing", run) == [Hit(steps=(3, 4))]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([("printf 'Hi' > hello.txt",), ("cat hello.txt", "Hi")], [(0, 1)]),
        ([("printf 'Hi' > hello.txt",), ("cat other.txt", "Hi")], []),
        ([("printf 'Hi' > notes.txt",), ("cat notes.txt", "Hi")], []),
        (
            [("printf 'Hi' > hello.txt",), ("cat hello.txt", "Hi"), ("printf 'X' > hello.txt",)],
            [],
        ),
    ],
    ids=["shown", "another file", "not asked for", "changed again"],
)
def test_a_file_that_was_asked_for_is_shown_at_the_end(
    make_run: Any, hits: Any, steps: list[Any], expected: list[tuple[int, ...]]
) -> None:
    run = make_run(*steps, task="Create a file called hello.txt with the content Hi.")
    assert hits("asked-file-read-back", run) == [Hit(steps=found) for found in expected]
