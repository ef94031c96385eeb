"""The whole difference is read after the last change, before the work is handed over."""

from collections.abc import Iterator

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import base_name, git, worked
from ..verification import hands_over


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the last change and the look at the whole diff after it."""
    if run.last_edit < 0 or not hands_over(run):
        return
    names = [base_name(path) for path in run.steps[run.last_edit].edits]
    for step in reversed(run.steps[run.last_edit :]):
        shows = git(step, "diff", "show") is not None and "@@ " in step.observation
        shows = shows and any(name in step.observation for name in names)
        if shows and worked(step) and step.phase != "submit":
            yield Hit(steps=tuple(sorted({run.last_edit, step.index})))
            return


CARD = Card(
    name="diff-read",
    title="Read the whole diff of your change before you hand it over",
    situation="A change was built up in several edits, and it is to be handed over.",
    seen="After the last change the difference to the original was shown.",
    advice=(
        "Read the diff as somebody who has to approve it: every hunk must serve the task, "
        "and no debug line, stray file or accidental edit may be in it."
    ),
    applies_when="The project is under version control.",
    not_when="The change is a single edit that was shown already.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
    tools=("git",),
)
