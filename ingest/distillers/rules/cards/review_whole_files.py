"""In a review the changed files are read as a whole after the diff."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import command_of, git, head, in_project, worked

_ENOUGH: Final = 2
_MOST: Final = 3


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the diff and the reads of files that it names, before any change."""
    diff: StepRecord | None = None
    read: dict[str, int] = {}
    for step in run.steps:
        if step.edits:
            break
        if diff is None and worked(step) and _is_diff(step):
            diff = step
        elif diff and worked(step):
            for path in _read_by(step):
                if path in head(diff) and in_project(path):
                    read.setdefault(path, step.index)
    indexes = tuple(dict.fromkeys(read.values()))
    if diff and len(read) >= _ENOUGH:
        yield Hit(steps=(diff.index, *indexes[:_MOST]))


def _is_diff(step: StepRecord) -> bool:
    gh = command_of(step, "gh", "pr")
    shown = git(step, "diff") is not None or (gh is not None and gh.task == "diff")
    return shown and len(step.observation) > 50


def _read_by(step: StepRecord) -> tuple[str, ...]:
    show = git(step, "show")
    if show:
        named = [arg.partition(":")[2] for arg in show.args]
        return tuple(filter(None, named))
    return step.reads if step.phase == "read" else ()


CARD = Card(
    name="review-whole-files",
    title="Read the changed files as a whole, not only the lines of the diff",
    situation="Changes of a branch, a pull request or the working copy are to be reviewed.",
    seen=(
        "A diff was looked at. Files that it names were then read themselves, before anything "
        "was changed."
    ),
    advice=(
        "After the diff open each changed file and the code that calls it: what a change "
        "breaks often stands outside its lines."
    ),
    applies_when="The task is to judge changes.",
    not_when="The diff is very large; then choose the files that matter.",
    kind="repository exploration",
    polarity="do",
    detect=detect,
)
