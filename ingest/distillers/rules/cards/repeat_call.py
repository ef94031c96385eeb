"""The same call is made again and again, with the same result and no change in between."""

import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import changes_files, worked

_KINDS: Final = frozenset({"shell", "read", "search", "list", "fetch"})
_LOOKS: Final = frozenset({"explore", "search", "read", "run"})
_TIMES: Final = 3
_SHORTEST: Final = 40
"""Characters; a shorter answer, such as a count or a yes, is no look-up. Chosen by us."""

_WAITS = re.compile(r"\bsleep\b|\bwait\b|\bgh (?:run|pr checks)|\bdate\b|curl|poll|status")


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield three equal calls with equal results between which nothing was changed."""
    seen: dict[bytes, list[StepRecord]] = {}
    for step in run.steps:
        if changes_files(step) or not worked(step):
            seen.clear()
            continue
        if step.kind not in _KINDS or step.phase not in _LOOKS or _WAITS.search(step.command):
            continue
        if len(step.observation) < _SHORTEST:
            continue
        same = seen.setdefault(_key(step), [])
        same.append(step)
        if len(same) == _TIMES:
            yield Hit(steps=tuple(s.index for s in same))
            return


def _key(step: StepRecord) -> bytes:
    """Return what is equal for two calls that asked and answered the same."""
    asked = f"{step.call.name} {sorted(step.call.arguments.items())!r} {step.command}"
    text = f"{asked}\n{step.observation}"
    return blake2b(text.encode("utf-8", errors="replace"), digest_size=16).digest()


CARD = Card(
    name="repeat-call",
    title="Do not make the same look-up a third time; its result has not changed",
    situation=(
        "The same file is read or the same command is run again although nothing was changed since."
    ),
    seen=(
        "The same call was made three times with the same result, and nothing was changed in "
        "between."
    ),
    advice=(
        "Note what a look-up showed and go on from there. If the result is not what you need, "
        "ask another question instead of the same one."
    ),
    applies_when="Files and commands are looked up in the course of a longer task.",
    not_when="Something outside is waited for, such as a build or a server.",
    kind="anti-pattern avoidance",
    polarity="avoid",
    detect=detect,
)
