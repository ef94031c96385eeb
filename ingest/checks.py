"""Which steps can pass or fail, what their verdict is, and why they failed."""

from dataclasses import replace
from typing import Final

from .drafts import Draft
from .endings import Ending
from .faults import find_fault
from .phases import phase_of
from .record import Fault, Phase, Verdict
from .verdict import printed_verdict, read_verdict
from .workspace import ran_scripts, runs_inline

CHECKS: Final = frozenset({"test", "build", "lint"})
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
    return bool(ran_scripts(main)) or runs_inline(main) or "/" in main.program


def verdict_of(draft: Draft, phase: Phase, ending: Ending, text: str, *, own: bool) -> Verdict:
    """Read a check's verdict: summary lines, then the exit code, then what an own script prints."""
    if not ending.took_effect or draft.call.observation is None:
        return ""
    found = read_verdict(text, runs=sum(phase_of(c) in CHECKS for c in draft.commands) or 1)
    if phase in CHECKS:
        return found or ("fail" if ending.failed else _by_exit(draft))
    if ending.failed or found == "fail":
        return "fail"
    return found or (printed_verdict(text) if own else "") or _by_exit(draft)


def says_no(phase: Phase, text: str, verdict: Verdict) -> bool:
    """Say whether a runner's summary tells of failures, whatever the exit code was.

    The words that an own script prints do not count here.
    """
    return verdict == "fail" and (phase in CHECKS or read_verdict(text) == "fail")


def fault_of(draft: Draft, phase: Phase, text: str, verdict: Verdict) -> Fault | None:
    """Read why a step failed."""
    observation = draft.call.observation
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
    if tests_failed and found and found.error_class in ("exception", "other"):
        return replace(found, error_class="test-failure")
    return found


def _by_exit(draft: Draft) -> Verdict:
    """Trust an exit code of 0 where it is the check's own and not that of a filter after it."""
    observation = draft.call.observation
    if observation is None or observation.exit_code != 0:
        return ""
    after = draft.commands[draft.commands.index(draft.main) + 1 :] if draft.main else ()
    return "" if any(c.piped and c.program in _FILTERS for c in after[:1]) else "pass"
