"""Which steps can pass or fail, what their verdict is, and why they failed."""

from dataclasses import replace
from typing import Final

from ..record import Fault, Phase, Verdict
from .drafts import Draft
from .endings import Ending
from .faults import find_fault, normalised, refusal
from .noise import last_lines
from .phases import phase_of
from .verdict import failing_line, printed_verdict, read_verdict
from .workspace import ran_scripts, runs_inline

CHECKS: Final = frozenset({"test", "build", "lint"})
_BY_PHASE: Final = {"test": "test-failure", "build": "build-failed", "lint": "lint-findings"}
"""Class of a failure that no line explains."""

_SERVICES: Final = frozenset({"http", "json", "pdb", "timeit", "this", "site", "cProfile", "pip"})
_ASIDES: Final = frozenset({"cat", "ls", "rm", "grep", "head", "tail", "diff", "rmdir", "mv", "cp"})
_FILTERS: Final = frozenset({"grep", "egrep", "rg", "head", "tail", "sed", "awk", "cut", "less"})


def is_check(draft: Draft, phase: Phase) -> bool:
    """Say whether a step can pass or fail: a test, a build, a linter, or a script that ends."""
    if phase in CHECKS or draft.use.script:
        return True
    main = draft.main
    if phase != "run" or main is None or main.background:
        return False
    if main.program in ("go", "cargo", "dotnet", "swift") and main.subcommand == "run":
        return True
    if main.subcommand.startswith("-m "):
        return main.subcommand[3:].partition(".")[0] not in _SERVICES
    return bool(ran_scripts(main)) or runs_inline(main) or "/" in main.program


def verdict_of(
    draft: Draft, phase: Phase, *, ending: Ending, text: str, own: bool, codes: bool
) -> Verdict:
    """Read a check's verdict: summary lines, then the exit code, then what an own script prints.

    Where a run has no exit codes at all (`codes` is false), a script passed that did not fail.
    """
    if not ending.took_effect or draft.call.observation is None:
        return ""
    runs = sum(phase_of(c) in CHECKS for c in draft.commands) or 1
    found = read_verdict(text, runs=runs, singles=phase in CHECKS)
    if phase in CHECKS:
        return found or (_by_failure(draft, text) if ending.failed else _by_exit(draft))
    if ending.failed and found != "fail":
        return _by_failure(draft, text)
    if found == "fail":
        return "fail"
    found = found or (printed_verdict(text) if own else "") or _by_exit(draft)
    ended = not (codes or draft.call.observation.interrupted)
    return found or ("pass" if ended else "")


def says_no(phase: Phase, text: str, *, verdict: Verdict) -> bool:
    """Say whether a runner's summary tells of failures, whatever the exit code was.

    The words that an own script prints do not count here.
    """
    return verdict == "fail" and (phase in CHECKS or read_verdict(text, singles=False) == "fail")


def fault_of(
    draft: Draft, phase: Phase, *, ending: Ending, text: str, verdict: Verdict
) -> Fault | None:
    """Read why a step failed; None where nothing came back."""
    observation = draft.call.observation
    if draft.use.kind != "shell" or ending.failure in ("validation", "permission"):
        found = refusal(text)
        if found and ending.failure == "permission":
            return replace(found, error_class="not-permitted")
        return found
    tests_failed = phase == "test" and read_verdict(text) == "fail"
    found = find_fault(
        text,
        program=draft.main.program if draft.main else "",
        exit_code=observation.exit_code if observation else None,
        tests_failed=tests_failed,
    )
    if verdict == "nothing-ran" and (found is None or found.error_class == "other"):
        message = found.message if found else "no tests ran"
        return Fault(error_class="no-tests", signature="no tests ran", message=message)
    if observation and observation.interrupted:
        message = found.message if found else "timed out"
        return Fault(error_class="timeout", signature="timed out", message=message)
    if found and found.error_class == "other":
        return _explained(found, phase, text=text)
    if found and found.error_class == "exception" and tests_failed:
        return replace(found, error_class="test-failure")
    return found


def _explained(fault: Fault, phase: Phase, *, text: str) -> Fault:
    """Give a failure that no line explains the class of what was run."""
    if phase == "run" and (line := failing_line(text)):
        signature = normalised(line)
        return Fault(error_class="reported-by-script", signature=signature, message=line)
    return replace(fault, error_class=_BY_PHASE.get(phase, "other"))


def _by_failure(draft: Draft, text: str) -> Verdict:
    """Say fail, unless the complaint is that of another command of the line, after the check."""
    last = last_lines(text, 1)
    others = {c.program for c in draft.commands if c is not draft.main and c.program in _ASIDES}
    complains = bool(last) and last[0].startswith(tuple(f"{name}: " for name in others))
    return "" if complains else "fail"


def _by_exit(draft: Draft) -> Verdict:
    """Trust an exit code of 0 where it is the check's own and not that of a filter after it."""
    observation = draft.call.observation
    if observation is None or observation.exit_code != 0:
        return ""
    after = draft.commands[draft.commands.index(draft.main) + 1 :] if draft.main else ()
    return "" if any(c.piped and c.program in _FILTERS for c in after[:1]) else "pass"
