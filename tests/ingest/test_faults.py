"""The class of an error, and its message made comparable."""

import pytest

from stepladder.ingest.record import Fault
from stepladder.ingest.steps.error_classes import ASSERTION_LIKE, EXCEPTIONS, SETUP, SPECIFIC
from stepladder.ingest.steps.faults import find_fault, normalised, refusal

TRACEBACK = (
    'Traceback (most recent call last):\n  File "/repo/a.py", line 3, in <module>\n    f()\n'
)

FAULTS = [
    ("bash: line 3: pytest: command not found", "command-not-found", "<name>: command not found"),
    ("/bin/sh: 1: foo: not found", "command-not-found", "<name>: command not found"),
    ("zsh: command not found: rg", "command-not-found", "command not found: rg"),
    ("env: 'node': No such file or directory", "command-not-found", None),
    ("error: target shim binary not found", "command-not-found", None),
    (
        "/usr/bin/python3.9: No module named pytest",
        "no-such-module",
        "<path>: No module named <name>",
    ),
    (
        TRACEBACK + "ModuleNotFoundError: No module named 'a.b'",
        "no-such-module",
        "ModuleNotFoundError: No module named <name>",
    ),
    (
        "Error: Cannot find module 'x'\nRequire stack:\n- /a/b.js",
        "no-such-module",
        "Error: Cannot find module <name>",
    ),
    (
        "src/a.test.ts(6,33): error TS2307: Cannot find module '@x/y' or its type declarations.",
        "no-such-module",
        None,
    ),
    (TRACEBACK + "ImportError: cannot import name 'f' from 'm' (/r/m.py)", "import-error", None),
    ("cat: a/b.py: No such file or directory", "no-such-file", None),
    ("ls: cannot access 'x': No such file or directory", "no-such-file", None),
    ("(eval):1: no matches found: src/*.foo", "no-such-file", None),
    ("/bin/sh: 1: cd: can't cd to /repo/build", "no-such-file", None),
    ("Error: File not found: /repo/a.ts", "no-such-file", None),
    (
        "python: can't open file '/repo/x.py': [Errno 2] No such file or directory",
        "script-not-there",
        "python: can't open file <path>: [Errno <n>] No such file or directory",
    ),
    ("mkdir: cannot create directory 'x': Permission denied", "permission-denied", None),
    ("rm: cannot remove 'x': Is a directory", "is-a-folder", None),
    (
        TRACEBACK + "django.db.utils.OperationalError: no such table: __main___user",
        "db-schema",
        "OperationalError: no such table: <name>",
    ),
    (
        TRACEBACK + "django.core.exceptions.ImproperlyConfigured: Requested setting A, but "
        "settings are not configured.",
        "settings-not-configured",
        None,
    ),
    (TRACEBACK + "AppRegistryNotReady: Apps aren't loaded yet.", "apps-not-loaded", None),
    (
        TRACEBACK + "UnicodeEncodeError: 'ascii' codec can't encode character",
        "encoding-error",
        None,
    ),
    ("  File 'a.py', line 2\nIndentationError: unexpected indent", "indentation-error", None),
    ("  File 'a.py', line 2\n    x = (\nSyntaxError: invalid syntax", "syntax-error", None),
    (
        "sed: -e expression #1, char 3: unknown command: `\"'",
        "sed-expression",
        "sed: -e expression #<n>, char <n>: unknown command: <name>",
    ),
    ("grep: Unmatched [, [^, [:, [., or [=", "pattern-error", None),
    ("bash: -c: line 1: unexpected EOF while looking for matching `\"'", "shell-syntax", None),
    ("a.py: error: unrecognized arguments: --foo", "usage-error", None),
    ("error: unknown option `dry-run'\nusage: git gc [<options>]", "usage-error", None),
    ("error: unrecognized subcommand 'bun'", "unknown-target", None),
    ('npm ERR! Missing script: "test:unit"', "unknown-target", "npm ERR! Missing script: <name>"),
    ("make: *** No rule to make target 'x'.  Stop.", "unknown-target", None),
    ("ERROR: file or directory not found: tests/x.py", "test-not-found", None),
    ("error: pathspec 'foo' did not match any file(s) known to git", "pathspec", None),
    ("error: failed to push some refs to 'https://a.b/c.git'", "push-rejected", None),
    ("fatal: not a git repository (or any of the parent directories)", "not-a-repository", None),
    ("Hunk #1 FAILED at 145.\n1 out of 3 hunks FAILED -- saving rejects", "patch-failed", None),
    ("curl: (6) Could not resolve host: foo.bar", "network", None),
    ("Request failed with status code 403", "http-error", "Request failed with status code <n>"),
    ("ERROR: No matching distribution found for x==9", "package-not-found", None),
    ("OSError: [Errno 98] Address already in use", "address-in-use", None),
    ("src/a.ts(3,5): error TS2322: Type 'a' is not assignable to type 'b'.", "type-check", None),
    ("error[E0308]: mismatched types", "compile-error", None),
    ("thread 'main' panicked at src/main.rs:3:5:\nboom", "panic", None),
    ("E       assert 1 == 2", "assertion", "assert <n> == <n>"),
    (TRACEBACK + "AssertionError", "assertion", "AssertionError"),
    (
        TRACEBACK + "AttributeError: 'Bbox' object has no attribute 'x_y'",
        "attribute-error",
        "AttributeError: <name> object has no attribute <name>",
    ),
    (
        "TypeError: Cannot read properties of undefined (reading 'x')\n    at foo (a.js:3:4)",
        "type-error",
        "TypeError: Cannot read properties of undefined (reading <name>)",
    ),
    ("[TypeError: generate is not a function]", "type-error", None),
    ("a.rb:3:in `f': undefined method `x' for nil (NoMethodError)", "attribute-error", None),
    (
        'Exception in thread "main" java.lang.NullPointerException: x',
        "attribute-error",
        "NullPointerException: x",
    ),
    (TRACEBACK + "pkg.OwnError: 17 things", "exception", "OwnError: <n> things"),
]


