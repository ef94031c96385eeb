"""The existing tests of a module are read before the module is changed."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ....steps.phases import is_test_file
from ..card import Card, Hit
from ..patterns import base_name, project_edits, worked

_NAMED = re.compile(r"(?:\A|/)(?:tests?_\w+|\w+_tests?|[\w-]+\.(?:test|spec)|\w+Tests?)\.\w+\Z")
_COMMON: Final = frozenset(
    ["", "src", "lib", "app", "core", "cli", "api", "utils", "common", "internal", "pkg", "base"]
)
"""Folders that say nothing of what their modules are about. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the look at a test file and the first change to the module it is named after."""
    looks: dict[str, StepRecord] = {}
    changed: set[str] = set()
    for step in run.steps:
        for path in project_edits(run, step):
            if path in changed or is_test_file(path):
                continue
            changed.add(path)
            look = next((looks[name] for name in _names(path) if name in looks), None)
            if look:
                yield Hit(steps=(look.index, step.index))
                return
        if step.phase in ("read", "search") and worked(step) and not step.edits:
            for path in step.reads if step.observation.strip() else ():
                if _NAMED.search(path) and path not in run.own_files:
                    looks.setdefault(_stem(path), step)


def _names(path: str) -> tuple[str, ...]:
    """Return the names that the test of a module goes by: the module's, or its folder's."""
    folder = base_name(path.rpartition("/")[0]).lower()
    return (_stem(path),) if folder in _COMMON else (_stem(path), folder)


def _stem(path: str) -> str:
    """Return the name of a module, also from the name of its test: `test_dates.py` is `dates`."""
    name = base_name(path).partition(".")[0].lower()
    return re.sub(r"^tests?_|_tests?$|_spec$", "", name)


CARD = Card(
    name="tests-read-first",
    title="Read the existing tests of a module before you change it",
    situation=(
        "The behaviour of a function or module has to be changed and the project has tests for it."
    ),
    seen=(
        "A test file of the project was looked at, and the module it is named after was "
        "changed after that."
    ),
    advice=(
        "See which behaviour the tests pin down, how they set things up and which cases they "
        "leave out. They also show the command and the style for new ones."
    ),
    applies_when="The module has tests of its own.",
    not_when="The tests themselves are wrong according to the task.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
)
