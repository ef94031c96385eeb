"""The log or job list of a failed CI run is read before anything is changed."""

from collections.abc import Iterator

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import command_of, worked


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the look at a CI run and the first change to the project after it."""
    for step in run.steps[: max(run.first_edit, 0)]:
        command = command_of(step, "gh", "run", "api")
        if command is None or not worked(step) or len(step.observation) < 80:
            continue
        viewed = command.subcommand == "run" and command.task == "view"
        if viewed or any("actions/runs" in arg or "/jobs" in arg for arg in command.args):
            yield Hit(steps=(step.index, run.first_edit))
            return


CARD = Card(
    name="ci-log-first",
    title="Read the log of the failed CI job before you change anything",
    situation="A build, release or test run on a CI service failed and has to be repaired.",
    seen=(
        "The jobs or the log of a CI run were read through the command line before the first "
        "change was made."
    ),
    advice=(
        "Find the failing job and step and its first error. Check that the version and commit "
        "of the run are the ones you are looking at."
    ),
    applies_when="The failing run can be reached from here.",
    not_when="The failure can be shown on this machine by the same command.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
    tools=("gh",),
)
