"""A test is run under several seeds to see whether it depends on chance."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit

_SEED: Final = re.compile(r"(?i)\w*seed\w*")
_LOOP: Final = re.compile(
    r"\bfor \w+ in\b|\bseq \d|--count|--repeat|-count=\d|\brepeat \d|\bxargs\b"
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the repeated runs of a test under different seeds."""
    steps = [s for s in run.steps if s.phase == "test" or s.check]
    looped = [s for s in steps if _LOOP.search(s.command) and _SEED.search(s.command)]
    seeded: dict[str, StepRecord] = {}
    for step in steps:
        for command in step.commands:
            for name, value in command.assigns:
                if _SEED.fullmatch(name):
                    seeded.setdefault(f"{name}={value}", step)
    found = looped[:1] + looped[-1:] if looped else list(seeded.values())
    indexes = sorted({s.index for s in found})
    if looped or len(seeded) >= 2:
        yield Hit(steps=tuple(indexes[:4]))


CARD = Card(
    name="flaky-seeds",
    title="Run a test that fails now and then under several fixed seeds",
    situation="A test fails now and then and passes when it is started again.",
    seen="A test was run several times with different fixed seeds instead of once more.",
    advice=(
        "Fix what changes between runs, such as the hash seed, the order or the clock, and "
        "vary it on purpose. A seed that fails every time is the reproduction, and the loop "
        "is the proof of the repair."
    ),
    applies_when="The failure depends on order, randomness or time.",
    not_when="The test fails every time.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
)
