"""A script imports a name from the wrong place; a search shows the right one."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import between, found_nothing, worked

_LOOKS: Final = frozenset({"search", "read", "explore"})
_DOTTED: Final = re.compile(r"No module named '?\w+\.")


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the failing import, the look, and the run after the script was corrected."""
    for repair in run.repairs:
        failing, passing = run.steps[repair.failing], run.steps[repair.passing]
        if not _lost(failing) or not failing.own or not repair.changed:
            continue
        look = next(
            (
                s
                for s in between(run, failing.index, passing.index)
                if s.phase in _LOOKS and s.reads and worked(s) and not found_nothing(s)
            ),
            None,
        )
        if repair.by == "own file" and look:
            yield Hit(steps=(failing.index, look.index, passing.index))
            return


def _lost(step: StepRecord) -> bool:
    """Tell whether a name or a module inside a package was not found; a package may be missing."""
    message = step.fault.message if step.fault else ""
    return "cannot import name" in message or bool(_DOTTED.search(message))


CARD = Card(
    name="import-lookup",
    title="Look up where a name is defined before you change an import that failed",
    situation="A small script imports something from a project, and the import fails.",
    seen=(
        "An import in a script of the agent failed. After a look at the project the script "
        "was corrected, and it ran."
    ),
    advice=(
        "Search the project for the definition and for how other files import it, and use "
        "that path. Names move between versions."
    ),
    applies_when="The name exists in the project under another path.",
    not_when="A package is not installed.",
    kind="API and interface compliance",
    polarity="do",
    detect=detect,
)
