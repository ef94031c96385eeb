"""Whether a check passed, failed, or ran nothing, read from what it printed."""

import re
from typing import Final

from ..record import Verdict
from .runners import FALLBACK, RULES, Rule

_LINE_CHARS: Final = 2_000
"""A longer line is no summary: minified code, a dump. Chosen by us."""

_COUNT = re.compile(r"(\d+) (?:of \d+ )?(?:tests? |specs? |unexpected )?([A-Za-z]+)")
_NAMED = re.compile(r"\b([A-Za-z]+)[ :]\s*(\d+)")
_UNITTEST_NOTHING = re.compile(r"^Ran 0 tests in ", re.MULTILINE)
_SKIPPED_ALL = re.compile(r"^Ran (\d+) tests? in [\d.]+s\s+OK \(skipped=(\d+)\)", re.MULTILINE)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STRONG: Final = tuple(rule for rule in RULES if not rule.weak)
_WEAK: Final = tuple(rule for rule in RULES if rule.weak)

_FAILED: Final = _words(
    "failed failure failures failing fail error errors errored exceptions broken"
)
_PASSED: Final = _words("passed passing pass ok success successes successful xfailed xpassed")
_SKIPPED: Final = _words("skipped skip skips pending deselected ignored todo excluded ignores")
_TOTAL: Final = _words(
    "tests test total examples example runs run specs spec scenarios scenario properties"
)


def read_verdict(text: str, *, runs: int = 1, singles: bool = True) -> Verdict:
    """Read the verdict from summary lines of known runners; empty where there is none.

    `runs` is how many checks stood in the command: a runner whose own tests start runners prints
    summaries of those too, so only as many as were asked for count, from the end. Where no
    summary is left (the output was cut or filtered) the lines of single tests decide, but not
    where `singles` is false, as for a script that is no runner.
    `text` is without terminal colours.
    """
    found = _matches(text, _STRONG) or _matches(text, _WEAK)
    if not found:
        return _worst(list(_matches(text, FALLBACK).values())) if singles else ""
    last = [verdict for _, verdict in sorted((at, v) for (at, _), v in _merged(found).items())]
    return _worst(last[-runs:])


def printed_verdict(text: str) -> Verdict:
    """Read the verdict of a script that the agent wrote from the words it prints at the end.

    Such scripts say FAIL, BUG, or "reproduced" and still exit with 0.
    """
    lines = [line for line in text.splitlines()[-60:] if len(line) <= _LINE_CHARS]
    if any(_says_failed(line) for line in lines):
        return "fail"
    return "pass" if any(_SAYS_PASSED.search(line) for line in lines) else ""


def failing_line(text: str) -> str:
    """Return the last line by which a script says that it failed, or nothing."""
    lines = [line for line in text.splitlines()[-60:] if len(line) <= _LINE_CHARS]
    return next((line.strip() for line in reversed(lines) if _says_failed(line)), "")


_SAYS_PASSED = re.compile(
    r"✓|✅|\b(?:PASS(?:ED)?|SUCCESS|OK)\b|\b[Aa]ll (?:\w+ ){0,2}(?:tests|checks) passed"
    r"|\b[Tt]est passed\b"
)
_FAILED_FIRST = re.compile(
    r"^\W{0,4}(?:\w+ \d+ ?: )?(?:FAIL(?:ED|URE)?\b|BUG\b|Test failed\b)(?!\S*: ?(?:0|None)\b)|✗|❌"
)
_FAILED_WORD = re.compile(r"✗|❌|\b(?:FAIL(?:ED|URE)?|BUG|BROKEN)\b|\b[Tt]est failed\b")
_REPRODUCED = re.compile(r"\b(?:bug|issue|problem|error) (?:is |was |has been )?reproduced\b", re.I)
_DENIED = re.compile(
    r"\bnot\b|n't\b|\bno longer\b|\b0 (?:fail|bug)|:\s*(?:0|None|False|no)\s*$"
    r"|\bif\b|\bexpected\b|\bfixed\b|\bwithout\b",
    re.I,
)


def _says_failed(line: str) -> bool:
    if _FAILED_FIRST.search(line):
        return True
    word = _FAILED_WORD.search(line) or _REPRODUCED.search(line)
    return bool(word) and not _DENIED.search(line)


def _matches(text: str, rules: tuple[Rule, ...]) -> dict[tuple[int, str], Verdict]:
    """Return the verdicts of matching lines by place and family."""
    active = [rule for rule in rules if rule.needle in text]
    if not active:
        return {}
    nothing = bool(_UNITTEST_NOTHING.search(text)) or _all_skipped(text)
    found: dict[tuple[int, str], Verdict] = {}
    for at, line in enumerate(text.split("\n")):
        if len(line) > _LINE_CHARS:
            continue
        for rule in active:
            if rule.needle in line and rule.pattern.match(line):
                verdict = _read(rule, line)
                if rule.family == "unittest" and verdict == "pass" and nothing:
                    verdict = "nothing-ran"
                key = (at, rule.family + ("" if not rule.apart else f" {at}"))
                found[key] = _worst([found.get(key, ""), verdict])
    return found


def _all_skipped(text: str) -> bool:
    match = _SKIPPED_ALL.search(text)
    return match is not None and match[1] == match[2]


def _merged(found: dict[tuple[int, str], Verdict]) -> dict[tuple[int, str], Verdict]:
    """Take the lines of one family together, at the place of the last."""
    families: dict[str, tuple[int, list[Verdict]]] = {}
    for (at, family), verdict in found.items():
        _, verdicts = families.get(family, (at, []))
        families[family] = (at, [*verdicts, verdict])
    return {(at, family): _worst(verdicts) for family, (at, verdicts) in families.items()}


def _worst(verdicts: list[Verdict]) -> Verdict:
    for verdict in ("fail", "pass", "nothing-ran"):
        if verdict in verdicts:
            return verdict
    return ""


def _read(rule: Rule, line: str) -> Verdict:
    return _counted(line) if rule.says == "count" else rule.says


def _counted(line: str) -> Verdict:
    """Read a verdict from the numbers of a line, `3 failed, 2 passed` or `Failed: 3, Passed: 2`."""
    counts: dict[str, int] = {}
    for number, word in _COUNT.findall(line):
        counts[word.lower()] = counts.get(word.lower(), 0) + int(number)
    if not counts.keys() & (_FAILED | _PASSED):
        for word, number in _NAMED.findall(line):
            counts[word.lower()] = counts.get(word.lower(), 0) + int(number)
    if any(counts.get(word) for word in _FAILED):
        return "fail"
    if any(counts.get(word) for word in _PASSED):
        return "pass"
    skipped = sum(counts.get(word, 0) for word in _SKIPPED)
    total = max((counts.get(word, 0) for word in _TOTAL), default=0)
    return "pass" if total > skipped else "nothing-ran"
