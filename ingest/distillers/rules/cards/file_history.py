"""The history of a file is looked at before the file is changed."""

from collections.abc import Iterator

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import base_name, git, project_edits, worked


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the look at a file's history and the first change to that file after it."""
    looks: dict[str, StepRecord] = {}
    for step in run.steps:
        command = git(step, "log", "blame")
        if command and worked(step) and step.observation.strip():
            for arg in command.args:
                if not arg.startswith("-") and "." in base_name(arg):
                    looks.setdefault(base_name(arg), step)
        for path in project_edits(run, step):
            look = looks.get(base_name(path))
            if look:
                yield Hit(steps=(look.index, step.index))
                return


CARD = Card(
    name="file-history",
    title="Look at the history of a file before you change it",
    situation=(
        "A file behaves in a way that looks odd or was changed recently, and it has to be "
        "changed now."
    ),
    seen="The history of a file was looked at, and the file was changed after that.",
    advice=(
        "Ask the version control which commits touched the lines and why before you undo or "
        "rework them. A regression often has its commit."
    ),
    applies_when="The project has a version history that reaches back far enough.",
    not_when="The checkout holds no history, or the task forbids looking at it.",
    kind="repository exploration",
    polarity="do",
    detect=detect,
    tools=("git",),
)
