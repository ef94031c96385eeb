"""A file that a sub-agent reports on is then looked at itself."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, base_name, fault_class, worked

_WITHIN: Final = 8
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the sub-agent's report and the look at a file that it names."""
    for report in run.steps:
        if report.kind != "delegate" or not worked(report) or len(report.observation) < 100:
            continue
        for step in after(run, report.index, _WITHIN):
            names = [base_name(path) for path in step.reads if "." in base_name(path)]
            named = any(name in report.observation for name in names)
            forced = fault_class(run.steps[step.index - 1]) == "edit-unread"
            if step.phase == "read" and worked(step) and named and not forced:
                yield Hit(steps=(report.index, step.index))
                return


CARD = Card(
    name="delegate-checked",
    title="Look yourself at the files that a sub-agent's report rests on",
    situation="A search or analysis was given to a sub-agent, and its report comes back as text.",
    seen=(
        "A sub-agent reported on files. One of the files that it named was read by the agent "
        "itself after that."
    ),
    advice=(
        "Treat the report as a pointer: open the places that your decision rests on before "
        "you change or claim anything."
    ),
    applies_when="Sub-agents explore or work on their own.",
    not_when="The report is only a list of places to look at anyway.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
)
