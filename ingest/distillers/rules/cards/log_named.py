"""A message points to a log, and the log is read before anything is changed."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, base_name, worked

_LOG: Final = re.compile(r"[\w./-]+\.(?:log|out|err)\b")
_WITHIN: Final = 4
"""Steps to look ahead. Chosen by us."""

_CHARS: Final = 4_000
"""Characters that are looked at. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the failure that names a log and the step that read it."""
    for failing in run.steps:
        if not failing.failed or failing.kind != "shell":
            continue
        named = {base_name(m) for m in _LOG.findall(failing.observation[-_CHARS:])}
        for step in after(run, failing.index, _WITHIN) if named else ():
            if step.edits:
                break
            if named & {base_name(p) for p in step.reads} and worked(step):
                yield Hit(steps=(failing.index, step.index))
                return


CARD = Card(
    name="log-named",
    title="Read the log that a message points to before you change anything",
    situation="A program fails with a short message that does not say why.",
    seen=(
        "A command failed and its message named a log. The log was read before anything was "
        "changed."
    ),
    advice=(
        "Look at the end of the log first, then search it for the first error; what comes "
        "after is often only the consequence."
    ),
    applies_when="The program writes a log.",
    not_when="The message itself says what is wrong.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
)
