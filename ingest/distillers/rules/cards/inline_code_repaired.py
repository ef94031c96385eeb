"""Code run inline stops with an error of its own; a corrected version runs."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, fault_class, worked

_WITHIN: Final = 3
"""Steps to look ahead. Chosen by us."""

_SHARED: Final = 0.4
"""Part of the lines that two versions must share. Chosen by us."""

_OWN_FAULTS: Final = frozenset(
    {"name-error", "syntax-error", "indentation-error", "type-error", "attribute-error"}
    | {"value-error", "key-error", "index-error", "exception", "import-error"}
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the inline code that stopped and the version of it that ran."""
    for failed in run.steps:
        code = _inline(failed)
        if not code or not failed.failed or fault_class(failed) not in _OWN_FAULTS:
            continue
        for step in after(run, failed.index, _WITHIN):
            other = _inline(step)
            if other and worked(step) and _shares(code, other):
                yield Hit(steps=(failed.index, step.index))
                return


def _inline(step: StepRecord) -> str:
    """Return the code that a step runs from its own text, or nothing."""
    code = step.call.arguments.get("code")
    if isinstance(code, str) and step.phase == "run":
        return code
    if step.phase == "run" and step.main and step.main.heredoc and not step.main.writes:
        return step.main.heredoc
    return ""


def _shares(one: str, other: str) -> bool:
    a, b = ({line.strip() for line in text.split("\n") if line.strip()} for text in (one, other))
    smaller = min(len(a), len(b))
    return smaller > 1 and len(a & b) >= _SHARED * smaller


CARD = Card(
    name="inline-code-repaired",
    title="When inline code stops with an error, correct it and run all of it",
    situation=(
        "A piece of code is tried in a notebook cell or piped into an interpreter, and it "
        "raises an error of its own."
    ),
    seen=(
        "Code that was run inline stopped with an error. A corrected version of it ran without one."
    ),
    advice=(
        "Define every name in the piece itself, since state of earlier cells may be missing "
        "or stale. Run the whole corrected piece and look at its output before you show it to "
        "anyone."
    ),
    applies_when="Code is run from text and not from a file.",
    not_when="The error is what you wanted to show.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
)
