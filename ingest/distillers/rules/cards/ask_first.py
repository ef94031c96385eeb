"""The user is asked a question and answers before the first change."""

from collections.abc import Iterator

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import asks_user, project_edits, worked


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the answered question and the first change after it."""
    for step in run.steps:
        if project_edits(run, step):
            return
        if asks_user(step) and worked(step) and step.observation.strip():
            edit = next((s for s in run.steps[step.index + 1 :] if project_edits(run, s)), None)
            if edit:
                yield Hit(steps=(step.index, edit.index))
            return


CARD = Card(
    name="ask-first",
    title="Ask which way is wanted before you change anything, when several are open",
    situation="A request leaves open what exactly is to be done, and a user is there to answer.",
    seen=(
        "The user was asked through the question tool and answered before the first file was "
        "changed."
    ),
    advice=(
        "Put the open point as one short question with the options and what each leads to. "
        "Ask before the work, not after it."
    ),
    applies_when="A person is present and the choice changes the work.",
    not_when="The answer stands in the request, the code or the project's guide.",
    kind="interaction protocol adherence",
    polarity="do",
    detect=detect,
)
