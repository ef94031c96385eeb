"""What runners, type checkers, linters and builds say at their end, and what scripts print."""

import pytest

from stepladder.ingest.steps.verdict import failing_line, printed_verdict, read_verdict

SAYS = {
    "pass": [
        "=== 3 passed, 1 warning in 0.12s ===",
        "3 passed in 0.12 seconds",
        "====== 2 passed, 4 deselected in 1.02s (0:00:01) ======",
        "== 1 xfailed in 0.10s ==",
        "=== tests finished: 8 passed, 1 expected to fail, in 3.2 seconds ===",
        "Ran 3 tests in 0.1s\n\nOK",
        "Ran 3 tests in 0.1s\n\nOK (skipped=1)\nDestroying test database for alias 'default'...",
        "Tests:       5 passed, 5 total",
        " Test Files  1 passed (1)\n      Tests  5 passed (5)",
        "  5 passing (20ms)\n  1 pending",
        "# tests 5\n# pass 5\n# fail 0",
        " 5 pass\n 0 fail",
        "ok | 5 passed | 0 failed (12ms)",
        "ok  \tgithub.com/a/b\t0.1s\n?   \tgithub.com/a/c\t[no test files]",
        "ok  \tgithub.com/a/b\t(cached)",
        "test result: ok. 5 passed; 0 failed; 0 ignored\ntest result: ok. 0 passed; 0 failed;",
        "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS",
        "BUILD SUCCESSFUL in 5s",
        "100% tests passed, 0 tests failed out of 5",
        "[  PASSED  ] 5 tests.",
        "All tests passed (5 assertions in 2 test cases)",
        "5 examples, 0 failures, 1 pending",
        "5 runs, 5 assertions, 0 failures, 0 errors, 0 skips",
        "OK (5 tests, 10 assertions)",
        "Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5",
        "Executed 5 tests, with 0 failures (0 unexpected) in 0.1 seconds",
        "1 doctest, 5 tests, 0 failures",
        "[ FAIL 0 | WARN 0 | SKIP 0 | PASS 5 ]",
        "  congratulations :)",
        "Found 0 errors. Watching for file changes.",
        "Success: no issues found in 5 source files",
        "0 errors, 2 warnings, 0 informations",
        "✖ 3 problems (0 errors, 3 warnings)",
        "All checks passed!",
        "5 files inspected, no offenses detected",
        "Checked 286 files in 93ms. No fixes applied.",
        "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.5s",
        "build succeeded, 1 warning.",
        "tests/a.py::t PASSED  [100%]",
    ],
    "fail": [
        "===== 1 failed, 2 passed in 0.12s =====",
        "==== 1 error in 0.3s ====",
        "==== 110 passed, 2 skipped, 4 errors in 6.52s ====",
        "=== tests finished: 3 passed, 1 failed, in 0.5 seconds ===\nDO *NOT* COMMIT!",
        " tests finished: 105 passed, 9 exceptions, in 0.71 seconds =",
        "Ran 3 tests in 0.1s\n\nFAILED (failures=1)\nDestroying test database",
        "Tests:       1 failed, 5 passed, 6 total",
        "Test Suites: 1 failed, 1 passed, 2 total\nTests:       5 passed, 5 total",
        " Test Files  1 failed (1)\n      Tests  1 failed | 5 passed (6)",
        "  5 passing (20ms)\n  1 failing",
        "ℹ pass 4\nℹ fail 1",
        "FAILED | 3 passed | 1 failed (5ms)",
        "--- FAIL: TestX (0.0s)\nFAIL\nFAIL\tpkg\t0.1s\nok  \tother\t0.1s",
        "FAIL\tpkg [build failed]",
        "test result: FAILED. 5 passed; 1 failed; 0 ignored",
        "error[E0308]: mismatched types\nerror: could not compile `x`",
        "[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE",
        "5 tests completed, 1 failed\n\nBUILD FAILED in 3s",
        "80% tests passed, 1 tests failed out of 5",
        "[  PASSED  ] 4 tests.\n[  FAILED  ] 1 test, listed below:",
        "test cases: 2 | 1 passed | 1 failed",
        "5 examples, 1 failure",
        "5 runs, 5 assertions, 1 failures, 0 errors, 0 skips",
        "3 scenarios (1 failed, 2 passed)",
        "FAILURES!\nTests: 5, Assertions: 9, Failures: 1.",
        "  Tests:    1 failed, 5 passed (10 assertions)",
        "Failed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5",
        "[ FAIL 2 | WARN 0 | SKIP 0 | PASS 5 ]",
        "ERROR:   py39: commands failed",
        "src/a.ts(3,5): error TS2322: Type 'string' is not assignable",
        "Found 3 errors in 1 file (checked 5 source files)",
        "3 errors, 0 warnings",
        "✖ 3 problems (3 errors, 0 warnings)",
        "a.py:3:1: F401 'os' imported but unused",
        "Found 3 errors.",
        "2 issues:\n* dupl: 2",
        "make: *** [Makefile:3: test] Error 1",
        "a/b.c:3:4: error: expected ';'",
        "npm ERR! code ELIFECYCLE",
        " Tasks:    3 successful, 4 total",
        "FAILED tests/a.py::t - AssertionError",
    ],
    "nothing-ran": [
        "===== no tests ran in 0.01s =====",
        "==== 5 deselected in 0.02s ====",
        "=== 1 skipped in 0.1s ===",
        "== tests finished: 0 passed, in 0.00 seconds ==",
        "Ran 0 tests in 0.0s\n\nOK",
        "Ran 2 tests in 0.0s\n\nOK (skipped=2)",
        "Ran 0 tests in 0.000s\n\nNO TESTS RAN",
        "No tests found, exiting with code 1",
        "No test files found, exiting with code 1",
        "  0 passing (1ms)",
        "ok  \tgithub.com/a/b\t0.1s [no tests to run]",
        "?   \tpkg\t[no test files]",
        "    Finished test target(s) in 0.5s\ntest result: ok. 0 passed; 0 failed; 3 filtered out",
        "[INFO] No tests to run.\n[INFO] BUILD SUCCESS",
        "No tests were found!!!",
        "[  PASSED  ] 0 tests.",
        "0 examples, 0 failures",
        "No tests executed!",
        "collected 0 items",
    ],
    "": [
        "",
        "hello",
        "3 files changed, 2 insertions(+)",
        "FAIL: the list is not sorted",
        "foo.py:1:0: C0104: Disallowed name",
        "Result: TIMEOUT",
    ],
}


