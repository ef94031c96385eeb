"""A module is missing; it is installed, and the check goes on."""

from collections.abc import Iterator

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import fault_class
from ..verification import MISSING


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the missing module, the installation, and the check that then ran."""
    for repair in run.repairs:
        failing, passing = run.steps[repair.failing], run.steps[repair.passing]
        if repair.by != "install" or fault_class(failing) not in MISSING or not failing.check:
            continue
        install = next((i for i in repair.changed if _installs(run.steps[i])), -1)
        if install >= 0:
            yield Hit(steps=(failing.index, install, passing.index))
            return


def _installs(step: StepRecord) -> bool:
    return step.phase == "install" and not step.failed


CARD = Card(
    name="module-install",
    title="Install what the error says is missing, then run the check again",
    situation=(
        "A check cannot start because a module or a tool of the project's requirements is missing."
    ),
    seen="A check failed because something was not installed. After an installation the check ran.",
    advice=(
        "Make sure first that the project lists it or that the task allows it. Install with "
        "the interpreter that runs the check, and repeat the very same check."
    ),
    applies_when="The environment may be changed and the package can be reached.",
    not_when="Another interpreter already has it, or the environment must stay as it is.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
