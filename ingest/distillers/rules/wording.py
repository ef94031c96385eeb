"""Small words for people: counts, and what an error is called."""

from collections.abc import Mapping
from typing import Final

from ...record import Fault

_ERRORS: Final[Mapping[str, str]] = {
    "no-such-module": "a missing module",
    "command-not-found": "a command that is not there",
    "no-such-file": "a missing file",
    "script-not-there": "a missing script",
    "test-not-found": "a test that is not there",
    "unknown-target": "an unknown target",
    "usage-error": "wrong arguments",
    "invalid-arguments": "arguments that the tool refuses",
    "no-tests": "no tests found",
    "db-schema": "a missing database table",
    "settings-not-configured": "missing settings",
    "apps-not-loaded": "apps that are not loaded",
    "assertion": "a failed assertion",
    "test-failure": "failing tests",
    "lint-findings": "findings of the linter",
    "build-failed": "a failed build",
    "type-check": "type errors",
    "edit-unread": "a file that was not read before",
    "edit-not-found": "text that is not in the file",
    "edit-not-unique": "text that is in the file several times",
    "edit-changed": "a file that changed meanwhile",
    "edit-no-change": "an edit that changes nothing",
    "edit-breaks-syntax": "an edit that breaks the syntax",
    "edit-exists": "a file that exists already",
    "patch-failed": "a patch that does not fit",
    "permission-denied": "no permission",
    "not-permitted": "no permission",
    "timeout": "a timeout",
    "exception": "an exception",
    "reported-by-script": "what the script reported",
    "push-rejected": "a rejected push",
    "pathspec": "a path that git does not know",
    "not-a-repository": "no repository",
    "is-a-folder": "a folder in the place of a file",
    "os-error": "an error of the operating system",
    "other": "an error",
}


def error_words(fault: Fault) -> str:
    """What an error is called: `a missing module`; the class itself where it has no such name."""
    known = _ERRORS.get(fault.error_class)
    if known:
        return known
    name = fault.error_class.replace("-", " ")
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def count(number: int, noun: str) -> str:
    """`1 edit`, `3 edits`, `2 searches`, `2 replies`."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith(("ch", "sh", "s")):
        return f"{number} {noun}es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{number} {noun[:-1]}ies"
    return f"{number} {noun}s"


def listed(parts: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
