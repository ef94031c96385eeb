"""A file is changed in place through the shell, and the result is looked at."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, git, worked

_MOST: Final = 2
_IN_PLACE: Final = frozenset({"sed", "gsed", "perl", "awk", "ed", "ex", "tee", "echo", "printf"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield edits in the shell that are followed by a look at the file or its diff."""
    found = 0
    for edit in run.steps:
        if edit.phase != "edit" or not _in_place(edit) or not worked(edit):
            continue
        changed = [path for path in edit.edits if path not in edit.creates]
        look = next((s for s in after(run, edit.index, 1) if _shows(s, changed)), None)
        if look and found < _MOST:
            found += 1
            yield Hit(steps=(edit.index, look.index))


def _in_place(step: StepRecord) -> bool:
    return step.main is not None and step.main.program in _IN_PLACE


def _shows(step: StepRecord, changed: list[str]) -> bool:
    if not changed or not worked(step) or step.edits or not step.observation.strip():
        return False
    read = step.phase == "read" and any(path in step.reads for path in changed)
    return read or git(step, "diff") is not None


CARD = Card(
    name="shell-edit-checked",
    title="After changing a file with sed or echo, look at the result",
    situation=(
        "A file is edited in place by a shell command such as sed, perl or an appending "
        "redirect, which prints nothing."
    ),
    seen=(
        "A file was changed in place by a shell command that prints nothing. The next step looked "
        "at the file or at its diff."
    ),
    advice=(
        "Show the changed lines or the diff before you go on: such a command also succeeds "
        "when it matched nothing, too much, or the wrong line."
    ),
    applies_when="Edits are made with shell commands instead of an edit tool.",
    not_when="An edit tool already shows the changed lines in its answer.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
)
