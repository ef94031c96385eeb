"""A command is not there; another program does the same work on the same file."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, base_name, fault_class, worked

_WITHIN: Final = 6
"""Steps to look ahead. Chosen by us."""

_CHECKS: Final = frozenset({"test", "install"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the missing command and the other program that worked on the same file."""
    for missing in run.steps:
        if fault_class(missing) != "command-not-found" or missing.phase in _CHECKS:
            continue
        if missing.main is None or base_name(missing.main.program) not in _said(missing):
            continue
        named = {w for w in missing.main.args if "." in w or "/" in w}
        for step in after(run, missing.index, _WITHIN):
            if step.phase == "install":
                break
            if step.main is None or not worked(step) or step.main.program == missing.main.program:
                continue
            if any(w in step.command for w in named) and step.phase == missing.phase:
                yield Hit(steps=(missing.index, step.index))
                return


def _said(step: StepRecord) -> str:
    return step.fault.message if step.fault else ""


CARD = Card(
    name="tool-substitute",
    title="When a command is not installed, use another one that does the same",
    situation="A command of everyday use is missing in a small environment.",
    seen="A command was not found. Another program did the work on the same file.",
    advice=(
        "Use what is there, such as the interpreter of the project or a standard tool, "
        "before you install anything. Check that the result has the form that you need."
    ),
    applies_when="The missing program has a common replacement.",
    not_when="The task asks for this very program.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
