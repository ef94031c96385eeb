"""A command is stopped by the sandbox; the same command works with the permission asked for."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, worked

_WITHIN: Final = 12
"""Steps to look ahead: several calls of one turn may fail alike. Chosen by us."""

_MOST: Final = 2
_SANDBOX = re.compile(
    r"\bsandbox|\bbwrap:|seatbelt|landlock|requested permissions? to|requires approval"
    r"|not (?:been )?granted|(?:denied|blocked|not allowed) by (?:policy|sandbox)",
    re.IGNORECASE,
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the stopped command and the same command when it worked."""
    found = 0
    for stopped in run.steps:
        text = stopped.observation[:600]
        if stopped.kind != "shell" or worked(stopped) or not _SANDBOX.search(text):
            continue
        for step in after(run, stopped.index, _WITHIN):
            if step.command == stopped.command and worked(step) and found < _MOST:
                found += 1
                yield Hit(steps=(stopped.index, step.index))
                break


CARD = Card(
    name="sandbox-failure",
    title="Tell a failure of the sandbox from a failure of the command",
    situation=(
        "A command stops before it starts because the sandbox or the permission rules of the "
        "agent do not let it run."
    ),
    seen=(
        "A command failed with a message of the sandbox and not of its own. The very same "
        "command worked when it was run again."
    ),
    advice=(
        "Do not conclude that the file or the program is missing. Ask for the permission in "
        "the way the harness offers, for this one command, and say why it is needed."
    ),
    applies_when="Commands run in a sandbox or need approval.",
    not_when="The message comes from the command itself.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
