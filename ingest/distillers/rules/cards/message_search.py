"""Words of a message are searched in the source, and a file that holds them is changed."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import base_name, before, found_nothing, project_edits, sought, worked
from ..verification import is_source, says_no

_WITHIN: Final = 10
"""Steps to look ahead. Chosen by us."""

_PROSE: Final = re.compile(r"(?!(?:from|import|def|class|if|for|return) )[A-Za-z'][\w' .,:%-]*\Z")
_ERROR: Final = re.compile(
    r"(?i)error|exception|warning|message|raise|fail|invalid|cannot|\bmust\b"
)
_CHARS: Final = 50_000
"""Characters that are looked at. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the failure, the search for its words, and the change of the file that has them."""
    told = run.trajectory.task[:_CHARS]
    for search in run.steps:
        words = sought(search)
        prose = len(words.split()) >= 3 and _PROSE.match(words)
        if search.phase != "search" or not prose or found_nothing(search):
            continue
        earlier = before(run, search.index, _WITHIN)
        source = next((s for s in earlier if says_no(s) and words in s.observation), None)
        if not worked(search) or (source is None and not _is_message(words, told)):
            continue
        names = {base_name(p) for p in search.reads if "." in base_name(p)}
        for change in run.steps[search.index + 1 :]:
            for path in project_edits(run, change):
                if is_source(path) and (path in search.observation or base_name(path) in names):
                    first = (source.index,) if source else ()
                    yield Hit(steps=(*first, search.index, change.index))
                    return


def _is_message(words: str, told: str) -> bool:
    """Tell whether the task quotes these words on a line that speaks of an error."""
    return any(words in line and _ERROR.search(line) for line in told.split("\n"))


CARD = Card(
    name="message-search",
    title="Search the source for the words of an error message to find where it arises",
    situation="A message is reported, and it is not known which code prints it.",
    seen=(
        "Words of a message were searched in the project. A file that holds them was changed later."
    ),
    advice=(
        "Search for the fixed part of the message, without names and numbers. Then read "
        "upwards: the place that complains is seldom the place that is wrong."
    ),
    applies_when="The message comes from the project itself.",
    not_when="The message comes from a library or is put together from parts.",
    kind="repository exploration",
    polarity="do",
    detect=detect,
)
