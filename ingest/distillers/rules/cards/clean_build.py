"""A build is tried from a clean state, where old results cannot hide a fault."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..verification import passes, says_no

_CLEANS: Final = re.compile(
    r"\b(?:make|gradlew?|mvnw?|cargo|ninja|sbt|dotnet|go|bazel) (?:-\S{1,30} ){0,4}clean\b"
    r"|\brm -rf? [^;&|]*\b(?:build|dist|target|out|node_modules|_build|__pycache__)\b"
    r"|\bgit clean -\w*[xX]|\bgit clone [^;&|]+ /?(?:tmp|\$)"
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield a build from a clean state before the change and one after it."""
    builds = [s for s in run.steps if s.check and s.phase == "build" and _CLEANS.search(s.command)]
    if run.first_edit < 0:
        return
    first = next((s for s in builds if s.index < run.first_edit and says_no(s)), None)
    last = next((s for s in builds if s.index > run.first_edit and passes(s)), None)
    if first and last:
        yield Hit(steps=(first.index, last.index))


CARD = Card(
    name="clean-build",
    title="Reproduce a build fault from a clean state, and prove the repair there too",
    situation=(
        "A build fails for others or in a fresh checkout, and works on a machine where it "
        "was built before."
    ),
    seen=(
        "A build failed when it was started from a clean state. After a change it passed "
        "from a clean state."
    ),
    advice=(
        "Remove the results of earlier builds first, or use a fresh checkout: old files "
        "hide a missing prerequisite. Build a second time as well, to see that nothing is "
        "built twice."
    ),
    applies_when="Results of earlier builds may lie around.",
    not_when="A clean build takes longer than the task allows.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
