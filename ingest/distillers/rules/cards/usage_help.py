"""A command is refused for its options; its help is read, and it works."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, asks_help, fault_class, worked

_WITHIN: Final = 4
"""Steps to look ahead, for the help and again for the use. Chosen by us."""

_CLASSES: Final = frozenset({"usage-error", "unknown-target", "invalid-arguments"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the refused command, the look at its help, and the command that worked."""
    for refused in run.steps:
        if refused.main is None or fault_class(refused) not in _CLASSES:
            continue
        for look in after(run, refused.index, _WITHIN):
            if look.program != refused.program or not asks_help(look) or not worked(look):
                continue
            for step in after(run, look.index, _WITHIN):
                if step.program == refused.program and worked(step) and not asks_help(step):
                    yield Hit(steps=(refused.index, look.index, step.index))
                    return


CARD = Card(
    name="usage-help",
    title="When a command refuses an option, read its help before the next try",
    situation="A command line program rejects an option, argument or sub-command.",
    seen=(
        "A command was refused because of its options or arguments. Its help was read, and "
        "then a command of the same program worked."
    ),
    advice=(
        "Call the program, or its sub-command, with --help and take the spelling from there. "
        "Installed versions differ from what one remembers."
    ),
    applies_when="A program reports a usage error or an unknown option or sub-command.",
    not_when="The message already names the right spelling.",
    kind="API and interface compliance",
    polarity="do",
    detect=detect,
)
