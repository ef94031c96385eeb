"""The last lines of test runners, type checkers, linters and builds, and what each says.

A rule has a `needle`, looked for first because that is cheap, and a pattern for one line. How a
matching line is read is given by `says`: a fixed verdict, or `count` where numbers stand in it.
Rules of one `family` belong to one run of one program: their verdicts are taken together.
Every pattern is anchored and without nested repetition, so that reading stays linear.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

Says = Literal["pass", "fail", "nothing-ran", "count"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of summary line.

    `apart` is true where each match is the end of a run of its own. A `weak` line, such as the end
    of a build before the tests start, counts only where no other line does.
    """

    family: str
    needle: str
    pattern: re.Pattern[str]
    says: Says
    apart: bool = False
    weak: bool = False


def _rule(
    family: str, needle: str, pattern: str, says: Says, *, apart: bool = False, weak: bool = False
) -> Rule:
    return Rule(family, needle, re.compile(pattern), says, apart, weak)


RULES: Final[tuple[Rule, ...]] = (
    # pytest, also with -q, where the line has no rule around it
    _rule(
        "pytest",
        " in ",
        r"^(?:=+ )?(?:\d+ (?:passed|failed|errors?|skipped|deselected|x?failed|xpassed|warnings?"
        r"|rerun|subtests passed)(?:, )?)+ in [\d.]+ ?s(?:econds)?\b",
        "count",
        apart=True,
    ),
    _rule("pytest", "no tests ran", r"^(?:=+ )?no tests ran\b", "nothing-ran", apart=True),
    _rule("pytest", "no tests ran", r"^(?:=+ )?\d+ deselected.* no tests ran", "nothing-ran"),
    _rule("pytest", "Interrupted:", r"^!+ Interrupted: \d+ errors? during collection", "fail"),
    _rule("pytest", "INTERNALERROR>", r"^INTERNALERROR> \w", "fail"),
    _rule("sympy", "tests finished:", r"^=* ?tests finished: \d+ passed", "count", apart=True),
    _rule("sympy", "DO *NOT* COMMIT!", r"^DO \*NOT\* COMMIT!", "fail"),
    # unittest, Django, nose: `Ran 0 tests` is read in verdict.py
    _rule("unittest", "OK", r"^OK(?: \([\w =,]+\))?\s*$", "pass", apart=True),
    _rule("unittest", "FAILED (", r"^FAILED \([\w =,]+\)", "fail", apart=True),
    _rule("unittest", "NO TESTS RAN", r"^NO TESTS RAN", "nothing-ran", apart=True),
    # JavaScript and TypeScript
    _rule("jest", "Tests:", r"^Tests:\s+(?:\d+ \w+, )*\d+ total", "count"),
    _rule("jest", "Test Suites:", r"^Test Suites:\s+\d+ failed", "fail"),
    _rule("jest", "No tests found", r"^(?:.{0,12}\s)?No tests found", "nothing-ran"),
    _rule("vitest", "Tests ", r"^\s*Tests\s+(?:\d+ \w+(?: \| )?)+(?:\s*\(\d+\))?", "count"),
    _rule("vitest", "Test Files ", r"^\s*Test Files\s+\d+ failed", "fail"),
    _rule("vitest", "No test files found", r"^\s*No test files found", "nothing-ran"),
    _rule("mocha", " passing", r"^\s*\d+ passing\b", "count"),
    _rule("mocha", " failing", r"^\s*\d+ failing\b", "count"),
    _rule("node", "pass ", r"^(?:# |ℹ )pass \d+", "count"),
    _rule("node", "fail ", r"^(?:# |ℹ )fail \d+", "count"),
    _rule("bun", " pass", r"^\s*\d+ pass\s*$", "count"),
    _rule("bun", " fail", r"^\s*\d+ fail\s*$", "count"),
    _rule("deno", " passed | ", r"^(?:ok|FAILED) \| \d+ passed.* \| \d+ failed", "count"),
    _rule("jasmine", " specs, ", r"^\d+ specs?, \d+ failures?", "count"),
    _rule("karma", "Executed ", r"^.{0,60}Executed \d+ of \d+.*\bFAILED\b", "fail"),
    _rule("karma", "Executed ", r"^.{0,60}Executed \d+ of \d+.*\bSUCCESS\b", "pass"),
    _rule("cypress", "specs ", r"^\s*.? ?All specs passed!", "pass"),
    _rule("ava", " tests ", r"^\s*\d+ tests? (?:passed|failed)\s*$", "count"),
    _rule("playwright", " passed (", r"^\s*\d+ passed \([\d.]+m?s\)", "count"),
    _rule("playwright", " failed", r"^\s{1,4}\d+ failed\s*$", "count"),
    # Go
    _rule("go", "FAIL", r"^(?:--- FAIL: |FAIL\s*$|FAIL\t\S)", "fail"),
    _rule("go", "ok  ", r"^ok\s+\S+\s+(?:[\d.]+s|\(cached\))(?!.*\[no tests to run\])", "pass"),
    _rule("go", "no test", r"^(?:ok|\?)\s+\S+\s+.*\[no tests? (?:files|to run)\]", "nothing-ran"),
    _rule("go", "no packages", r"^no packages to test|^go: warning: .* no packages", "nothing-ran"),
    # Rust
    _rule("cargo", "test result:", r"^test result: \w+\. \d+ passed; \d+ failed", "count"),
    _rule("cargo", "Summary [", r"^\s*Summary \[.*\] \d+ tests? run: \d+ passed", "count"),
    _rule("cargo", "could not compile", r"^error: could not compile", "fail"),
    _rule("cargo", "error[E", r"^error\[E\d{4}\]", "fail"),
    _rule("cargo", "Finished ", r"^\s+Finished [`\w]+ ?.*target\(s\) in", "pass", weak=True),
    # Java, Kotlin, Scala
    _rule("maven", "Tests run:", r"^(?:\[\w+\] )?Tests run: \d+, Failures: \d+", "count"),
    _rule("maven", "No tests to run", r"^(?:\[\w+\] )?No tests to run", "nothing-ran"),
    _rule("maven", "No tests were exec", r"^.{0,40}No tests were executed", "nothing-ran"),
    _rule("maven", "BUILD FAILURE", r"^(?:\[\w+\] )?BUILD FAILURE", "fail"),
    _rule("maven", "BUILD SUCCESS", r"^(?:\[\w+\] )?BUILD SUCCESS\s*$", "pass", weak=True),
    _rule("gradle", "tests completed", r"^\d+ tests? completed(?:, \d+ failed)?", "count"),
    _rule("gradle", "No tests found", r"^.{0,12}No tests found for given includes", "nothing-ran"),
    _rule("gradle", "BUILD FAILED", r"^BUILD FAILED", "fail"),
    _rule("gradle", "BUILD SUCCESSFUL", r"^BUILD SUCCESSFUL", "pass", weak=True),
    _rule("sbt", "Total ", r"^\[\w+\] (?:Passed|Failed): Total \d+", "count"),
    _rule("junit", "tests ", r"^\[\s+\d+ tests (?:successful|failed)\s+\]", "count"),
    # C, C++, build systems
    _rule("ctest", " failed out of", r"^100% tests passed, 0 tests failed out of \d", "pass"),
    _rule("ctest", " failed out of", r"^\d+% tests passed, [1-9]\d* tests failed", "fail"),
    _rule("ctest", "No tests were found", r"^No tests were found!!!", "nothing-ran"),
    _rule("gtest", "  PASSED  ", r"^\[  PASSED  \] \d+ tests?", "count"),
    _rule("gtest", "  FAILED  ", r"^\[  FAILED  \] ", "fail"),
    _rule("catch", "All tests passed (", r"^All tests passed \(\d+ assertion", "pass"),
    _rule("catch", "test cases:", r"^(?:\[doctest\] )?test cases:\s+\d+", "count"),
    _rule("meson", "Fail:", r"^Fail:\s+\d+", "count"),
    _rule("meson", "Ok:", r"^Ok:\s+\d+", "count"),
    _rule("bazel", "Executed ", r"^Executed \d+ out of \d+ tests?: .*\bfails?\b", "fail"),
    _rule("bazel", "Executed ", r"^Executed \d+ out of \d+ tests?: \d+ tests? pass", "pass"),
    _rule("make", ": *** ", r"^\s*g?make(?:\[\d+\])?: \*\*\* ", "fail"),
    _rule("make", "ninja: build stopped", r"^ninja: build stopped", "fail"),
    _rule("cc", "error", r"^collect2: error:|^clang.{0,8}: error: linker", "fail"),
    _rule(
        "cc",
        " error: ",
        r"^\S+\.(?:c|cc|cpp|cxx|h|hpp|m|mm|swift):\d+:\d+: (?:fatal )?error: ",
        "fail",
    ),
    _rule("cmake", "Configuring incomplete", r"^-- Configuring incomplete", "fail"),
    _rule(
        "cmake", "Build files have been", r"^-- Build files have been written to", "pass", weak=True
    ),
    # Ruby, PHP, .NET, Swift, Elixir, Dart and others
    _rule("rspec", " examples, ", r"^\d+ examples?, \d+ failures?", "count"),
    _rule("rspec", " example, ", r"^\d+ examples?, \d+ failures?", "count"),
    _rule("rspec", "outside of examples", r"^.*\berrors? occurred outside of examples", "fail"),
    _rule("minitest", "assertions, ", r"^\d+ (?:runs|tests), \d+ assertions, ", "count"),
    _rule("cucumber", "scenario", r"^\d+ scenarios? \(", "count"),
    _rule("phpunit", "OK (", r"^OK \(\d+ tests?, \d+ assertions?\)", "pass", apart=True),
    _rule("phpunit", "OK, but", r"^OK, but ", "pass", apart=True),
    _rule("phpunit", "Tests: ", r"^Tests: \d+, Assertions: \d+.*(?:Failures|Errors): \d+", "fail"),
    _rule("phpunit", "No tests executed", r"^No tests executed!", "nothing-ran"),
    _rule("pest", "Tests:", r"^\s+Tests:\s+(?:\d+ \w+,? ?)+\(\d+ assertions?\)", "count"),
    _rule("dotnet", "!  - Failed:", r"^(?:Passed|Failed)!\s+- Failed:\s+\d+, Passed:", "count"),
    _rule("dotnet", "Test Run ", r"^Test Run Successful", "pass"),
    _rule("dotnet", "Test Run ", r"^Test Run Failed", "fail"),
    _rule("dotnet", "No test ", r"^No test (?:is available in|matches the given)", "nothing-ran"),
    _rule("dotnet", "Build FAILED", r"^Build FAILED", "fail"),
    _rule("dotnet", "Build succeeded", r"^Build succeeded", "pass", weak=True),
    _rule("swift", "Executed ", r"^\s*Executed \d+ tests?, with \d+ failures?", "count"),
    _rule("swift", "Test run with", r"^.? ?Test run with \d+ tests? passed", "pass"),
    _rule("swift", "Test run with", r"^.? ?Test run with \d+ tests? failed", "fail"),
    _rule(
        "exunit", " failure", r"^(?:\d+ \w+, )*\d+ (?:tests?|properties), \d+ failures?", "count"
    ),
    _rule("bats", " failure", r"^\d+ tests?, \d+ failures?", "count"),
    _rule("busted", " successes / ", r"^\d+ success(?:es)? / \d+ failures?", "count"),
    _rule("dart", "tests ", r"^.{0,40}All tests passed!\s*$", "pass"),
    _rule("dart", "Some tests failed", r"^.{0,40}Some tests failed", "fail"),
    _rule("dart", "No tests ran.", r"^.{0,40}No tests ran\.", "nothing-ran"),
    _rule("tasty", "tests passed (", r"^All \d+ tests passed \(", "pass"),
    _rule("tasty", "tests failed (", r"^\d+ out of \d+ tests failed \(", "fail"),
    _rule("zig", "tests passed.", r"^All \d+ tests passed\.", "pass"),
    _rule("testthat", "[ FAIL ", r"^\[ FAIL \d+ \|", "count"),
    _rule("julia", "tests did not pass", r"^(?:ERROR: .*)?Some tests did not pass", "fail"),
    _rule("prove", "Result: ", r"^Result: PASS\s*$", "pass"),
    _rule("prove", "Result: ", r"^Result: FAIL\s*$", "fail"),
    _rule("prove", "Result: ", r"^Result: NOTESTS", "nothing-ran"),
    # tox and nox
    _rule("tox", "congratulations :)", r"^\s*congratulations :\)", "pass"),
    _rule("tox", "evaluation failed :(", r"^\s*evaluation failed :\(", "fail"),
    _rule("tox", "commands failed", r"^ERROR:\s+\S+: commands failed", "fail"),
    _rule("nox", "nox > Session", r"^nox > Session \S+ was successful", "pass"),
    _rule("nox", "nox > Session", r"^nox > Session \S+ failed", "fail"),
    # Type checkers
    _rule("tsc", "error TS", r"^.{0,300}\berror TS\d{3,5}: ", "fail"),
    _rule("tsc", "Found 0 errors", r"^(?:.{0,16} )?Found 0 errors\.", "pass"),
    _rule("mypy", "Success: no issues", r"^Success: no issues found", "pass"),
    _rule("mypy", "checked ", r"^Found \d+ errors? in \d+ files? \(checked", "fail"),
    _rule("pyright", "0 errors, ", r"^0 errors, \d+ warnings?", "pass"),
    _rule("pyright", " errors, ", r"^[1-9]\d* errors, \d+ warnings?", "fail"),
    _rule("pyright", " error, ", r"^1 error, \d+ warnings?", "fail"),
    # Linters and formatters
    _rule("eslint", " problem", r"^✖ \d+ problems? \([1-9]\d* errors?", "fail"),
    _rule("eslint", " problem", r"^✖ \d+ problems? \(0 errors", "pass"),
    _rule("ruff", "All checks passed", r"^All checks passed!", "pass"),
    _rule("ruff", "Found ", r"^Found [1-9]\d* errors?(?:\.| \()", "fail"),
    _rule("ruff", "already formatted", r"^\d+ files? already formatted", "pass"),
    _rule("black", "would be reformatted", r"^\d+ files? would be reformatted", "fail"),
    _rule("black", "All done!", r"^All done!", "pass", weak=True),
    _rule("flake8", ": ", r"^\S+\.pyi?:\d+:\d+: [A-Z]{1,4}\d{3}\b", "fail"),
    _rule("pylint", ": ", r"^\S+\.py:\d+:\d+: [EF]\d{4}: ", "fail"),
    _rule("prettier", "use Prettier code style", r"^All matched files use Prettier", "pass"),
    _rule("prettier", "Code style issues", r"^(?:\[warn\] )?Code style issues", "fail"),
    _rule("golangci", " issues", r"^0 issues\.", "pass"),
    _rule("golangci", " issues:", r"^[1-9]\d* issues:", "fail"),
    _rule("biome", "Checked ", r"^Checked \d+ files? in .*No fixes applied", "pass", weak=True),
    _rule("vale", " errors, ", r"^✔ 0 errors, ", "pass"),
    _rule("rubocop", "no offenses", r"^\d+ files? inspected, no offenses", "pass"),
    _rule("rubocop", "offense", r"^\d+ files? inspected, [1-9]\d* offenses?", "fail"),
    _rule("phpstan", "[OK] No errors", r"^\s*\[OK\] No errors", "pass"),
    _rule("phpstan", "[ERROR] Found", r"^\s*\[ERROR\] Found \d+ error", "fail"),
    # Web bundlers and package scripts
    _rule("webpack", "compiled ", r"^(?:webpack .*)?\bcompiled successfully", "pass", weak=True),
    _rule("webpack", "compiled with", r"^(?:webpack .*)?\bcompiled with \d+ errors?", "fail"),
    _rule("next", "Compiled successfully", r"^\s*.? ?Compiled successfully", "pass", weak=True),
    _rule("next", "Failed to compile", r"^\s*.? ?Failed to compile", "fail"),
    _rule("sphinx", "build succeeded", r"^build succeeded\b", "pass", weak=True),
    _rule("vite", "built in ", r"^.{0,8}built in [\d.]+m?s", "pass", weak=True),
    _rule("npm", "npm E", r"^npm (?:ERR!|error) (?:code ELIFECYCLE|Test failed|Lifecycle)", "fail"),
    _rule("npm", "ELIFECYCLE", r"^.{0,3}ELIFECYCLE.{0,3} .*(?:failed|exit code)", "fail"),
    _rule("turbo", " total", r"^\s*Tasks:\s+(\d+) successful, \1 total", "pass"),
    _rule("turbo", " total", r"^\s*Tasks:\s+(\d+) successful, (?!\1 )\d+ total", "fail"),
)
"""In the order of ecosystems; order does not decide, the place in the output does."""

