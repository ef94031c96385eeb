"""What an agent is given at the end of a run to write lessons from: where the run turned."""

from collections.abc import Sequence
from typing import Final

from ..ingest.turning_points import TurningPoint
from ..kg.ids import content_id
from ..kg.marks import mark
from ..queries.render import count_tokens, fenced_lines

_TOKENS: Final = 4_000

_ASK: Final = """\
Look back on this run. Below are the places where it turned, taken from its record of steps: \
failures that were repaired, with what did not help; corrections by the user; changes undone.

Write down at most three lessons that would help an agent in another repository, and call \
`record_lesson` once with them and with trace `{trace}`. None is a good answer: most runs teach \
nothing new.

A lesson is worth keeping if a capable engineer new to the task would not have done it anyway, and \
the record shows that it made a difference. State the general rule, when it applies and when it \
does not. Cite the numbers of the steps that bear it out. Name nothing of this project: no paths, \
files, identifiers, hashes or people. Do not report what you did; say what to do."""

NOTHING: Final = (
    "The record of this run holds no repaired failure, no correction and no undone change. There "
    "is nothing to write down."
)


def reflection(trace: str, points: Sequence[TurningPoint]) -> str:
    """The request for lessons with the turning points as fenced data; `NOTHING` without any."""
    if not points:
        return NOTHING
    kept = list(points)
    while True:
        text = _text(trace, kept)
        if count_tokens(text) <= _TOKENS or len(kept) == 1:
            return text
        kept.pop()


def _text(trace: str, points: Sequence[TurningPoint]) -> str:
    lines: list[str] = []
    for number, point in enumerate(points, start=1):
        lines.append(f"{number}. {point.turn} (steps {', '.join(map(str, point.steps))})")
        lines += [f"   {line}" for line in point.lines]
    fence = fenced_lines(lines, mark=mark(content_id("turns", trace)))
    return f"{_ASK.format(trace=trace)}\n\n{fence}"
