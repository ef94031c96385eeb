"""The issue or pull request that the task names is read at its source before any change."""

import re
from collections.abc import Iterator

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import project_edits, worked

_NAMED = re.compile(
    r"/(?:issues|pull|merge_requests)/\d+|(?<!\w)#\d{2,6}\b|\bissue \d+", re.IGNORECASE
)
_PAGE = re.compile(r"/(?:issues|pull|merge_requests)/\d+")


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the first step that reads an issue or pull request, if the user had named one."""
    for step in run.steps:
        if project_edits(run, step):
            return
        if worked(step) and _reads(step):
            said = [t.text for t in run.trajectory.turns[: step.turn] if t.role == "user"]
            if any(_NAMED.search(text[:4000]) for text in (run.trajectory.task, *said)):
                yield Hit(steps=(step.index,))
                return


def _reads(step: StepRecord) -> bool:
    for command in step.commands:
        if command.program == "gh" and command.subcommand in ("issue", "pr"):
            return command.task in ("view", "diff")
        if command.program == "gh" and command.subcommand == "api":
            return any(_PAGE.search(arg.replace("pulls", "pull")) for arg in command.args)
    url = step.call.arguments.get("url")
    return step.kind == "fetch" and isinstance(url, str) and bool(_PAGE.search(url))


CARD = Card(
    name="issue-text-first",
    title="Read the linked issue or pull request itself before you judge or change anything",
    situation="The request points to an issue or pull request by link or number.",
    seen=(
        "The request named an issue or pull request. It was read at its source before any "
        "file was changed."
    ),
    advice=(
        "Fetch title, body and comments, and for a pull request the diff too. Decide from "
        "them, not from the number or the title alone."
    ),
    applies_when="A link or number of an issue or pull request is part of the request.",
    not_when="Its whole text is already given.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
    tools=("gh",),
)
