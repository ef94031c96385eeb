"""A test file or test name is not found; a look at the folder gives the right one."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, fault_class, found_nothing, worked

_LOOK_WITHIN: Final = 4
_RUN_WITHIN: Final = 4
"""Steps to look ahead. Chosen by us."""

_CLASSES: Final = frozenset({"test-not-found", "no-such-file", "script-not-there"})
_LOOKS: Final = frozenset({"explore", "search", "read"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the test that was not found, the look, and the run that worked."""
    for missing in run.steps:
        if missing.phase != "test" or not _not_found(run, missing):
            continue
        for look in after(run, missing.index, _LOOK_WITHIN):
            if look.phase not in _LOOKS or not worked(look) or found_nothing(look):
                continue
            ran = next((s for s in after(run, look.index, _RUN_WITHIN) if _ran(s, missing)), None)
            if ran:
                yield Hit(steps=(missing.index, look.index, ran.index))
                return
            break


def _not_found(run: RunRecord, step: StepRecord) -> bool:
    """Tell whether the tests that were named are not there, and are not the agent's to write."""
    if any(path in run.own_files for path in step.reads):
        return False
    loaded = "_FailedTest" in step.observation and not step.observation.startswith("Traceback")
    return fault_class(step) in _CLASSES or (fault_class(step) == "no-such-module" and loaded)


def _ran(step: StepRecord, missing: StepRecord) -> bool:
    tested = step.phase == "test" and step.verdict in ("pass", "fail") and not step.own
    return tested and step.command != missing.command


CARD = Card(
    name="test-path",
    title="When a test is not found, look at the test folder before trying other names",
    situation="Tests of a module are to be run, and the path or the name of a test was guessed.",
    seen=(
        "A test run failed because the named test or test file was not there. After a look "
        "at the project's files another selection ran."
    ),
    advice=(
        "List the test folder or search for the test's name, and see how the runner wants "
        "tests to be named: by path, by module or by label."
    ),
    applies_when="The path of a test was guessed or taken from another project's layout.",
    not_when="The test is one that you still have to write.",
    kind="repository exploration",
    polarity="do",
    detect=detect,
)
