"""Which failing steps were repaired later in the run, by what, and what had been tried in vain."""

import re
from collections.abc import Sequence
from typing import Final, Literal

from ..record import Repair, StepRecord
from .error_classes import ASSERTION_LIKE, SETUP
from .purposes import plain_program

By = Literal["other command", "own file", "source", "install", "re-run", "second try", "other"]

_FAR: Final = 14
_NEAR: Final = 6
"""Steps to look ahead: for the same check, and for another command that stands in for it.
Source: measured on 342 public runs."""

_ALIKE: Final = 0.5
"""Share of words that two pieces of inline code must have in common. Chosen by us."""

_MISSING: Final = frozenset({"command-not-found", "no-such-module"})
_MOVES: Final = frozenset({"pull", "rebase", "merge", "checkout", "switch", "cherry-pick"})
"""Sub-commands of version control that bring other files."""

_LOST: Final = frozenset({"no-such-file", "script-not-there", "test-not-found", "is-a-folder"})
_INSTALLABLE: Final = frozenset(
    {"command-not-found", "no-such-module", "import-error", "package-not-found", "other",
     "dependency-conflict", "externally-managed", "exception", "compile-error",
     "settings-not-configured"}
)  # fmt: skip
_NOTHING_INSTALLED = re.compile(
    r"\A(?!.*(?:Successfully installed|added \d+ package|Setting up |Installed \d+))"
    r".*(?:already satisfied|is already the newest|up to date|Audited \d+)",
    re.DOTALL,
)
_WORD = re.compile(r"\w{2,60}")


def repairs_of(steps: Sequence[StepRecord], own: frozenset[str]) -> tuple[Repair, ...]:
    """Return the repairs of a run, in the order of the failing steps.

    A failing step is repaired when a later one with the same purpose passes, or fails only
    because the check itself now says no; another set-up error repairs nothing. `own` are the
    files that the agent made.
    """
    found = (_repair(steps, step, own=own) for step in steps if step.failed)
    return tuple(repair for repair in found if repair)


def _repair(
    steps: Sequence[StepRecord], failing: StepRecord, *, own: frozenset[str]
) -> Repair | None:
    tried: list[int] = []
    for step in steps[failing.index + 1 : failing.index + 1 + _FAR]:
        if not _tries_the_same(failing, step):
            continue
        if _works(failing, step):
            between = steps[failing.index + 1 : step.index]
            changed = [s for s in between if _changes(s)]
            return Repair(
                failing=failing.index,
                passing=step.index,
                tried=tuple(tried),
                changed=tuple(s.index for s in changed),
                by=_by(failing, step, between=between, own=own),
            )
        if _class(step) == _class(failing):
            tried.append(step.index)
    return None


def _class(step: StepRecord) -> str:
    return step.fault.error_class if step.fault else ""


# --- the same purpose ---------------------------------------------------------------------------


def _tries_the_same(failing: StepRecord, step: StepRecord) -> bool:
    if failing.purpose and failing.purpose == step.purpose:
        return True
    if step.index - failing.index > _NEAR:
        return False
    shared = bool(set(failing.files) & set(step.files))
    error_class = _class(failing)
    if failing.check and step.check:
        if shared:
            return True
        if error_class in _MISSING and not failing.own:
            return step.phase == failing.phase != "run" and step.program != failing.program
        return _same_inline(failing, step)
    if failing.kind in ("edit", "write") or failing.phase == "edit":
        return shared and step.phase == "edit"
    if error_class in _LOST and failing.phase in ("read", "search", "explore"):
        return step.phase in ("read", "search") and _same_name(failing, step)
    if error_class in SETUP and failing.main and step.main:
        alike = plain_program(failing.main) == plain_program(step.main)
        return alike and failing.main.subcommand == step.main.subcommand and not failing.check
    return False


def _same_name(failing: StepRecord, step: StepRecord) -> bool:
    """Tell whether a step reads a file named like one that the failing step did not find."""
    wanted = {path.rpartition("/")[2] for path in failing.files} - {"", ".", "*"}
    return any(path.rpartition("/")[2] in wanted for path in step.files)


def _same_inline(failing: StepRecord, step: StepRecord) -> bool:
    """Tell whether two pieces of code, each run from its line, are versions of one another."""
    if failing.purpose or step.purpose or failing.phase != step.phase:
        return False
    before, after = (set(_WORD.findall(s.command[:20_000])) for s in (failing, step))
    return len(before & after) >= _ALIKE * max(1, len(before | after))


# --- whether it works, and by what --------------------------------------------------------------


def _works(failing: StepRecord, step: StepRecord) -> bool:
    if step.call.observation is None or step.failure in ("rejected", "permission"):
        return False
    if not step.failed and step.verdict not in ("fail", "nothing-ran"):
        return True
    if step.verdict == "nothing-ran" or _says_no(failing):
        return False
    return not step.failed or _says_no(step)


def _says_no(step: StepRecord) -> bool:
    """Tell whether a check ran to its end and found something, as it is there to do."""
    tested = step.phase == "test" and step.verdict == "fail" and _class(step) not in SETUP
    return tested or _class(step) in ASSERTION_LIKE


def _changes(step: StepRecord) -> bool:
    """Tell whether a step between failure and success may have made the difference."""
    if step.phase == "install":
        return not step.failed and not _NOTHING_INSTALLED.search(step.observation[:50_000])
    if step.phase == "vcs":
        return not step.failed and step.subcommand in _MOVES
    return bool(step.edits) or (step.phase == "undo" and not step.failed)


def _by(
    failing: StepRecord,
    step: StepRecord,
    *,
    between: Sequence[StepRecord],
    own: frozenset[str],
) -> By:
    changed = [s for s in between if _changes(s)]
    if failing.kind in ("edit", "write"):
        return "second try" if step.kind in ("edit", "write") else "other command"
    if _class(failing) in _INSTALLABLE and any(s.phase == "install" for s in changed):
        return "install"
    edited = [path for s in changed for path in s.edits]
    if _other_program(failing, step) and (_class(failing) in _MISSING or not edited):
        return "other command"
    about = {*failing.files, *step.files}
    theirs = any(path not in own for path in edited)
    if any(path in own and path in about for path in edited) and (
        not theirs or _class(failing) in SETUP
    ):
        return "own file"
    if theirs:
        return "source"
    if any(s.phase == "install" for s in changed):
        return "install"
    if edited:
        return "own file"
    same = (step.call.name, step.call.arguments) == (failing.call.name, failing.call.arguments)
    if not same:
        return "other command"
    prepared = any(s.phase in ("run", "undo", "other") and not s.failed for s in between)
    return "other" if changed or prepared else "re-run"


def _other_program(failing: StepRecord, step: StepRecord) -> bool:
    if failing.main is None or step.main is None:
        return failing.program != step.program
    before, after = failing.main, step.main
    return (plain_program(before), before.subcommand, before.task) != (
        plain_program(after), after.subcommand, after.task
    )  # fmt: skip
