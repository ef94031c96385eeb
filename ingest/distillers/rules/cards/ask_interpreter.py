"""A few lines run by the interpreter show how something behaves before the code is changed."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, project_edits
from ..verification import is_source, passes

_WITHIN: Final = 8
"""Steps to look ahead. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield a piece of inline code that printed something, and the change that followed."""
    for step in run.steps:
        inline = step.own and step.phase == "run" and step.check and not step.reads
        told = passes(step) and step.observation.strip()
        if not (inline and told and not step.purpose and not step.edits):
            continue
        for change in after(run, step.index, _WITHIN):
            if any(is_source(path) for path in project_edits(run, change)):
                yield Hit(steps=(step.index, change.index))
                return


CARD = Card(
    name="ask-interpreter",
    title="Try out in a few lines how a function behaves instead of assuming it",
    situation=(
        "A change rests on what a library function, a value or a language feature really does."
    ),
    seen=(
        "A few lines of code were run by the interpreter to see a result. The project's "
        "code was changed after that."
    ),
    advice=(
        "Ask the installed version itself: run the expression with the values of the case "
        "at hand and with the odd ones. Print the type as well as the value."
    ),
    applies_when="The question can be answered by running a few lines.",
    not_when="The behaviour is documented and the same in all versions.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
)
