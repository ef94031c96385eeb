"""The project's guide for contributors or agents is read before the first change."""

import re
from collections.abc import Iterator

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import worked

_GUIDE = re.compile(
    r"(?:\A|/)(?:AGENTS|CLAUDE|CONTRIBUTING|DEVELOPMENT|DEVELOPING|HACKING|CONVENTIONS|STYLE)"
    r"\.(?:md|rst|txt|adoc)\Z",
    re.IGNORECASE,
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the first read of a guide that comes before the first change to the project."""
    changed = {path for step in run.steps for path in step.edits}
    for step in run.steps[: max(run.first_edit, 0)]:
        if step.phase == "read" and worked(step):
            guides = [path for path in step.reads if _GUIDE.search(path)]
            if any(path not in changed for path in guides):
                yield Hit(steps=(step.index, run.first_edit))
                return


CARD = Card(
    name="project-guide-first",
    title="Read the project's guide for contributors before you change anything",
    situation="Work begins in a project that has written rules for contributors or agents.",
    seen=(
        "The project's guide for contributors or agents was read before the first change to "
        "its files."
    ),
    advice=(
        "Look for such a guide at the top of the repository and follow its commands and "
        "conventions. Where it disagrees with the task, the task comes first."
    ),
    applies_when="The repository has a guide that was not already given with the task.",
    not_when="The guide itself is what has to be changed.",
    kind="repository exploration",
    polarity="do",
    detect=detect,
)
