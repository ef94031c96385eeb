"""A commit or push is stopped by a hook; the cause is repaired, and it goes through."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, answered, git, worked

_WITHIN: Final = 12
"""Steps to look ahead. Chosen by us."""

_HOOK = re.compile(r"hook|husky|lefthook|lint-staged|\bprek\b", re.IGNORECASE)
_REJECTED: Final = ("[rejected]", "non-fast-forward", "fetch first")


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the stopped commit or push, the change after it, and the one that went through."""
    for stopped in run.steps:
        command = git(stopped, "commit", "push")
        if command is None or worked(stopped) or not answered(stopped):
            continue
        text = stopped.observation
        if not _HOOK.search(text) or any(word in text for word in _REJECTED):
            continue
        changed: int | None = None
        for step in after(run, stopped.index, _WITHIN):
            again = git(step, command.subcommand)
            if again and worked(step) and changed is not None:
                bypassed = {"--no-verify", "-n"} & set(again.args)
                if not bypassed:
                    yield Hit(steps=tuple(dict.fromkeys((stopped.index, changed, step.index))))
                return
            if step.edits:
                changed = step.index


CARD = Card(
    name="hook-repaired",
    title="When a hook stops a commit or push, repair the cause instead of bypassing it",
    situation=(
        "A commit or push fails because a hook of the repository runs checks that do not pass."
    ),
    seen=(
        "A hook stopped a commit or push. A file was changed after that, and the same "
        "operation went through with the hook."
    ),
    advice=(
        "Read which check of the hook failed and on which files. Correct them, or the check's "
        "settings if the files are none of its business, and try again."
    ),
    applies_when="The repository has commit or push hooks.",
    not_when="The hook belongs to a tool that is not installed any more.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
    tools=("git",),
)
