"""A search with hits is repeated after the changes and finds nothing more."""

from collections.abc import Iterator

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import found_nothing, project_edits, sought, worked


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the search with hits, the last change, and the same search without a hit."""
    earlier: dict[str, StepRecord] = {}
    changes: list[StepRecord] = []
    for step in run.steps:
        if project_edits(run, step):
            changes.append(step)
        pattern = sought(step) if step.phase == "search" else ""
        if not pattern or not worked(step):
            continue
        first = earlier.get(pattern)
        if first and found_nothing(step) and first.reads == step.reads:
            change = next((c for c in changes[::-1] if _touched(first, c)), None)
            if change:
                yield Hit(steps=(first.index, change.index, step.index))
                return
        if not found_nothing(step):
            earlier[pattern] = step


def _touched(search: StepRecord, change: StepRecord) -> bool:
    """Say whether a later change is one of a file that the search had shown."""
    if change.index < search.index:
        return False
    return any(path in search.reads or path in search.observation for path in change.edits)


CARD = Card(
    name="search-until-gone",
    title="After removing or renaming something, search for the old name until nothing is left",
    situation="A name, setting, hook or dependency is removed or renamed in several places.",
    seen=(
        "A search had found places before the changes. The same search was made again after "
        "them and found nothing."
    ),
    advice=(
        "Repeat the search that listed the places, over the same folders, until it is empty. "
        "Look at hits in documents, tests and configuration too."
    ),
    applies_when="Every occurrence of something has to go.",
    not_when="Some occurrences are meant to stay.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
)
