"""Why a step failed: the class of its error, and the message made comparable between runs."""

import re
from typing import Final

from ..record import Fault
from .error_classes import EXCEPTIONS, SPECIFIC, ErrorRule

_HEAD_LINES: Final = 12
_LINE_CHARS: Final = 1_000
_MESSAGE_CHARS: Final = 400
_SIGNATURE_CHARS: Final = 160
_LINES: Final = 600
"""Lines looked at from the end; the reason stands there. Chosen by us."""

_FRAME = re.compile(r"\[Python [Ii]nterpreter: [^\]]{0,300}\]\s*$")
_TRACEBACK = "Traceback (most recent call last)"
_PYTHON = re.compile(r"^(?P<name>(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?:: ?(?P<said>.*))?$")
_EXCEPTION = re.compile(
    r"^(?:E {1,8}|\[(?=[A-Z])|Exception in thread \S+ |Caused by: |Unhandled exception\. |Uncaught "
    r"|PHP Fatal error:  Uncaught |\[?ERROR\]? )?"
    r"(?P<name>(?:[A-Za-z_]\w*[.\\])*[A-Za-z_]*(?:Error|Exception|Failure|Failed|Warning))"
    r"(?: \[\w+\])?(?:: (?P<said>.*?))?\]?$"
)
_MARK = re.compile(r"^E {1,8}")
_ASSERT_LINE = re.compile(r"^E {1,8}(?:assert |Failed: )")
_SUMMARY = re.compile(r"^(?:FAILED|ERROR) \S+ - (?P<line>.*)$")
_RUBY = re.compile(r"^\S+\.rb:\d+:in .{1,120}: (?P<said>.*) \((?P<name>[A-Z][\w:]*)\)$")
_SHELL = re.compile(
    r"^(?:(?:/\S*/)?(?:ba|z|da|k|)sh|/\S+\.sh|\S+\.sh): (?:-c: )?(?:line )?(?:\d+: )?", re.ASCII
)
_GENERIC = re.compile(
    r"^(?:\S{1,80}: )?(?:fatal|error|ERROR|Error|FATAL|npm ERR!|ERR!|E:|Failed|failure)\b[:!]?",
)
_BY_EXIT: Final = {124: "timeout", 126: "permission-denied", 127: "command-not-found"} | {
    137: "killed",
    139: "crash",
    143: "killed",
}


def find_fault(
    text: str, *, program: str = "", exit_code: int | None = None, tests_failed: bool = False
) -> Fault | None:
    """Return what the output of a failed step says went wrong.

    The order of belief: the last exception of a traceback, the line that names `program` or the
    shell, any line that shows a specific class, a line that calls itself an error, the exit code.
    With `tests_failed` a runner's summary says no: then only exceptions that tests raised are
    read, since tests print errors on purpose. None where there is no output.
    `text` is without terminal colours and noise.
    """
    lines = _lines(text.split("\n")[-_LINES:])
    found = _from_exception(lines)
    if tests_failed:
        return found or _from_tests(lines)
    return (
        _from_named(lines, program)
        or found
        or _from_specific(lines)
        or _from_generic(lines)
        or _from_exit(lines, program, exit_code=exit_code)
    )


def refusal(text: str) -> Fault | None:
    """Return why a tool other than a shell failed: the first line that says so, else its first."""
    lines = _lines(text.split("\n", _HEAD_LINES)[:_HEAD_LINES])
    classes = ((class_of(line), line) for line in lines)
    found = next((_fault(name, line) for name, line in classes if name), None)
    told = next((line for line in lines if len(line.strip()) > 8), lines[0] if lines else "")
    return found or (_fault("other", told) if told else None)


def _lines(lines: list[str]) -> list[str]:
    """Return the lines that may tell a reason, without the frame that some harnesses append."""
    kept = (_FRAME.sub("", line).rstrip() for line in lines if len(line) <= _LINE_CHARS)
    return [line for line in kept if line.strip()]


def class_of(line: str) -> str:
    """Return the specific class that a line shows, or nothing."""
    return next((rule.error_class for rule in SPECIFIC if _shows(rule, line)), "")


def _shows(rule: ErrorRule, line: str) -> bool:
    return rule.needle in line and rule.pattern.search(line) is not None


# --- where the reason stands --------------------------------------------------------------------


def _from_exception(lines: list[str]) -> Fault | None:
    """Return the last exception of the last traceback, else the last line that is one."""
    at = next((i for i in range(len(lines) - 1, -1, -1) if _TRACEBACK in lines[i]), -1)
    if at >= 0:
        before = lines[at].partition(_TRACEBACK)[0]
        indent = 0 if before.strip() else len(before)
        for line in lines[at + 1 :]:
            inner = line[indent:]
            match = _PYTHON.match(inner)
            if match and not match["name"].isupper():
                return _exception(match["name"], match["said"] or "", inner)
    marked = (line for line in reversed(lines) if line.startswith("E  "))
    found = next(filter(None, map(_raised, marked)), None)
    return found or next(filter(None, map(_raised, reversed(lines))), None)


def _raised(line: str) -> Fault | None:
    """Read a line as an exception, as pytest, Node, Java or Ruby print it."""
    if _ASSERT_LINE.match(line):
        return _fault("assertion", _MARK.sub("", line))
    summary = _SUMMARY.match(line)
    if summary and summary["line"].startswith("assert "):
        return _fault("assertion", summary["line"])
    match = _EXCEPTION.match(summary["line"] if summary else line.strip()) or _RUBY.match(line)
    if match is None or (match["name"].endswith("Warning") and not line.startswith("E ")):
        return None
    return _exception(match["name"], match["said"] or "", _MARK.sub("", match[0]))


