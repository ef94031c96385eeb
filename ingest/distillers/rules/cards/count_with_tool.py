"""What was listed is then counted by the tool itself."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, worked

_WITHIN: Final = 2
"""Steps to look ahead. Chosen by us."""

_COUNTS = re.compile(
    r"\|\s*(?:wc -l|uniq -c|awk '[^']*\+=|sort \| uniq -c)|\bgrep -\w*c\b|\bcount\("
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield a listing and the count or sum of the same program right after it."""
    for listing in run.steps:
        if listing.main is None or listing.phase not in ("explore", "search", "read"):
            continue
        if not worked(listing) or _COUNTS.search(listing.command):
            continue
        for step in after(run, listing.index, _WITHIN):
            same = _selection(step) == _selection(listing) and worked(step)
            shown = re.search(r"\d", step.observation)
            if same and shown and len(step.observation) < 200 and _COUNTS.search(step.command):
                yield Hit(steps=(listing.index, step.index))
                return


def _selection(step: StepRecord) -> tuple[str, ...]:
    """Return the program of a step and the words that are no options: what it selects."""
    args = step.main.args if step.main else ()
    return (step.program, *(arg for arg in args if not arg.startswith("-")))


CARD = Card(
    name="count-with-tool",
    title="Let the tool count or add up instead of counting in the output yourself",
    situation="A number of files, lines, processes or matches, or a total of them, is asked for.",
    seen="Items were listed. The next command of the same program counted or added them up.",
    advice=(
        "Look at a few items first to see that the selection is right, then pipe the same "
        "selection into a counter. Mind headers, hidden files and the searching process "
        "itself."
    ),
    applies_when="The answer is a number that a command can produce.",
    not_when="The items have to be judged one by one.",
    kind="algorithmic strategy",
    polarity="do",
    detect=detect,
)
