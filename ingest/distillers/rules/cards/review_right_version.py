"""In a review files are read at the version under review."""

import re
from collections.abc import Iterator

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import command_of, git, worked

_REVISION = re.compile(r"([\w./~^@-]{2,}):([\w.@-]+/[\w./@-]+|[\w-]+\.\w+)\Z")


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the diff against another version and the first file read at a named version."""
    diff: StepRecord | None = None
    for step in run.steps:
        if step.edits:
            return
        if diff is None and worked(step) and _compares(step):
            diff = step
        elif diff and worked(step) and _at_version(step) and len(step.observation) > 50:
            yield Hit(steps=(diff.index, step.index))
            return


def _compares(step: StepRecord) -> bool:
    gh, diff = command_of(step, "gh", "pr"), git(step, "diff")
    if gh and gh.task in ("diff", "view"):
        return True
    return diff is not None and any(".." in arg and "/.." not in arg for arg in diff.args)


def _at_version(step: StepRecord) -> bool:
    show, api = git(step, "show"), command_of(step, "gh", "api")
    if show and any(_REVISION.fullmatch(arg) for arg in show.args):
        return True
    return api is not None and any("contents/" in a and "ref=" in a for a in api.args)


CARD = Card(
    name="review-right-version",
    title="Read files at the version under review, not as they stand in the working copy",
    situation="A branch or pull request is reviewed that is not, or not only, what is checked out.",
    seen=(
        "Two versions were compared. A file was then read at a named version instead of from "
        "the working copy."
    ),
    advice=(
        "Use git show with the revision and path, or the service's file view at the commit. "
        "The working copy may be another branch or hold changes of its own."
    ),
    applies_when="The version to be judged is not what is checked out.",
    not_when="The changes under review are those of the working copy.",
    kind="repository exploration",
    polarity="do",
    detect=detect,
    tools=("git",),
)
