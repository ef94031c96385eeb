"""The file that was changed is run itself."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, base_name, project_edits, worked

_WITHIN: Final = 6
"""Steps to look ahead. Chosen by us."""

_INTERPRETER = re.compile(
    r"(?:python|pypy)[\d.]*|node|ruby|perl|php|bash|sh|zsh|Rscript|lua|deno|bun|tsx"
)

_ONLY_READS: Final = frozenset({"--check", "-c", "-n", "-wc", "-m"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the last change of a script and the step that runs this script without failing."""
    for edit in run.steps[::-1]:
        for path in project_edits(run, edit):
            for step in after(run, edit.index, _WITHIN):
                if _runs(step, path) and worked(step) and step.verdict != "fail":
                    yield Hit(steps=(edit.index, step.index))
                    return


def _runs(step: StepRecord, path: str) -> bool:
    main = step.main
    if (
        main is None
        or _ONLY_READS & set(main.args)
        or not _INTERPRETER.fullmatch(base_name(main.program))
    ):
        return False
    first = next((arg for arg in main.args if not arg.startswith("-")), "")
    return first.lstrip("./") == path or first.endswith("/" + path)


CARD = Card(
    name="run-changed-file",
    title="Run the script that you changed before you hand it over",
    situation="A script or program with its own entry point has been changed.",
    seen="After its last change a script of the project was run itself and did not fail.",
    advice=(
        "Run it as its users do and read what it prints. That it ends without an error is "
        "less than the task asks for, so check the result too."
    ),
    applies_when="The changed file can be run by itself.",
    not_when="Running it has effects outside, such as a release or a deletion.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
)
