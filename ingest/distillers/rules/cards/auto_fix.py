"""A linter fails; its own fixer is run, and the linter passes."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, answered, passed

_WITHIN: Final = 6
"""Steps to look ahead. Chosen by us."""

_FIXES = re.compile(r"(?:\s|:)(?:--fix\S*|--write|-w|--apply\S*|fix|fmt|format)(?:\s|$)")
_FORMATTERS: Final = frozenset(
    {"black", "isort", "gofmt", "goimports", "rustfmt", "autopep8", "yapf"}
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the failing linter, the fixer, and the linter that passes."""
    for failing in run.steps:
        if failing.phase != "lint" or failing.verdict != "fail" or not failing.purpose:
            continue
        fix: int | None = None
        for step in after(run, failing.index, _WITHIN):
            if _fixes(step) and answered(step):
                fix = step.index
            elif fix is not None and step.purpose == failing.purpose and passed(step):
                yield Hit(steps=(failing.index, fix, step.index))
                return


def _fixes(step: StepRecord) -> bool:
    if step.phase != "lint":
        return False
    checks = "--check" in step.command
    return not checks and (step.program in _FORMATTERS or bool(_FIXES.search(step.command)))


CARD = Card(
    name="auto-fix",
    title="Let the formatter or the linter's own fixer correct style findings",
    situation=(
        "A linter or formatter check reports style findings that the tool can correct by itself."
    ),
    seen=(
        "A linter failed. A formatter or the linter's own fixer was run, and the same linter "
        "passed after that."
    ),
    advice=(
        "Run the project's fixer on the files you changed, then read the diff: it may touch "
        "more than your lines. Correct by hand only what is left."
    ),
    applies_when="The project has a formatter or a linter that can fix.",
    not_when="The fixer would rewrite files that are not part of the change.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
)
