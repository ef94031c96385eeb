"""An edit by a stream editor fails or spoils the file; a script makes the same change."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, base_name, fault_class, worked
from ..verification import breaks_at

_WITHIN: Final = 5
"""Steps to look ahead. Chosen by us."""

_BROKEN: Final = frozenset({"syntax-error", "indentation-error"})
_STREAMS: Final = frozenset({"sed", "gsed", "ed", "ex", "perl", "awk", "patch"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the edit that went wrong and the script that changed the same file."""
    for edit in run.steps:
        if not any(c.program in _STREAMS and (c.writes or edit.edits) for c in edit.commands):
            continue
        names = {base_name(w) for c in edit.commands for w in (*c.writes, *edit.edits)}
        wrong = edit.phase == "edit" and edit.failed
        for step in after(run, edit.index, _WITHIN):
            named = {base_name(p) for p in step.edits} & names
            undone = step.phase == "undo" and not step.failed and bool(named)
            broken = fault_class(step) in _BROKEN and any(breaks_at(step, n) for n in names)
            wrong = wrong or undone or broken
            by_script = step.main is not None and base_name(step.main.program)[:6] == "python"
            if wrong and named and by_script and step.phase == "edit" and worked(step):
                yield Hit(steps=(edit.index, step.index))
                return


CARD = Card(
    name="sed-to-script",
    title="Make an edit of several lines with a small script when patterns fail",
    situation=(
        "A change of several lines, or of a line full of special characters, is to be made "
        "from the shell."
    ),
    seen=(
        "An edit by a pattern, a patch or an editor command failed or spoiled the file. A "
        "small script then changed the same file."
    ),
    advice=(
        "Read the file in a script, check that the old text occurs exactly once, replace it "
        "and write the file back. No pattern or shell quoting is in the way there."
    ),
    applies_when="There is no editing tool, only a shell.",
    not_when="The change is one plain word on one line.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
)
