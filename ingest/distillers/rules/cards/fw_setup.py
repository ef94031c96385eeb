"""A stand-alone script has to configure the framework before it imports or uses models."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import fault_class

_CLASSES: Final = frozenset({"settings-not-configured", "apps-not-loaded"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the script that was not set up and the run after the script was repaired."""
    for repair in run.repairs:
        failing, passing = run.steps[repair.failing], run.steps[repair.passing]
        mended = repair.by == "own file" and repair.changed
        if fault_class(failing) in _CLASSES and failing.own and mended:
            yield Hit(steps=(failing.index, repair.changed[-1], passing.index))
            return


CARD = Card(
    name="fw-setup",
    title="Configure the framework before a stand-alone script imports its models",
    situation="A small script uses parts of a web framework outside its own start-up.",
    seen=(
        "A script of the agent failed because the framework was not configured or its "
        "applications were not loaded. The script was changed, and then it ran."
    ),
    advice=(
        "Set the settings and start the framework's set-up first, then import what needs "
        "it. Name the applications whose models you use."
    ),
    applies_when="The framework needs settings or a registry of applications before use.",
    not_when="The code runs through the framework's own command.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
    languages=("python",),
)
