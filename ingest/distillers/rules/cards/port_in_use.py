"""A port is taken; the holder is found or another port is chosen, and the program starts."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, fault_class, worked

_WITHIN: Final = 8
"""Steps to look ahead. Chosen by us."""

_LOOKS: Final = frozenset({"lsof", "ss", "netstat", "fuser", "ps", "pgrep", "kill", "pkill"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the failed start, the look at processes or the stop of one, and the new start."""
    for failed in run.steps:
        if failed.main is None or fault_class(failed) != "address-in-use":
            continue
        look = -1
        for step in after(run, failed.index, _WITHIN):
            if look < 0 and any(c.program in _LOOKS for c in step.commands):
                look = step.index
            if look >= 0 and step.program == failed.program and worked(step):
                yield Hit(steps=tuple(dict.fromkeys((failed.index, look, step.index))))
                return


CARD = Card(
    name="port-in-use",
    title="When a port is taken, find out who holds it before you act",
    situation="A server does not start because its address is already in use.",
    seen=(
        "A program did not start because its port was taken. Processes were looked up or one was "
        "stopped, and then it started."
    ),
    advice=(
        "Look up the process on the port. If it is an old instance of your own, stop that "
        "one; otherwise choose another port and leave it running."
    ),
    applies_when="A service is started on a fixed port.",
    not_when="The program itself opens the port twice; then its settings are at fault.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
