"""The usual test runner is not there; the project has another one."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ....steps.phases import phase_of
from ..card import Card, Hit
from ..patterns import after, base_name, fault_class, worked
from ..verification import MISSING

_WITHIN: Final = 8
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the missing runner and the other program that ran the tests."""
    for missing in run.steps:
        if not _is_missing(missing):
            continue
        for step in after(run, missing.index, _WITHIN):
            if _stands_in(missing, step):
                yield Hit(steps=(missing.index, step.index))
                return


def _is_missing(step: StepRecord) -> bool:
    """Tell whether the runner itself was not there, not a module that the tests import."""
    if step.phase != "test" or step.main is None or fault_class(step) not in MISSING:
        return False
    module = step.main.subcommand.removeprefix("-m ").partition(".")[0]
    message = step.fault.message if step.fault else ""
    if fault_class(step) == "no-such-module":
        named = rf"No module named '?{re.escape(module or 'pytest')}\b"
        return re.search(named, message) is not None
    return base_name(step.main.program) in message


def _stands_in(missing: StepRecord, step: StepRecord) -> bool:
    """Tell whether another program, not the same runner started otherwise, gave a verdict."""
    commands = [c for c in step.commands if phase_of(c) == "test"]
    if not commands or not (step.phase == "test" or worked(step)) or step.own:
        return False
    named = {*missing.commands[-1].args, base_name(missing.program), missing.program}
    other = commands[-1]
    runner = other.subcommand.removeprefix("-m ") or base_name(other.program)
    same = {runner, base_name(other.program)} & ({"pytest", "py.test", "jest", "vitest"} & named)
    gave = step.verdict in ("pass", "fail") or (step.phase != "test" and worked(step))
    return not same and gave and fault_class(step) not in MISSING


CARD = Card(
    name="runner-missing",
    title="When the usual test runner is missing, look for the project's own one",
    situation="The tests are to be run, and the command for it does not exist in this environment.",
    seen="The usual test runner was not available. Another program then ran tests of the project.",
    advice=(
        "Look in the repository for its own runner before installing anything: a script "
        "folder, a file that runs the tests, a task file, a make target, or the standard "
        "library's runner."
    ),
    applies_when="The command or module of a test runner is not found.",
    not_when="The task asks to install the runner.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
