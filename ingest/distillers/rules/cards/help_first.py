"""The help of a program is read before the program is used."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, asks_help, worked

_WITHIN: Final = 20
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the first look at a program's help, and its first use after it, none before."""
    used: set[str] = set()
    for look in run.steps:
        if look.main is None:
            continue
        if not asks_help(look):
            used.add(look.program)
            continue
        if not worked(look) or look.program in used or len(look.observation) < 100:
            continue
        for step in after(run, look.index, _WITHIN):
            if step.program == look.program and worked(step) and not asks_help(step):
                yield Hit(steps=(look.index, step.index))
                return


CARD = Card(
    name="help-first",
    title="Read the help of an unfamiliar command before you use it",
    situation="A command line tool that is not commonly known has to be used for the task.",
    seen=(
        "The help of a command was read before the command was used for the first time, and "
        "the use worked."
    ),
    advice=(
        "Call it with --help, then the sub-command with --help, and only then act. Look for "
        "options that only read or rehearse."
    ),
    applies_when="The tool belongs to the project or is little known.",
    not_when="It is a tool whose options are certain.",
    kind="API and interface compliance",
    polarity="do",
    detect=detect,
)