def _exception(name: str, said: str, line: str) -> Fault:
    short = re.split(r"[.:\\]+", name)[-1]
    known = class_of(line)
    if known in ("syntax-error", "http-error", "timeout") and short in EXCEPTIONS:
        known = ""
    error_class = known or EXCEPTIONS.get(short, "exception")
    signature = f"{short}: {normalised(said)}" if said.strip() else short
    return Fault(
        error_class=error_class,
        signature=signature[:_SIGNATURE_CHARS],
        message=line.strip()[:_MESSAGE_CHARS],
    )


def _from_named(lines: list[str], program: str) -> Fault | None:
    """Return the last line that names the program, or the shell, and shows a class."""
    tool = program.rpartition("/")[2]
    for line in reversed(lines):
        named = bool(tool) and line.startswith((f"{tool}: ", f"{tool}: error: "))
        if named or _SHELL.match(line):
            error_class = class_of(line)
            if error_class:
                return _fault(error_class, line)
    return None


def _from_specific(lines: list[str]) -> Fault | None:
    for line in reversed(lines):
        error_class = class_of(line)
        if error_class:
            return _fault(error_class, line)
    return None


def _from_generic(lines: list[str]) -> Fault | None:
    for line in reversed(lines):
        if _GENERIC.match(line) and len(line) > 8:
            return _fault("other", line)
    return None


def _from_tests(lines: list[str]) -> Fault | None:
    """Return the first failing test that the runner names, else what kept tests from starting."""
    for line in lines:
        if _TEST_LINE.match(line):
            return _fault("test-failure", line)
    for line in lines:
        error_class = class_of(line)
        if error_class in _BEFORE_TESTS:
            return _fault(error_class, line)
    return _fault("test-failure", lines[-1]) if lines else None


_BEFORE_TESTS: Final = frozenset(
    {"type-check", "compile-error", "link-error", "no-such-module", "command-not-found",
     "unknown-target", "dependency-conflict", "test-not-found", "fixture-not-found"}
)  # fmt: skip
_TEST_LINE = re.compile(
    r"^\s*(?:FAILED |FAIL:? |ERROR: |--- FAIL: |✗ |✕ |× |not ok \d|● |test \S+ \.\.\. FAILED"
    r"|\d+\) |.{1,200} (?:FAILED|ERROR)$)"
)


def _from_exit(lines: list[str], program: str, *, exit_code: int | None) -> Fault | None:
    error_class = "no-such-file" if program == "ls" else _BY_EXIT.get(exit_code or 0, "")
    if lines or exit_code:
        return _fault(error_class or "other", lines[-1] if lines else f"exit code {exit_code}")
    return None


def _fault(error_class: str, line: str) -> Fault:
    message = line.strip()
    return Fault(
        error_class=error_class,
        signature=normalised(message)[:_SIGNATURE_CHARS],
        message=message[:_MESSAGE_CHARS],
    )


# --- the message made comparable ----------------------------------------------------------------

_NOT_FOUND = re.compile(r"^(?:.{0,40}: )?[^\s:]+: (?:command )?not found\s*$")
_REPLACED: Final = tuple(
    (re.compile(pattern), by)
    for pattern, by in (
        (r"\x1b\[[\d;]*[A-Za-z]", ""),
        (r"^\[?\d{4}-\d\d-\d\d[T ][\d:.,]+Z?\]?\s*", ""),
        (r"\bhttps?://[^\s'\")>]+", "<url>"),
        (
            r"(?<![\w'])(['\"‘“`])[^'\"‘’“”`\n]{0,80}[/\\][^'\"‘’“”`\n]{0,200}['\"’”`](?!\w)",
            "<path>",
        ),
        (
            r"(?<![\w'])(?:'[^'\n]{1,200}'|\"[^\"\n]{1,200}\"|`[^`'\n]{1,200}[`']"
            r"|‘[^’\n]{1,200}’|“[^”\n]{1,200}”)(?!\w)",
            "<name>",
        ),
        (r"(No module named |cannot import name )\S+", r"\1<name>"),
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b", "<hash>"),
        (r"\b0x[0-9a-fA-F]+\b", "<hash>"),
        (r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b", "<hash>"),
        (r"(?<![\w<])(?:[A-Za-z]:)?[\w.@~+-]*(?:[/\\][\w.@+*-]+)+/?(?::\d+)*", "<path>"),
        (
            r"\b[\w-]+\.(?:py|js|ts|tsx|jsx|go|rs|java|c|cc|cpp|h|rb|php|sh|json|ya?ml|toml|txt|md"
            r"|html|css|lock|log|cfg|ini|sql)\b(?::\d+)*",
            "<path>",
        ),
        (r"\b[A-Za-z]\w*(?:\.[A-Za-z_]\w*)+\b(?:\(\))?", "<name>"),
        (r"\b[A-Za-z_]*[A-Za-z0-9]_\w*\b(?:\(\))?|\b_\w+\b", "<name>"),
        (r"\b(?!NoneType\b)[A-Za-z]*[a-z][A-Z]\w*\b(?:\(\))?", "<name>"),
        (r"(?<![\w<])[-+]?\d[\d.,]*(?:e[-+]?\d+)?\b", "<n>"),
        (r"\s+", " "),
    )
)
"""Applied one after the other; every pattern is linear on a line of `_LINE_CHARS` characters."""


def normalised(message: str) -> str:
    """Return a message with its paths, numbers, names and hashes replaced by placeholders.

    `bash: line 3: foo: command not found` and `zsh: bar: command not found` become equal.
    """
    text = _SHELL.sub("", message.strip()[:_LINE_CHARS])
    if _NOT_FOUND.match(text):
        return "<name>: command not found"
    for pattern, by in _REPLACED:
        text = pattern.sub(by, text)
    return text.strip()
