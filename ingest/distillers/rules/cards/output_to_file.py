"""The output of a long command is put into a file and searched there."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, answered, base_name, worked

_WITHIN: Final = 5
"""Steps to look ahead. Chosen by us."""

_PHASES: Final = frozenset({"test", "build", "lint", "run"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the check with its output in a file and the look into that file."""
    for check in run.steps:
        if check.phase not in _PHASES or check.main is None or not answered(check):
            continue
        files = [
            *check.main.writes,
            *(w for c in check.commands if c.program == "tee" for w in c.writes),
        ]
        names = {base_name(f) for f in files if f.endswith((".log", ".txt", ".out"))}
        for step in after(run, check.index, _WITHIN) if names else ():
            look = step.phase in ("search", "read") and worked(step)
            if look and names & {base_name(path) for path in step.reads}:
                yield Hit(steps=(check.index, step.index))
                return


CARD = Card(
    name="output-to-file",
    title="Put the output of a long command into a file and search the file",
    situation="A test run, build or program prints more than can be read at once.",
    seen=(
        "The output of a command was written to a file. The file was searched or read in part "
        "afterwards."
    ),
    advice=(
        "Redirect the output to a temporary file, look at its end first, then search for the "
        "first error. Remove the file when it is no longer needed."
    ),
    applies_when="The output is long or would be cut.",
    not_when="A quiet option of the program gives the same answer.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
