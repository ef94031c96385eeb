"""The same small change is made in several places of the project's code."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..hunks import Hunk, joined, small_hunks

_WORDS: Final = 2
"""Words that must be new, so that neither a bracket nor another name is a change. Chosen by us."""

_ASIDE: Final = re.compile(r"\bimport\b|^\s*(?:#|//|\*)")


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the steps that made one change in several places."""
    places: dict[tuple[str, ...], list[Hunk]] = {}
    for hunk in small_hunks(run):
        added = tuple(w for w in _words(hunk.added) if w not in _words(hunk.removed))
        if len({*added}) >= _WORDS and _is_change(hunk):
            places.setdefault(added, []).append(hunk)
    for hunks in places.values():
        if len({(hunk.path, hunk.removed) for hunk in hunks}) >= 2:
            yield Hit(steps=tuple(sorted({hunk.step for hunk in hunks}))[:4])
            return


def _words(lines: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", joined(lines)))


def _is_change(hunk: Hunk) -> bool:
    return bool(hunk.removed) and not any(_ASIDE.search(line) for line in hunk.added)


CARD = Card(
    name="sibling-places",
    title="When you repair one place, look for its siblings with the same fault",
    situation=(
        "A fault sits in one of several functions, classes or branches that were written alike."
    ),
    seen="The same small change was made in more than one place of the code.",
    advice=(
        "Search for the pattern that was wrong, in the same file and in the modules beside "
        "it, and decide for each place whether it has the same fault. Leave alone what the "
        "task does not touch."
    ),
    applies_when="The code has parallel functions, subclasses or back ends.",
    not_when="The places only look alike and mean different things.",
    kind="repository exploration",
    polarity="do",
    detect=detect,
)
