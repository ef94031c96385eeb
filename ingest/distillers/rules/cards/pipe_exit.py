"""The exit code of a command in a pipe is asked for on purpose."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import worked

_ASKS: Final = re.compile(r"pipefail|PIPESTATUS|pipestatus")


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the command whose exit code was kept in spite of the pipe."""
    for step in run.steps:
        piped = any(command.piped for command in step.commands)
        if piped and step.kind == "shell" and _ASKS.search(step.command) and worked(step):
            yield Hit(steps=(step.index,))
            return


CARD = Card(
    name="pipe-exit",
    title="Keep the exit code of a command whose output you pipe into another",
    situation=(
        "The output of a check is shortened by a filter, and its success is judged by the "
        "exit code."
    ),
    seen=(
        "A command was piped into a filter, and the shell was told to keep the exit code of "
        "the first."
    ),
    advice=(
        "A pipe ends with the code of its last part, so a failing check looks fine behind a "
        "filter. Set the option for pipes or write the output to a file first."
    ),
    applies_when="The exit code decides about the next step.",
    not_when="Only the text of the output is wanted.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
