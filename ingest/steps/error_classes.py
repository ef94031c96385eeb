"""Classes of errors, the words that name them, and which mean that nothing was really tried.

A class is the same for every language and harness; messages of interpreters and core utilities
recur in many projects, messages of projects do not, so experience is grouped by class.
"""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ErrorRule:
    """A class and the line that shows it; `needle` is looked for first because that is cheap."""

    error_class: str
    needle: str
    pattern: re.Pattern[str]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _rule(error_class: str, needle: str, pattern: str = "") -> ErrorRule:
    return ErrorRule(error_class, needle, re.compile(pattern or re.escape(needle)))


SPECIFIC: Final[tuple[ErrorRule, ...]] = (
    # what an edit tool says when it refuses
    _rule("edit-unread", "not been read", r"[Ff]ile has not been read yet"),
    _rule("edit-unread", "must read", r"(?i)you must (?:first )?read|must read the file"),
    _rule("edit-changed", "been modified since", r"modified since (?:read|it was last read)"),
    _rule("edit-changed", "unexpectedly modified"),
    _rule("edit-no-change", "exactly the same", r"old_?[sS](?:tr|tring) and new_?[sS]"),
    _rule(
        "edit-no-change", "must be different", r"(?i)old_?(?:str|string|text).{0,40} must be diff"
    ),
    _rule("edit-no-change", "No changes to", r"No changes to (?:make|apply)"),
    _rule("edit-not-unique", "Multiple occurrences"),
    _rule("edit-not-unique", "multiple matches", r"(?i)found multiple matches|multiple matches"),
    _rule("edit-not-unique", "matches of the string", r"Found \d+ matches of the string to repl"),
    _rule("edit-not-unique", "occurrences", r"(?i)found \d+ occurrences|expected \d+ occurrences?"),
    _rule("edit-not-found", "No replacement was performed"),
    _rule("edit-not-found", "String to replace not found"),
    _rule("edit-not-found", "0 occurrences found"),
    _rule("edit-not-found", "could not find the string"),
    _rule("edit-not-found", "ould not find", r"(?i)could not find (?:the )?(?:exact |old)"),
    _rule(
        "edit-not-found",
        "not found in",
        r"(?i)(?:old|search)_?(?:str|string|text)? .{0,20}not found in",
    ),
    _rule("edit-not-found", "ailed to find", r"(?i)failed to find (?:expected lines|context)"),
    _rule("edit-not-found", "Invalid Context", r"^(?:Error: )?Invalid Context \d"),
    _rule("edit-exists", "File already exists at", r"File already exists at: |file already exists"),
    _rule("edit-breaks-syntax", "Your proposed edit has introduced"),
    _rule("patch-failed", "hunk", r"(?i)hunk #?\d+ (?:failed|is incomplete)|^\d+ out of \d+ hunk"),
    _rule("patch-failed", "patch does not apply"),
    _rule("patch-failed", "patch failed", r"error: patch failed: "),
    _rule("patch-failed", "patch", r"corrupt patch at line|malformed patch|Only garbage was found"),
    _rule("patch-failed", "verification failed", r"apply_patch verification failed"),
    # calls that never reached the tool
    _rule("invalid-arguments", "InputValidationError"),
    _rule(
        "invalid-arguments", "nvalid", r"(?i)invalid (?:tool )?(?:arguments?|input|parameters?) for"
    ),
    _rule("invalid-arguments", "required parameter", r"(?i)missing (?:a )?required (?:param|arg)"),
    _rule("invalid-arguments", " is required for command"),
    _rule(
        "invalid-arguments", "view_range", r"[Ii]nvalid `view_range`|`view_range` parameter is not"
    ),
    _rule("invalid-arguments", "multiple commands at once"),
    _rule("invalid-arguments", "required property", r"must have required property"),
    _rule("invalid-arguments", "No such tool", r"No such tool available|Unknown tool"),
    _rule("too-large", "exceeds maximum allowed", r"exceeds maximum allowed (?:tokens|size)"),
    # version control
    _rule("push-rejected", "rejected]", r"! \[(?:remote )?rejected\]"),
    _rule("push-rejected", "failed to push some refs"),
    _rule("pathspec", "pathspec", r"pathspec .{1,200} did not match"),
    _rule("merge-conflict", "CONFLICT (", r"^CONFLICT \("),
    _rule("merge-conflict", "Automatic merge failed"),
    _rule("merge-conflict", "overwritten by", r"would be overwritten by (?:merge|checkout)"),
    _rule("not-a-repository", "not a git repository"),
    _rule("unknown-revision", "unknown revision", r"ambiguous argument|unknown revision"),
    _rule("unknown-revision", "bad revision"),
    _rule("nothing-to-commit", "nothing to commit", r"^nothing (?:added )?to commit"),
    _rule("hook-failed", "hook", r"(?i)pre-commit hook .{0,60}failed|husky - .{1,40} failed"),
    # accounts, network, machine
    _rule("authentication", "denied (publickey", r"Permission denied \(publickey"),
    _rule("authentication", "uthenti", r"(?i)authentication (?:failed|required)|not authenticated"),
    _rule("authentication", "nauthorized", r"(?i)\b401\b.{0,20}unauthorized|^.{0,40}unauthorized"),
    _rule("authentication", "could not read Username"),
    _rule("network", "resolve host", r"(?i)could not resolve host|couldn't resolve host"),
    _rule("network", "name resolution"),
    _rule("network", "Connection refused"),
    _rule("network", "ECONNREFUSED"),
    _rule("network", "ould not connect to", r"[Cc]ould not connect to (?:the )?\w+"),
    _rule("network", "ENOTFOUND"),
    _rule("network", "ETIMEDOUT"),
    _rule("network", "etwork is unreachable"),
    _rule("network", "Max retries exceeded"),
    _rule("network", "Connection reset"),
    _rule("network", "certificate", r"(?i)certificate verify failed|SSL certificate problem"),
    _rule("network", "curl: (", r"^curl: \((?:6|7|28|35|52|56|60)\)"),
    _rule("http-error", "HTTP", r"(?i)HTTP(?: ?Error|/[\d.]+| status)?:? ?[45]\d\d\b"),
    _rule("http-error", "returned error:", r"requested URL returned error: [45]\d\d"),
    _rule("http-error", "status code", r"(?i)status code:? [45]\d\d"),
    _rule("address-in-use", "ddress already in use"),
    _rule("address-in-use", "EADDRINUSE"),
    _rule("disk-full", "No space left on device"),
    _rule("out-of-memory", "out of memory", r"(?i)out of memory"),
    _rule("out-of-memory", "annot allocate memory"),
    _rule("crash", "egmentation fault", r"[Ss]egmentation fault"),
    _rule("crash", "core dumped"),
    _rule(
        "timeout",
        "timed out",
        r"(?i)\b(?:command|process|test|execution|operation).{0,80} timed out",
    ),
    _rule("timeout", "TimeoutExpired"),
    # packages
    _rule("dependency-conflict", "ResolutionImpossible"),
    _rule("dependency-conflict", "ERESOLVE"),
    _rule("dependency-conflict", "UNSUPPORTED_ENGINE"),
    _rule("dependency-conflict", "EBADENGINE"),
    _rule("dependency-conflict", "olving failed", r"[Vv]ersion solving failed"),
    _rule("dependency-conflict", "conflicting dependencies"),
    _rule(
        "dependency-conflict", "incompatible", r"(?i)peer dep.{0,40}incompatible|found incompatible"
    ),
    _rule("package-not-found", "No matching distribution found"),
    _rule("package-not-found", "satisfies the requirement", r"Could not find a version that satis"),
    _rule("package-not-found", "E404", r"npm (?:ERR!|error) (?:code )?E?404"),
    _rule("package-not-found", "Unable to locate package"),
    _rule(
        "package-not-found", "No match", r"No match(?:ing packages? (?:found|named)| for argument)"
    ),
    _rule("package-not-found", "no matching package", r"no matching package (?:named|found)"),
    _rule("externally-managed", "externally-managed-environment"),
    # tests that could not be selected
    _rule("test-not-found", "ERROR: not found:", r"^ERROR: not found: "),
    _rule("test-not-found", "file not found:", r"^ERROR: file not found: "),
    _rule("test-not-found", "or directory not found", r"^ERROR: file or directory not found: "),
    _rule("test-not-found", "no tests match", r"(?i)no tests match"),
    _rule("test-not-found", "unittest.loader._FailedTest", r"unittest\.loader\._FailedTest"),
    _rule("fixture-not-found", "fixture '", r"fixture '.{1,100}' not found"),
    # frameworks
    _rule("settings-not-configured", "settings are not configured"),
    _rule("settings-not-configured", "SECRET_KEY", r"SECRET_KEY setting must not be empty"),
    _rule("settings-not-configured", "already configured", r"Settings already configured"),
    _rule("apps-not-loaded", "AppRegistryNotReady"),
    _rule("apps-not-loaded", "aren't loaded yet"),
    _rule("apps-not-loaded", "explicit app_label", r"doesn't declare an explicit app_label"),
    _rule("apps-not-loaded", "No installed app with label"),
    _rule("db-schema", "no such table"),
    _rule("db-schema", "no such column"),
    _rule("db-schema", "has no column named"),
    _rule("db-schema", "does not exist", r"(?:relation|column|table) .{1,120} does not exist"),
    _rule("db-schema", "already exists", r"(?:relation|table) .{1,120} already exists"),
    _rule("db-schema", "doesn't exist", r"Table '.{1,120}' doesn't exist"),
    # programs, modules, files
    _rule(
        "command-not-found",
        "not found",
        r"(?:^|: )(?:line \d+: )?[^\s:]+: (?:command )?not found\s*$",
    ),
    _rule("command-not-found", "command not found:", r"command not found: \S+"),
    _rule(
        "command-not-found", "not recognized as", r"is not recognized as (?:an internal|the name)"
    ),
    _rule("command-not-found", "No such file", r"^(?:/usr/bin/)?env: .{1,100}: No such file"),
    _rule(
        "command-not-found",
        "No such file",
        r"^(?:ba|z|)sh: (?:line )?\d*:? ?.{1,200}: No such file",
    ),
    _rule("command-not-found", "could not determine executable"),
    _rule("command-not-found", "shim binary not found"),
    _rule("command-not-found", "executable file not found"),
    _rule("command-not-found", "spawn ", r"spawn \S+ ENOENT"),
    _rule("no-such-module", "No module named"),
    _rule("no-such-module", "annot find module", r"[Cc]annot find (?:module|package) "),
    _rule("no-such-module", "Could not resolve", r"Could not resolve \"|Can't resolve '"),
    _rule("no-such-module", "ailed to resolve import"),
    _rule("no-such-module", "ERR_MODULE_NOT_FOUND"),
    _rule("no-such-module", "no required module provides"),
    _rule("no-such-module", "annot find package"),
    _rule("no-such-module", "unresolved import"),
    _rule("no-such-module", "use of undeclared crate"),
    _rule("no-such-module", "does not exist", r"error: package [\w.]+ does not exist"),
    _rule("no-such-module", "LoadError", r"cannot load such file"),
    _rule("import-error", "cannot import name"),
    _rule("import-error", "does not provide an export"),
    _rule("import-error", "circular import"),
    _rule("script-not-there", "can't open file"),
    _rule("script-not-there", "Cannot find module '/", r"Cannot find module '/"),
    _rule("indentation-error", "IndentationError"),
    _rule("indentation-error", "TabError"),
    _rule("encoding-error", "codec can't", r"codec can't (?:en|de)code"),
    _rule("encoding-error", "stream did not contain valid UTF-8"),
    _rule("is-a-folder", "Is a directory", r"(?:: |EISDIR.{0,20})Is a directory"),
    _rule("is-a-folder", "EISDIR"),
    _rule("is-a-folder", "-r not specified", r"omitting directory"),
    _rule("not-empty", "irectory not empty"),
    _rule("already-exists", "File exists", r": File exists\b"),
    _rule("already-exists", "EEXIST"),
    _rule(
        "already-exists", "already exists", r"(?i)^(?:fatal|error|mkdir): .{0,200}already exists"
    ),
    _rule("no-such-file", "o such file", r"[Nn]o such file(?: or directory)?\b"),
    _rule("no-such-file", "ENOENT"),
    _rule("no-such-file", "no matches found:", r"^(?:\S+:\d+: |zsh: )?no matches found: "),
    _rule("no-such-file", "can't cd to"),
    _rule("no-such-file", "File does not exist"),
    _rule(
        "no-such-file",
        "does not exist",
        r"(?i)(?:file|path|directory|folder)\b.{0,250} does not exist",
    ),
    _rule(
        "no-such-file",
        "not found",
        r"(?i)^(?:error:? )?(?:file|path|directory)(?: \S{1,250})? not found",
    ),
    _rule("no-such-file", "cannot find the", r"cannot find the (?:path|file) specified"),
    _rule("permission-denied", "ermission denied", r"[Pp]ermission denied"),
    _rule("permission-denied", "peration not permitted"),
    _rule("permission-denied", "EACCES"),
    _rule("permission-denied", "ead-only file system"),
    # the words of the command itself
    _rule("sed-expression", "sed: -e expression", r"sed: (?:-e|file) "),
    _rule("sed-expression", "sed: ", r"^sed: \d+: |^sed: .{0,40}(?:unterminated|unknown command)"),
    _rule("pattern-error", "grep: Unmatched", r"grep: (?:Unmatched|Invalid)"),
    _rule("pattern-error", "regex parse error"),
    _rule("shell-syntax", "syntax error near unexpected"),
    _rule("shell-syntax", "unexpected EOF while looking"),
    _rule("shell-syntax", "unexpected end of file"),
    _rule("shell-syntax", "here-document", r"warning: here-document at line \d+ delimited by end"),
    _rule("shell-syntax", "bad substitution"),
    _rule("shell-syntax", "unmatched", r"^(?:zsh|bash): .{0,40}unmatched"),
    _rule("argument-list-too-long", "Argument list too long"),
    _rule("unknown-target", "No rule to make target"),
    _rule("unknown-target", "issing script", r"[Mm]issing script:?"),
    _rule(
        "unknown-target",
        "is not a",
        r"is not a (?:git|docker|cargo) command|is not a .{1,20} command",
    ),
    _rule("unknown-target", "nknown command", r"(?i)unknown (?:sub)?command"),
    _rule("unknown-target", "unrecognized subcommand"),
    _rule("unknown-target", "no such", r"(?i)^error: no such (?:sub)?command"),
    _rule("unknown-target", "not found in root project", r"Task '.{1,80}' not found"),
    _rule("usage-error", "unrecognized", r"(?i)unrecogni[sz]ed (?:arguments?|options?|flag)"),
    _rule(
        "usage-error",
        "nvalid option",
        r"(?i)(?:invalid|illegal|unknown|bad) (?:option|flag|switch)",
    ),
    _rule("usage-error", "nknown option", r"(?i)unknown (?:option|argument|flag|switch)"),
    _rule("usage-error", "llegal option", r"illegal option"),
    _rule("usage-error", "o such option", r"(?i)no such option"),
    _rule("usage-error", "unexpected argument", r"error: unexpected argument"),
    _rule("usage-error", "xpected one argument", r"expected (?:one|at least one|\d+) argument"),
    _rule("usage-error", "are required:", r"the following arguments are required:"),
    _rule("usage-error", "missing operand"),
    _rule("usage-error", "Unknown JSON field"),
    _rule("usage-error", "too many arguments"),
    _rule("usage-error", "invalid choice", r"invalid choice: "),
    _rule("usage-error", "requires an argument", r"option .{1,60} requires an argument"),
    _rule("usage-error", "error: argument ", r"^\S+: error: argument "),
    _rule("usage-error", "flag provided but not defined"),
    # compilers, type checkers, linters
    _rule("type-check", "error TS", r"\berror TS\d{3,5}: "),
    _rule("type-check", "error: ", r"^\S+\.pyi?:\d+(?::\d+)?: error: .*\[[\w-]+\]$"),
    _rule("type-check", "checked ", r"^Found \d+ errors? in \d+ files? \(checked"),
    _rule("link-error", "undefined reference to"),
    _rule("link-error", "ld returned", r"ld returned \d+ exit status|linker command failed"),
    _rule("compile-error", "error[E", r"^error\[E\d{4}\]"),
    _rule("compile-error", "could not compile", r"^error: could not compile"),
    _rule("compile-error", "build failed", r"^FAIL\s+\S+ \[(?:build|setup) failed\]"),
    _rule(
        "compile-error",
        ": error:",
        r"^\S+\.(?:c|cc|cpp|cxx|h|hpp|java|kt|swift|cs|scala):\d+.{0,9}error:",
    ),
    _rule(
        "compile-error", ".go:", r"^\S+\.go:\d+:\d+: (?:undefined|cannot use|syntax error|declared)"
    ),
    _rule("compile-error", "error CS", r"\berror (?:CS|FS|BC)\d{4}: "),
    _rule("compile-error", "COMPILATION ERROR"),
    _rule("compile-error", "Failed to compile"),
    _rule("lint-findings", " problem", r"^✖ \d+ problems?"),
    _rule("lint-findings", "Found ", r"^Found \d+ errors?(?:\.| \()"),
    _rule("lint-findings", " issues:", r"^[1-9]\d* issues:"),
    _rule("lint-findings", "would be reformatted", r"(?i)^(?:\d+ files? )?would (?:be )?reformat"),
    _rule("lint-findings", ".py:", r"^\S+\.pyi?:\d+:\d+: [A-Z]{1,4}\d{3,4}\b"),
    _rule("lint-findings", "Code style issues"),
    # languages
    _rule("syntax-error", "SyntaxError"),
    _rule("syntax-error", "yntax error", r"(?:[Ss]yntax error|Parse error)"),
    _rule("syntax-error", "Unexpected token"),
    _rule("panic", "panicked at", r"^thread '.{1,80}' (?:\(\d+\) )?panicked at"),
    _rule("panic", "panic: ", r"^panic: "),
)
"""Specific classes first: `sed: -e expression` comes before "unknown command"."""

