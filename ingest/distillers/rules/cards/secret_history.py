"""A secret is removed from the files only, and the history is never looked at."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import commits

_SECRET: Final = re.compile(
    r"(?i)\b(?:token|secret|password|credential|api[ _-]?key|private key)s?\b"
)
_REMOVE: Final = re.compile(r"(?i)\b(?:remove|purge|delete|scrub|leak\w*|committed|clone[sd]?)\b")
_HISTORY: Final = re.compile(
    r"git (?:-\S+ )*(?:log|rev-list|filter-branch|filter-repo|reflog|fsck|show|rebase|cat-file)"
    r"|\bbfg\b|filter-repo|trufflehog|gitleaks|--all\b"
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the change and the commit of a run that was to remove a secret."""
    task = run.trajectory.task[:2_000]
    if run.last_edit < 0 or not (_SECRET.search(task) and _REMOVE.search(task)):
        return
    if "repositor" not in task.lower() and "history" not in task.lower():
        return
    if any(_HISTORY.search(step.command) for step in run.steps):
        return
    commit = next((s for s in run.steps[run.last_edit :] if commits(s)), None)
    if commit:
        yield Hit(steps=tuple(sorted({run.last_edit, commit.index})))


CARD = Card(
    name="secret-history",
    title="Do not take a secret for removed while it is still in the history",
    situation=(
        "A password, key or token was committed by mistake and has to be taken out of a repository."
    ),
    seen=(
        "A secret was removed from a file and the change was committed. The history of the "
        "repository was never looked at."
    ),
    advice=(
        "Every earlier commit still holds it. Search all commits, rewrite the history where "
        "the task allows it, and say that the secret itself has to be replaced."
    ),
    applies_when="The secret was part of a commit.",
    not_when="The secret was never committed.",
    kind="anti-pattern avoidance",
    polarity="avoid",
    detect=detect,
    tools=("git",),
)