FALLBACK: Final[tuple[Rule, ...]] = (
    _rule("each", "FAILED", r"^(?:FAILED|ERROR) \S+(?:::\S+| - )", "fail"),
    _rule("each", "ERROR", r"^ERROR \S+(?:::\S+| - )", "fail"),
    _rule("each", "FAILED", r"^\S+(?:::\S+)+ FAILED\b", "fail"),
    _rule("each", "ERROR", r"^\S+(?:::\S+)+ ERROR\b", "fail"),
    _rule("each", "PASSED", r"^\S+(?:::\S+)+ PASSED\b", "pass"),
    _rule("each", " ... FAIL", r"^\w+ \(\S+\).* \.\.\. FAIL", "fail"),
    _rule("each", " ... ERROR", r"^\w+ \(\S+\).* \.\.\. ERROR", "fail"),
    _rule("each", " ... ok", r"^\w+ \(\S+\).* \.\.\. ok\b", "pass"),
    _rule("each", "not ok ", r"^\s*not ok \d+ ", "fail"),
    _rule("each", "ok ", r"^\s*ok \d+ - ", "pass"),
    _rule("each", " ... FAILED", r"^test \S+ \.\.\. FAILED", "fail"),
    _rule("each", " ... ok", r"^test \S+ \.\.\. ok", "pass"),
    _rule("each", "✗ ", r"^\s*✗ ", "fail"),
    _rule("each", "collected 0 items", r"^collected 0 items\s*$", "nothing-ran"),
    _rule("each", "[no test", r".*\[no tests? (?:files|to run)\]", "nothing-ran"),
)
"""Lines of single tests, read only where the end of the output was cut off or filtered."""
