"""The same script prints something else after the change than before it."""

import re
from collections.abc import Iterator

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import base_name, worked

_PASSING = re.compile(
    r"^.*(?:Warning\b|site-packages).*$|\b0x[0-9a-f]+\b|\b\d+(?:\.\d+)? ?(?:s|ms|sec|seconds)\b"
    r"|\b(?=\w*\d)(?=\w*[A-Za-z])\w{8,}\b|\b\d{4}-\d\d-\d\d[T ][\d:.]+"
    r"|\b[0-9a-f]{8}-[0-9a-f-]{27}\b",
    re.MULTILINE,
)
"""What differs from run to run: warnings, addresses, durations, times, ids."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield a script's last run before the first change and its last run after the last one."""
    if run.first_edit < 0:
        return
    earlier: dict[str, StepRecord] = {}
    later: dict[str, StepRecord] = {}
    for step in run.steps:
        if not step.own or not step.purpose or step.phase != "run" or not worked(step):
            continue
        if step.verdict == "fail":
            continue
        if step.index < run.first_edit:
            earlier[step.purpose] = step
        elif step.index > run.last_edit:
            later[step.purpose] = step
    for purpose, first in earlier.items():
        last = later.get(purpose)
        if last and _differ(first, last) and not _rewritten(run, first, last):
            yield Hit(steps=(first.index, run.first_edit, last.index))
            return


def _differ(first: StepRecord, last: StepRecord) -> bool:
    one, other = (_PASSING.sub("", s.observation) for s in (first, last))
    return one.split() != other.split()


def _rewritten(run: RunRecord, first: StepRecord, last: StepRecord) -> bool:
    """Say whether the script itself was changed between its two runs."""
    names = {base_name(arg) for arg in (first.main.args if first.main else ())}
    steps = run.steps[first.index + 1 : last.index + 1]
    return any(base_name(path) in names for step in steps for path in step.edits)


CARD = Card(
    name="before-after-output",
    title="Keep a small script and compare what it prints before and after the change",
    situation="A wrong value or output is reported that does not raise an error.",
    seen=(
        "A small script of the agent was run before the first and after the last change. "
        "Neither run failed, and the output was different afterwards."
    ),
    advice=(
        "Run the example of the report before you change anything and keep its output. After "
        "the change compare with what the task says it should print, not only with before."
    ),
    applies_when="The fault shows in what is printed or returned.",
    not_when="An existing test already shows the fault.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
)
