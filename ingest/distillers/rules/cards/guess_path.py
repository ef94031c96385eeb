"""A path that was guessed is not there; a listing or search shows the right one, and it is read."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, base_name, fault_class, words_of, worked

_LISTING_WITHIN: Final = 4
_USE_WITHIN: Final = 4
"""Steps to look ahead. Chosen by us."""

_LOOKS: Final = frozenset({"read", "search", "explore"})


_USUAL: Final = frozenset({"tests", "test", "docs", "init", "index", "main", "models", "utils"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the missing path, the listing, and the use of a path that the listing shows."""
    for missing in run.steps:
        if missing.phase not in _LOOKS or fault_class(missing) != "no-such-file":
            continue
        wanted = _paths(missing)
        for listing in after(run, missing.index, _LISTING_WITHIN):
            if listing.phase not in ("explore", "search") or not worked(listing):
                continue
            use = next((s for s in _uses(run, listing) if _found(s, listing, wanted)), None)
            if use:
                yield Hit(steps=(missing.index, listing.index, use.index))
                break


def _uses(run: RunRecord, listing: StepRecord) -> tuple[StepRecord, ...]:
    later = after(run, listing.index, _USE_WITHIN)
    return tuple(s for s in later if s.phase in ("read", "search", "test", "explore") and worked(s))


def _found(step: StepRecord, listing: StepRecord, wanted: tuple[str, ...]) -> bool:
    """Say whether a step uses a path that the listing shows and that is like the wanted one."""
    words = {word for path in wanted for word in _telling(path)}
    for path in _paths(step):
        shown = path not in wanted and base_name(path) in listing.observation
        if shown and "." in base_name(path) and words & _telling(path):
            return True
    return False


def _telling(path: str) -> frozenset[str]:
    """Return the words of the last two parts of a path, those left out that every project has."""
    return words_of("/".join(path.rstrip("/").split("/")[-2:])) - _USUAL


def _paths(step: StepRecord) -> tuple[str, ...]:
    """Return the paths that a step names, as files it reads or as words of its command."""
    args = step.main.args if step.main else ()
    return (*step.reads, *(arg for arg in args if "/" in arg and not arg.startswith("-")))


CARD = Card(
    name="guess-path",
    title="When a path does not exist, list or search for it instead of guessing on",
    situation="A file or folder named from memory, a link or a guess is not where it was expected.",
    seen=(
        "A read or listing failed because the path did not exist. Another listing or search "
        "showed a path like it, and that one was used."
    ),
    advice=(
        "After the first miss list the folder above or search for the file name; do not try "
        "spellings. Take the path from the output as it stands."
    ),
    applies_when="Paths are written from memory or taken from a report.",
    not_when="The file is meant to be created by the task.",
    kind="repository exploration",
    polarity="do",
    detect=detect,
)
