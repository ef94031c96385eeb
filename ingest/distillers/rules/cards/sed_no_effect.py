"""A substitution matched nothing; a look at the file shows it, and it is made again otherwise."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..hunks import sed_expressions, substitution
from ..patterns import after, worked

_LOOK_WITHIN: Final = 2
_EDIT_WITHIN: Final = 4
"""Steps to look ahead. Chosen by us."""

_ALIKE: Final = 10
"""Characters that the new texts of two tries share. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the substitution without effect, the look, and the next try."""
    for edit in run.steps:
        new = _new_text(edit)
        if len(new) < _ALIKE or not worked(edit) or edit.check:
            continue
        for look in after(run, edit.index, _LOOK_WITHIN):
            seen = worked(look) and not look.edits and {*look.reads} & {*edit.edits}
            if look.edits or not seen or new in look.observation or not look.observation.strip():
                continue
            for again in after(run, look.index, _EDIT_WITHIN):
                alike = _new_text(again)[:_ALIKE] == new[:_ALIKE]
                if alike and {*again.edits} & {*edit.edits}:
                    yield Hit(steps=(edit.index, look.index, again.index))
                    return
            break


def _new_text(step: StepRecord) -> str:
    """Return the first line of what a step's only substitution puts in."""
    pairs = [p for c in step.commands for e in sed_expressions(c) if (p := substitution(e))]
    return pairs[0][1].split("\n")[0].strip() if len(pairs) == 1 else ""


CARD = Card(
    name="sed-no-effect",
    title="See whether a substitution changed anything before you go on",
    situation=(
        "Text in a file is replaced by a pattern on the command line, and the command "
        "prints nothing."
    ),
    seen=(
        "After a substitution the new text was not where the file was looked at. The same "
        "change was then tried again in another form."
    ),
    advice=(
        "A pattern that does not match is no error. Look at the line or the diff after each "
        "such edit, and use exact line numbers or a script where quoting gets in the way."
    ),
    applies_when="Files are edited by stream editors.",
    not_when="The tool reports the number of replacements.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
)
