"""After an edit the syntax of the file is checked before anything else."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, base_name, project_edits

_PARSES: Final = re.compile(
    r"\bpy_compile\b|\bcompileall\b|\bnode --check\b|\bnode -c\b|\b(?:ba|z)?sh -n\b|\bast\.parse\b"
    r"|\bruby -c\b|\bphp -l\b|\bperl -c\b|\bgofmt -e\b|\bpython[\d.]* -m py_compile\b"
)
_WITHIN: Final = 2
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the edit and the check of the syntax right after it."""
    for edit in run.steps:
        paths = {base_name(p) for p in project_edits(run, edit)}
        for step in after(run, edit.index, _WITHIN) if paths else ():
            if _PARSES.search(step.command) and any(name in step.command for name in paths):
                yield Hit(steps=(edit.index, step.index))
                return


CARD = Card(
    name="syntax-check",
    title="Check that a file can still be parsed right after you edited it",
    situation=(
        "Code is changed by patterns or patches, where a bracket or an indentation is easily lost."
    ),
    seen="A file of the project was edited, and the next command checked nothing but its syntax.",
    advice=(
        "Let the interpreter or compiler only parse the file. That takes a moment and keeps "
        "a slip of the edit from looking like a failure of the idea."
    ),
    applies_when="The language has a command that only parses.",
    not_when="The test that follows loads the file anyway and takes no longer.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
)
