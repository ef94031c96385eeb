"""A build breaks; after an edit the same build passes."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import fault_class, repaired_by_edit

_WITHIN: Final = 12
"""Steps to look ahead. Source: measured on 342 public runs."""

_BROKEN: Final = frozenset({"compile-error", "link-error", "type-check", "syntax-error"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the broken build, the last change, and the build that passes."""
    for failing in run.steps:
        if failing.phase != "build" or fault_class(failing) not in _BROKEN:
            continue
        repaired = repaired_by_edit(run, failing, _WITHIN)
        if repaired:
            yield Hit(steps=(failing.index, *repaired))
            return


CARD = Card(
    name="build-repaired",
    title="Build after an edit, repair the first error, and build again",
    situation="A change breaks the compilation or the bundling of the project.",
    seen=(
        "A build failed with an error in the code. After a change of the code the same build "
        "passed."
    ),
    advice=(
        "Read the first error, for later ones often follow from it, and change that place. "
        "Build again by the same command before anything else."
    ),
    applies_when="The project is compiled or bundled.",
    not_when="The build fails for a missing tool or package.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
)