@pytest.mark.parametrize(("text", "error_class", "signature"), FAULTS)
def test_an_output_gives_class_and_signature(
    text: str, error_class: str, signature: str | None
) -> None:
    fault = find_fault(text, exit_code=1)
    assert fault is not None
    assert fault.error_class == error_class
    assert signature is None or fault.signature == signature


def test_the_last_exception_of_a_chain_is_the_reason() -> None:
    text = TRACEBACK + "KeyError: 'a'\n\nDuring handling of the above exception:\n\n" + TRACEBACK
    assert find_fault(text + "ValueError: no a") == Fault(
        error_class="value-error", signature="ValueError: no a", message="ValueError: no a"
    )


def test_the_line_that_names_the_program_comes_before_an_exception() -> None:
    text = "ValueError: x\nsed: can't read a.py: No such file or directory"
    fault = find_fault(text, program="sed", exit_code=2)
    assert fault == Fault(
        error_class="no-such-file",
        signature="sed: can't read <path>: No such file or directory",
        message="sed: can't read a.py: No such file or directory",
    )


def test_errors_that_tests_print_on_purpose_are_not_why_they_failed() -> None:
    text = "cat: x: No such file or directory\nFAILED tests/a.py::test_b\n=== 1 failed in 1s ==="
    assert find_fault(text, program="pytest", exit_code=1, tests_failed=True) == Fault(
        error_class="test-failure",
        signature="FAILED <path>::<name>",
        message="FAILED tests/a.py::test_b",
    )


def test_an_exception_whole_is_preferred_to_the_cut_one_of_the_summary() -> None:
    text = (
        "E       ValueError: setup of the case failed\n"
        "FAILED t.py::A::test_one - ValueError: setup of th...\n=== 1 failed in 0.04s ==="
    )
    fault = find_fault(text, program="pytest", exit_code=1, tests_failed=True)
    assert fault is not None
    assert fault.signature == "ValueError: setup of the case failed"


