"""A merge stops at conflicts; the files are edited, and it is completed."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, git, worked

_WITHIN: Final = 20
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the conflict, the last edit, and the step that completes the merge or rebase."""
    for stopped in run.steps:
        merging = git(stopped, "merge", "rebase", "pull", "cherry-pick", "stash", "am", "revert")
        if merging is None or "CONFLICT" not in stopped.observation:
            continue
        edit: int | None = None
        for step in after(run, stopped.index, _WITHIN):
            if step.edits and worked(step):
                edit = step.index
            ends = git(step, "commit", "rebase", "merge", "cherry-pick", "am")
            if edit is not None and ends and worked(step) and "CONFLICT" not in step.observation:
                yield Hit(steps=tuple(dict.fromkeys((stopped.index, edit, step.index))))
                return


CARD = Card(
    name="conflict-resolved",
    title="Resolve each conflict by reading both sides, then complete the merge",
    situation="A merge, rebase or cherry-pick stops because both sides changed the same lines.",
    seen=(
        "A merge or rebase stopped at conflicts. Files were edited after that, and it was "
        "completed."
    ),
    advice=(
        "Read both sides and what each was for; do not just take one. Search for left-over "
        "conflict marks and run the checks before you complete it."
    ),
    applies_when="Two lines of work changed the same place.",
    not_when="One side is known to be obsolete as a whole.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
    tools=("git",),
)
