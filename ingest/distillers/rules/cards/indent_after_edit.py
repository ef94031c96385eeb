"""An edit broke the syntax of a file; the next check shows it and it is repaired."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import before, fault_class, project_edits
from ..verification import breaks_at

_NEAR: Final = 3
"""Steps between an edit and the check that shows its fault. Source: measured on 342 public
runs."""

_BROKEN: Final = frozenset({"indentation-error", "syntax-error"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the edit that broke a file, the failing check, and the repair."""
    for repair in run.repairs:
        failing = run.steps[repair.failing]
        if fault_class(failing) not in _BROKEN or not failing.check:
            continue
        for edit in before(run, failing.index + 1, _NEAR + 1):
            broken = [path for path in project_edits(run, edit) if breaks_at(failing, path)]
            mend = next((i for i in repair.changed if {*run.steps[i].edits} & {*broken}), -1)
            if broken and mend >= 0:
                yield Hit(steps=tuple(sorted({edit.index, failing.index, mend})))
                return


CARD = Card(
    name="indent-after-edit",
    title="Check the syntax of a file right after you edit it without an editor",
    situation=(
        "Lines of an indented language are inserted or replaced by line number, by a "
        "pattern or by a script."
    ),
    seen=(
        "A file could not be parsed any more after an edit. The next check showed it, and "
        "the edit was repaired or undone."
    ),
    advice=(
        "After such an edit look at the changed lines with their indentation, or let the "
        "compiler parse the file, before you draw conclusions from any test."
    ),
    applies_when="A file was changed by a pattern, a line number or a script.",
    not_when="The editing tool checks the syntax itself.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
)
