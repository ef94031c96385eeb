"""A reply with several actions is refused; the next one, with a single action, runs."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit

_MOST: Final = 2
"""Hits of one run. Chosen by us."""

_REFUSES: Final = re.compile(
    r"(?i)exactly one|only one (?:action|tool|command)|one (?:action|tool call) (?:per|at a)"
    r"|found (?:[02-9]|\d\d) actions|multiple (?:actions|commands|tool calls)"
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the first actions that ran after a reply with a wrong number of actions."""
    turns = run.trajectory.turns
    first = {step.turn: step for step in reversed(run.steps)}
    found = 0
    for number in run.rejected_turns:
        said = next((t for t in turns[number + 1 : number + 2] if t.role != "agent"), None)
        reply = next((i for i in range(number + 1, len(turns)) if turns[i].role == "agent"), -1)
        step = first.get(reply)
        if said is None or not _REFUSES.search(said.text[:500]) or step is None:
            continue
        if len(turns[reply].calls) == 1 and not turns[reply].rejected and found < _MOST:
            found += 1
            yield Hit(steps=(step.index,))


CARD = Card(
    name="one-action",
    title="Send exactly one action in each reply when the harness asks for one",
    situation=(
        "The agent's surroundings accept one action a reply and answer with its result "
        "before the next."
    ),
    seen=(
        "A reply was refused because it did not hold exactly one action, and nothing of it "
        "ran. The next reply held a single action, and it ran."
    ),
    advice=(
        "Send one action, wait for its result, then send the next; join small commands with "
        "&& in one line. After a refusal assume that no part of the reply took effect."
    ),
    applies_when="The harness runs one action a reply.",
    not_when="The harness offers parallel tool calls.",
    kind="interaction protocol adherence",
    polarity="do",
    detect=detect,
)
