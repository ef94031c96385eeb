"""A runner is not a module of one interpreter, but works when started in another way."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, base_name, between, fault_class
from ..verification import MISSING, passes, shows_fault

_WITHIN: Final = 8
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the interpreter without the runner, and the start of the same runner that worked."""
    for missing in run.steps:
        runner = _runner(missing)
        if not missing.check or not runner or fault_class(missing) not in MISSING:
            continue
        if runner not in (missing.fault.message if missing.fault else ""):
            continue
        for step in after(run, missing.index, _WITHIN):
            if any(s.phase == "install" for s in between(run, missing.index, step.index)):
                break
            other = (
                step.main is not None
                and missing.main is not None
                and (
                    (step.main.program, step.main.wrapper)
                    != (missing.main.program, missing.main.wrapper)
                )
            )
            gave = passes(step) or shows_fault(step)
            if other and _runner(step) == runner and gave:
                yield Hit(steps=(missing.index, step.index))
                return


def _runner(step: StepRecord) -> str:
    """Return the module or program that a step starts, however it is started."""
    if step.main is None:
        return ""
    if step.main.subcommand.startswith("-m "):
        return step.main.subcommand[3:].partition(".")[0]
    return base_name(step.main.program).replace("py.test", "pytest")


CARD = Card(
    name="runner-other-interp",
    title="When one interpreter lacks the test runner, start the same runner in another way",
    situation=(
        "A runner is started as a module of an interpreter, and this interpreter does not have it."
    ),
    seen=(
        "One way of starting the test runner failed because it was not installed there. The "
        "same runner worked when it was started in another way, and nothing was installed "
        "in between."
    ),
    advice=(
        "Several interpreters may be on one machine. Try the runner's own command, the "
        "interpreter of the project's environment or its tool before you install a second "
        "copy."
    ),
    applies_when="More than one interpreter or environment is there.",
    not_when="The runner is installed nowhere.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
