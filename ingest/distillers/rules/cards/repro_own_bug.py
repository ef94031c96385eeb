"""A new check script fails because of itself and is repaired before the code is changed."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import fault_class
from ..verification import raised_in_own

_SCRIPT_FAULTS: Final = frozenset(
    {"syntax-error", "indentation-error", "name-error", "no-such-file", "fixture-not-found",
     "attribute-error", "type-error", "import-error", "no-such-module", "value-error", "key-error"}
)  # fmt: skip


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the failing script, its repair, and the run that then said something."""
    for repair in run.repairs:
        failing, passing = run.steps[repair.failing], run.steps[repair.passing]
        early = run.first_edit < 0 or passing.index < run.first_edit
        if repair.by != "own file" or not (failing.own and failing.check and early):
            continue
        itself = fault_class(failing) in _SCRIPT_FAULTS and raised_in_own(run, failing)
        if itself and repair.changed and run.last_edit >= 0:
            yield Hit(steps=(failing.index, repair.changed[-1], passing.index))
            return


CARD = Card(
    name="repro-own-bug",
    title="Make the check script fail for the right reason before you change the code",
    situation="A script was written to show a reported fault, and its first run ends in an error.",
    seen=(
        "The first run of a new check script stopped in the script itself. Only the script "
        "was changed, and then it ran."
    ),
    advice=(
        "Read where the error was raised: a failure of the script says nothing about the "
        "fault. Repair it until it shows exactly the reported behaviour, and only then "
        "change the code."
    ),
    applies_when="The error is raised in the script, by its set-up or its imports.",
    not_when="The error is the reported one.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
)
