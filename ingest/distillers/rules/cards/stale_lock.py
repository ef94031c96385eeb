"""Before a lock is removed it is checked whether its holder still runs."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit

_ASKS: Final = re.compile(
    r"\bkill -0\b|\bps (?:-p|-o|aux|-ef)|\bpgrep\b|\bfuser\b|\blsof\b|/proc/\d+"
)
_WITHIN: Final = 8
"""Steps to look ahead. Chosen by us."""

_NAMES: Final = re.compile(
    r"(?i)\block\b.{0,80}\b(?:held|pid|process|exists|owner)|unable to lock|could not get lock"
    r"|index\.lock|lock file|already (?:running|locked)"
)
_CHARS: Final = 4_000
"""Characters that are looked at. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the message that names a lock and the question whether its holder is alive."""
    for told in run.steps:
        said = told.observation[-_CHARS:]
        if told.edits or "lock" not in said.lower() or not _NAMES.search(said):
            continue
        for step in run.steps[told.index : told.index + _WITHIN]:
            if _ASKS.search(step.command):
                yield Hit(steps=tuple(sorted({told.index, step.index})))
                return


CARD = Card(
    name="stale-lock",
    title="Check whether the holder of a lock is alive before you remove the lock",
    situation="A program refuses to start because a lock says that another one is running.",
    seen="A message named a lock. It was asked whether the process that holds it still exists.",
    advice=(
        "Read the process number from the lock and ask whether that process runs. If it is "
        "gone, the lock is stale; make the program notice that itself, since the next crash "
        "leaves it again."
    ),
    applies_when="The lock is a file with the number of a process.",
    not_when="The process is alive: then wait or stop it properly.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
