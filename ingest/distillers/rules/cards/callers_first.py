"""The uses of a function are searched before its parameters are changed."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..hunks import hunks_of
from ..patterns import found_nothing, sought, worked
from ..verification import is_source

_DEFINES: Final = re.compile(
    r"^\s*(?:async )?(?:def|func|fn|function)\s+(?:\([^)]*\) ?)?(\w+)\s*\((.*)", re.MULTILINE
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the search for a function's name and the change of its parameters."""
    searched: dict[str, int] = {}
    for step in run.steps:
        searched.update(dict.fromkeys(_names_sought(step), step.index))
        for hunk in hunks_of(step):
            if not is_source(hunk.path) or hunk.path in run.own_files:
                continue
            old, new = (dict(_DEFINES.findall("\n".join(t))) for t in (hunk.removed, hunk.added))
            for name, parameters in old.items():
                changed = name in new and new[name] != parameters
                if changed and name in searched and step.index > searched[name]:
                    yield Hit(steps=(searched[name], step.index))
                    return


def _names_sought(step: StepRecord) -> list[str]:
    """Return the names that a search looked for, not one for the definition itself."""
    if step.phase not in ("search", "explore") or not worked(step) or found_nothing(step):
        return []
    pattern = sought(step)
    defines = re.search(r"\b(?:def|class|func|function) ", pattern)
    return [] if defines else re.findall(r"\w{4,}", pattern)


CARD = Card(
    name="callers-first",
    title="Search for all uses of a function before you change its parameters",
    situation="A function needs another parameter or another order of them.",
    seen=(
        "A function's name was searched in the project, and its parameters were changed after that."
    ),
    advice=(
        "Look at every caller, subclass and documented use before you change a signature. "
        "Add a parameter at the end with a default so that other callers keep working."
    ),
    applies_when="The function is used in more than one place or is public.",
    not_when="The function is new or used only here.",
    kind="API and interface compliance",
    polarity="do",
    detect=detect,
)
