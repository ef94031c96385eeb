"""A server is started in the background and then asked."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, worked

_WITHIN: Final = 10
"""Steps to look ahead. Chosen by us."""

_LOCAL = re.compile(r"localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]")
_CLIENTS: Final = frozenset({"curl", "wget", "http", "https", "xh", "nc"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the start in the background and the first request that was answered."""
    for start in run.steps:
        if not _in_background(start):
            continue
        for step in (start, *after(run, start.index, _WITHIN)):
            if _asks(step) and worked(step) and step.observation.strip():
                yield Hit(steps=tuple(sorted({start.index, step.index})))
                return


def _in_background(step: StepRecord) -> bool:
    flagged = step.call.arguments.get("run_in_background") or step.call.arguments.get(
        "is_background"
    )
    return step.kind == "shell" and (flagged is True or any(c.background for c in step.commands))


def _asks(step: StepRecord) -> bool:
    return any(
        c.program in _CLIENTS and not c.background and any(_LOCAL.search(arg) for arg in c.args)
        for c in step.commands
    )


CARD = Card(
    name="server-background",
    title="Start a server in the background, then check that it answers",
    situation="A web server or another long-running service is needed to try a change.",
    seen=(
        "A service was started in the background. A request to it on this machine was "
        "answered after that."
    ),
    advice=(
        "Start it in the background with its output in a file, wait until it answers, and "
        "stop it when you are done. In the foreground it would block every further step."
    ),
    applies_when="The task needs a running service.",
    not_when="A test client of the framework answers the question without a server.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
