"""A script has no tables for its models; it creates them itself and works."""

from collections.abc import Iterator

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import fault_class


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the script without its table and the run after the script was repaired."""
    for repair in run.repairs:
        failing, passing = run.steps[repair.failing], run.steps[repair.passing]
        mended = repair.by == "own file" and repair.changed
        if fault_class(failing) == "db-schema" and failing.own and mended:
            yield Hit(steps=(failing.index, repair.changed[-1], passing.index))
            return


CARD = Card(
    name="db-schema",
    title="Create the tables yourself in a stand-alone script that uses a database",
    situation=(
        "A small script defines or uses database models outside a normal application of the "
        "framework."
    ),
    seen=(
        "A script of the agent failed because a table or column was not there. The script "
        "was changed, and then it ran."
    ),
    advice=(
        "Migrations do not cover models that live in a script. Create their tables "
        "explicitly before you use them, in a database that exists only for the script."
    ),
    applies_when="A script uses an object-relational mapper without the project's migrations.",
    not_when="The missing table is the reported fault.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
