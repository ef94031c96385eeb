"""A script that edits a file says whether it found what it was to replace."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import base_name, project_edits

_SAYS: Final = re.compile(
    r"(?i)\b(?:success\w*|applied|patched|updated|replaced|fixed|modified|inserted|not find"
    r"|not found|found|no match|done)\b"
)
_ASKS: Final = re.compile(
    r"\bif\b[^\n]{0,200}\bin\b|\bassert\b|\bcount\(|\bfind\(|\bindex\(|[!=]= ?-1"
)
_SHARED: Final = 12
"""Characters that a printed line has in common with the script's text. Chosen by us."""

_CHARS: Final = 20_000
"""Characters that are looked at. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the step in which an edit script reported what it did."""
    sources: dict[str, tuple[int, str]] = {}
    for step in run.steps:
        for command in step.commands:
            if command.heredoc and command.writes:
                sources[base_name(command.writes[0])] = (step.index, command.heredoc[:_CHARS])
        script = next((base_name(p) for p in _ran(step) if base_name(p) in sources), "")
        changed = [p for p in project_edits(run, step) if base_name(p) != script]
        if not script or not changed:
            continue
        written, source = sources[script]
        if _ASKS.search(source) and _reports(step, source):
            yield Hit(steps=tuple(sorted({written, step.index})))
            return


def _reports(step: StepRecord, source: str) -> bool:
    """Tell whether a line of the output is one that the script prints about its work."""
    said = step.observation[:_CHARS].split("\n")
    return any(_SAYS.search(line) and line.strip()[:_SHARED] in source for line in said)


def _ran(step: StepRecord) -> tuple[str, ...]:
    args = (arg for command in step.commands for arg in command.args)
    return tuple(arg for arg in args if arg.endswith((".py", ".js", ".rb")))


CARD = Card(
    name="edit-script-reports",
    title="Let a script that edits a file say whether it found what it replaces",
    situation="A source file is changed by a small script because the edit spans several lines.",
    seen=(
        "A script that the agent wrote to change a project file asked whether the place was "
        "there and reported what it did."
    ),
    advice=(
        "Test for the old text before replacing it, stop with a message where it is missing "
        "or occurs more than once, and print what was changed."
    ),
    applies_when="Edits are made by scripts.",
    not_when="The tool itself reports each replacement.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
)
