"""A test command ran not a single test."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, fault_class

_WITHIN: Final = 6
"""Steps to look ahead. Chosen by us."""

_NOT_STARTED: Final = frozenset({"test-not-found", "usage-error", "script-not-there"})
"""The runner said itself that it could not start."""

_SAYS_NONE: Final = re.compile(r"(?i)\bno tests\b|\bran 0 tests\b|\b0 (?:tests|items|passed)\b")


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the command that ran nothing and, where there is one, the run that did."""
    for step in run.steps:
        if step.verdict != "nothing-ran" or not step.check or fault_class(step) in _NOT_STARTED:
            continue
        if step.own and not _SAYS_NONE.search(step.observation[-2_000:]):
            continue
        later = next(
            (
                s
                for s in after(run, step.index, _WITHIN)
                if s.phase == "test" and s.verdict in ("pass", "fail")
            ),
            None,
        )
        yield Hit(steps=(step.index, later.index) if later else (step.index,))
        return


CARD = Card(
    name="no-tests-ran",
    title="Do not count a run in which no tests ran as a pass",
    situation=(
        "Tests are selected by a path, a name or a pattern, and the command ends without a failure."
    ),
    seen="A test command ended without running a single test.",
    advice=(
        "Read the number of tests before you conclude anything; an exit code of zero proves "
        "nothing here. Find out how the runner wants its tests named and correct the "
        "selection."
    ),
    applies_when="The summary of a runner says that nothing was collected or run.",
    not_when="The selection is meant to be empty.",
    kind="anti-pattern avoidance",
    polarity="avoid",
    detect=detect,
)
