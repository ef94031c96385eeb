"""A command runs out of time; a narrower, bounded or background one of the program works."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, answered, fault_class, same_call, worked

_WITHIN: Final = 5
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the command that ran out of time and another one of its program that worked."""
    for slow in run.steps:
        if slow.main is None or fault_class(slow) != "timeout" or not answered(slow):
            continue
        for step in after(run, slow.index, _WITHIN):
            if _same_target(slow, step) and worked(step) and not same_call(slow, step):
                yield Hit(steps=(slow.index, step.index))
                break


def _same_target(slow: StepRecord, step: StepRecord) -> bool:
    """Say whether a step runs the same program on something that the slow one was run on."""
    if slow.main is None or step.main is None or step.program != slow.program:
        return False
    words, others = (
        {arg.partition("::")[0] for arg in main.args if not arg.startswith("-")}
        for main in (slow.main, step.main)
    )
    return bool(words & others) or not words


CARD = Card(
    name="timeout-other-way",
    title="When a command runs out of time, narrow it or run it in the background",
    situation=(
        "A test run, build, search or server does not come back within the time limit of the tool."
    ),
    seen=(
        "A command was stopped because it ran out of time. Another command of the same "
        "program, put differently, came back."
    ),
    advice=(
        "Restrict it to the part you need, give it a longer limit, or start it in the "
        "background and look at its output. Do not send it again unchanged."
    ),
    applies_when="The tool stops commands after a fixed time.",
    not_when="The command waits for input; then answer it or use an option that does not ask.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