EXCEPTIONS: Final = {
    "AssertionError": "assertion",
    "AssertionFailedError": "assertion",
    "ComparisonFailure": "assertion",
    "ExpectationFailed": "assertion",
    "Failed": "assertion",
    "ModuleNotFoundError": "no-such-module",
    "ImportError": "import-error",
    "FileNotFoundError": "no-such-file",
    "NoSuchFileException": "no-such-file",
    "NotADirectoryError": "no-such-file",
    "IsADirectoryError": "is-a-folder",
    "FileExistsError": "already-exists",
    "PermissionError": "permission-denied",
    "SyntaxError": "syntax-error",
    "IndentationError": "indentation-error",
    "TabError": "indentation-error",
    "UnicodeEncodeError": "encoding-error",
    "UnicodeDecodeError": "encoding-error",
    "UnicodeError": "encoding-error",
    "TimeoutError": "timeout",
    "TimeoutExpired": "timeout",
    "ConnectionError": "network",
    "ConnectionRefusedError": "network",
    "ConnectionResetError": "network",
    "ConnectTimeout": "network",
    "ReadTimeout": "network",
    "SSLError": "network",
    "URLError": "network",
    "HTTPError": "http-error",
    "MemoryError": "out-of-memory",
    "KeyboardInterrupt": "interrupted",
    "NameError": "name-error",
    "UnboundLocalError": "name-error",
    "ReferenceError": "name-error",
    "NoMethodError": "attribute-error",
    "AttributeError": "attribute-error",
    "NullPointerException": "attribute-error",
    "TypeError": "type-error",
    "ValueError": "value-error",
    "IllegalArgumentException": "value-error",
    "ArgumentError": "type-error",
    "KeyError": "key-error",
    "IndexError": "index-error",
    "RangeError": "index-error",
    "ZeroDivisionError": "zero-division",
    "RecursionError": "recursion-error",
    "NotImplementedError": "not-implemented",
    "RuntimeError": "runtime-error",
    "OSError": "os-error",
    "IOError": "os-error",
    "CalledProcessError": "subprocess-failed",
    "JSONDecodeError": "data-format",
    "ParserError": "data-format",
    "OperationalError": "database",
    "ProgrammingError": "database",
    "IntegrityError": "database",
    "DatabaseError": "database",
    "ImproperlyConfigured": "settings-not-configured",
}
"""Class of an exception by the last part of its name; any other is an `exception`."""

ASSERTION_LIKE: Final = frozenset(
    {"assertion", "test-failure", "type-check", "lint-findings", "reported-by-script"}
)
"""The check ran to its end and said no: what it is there for."""

SETUP: Final = _words(
    """
    edit-unread edit-changed edit-no-change edit-not-unique edit-not-found edit-exists
    edit-breaks-syntax patch-failed invalid-arguments too-large push-rejected pathspec
    merge-conflict not-a-repository unknown-revision nothing-to-commit hook-failed authentication
    network http-error address-in-use disk-full out-of-memory timeout interrupted
    dependency-conflict package-not-found externally-managed test-not-found fixture-not-found
    settings-not-configured apps-not-loaded db-schema command-not-found no-such-module
    import-error script-not-there indentation-error encoding-error is-a-folder not-empty
    already-exists no-such-file permission-denied not-permitted sed-expression pattern-error
    shell-syntax argument-list-too-long unknown-target usage-error syntax-error no-tests rejected
    compile-error link-error
    """
)
"""Nothing was shown about the task: the step stumbled over its own surroundings."""
