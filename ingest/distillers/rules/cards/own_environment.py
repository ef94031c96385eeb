"""A module is missing in one interpreter; the project's own environment has it."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, fault_class, worked

_WITHIN: Final = 8
"""Steps to look ahead. Chosen by us."""

_SETTING_UP: Final = frozenset({"install"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the missing module and the same script run by another interpreter."""
    for missing in run.steps:
        if fault_class(missing) != "no-such-module" or missing.main is None or not missing.check:
            continue
        for step in after(run, missing.index, _WITHIN):
            if step.phase in _SETTING_UP or step.edits:
                break
            if _other_interpreter(missing, step):
                yield Hit(steps=(missing.index, step.index))
                return


def _other_interpreter(missing: StepRecord, step: StepRecord) -> bool:
    if step.main is None or missing.main is None or not worked(step):
        return False
    before, now = missing.main, step.main
    same_work = bool(set(missing.reads) & set(step.reads)) or before.args == now.args
    alike = before.program[:4] == now.program[:4]
    moved = "/" in _start(step) or bool(now.wrapper)
    return same_work and alike and moved and _start(step) != _start(missing)


def _start(step: StepRecord) -> str:
    """Return the wrapper and the word by which a step starts its main program, with its folder."""
    program = re.escape(step.main.program) if step.main else ""
    match = re.search(rf"[\w./~-]*{program}(?=\s)", step.command[:2_000])
    wrapper = step.main.wrapper if step.main else ""
    return f"{wrapper} {match[0] if match else ''}".strip()


CARD = Card(
    name="own-environment",
    title="When a module is missing, try the project's own environment before installing",
    situation=(
        "A script stops because a module cannot be found, although the project is known to work."
    ),
    seen=(
        "A module was missing for one interpreter. The same script ran with the interpreter "
        "of an environment that has the module, and nothing was installed."
    ),
    advice=(
        "Look for an environment in the project, or for the tool that manages it, and start "
        "the program through it. A missing module is often the wrong interpreter."
    ),
    applies_when="The project brings an environment or a tool that manages one.",
    not_when="The module is not part of any environment there.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