@pytest.mark.parametrize(
    ("text", "verdict"), [(text, verdict) for verdict, texts in SAYS.items() for text in texts]
)
def test_the_end_of_an_output_gives_the_verdict(text: str, verdict: str) -> None:
    assert read_verdict(text) == verdict


def test_a_run_inside_a_test_does_not_count_but_several_runs_of_a_line_do() -> None:
    text = "=== 1 failed in 0.01s ===\nmore\n=== 2 passed in 0.50s ==="
    assert [read_verdict(text), read_verdict(text, runs=2)] == ["pass", "fail"]


def test_single_tests_decide_only_where_a_runner_was_asked() -> None:
    text = "✗ first\nok 2 - second"
    assert [read_verdict(text), read_verdict(text, singles=False)] == ["fail", ""]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Result: (1)\nFAILURE: Result does not match expected.", "fail"),
        ("FAIL: bar.py was ignored but should not be", "fail"),
        ("ISSUE REPRODUCED: the factor is gone", "fail"),
        ("Bug reproduced: attributes are lost", "fail"),
        ("❌ first\n✅ second", "fail"),
        ("Test 1: FAILED\nTest 2: PASSED", "fail"),
        ("SUCCESS: order is kept", "pass"),
        ("All tests passed!", "pass"),
        ("Bug reproduced: False\nPASS", "pass"),
        ("The issue is not reproduced", ""),
        ("0 failed", ""),
        ("value: 3", ""),
    ],
)
def test_words_of_a_script_give_its_verdict(text: str, verdict: str) -> None:
    assert printed_verdict(text) == verdict


def test_the_line_that_says_a_script_failed_is_the_last_one() -> None:
    assert failing_line("FAIL: one\n  FAIL: two\nPASS: three") == "FAIL: two"


def test_long_outputs_are_read_to_their_end() -> None:
    texts = ["1 passed, " * 12_000, "\n" * 120_000, "Tests  1 a1 " * 10_000, "FAILED " * 17_000]
    for text in texts:
        read_verdict(text)
        printed_verdict(text)