def test_a_notebook_traceback_ends_at_the_margin() -> None:
    text = (
        "----\nNameError              Traceback (most recent call last)\n"
        "Cell In[2], line 4\n----> 4 f(x)\n\nNameError: name 'x' is not defined"
    )
    fault = find_fault(text)
    assert fault is not None
    assert fault.signature == "NameError: name <name> is not defined"


def test_the_exit_code_is_the_last_resort() -> None:
    codes = {124: "timeout", 127: "command-not-found", 137: "killed", 139: "crash", 3: "other"}
    found = {code: find_fault("", exit_code=code) for code in codes}
    assert {code: f.error_class for code, f in found.items() if f} == codes
    assert find_fault("") is None


@pytest.mark.parametrize(
    ("text", "error_class"),
    [
        ("File has not been read yet. Read it first before writing to it.", "edit-unread"),
        ("String to replace not found in file.\nString: foo", "edit-not-found"),
        ("ERROR:\nNo replacement was performed, old_str `x` did not appear", "edit-not-found"),
        ("No replacement was performed. Multiple occurrences of old_str", "edit-not-unique"),
        ("Found 2 matches of the string to replace, but replace_all is false", "edit-not-unique"),
        ("No changes to make: old_string and new_string are exactly the same.", "edit-no-change"),
        ("File has been modified since read, either by the user or a linter.", "edit-changed"),
        ("ERROR:\nParameter `old_str` is required for command: str_replace.", "invalid-arguments"),
        ("ERROR:\nInvalid `view_range`: [0, 40]. It's first element", "invalid-arguments"),
        ("InputValidationError: Task failed due to the following issue:", "invalid-arguments"),
        ("Your proposed edit has introduced new syntax error(s).", "edit-breaks-syntax"),
        ("apply_patch verification failed: Failed to find expected lines", "edit-not-found"),
        ("EISDIR: illegal operation on a directory, read", "is-a-folder"),
        ("Something odd happened here", "other"),
    ],
)
def test_a_tool_that_refuses_gives_its_reason_at_the_top(text: str, error_class: str) -> None:
    fault = refusal(text + "\nshown" * 20 + "\nIndentationError: in what is shown")
    assert fault is not None
    assert fault.error_class == error_class


@pytest.mark.parametrize(
    ("message", "signature"),
    [
        ("failed at /home/x/a.py:17 in 0.5 s", "failed at <path> in <n> s"),
        ("object abc1234def at 0x7f3a", "object <hash> at <hash>"),
        ("GET https://a.b/c?d=1 gave 500", "GET <url> gave <n>"),
        ("my_var and otherVar differ", "<name> and <name> differ"),
        ("it doesn't work, isn't it", "it doesn't work, isn't it"),
        ("bash: line 12: x: command not found", "<name>: command not found"),
    ],
)
def test_paths_numbers_names_and_hashes_are_replaced(message: str, signature: str) -> None:
    assert normalised(message) == signature


def test_every_class_belongs_to_a_rule_and_no_class_is_both_set_up_and_assertion() -> None:
    named = {rule.error_class for rule in SPECIFIC} | set(EXCEPTIONS.values())
    made = {"no-tests", "rejected", "not-permitted", "test-failure", "reported-by-script"}
    assert (SETUP | ASSERTION_LIKE) - named - made == set()
    assert not SETUP & ASSERTION_LIKE


def test_each_needle_is_part_of_what_its_pattern_matches() -> None:
    assert [r for r in SPECIFIC if not r.needle] == []


def test_messages_of_any_shape_are_read_to_their_end() -> None:
    shapes = ["'", '"', "a/", "a.", "a_", "aB", "1 ", "1,", "'a/", "`", "E   ", "x: ", "<", " "]
    for shape in shapes:
        text = shape * (200_000 // len(shape))
        normalised(text)
        find_fault(text, exit_code=1)
        find_fault((text[:999] + "\n") * 200, exit_code=1)
