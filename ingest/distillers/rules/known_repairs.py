"""Errors of a project and the command that then worked."""

from collections.abc import Iterator
from typing import Final

from ....kg.types import Insight
from ...record import Repair, RunRecord, StepRecord
from .card import Hit
from .commands import missing_program
from .fact import fact
from .templates import command_template, core_template
from .wording import error_words

_PHASES: Final = frozenset({"test", "build", "lint", "install", "run", "vcs"})
_INSTALLABLE: Final = frozenset(
    {"no-such-module", "import-error", "command-not-found", "package-not-found", "exception",
     "dependency-conflict", "externally-managed", "other"}
)  # fmt: skip
_SHOWN_CHARS: Final = 100


def repair_facts_of(run: RunRecord) -> Iterator[tuple[Insight, Hit]]:
    """Yield what worked after a command had failed: an installation, or another command.

    Repairs by a change of files are the run's own work and no fact of the project.
    """
    for repair in run.repairs:
        failing, passing = run.steps[repair.failing], run.steps[repair.passing]
        if failing.fault is None or failing.main is None or failing.phase not in _PHASES:
            continue
        insight = None
        if repair.by == "install":
            insight = _installed(run, repair, failing)
        elif repair.by == "other command" and not failing.own:
            insight = _other_command(run, failing, passing)
        if insight:
            yield insight, Hit(steps=(repair.failing, *repair.changed[:2], repair.passing))


def _installed(run: RunRecord, repair: Repair, failing: StepRecord) -> Insight | None:
    installs = [run.steps[i] for i in repair.changed if run.steps[i].phase == "install"]
    if not installs or failing.main is None or failing.fault is None:
        return None
    main = installs[-1].main
    if main is None or failing.fault.error_class not in _INSTALLABLE:
        return None
    wanted = " ".join((main.program, *main.args))
    if len(wanted) > _SHOWN_CHARS:
        wanted = command_template(main)[1:-1]
    error = error_words(failing.fault)
    failed = core_template(failing.main)
    return fact(
        run,
        title=f"When {failed} fails with {error}, install first: `{wanted}`",
        description=f"Error and repair: {error}.",
        content=f"{failed} failed: {failing.fault.signature}. Worked after `{wanted}`.",
        kind="environmental adaptation",
        polarity="do",
        untrusted=True,
    )


def _other_command(run: RunRecord, failing: StepRecord, passing: StepRecord) -> Insight | None:
    """Another program for the same purpose; the same one with other arguments tells nothing."""
    if failing.main is None or passing.main is None or failing.fault is None:
        return None
    failed, worked = core_template(failing.main), core_template(passing.main)
    gone = missing_program(failing)
    if failed == worked or failing.phase != passing.phase or passing.own:
        return None
    if not gone and failing.main.program == passing.main.program:
        return None
    error = error_words(failing.fault)
    return fact(
        run,
        title=(
            f"Where {failed} is not available, use {worked}"
            if gone
            else f"When {failed} fails with {error}, use {worked}"
        ),
        description=f"Error and repair: {error}.",
        content=f"{failed} failed: {failing.fault.signature}. Worked then: {worked}.",
        kind="environmental adaptation",
        polarity="do",
        untrusted=True,
    )
