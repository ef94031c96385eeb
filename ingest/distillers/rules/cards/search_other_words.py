"""A search finds nothing; a search with other words that share a part finds it."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, found_nothing, head, related, sought, words_of, worked

_WITHIN: Final = 3
"""Steps to look ahead. Chosen by us."""

_MOST: Final = 2


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield an empty search and the related search that gave something."""
    found = 0
    for empty in run.steps:
        pattern = sought(empty)
        if not pattern or not found_nothing(empty):
            continue
        for step in after(run, empty.index, _WITHIN):
            other = sought(step)
            if other and related(pattern, other) and worked(step) and _shows(step, other):
                if found < _MOST:
                    found += 1
                    yield Hit(steps=(empty.index, step.index))
                break


def _shows(step: StepRecord, pattern: str) -> bool:
    """Say whether a word of the pattern stands in what a search gave back."""
    text = head(step).lower()
    return any(word in text for word in words_of(pattern))


CARD = Card(
    name="search-other-words",
    title=("When a search finds nothing, vary the pattern before concluding that nothing is there"),
    situation=(
        "A search for a name, text or file gives no result although something like it is expected."
    ),
    seen=(
        "A search gave no result. A second search with a pattern that shares a word with the "
        "first gave results."
    ),
    advice=(
        "Try a shorter word, another spelling or case, or a wider folder once or twice. Only "
        "then conclude that it does not exist."
    ),
    applies_when="Code or files are looked for by a pattern.",
    not_when="The aim is to show that nothing is left.",
    kind="repository exploration",
    polarity="do",
    detect=detect,
)
