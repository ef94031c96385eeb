"""A change had no effect because an old build was tested; after a build it works."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after
from ..verification import edits_between, outcome_text, passes, shows_fault

_WITHIN: Final = 8
"""Steps to look ahead. Chosen by us."""

_BUILDS: Final = re.compile(r"\b(?:build|install|compile|make|dist|bundle|generate)\b")


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield two equal failures with a change between, and the build after which it passed."""
    last: dict[str, StepRecord] = {}
    for step in run.steps:
        if not step.check or not shows_fault(step):
            continue
        earlier = last.get(step.command)
        last[step.command] = step
        same = earlier is not None and outcome_text(earlier) == outcome_text(step)
        if earlier is None or not same or not edits_between(run, earlier.index, step.index):
            continue
        for build in after(run, step.index, _WITHIN):
            made = build.phase in ("build", "install") and not build.failed
            checked = step.command in build.command or any(
                s.command == step.command and passes(s) for s in after(run, build.index, 2)
            )
            if made and checked and _BUILDS.search(build.command) and build.command != step.command:
                yield Hit(steps=(earlier.index, step.index, build.index))
                return


CARD = Card(
    name="stale-build",
    title="When a change has no effect at all, build again before you doubt the change",
    situation="The code is different, and the failure stays exactly the same.",
    seen=(
        "A check failed in the same way before and after a change. After a build the same "
        "check passed."
    ),
    advice=(
        "Find out which files the check loads: a copy, a package or a compiled file may be "
        "older than your change. Build or install it again, and then judge the change."
    ),
    applies_when="The checked files are made from the sources.",
    not_when="The check loads the sources directly.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
