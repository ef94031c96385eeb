"""A settings file is changed, and a parser is asked whether it is still valid."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, base_name, project_edits, worked

_WITHIN: Final = 20
"""Steps to look ahead. Chosen by us."""

_SETTINGS: Final = (".json", ".yml", ".yaml", ".toml")
_PARSES = re.compile(
    r"\bjq\s+(?:-\w+\s+)*(?:empty|\.|'\.')\s|json\.tool|json\.loads?\(|safe_load|tomllib|JSON\.parse"
    r"|\b(?:yamllint|actionlint|github-actionlint|jsonlint|taplo|check-jsonschema)\b|\bconfig\s+--quiet"
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the change of a settings file and the parser's look at it."""
    for edit in run.steps:
        changed = [path for path in project_edits(run, edit) if path.endswith(_SETTINGS)]
        for step in after(run, edit.index, _WITHIN) if changed else ():
            line = step.command if step.kind == "shell" else ""
            named = any(base_name(path) in line for path in changed)
            if named and _PARSES.search(line) and _ended_well(step):
                yield Hit(steps=(edit.index, step.index))
                return


def _ended_well(step: StepRecord) -> bool:
    """Say whether a parser is known to have ended, and without a complaint."""
    return worked(step) and (step.exit_code == 0 or bool(step.observation.strip()))


CARD = Card(
    name="config-parses",
    title="After editing a settings file, let a parser read it",
    situation=(
        "A JSON, YAML or TOML file such as a workflow or a project's settings was changed by hand."
    ),
    seen=(
        "A settings file was changed. A parser or a linter for such files read it afterwards "
        "and did not complain."
    ),
    advice=(
        "Parse the file with any tool at hand before you commit it, and use the checker of "
        "its format if there is one. A valid file can still be wrong, so check its effect "
        "too."
    ),
    applies_when="A structured file was edited as text.",
    not_when="The program that uses the file was run and has read it.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
)
