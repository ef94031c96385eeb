"""A change of the code comes with a change of the tests, and they pass."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ....steps.phases import is_test_file
from ..card import Card, Hit
from ..patterns import base_name, in_project, passed, project_edits, worked

_NO_CODE: Final = (".md", ".rst", ".txt", ".json", ".yml", ".yaml", ".toml", ".lock")

_PACKAGE_OPTIONS: Final = frozenset({"--filter", "-F", "--workspace", "-w", "--package"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield a change of the code, a change of a test that is kept, and the pass of that test."""
    removed = {path for step in run.steps if step.phase in ("undo", "other") for path in step.edits}
    code, test = -1, -1
    written = ""
    for step in run.steps:
        for path in (*project_edits(run, step), *(step.creates if worked(step) else ())):
            if _is_test(path) and not _within(path, removed):
                test, written = step.index, path
            elif path not in run.own_files and _is_code(path):
                code = step.index
        late = code >= 0 and 0 <= test < step.index
        if late and step.phase == "test" and passed(step) and _covers(step, written):
            yield Hit(steps=(*sorted({code, test}), step.index))
            return


def _is_test(path: str) -> bool:
    return is_test_file(path) and "/" in path and in_project(path)


def _within(path: str, removed: set[str]) -> bool:
    return any(path == gone or path.startswith(gone.rstrip("/") + "/") for gone in removed)


def _covers(step: StepRecord, path: str) -> bool:
    """Say whether a test run names a test file or a folder around it, or selects nothing."""
    args = step.main.args if step.main else ()
    packages = {args[i + 1] for i, arg in enumerate(args[:-1]) if arg in _PACKAGE_OPTIONS}
    words = [arg for arg in args if not arg.startswith("-") and arg not in packages]
    targets = [word for word in words if "/" in word or "." in word or "_" in word]
    return not targets or any(_holds(target, path) for target in targets)


def _holds(target: str, path: str) -> bool:
    """Say whether a target, a path or a dotted name, is a test file or a folder around it."""
    target = target.removeprefix("./").removesuffix("/...").rstrip("/")
    stem, folder = base_name(path).partition(".")[0], base_name(path.rpartition("/")[0])
    parts = re.split(r"[/.:]+", target)
    named = stem in parts and (stem not in ("test", "tests") or folder in parts)
    return named or parts[-1] == folder or path.startswith(target + "/")


def _is_code(path: str) -> bool:
    return not is_test_file(path) and not path.endswith(
        (".md", ".rst", ".txt", ".json", ".yml", ".yaml", ".toml", ".lock")
    )


CARD = Card(
    name="tests-with-change",
    title="Change the tests together with the code, and run them",
    situation="Behaviour of a project with tests is added or changed.",
    seen=(
        "Code and tests of the project were changed in the same run. Tests passed after both "
        "changes."
    ),
    advice=(
        "Add a test for the new behaviour next to the existing ones, in their style. Change "
        "an existing expectation only where the task changes the behaviour."
    ),
    applies_when="The project keeps tests and the task allows to change them.",
    not_when="The tests are given and must stay as they are.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
)
