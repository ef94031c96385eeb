"""After the reported case works a second script tries further cases."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import answered, base_name, worked

_TAIL: Final = 2_000
_SAYS_NO = re.compile(
    r"\b(?:fail(?:s|ed|ure)?|errors?|exception|traceback|invalid|not reproduced)\b", re.IGNORECASE
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield a passing run of the first script after a change, then the second script's run."""
    if run.first_edit < 0:
        return
    earlier = {s.purpose for s in run.steps[: run.first_edit] if _tries(s) and s.purpose}
    again = -1
    written: dict[str, int] = {}
    for step in run.steps[run.first_edit + 1 :]:
        if _tries(step) and step.purpose in earlier and _went_well(step):
            again = step.index if again < 0 else again
        if again < 0:
            continue
        for name, index in written.items():
            if _tries(step) and index < step.index and _names(step, name):
                yield Hit(steps=(again, index, step.index))
                return
        if worked(step):
            written.update({base_name(path): step.index for path in step.creates})


def _tries(step: StepRecord) -> bool:
    """Say whether a step runs a script of the agent that changes nothing itself."""
    return step.own and step.phase in ("run", "test") and answered(step) and not step.edits


def _went_well(step: StepRecord) -> bool:
    """Say whether a script ended without failing, and prints no word that says otherwise."""
    bad = _SAYS_NO.search(step.observation[-_TAIL:])
    return worked(step) and step.verdict != "fail" and not bad


def _names(step: StepRecord, name: str) -> bool:
    return step.main is not None and any(base_name(arg) == name for arg in step.main.args)


CARD = Card(
    name="further-cases",
    title="When the reported case works, try further cases before you hand over",
    situation="A fix makes the example of the report work.",
    seen=(
        "After a change the first script of the agent ran without failing. A second script was "
        "then written and run."
    ),
    advice=(
        "List the neighbouring cases, such as empty, several, nested, other types and the old "
        "behaviour, and try them. Work out what the task wants for each before you run it."
    ),
    applies_when="The change touches behaviour with more than one kind of input.",
    not_when="Existing tests already cover these cases; run those.",
    kind="input validation and robustness",
    polarity="do",
    detect=detect,
)
