"""What speaks for an insight besides its score, when the gate decides and not in the ranking.

    lift = 2 * (part of its title's words that the task has - 1/2)
         + 3/2 * (part of the task's three heaviest words that it has - 1/2)
         - 1/2 * (how crowded its neighbourhood is - how crowded one is on average)

A score is worth less where a dozen others would score alike for the same reason: what is near to
such an insight is a topic, not the answer. Words of the title count once more, as a title says in
few words what an insight is for. And many words that half fit do not make up for the one that the
task is about.
Source: bench/evaluate.py, T2: of tasks whose answer was taken away fewer are answered, at 90 of 100
answers kept; weights of 1 to 3 and of .35 to .5 do alike. The second term was chosen on five other
sets, their answers taken away in the same manner: on T3, both of T4 and duplicates among the bug
reports of two projects it gains .006 AUROC on average [.002, .011].
"""

from collections.abc import Container, Iterable
from typing import Final

import numpy as np

from ..kg.terms import term_id, tokenize
from ..kg.types import LEVELS
from .applicability import Nominee
from .calibration import Calibration
from .floors import kind_of
from .terms import QueryTerms, stop_stems

TITLE_WEIGHT: Final = 2.0
TITLE_TYPICAL: Final = 0.5
HEAVY_WEIGHT: Final = 1.5
HEAVY_TYPICAL: Final = 0.5
HEAVY: Final = 3
"""Words of the task that count as its heaviest here."""
CROWDING_WEIGHT: Final = 0.5
MOST: Final = 2.0
"""Most that a crowded or a lonely neighbourhood changes. Chosen by us."""

_FAR_BELOW: Final = (
    TITLE_WEIGHT * (1.0 - TITLE_TYPICAL) + HEAVY_WEIGHT * (1.0 - HEAVY_TYPICAL) + MOST
)
"""What no lift can make up for."""


def lifts(
    nominees: Iterable[Nominee],
    terms: QueryTerms,
    *,
    calibration: Calibration | None,
    floor: float,
) -> dict[str, float]:
    """What is to be added to R of each insight, by id; cards and leaves have no lift.

    `terms` are the words of the task. Insights so far below `floor` that no lift helps are
    left out.
    """
    words = frozenset(terms.ids.tolist())
    heavy = terms.ids[:HEAVY]
    found: dict[str, float] = {}
    for nominee in nominees:
        hit = nominee.hit
        if hit.level < LEVELS["insight"] or hit.score < floor - _FAR_BELOW:
            continue  # most are judged without being decoded
        if kind_of(hit.memory) == "insight":
            share = title_share(hit.memory.title, words)
            held = np.isin(heavy, hit.candidate.terms.ids).mean() if len(heavy) else HEAVY_TYPICAL
            lift = TITLE_WEIGHT * (share - TITLE_TYPICAL) + HEAVY_WEIGHT * (held - HEAVY_TYPICAL)
            found[hit.id] = float(lift) - _crowded(hit.id, calibration)
    return found


def title_share(title: str, words: Container[int]) -> float:
    """The part of a title's words that are among `words`, stop words left out, in [0, 1]."""
    stems = set(tokenize(title)) - stop_stems()
    return sum(term_id(stem) in words for stem in stems) / len(stems) if stems else 0.0


def _crowded(id: str, calibration: Calibration | None) -> float:
    if calibration is None or id not in calibration.crowding:
        return 0.0
    change = CROWDING_WEIGHT * (calibration.crowding[id] - calibration.typical)
    return max(-MOST, min(MOST, change))
