"""After the conversation was cut down to a summary the state is looked at again."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import git, worked

_WITHIN: Final = 4
"""Steps to look ahead. Chosen by us."""

_SUMMED_UP = re.compile(
    r"being continued from a previous conversation|conversation (?:history )?(?:was|has been|is) "
    r"(?:summari[sz]ed|compacted)|context (?:was|has been) (?:compacted|summari[sz]ed)",
    re.IGNORECASE,
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the first look at files or version control after a summary, before any change."""
    turns = run.trajectory.turns
    cut = next((i for i, t in enumerate(turns) if _SUMMED_UP.search(t.text[:1_000])), None)
    if cut is None or turns[cut].role == "agent":
        return
    later = [step for step in run.steps if step.turn > cut][:_WITHIN]
    for step in later:
        if step.edits:
            return
        looks = step.phase in ("read", "search", "explore") or git(step, "status", "diff", "log")
        if looks and worked(step) and step.observation.strip():
            yield Hit(steps=(step.index,))
            return


CARD = Card(
    name="context-restored",
    title="After a summary replaced the conversation, look at the real state before you go on",
    situation=(
        "The conversation became too long and was replaced by a summary, or the work is taken "
        "over from another session."
    ),
    seen=(
        "The run went on from a summary of an earlier conversation. Files or version control "
        "were looked at before anything was changed."
    ),
    advice=(
        "Check status, diff and the files in question instead of trusting the summary. Keep "
        "decisions and open points in a file or to-do list that outlives it."
    ),
    applies_when="A session is continued from a summary.",
    not_when="Nothing had been changed before the summary.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
)
