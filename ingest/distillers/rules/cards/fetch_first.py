"""The state of the remote is fetched before the work begins."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import commits, git, worked

_EARLY: Final = 12
"""Steps from the start in which a fetch belongs to the beginning. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield an early fetch or pull that comes before the first change of a file."""
    for step in run.steps[:_EARLY]:
        if step.edits or commits(step):
            return
        if git(step, "fetch", "pull") and worked(step):
            yield Hit(steps=(step.index,))
            return


CARD = Card(
    name="fetch-first",
    title="Fetch the remote before you start, so that you work on its present state",
    situation="Work begins in a clone that others push to, or whose state is not known.",
    seen="The remote was fetched or pulled near the start, before any file was changed.",
    advice=(
        "Fetch, and look at the branch, whether it is ahead or behind, and at files that are "
        "already changed. Say so if the state differs from what the request assumes."
    ),
    applies_when="The repository has a remote that can be reached.",
    not_when="The task fixes the commit to work on.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
    tools=("git",),
)
