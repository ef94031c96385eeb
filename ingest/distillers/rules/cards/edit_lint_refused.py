"""An edit tool refuses an edit that breaks the syntax; the corrected edit works."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import aim, is_edit_tool, worked

_WITHIN: Final = 6
"""Steps to look ahead. Chosen by us."""

_REFUSED = re.compile(r"Your proposed edit has introduced new syntax error")


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the refused edit and the edit of the same file that worked."""
    waiting: StepRecord | None = None
    for step in run.steps:
        if not is_edit_tool(step):
            continue
        if _REFUSED.search(step.observation[:500]):
            waiting = step
        elif waiting and worked(step):
            near = step.index - waiting.index <= _WITHIN
            if near and (not aim(waiting) or aim(waiting) in step.edits):
                yield Hit(steps=(waiting.index, step.index))
            waiting = None


CARD = Card(
    name="edit-lint-refused",
    title="When the editor refuses an edit for its syntax, correct the text first",
    situation=(
        "An editor with a built-in syntax check rejects an edit because of wrong indentation "
        "or a syntax error."
    ),
    seen=(
        "The editor refused an edit because it would have broken the syntax, so the file "
        "stayed as it was. A corrected edit was accepted."
    ),
    advice=(
        "Read the reported error and line, and compare indentation and line range with the "
        "file as it stands. Send a corrected edit; nothing of the refused one was applied."
    ),
    applies_when="The edit tool checks syntax before it writes.",
    not_when="The edit was applied and a later run shows the error.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
)
