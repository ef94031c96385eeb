"""Of memories that stand above one another only the most abstract is an answer of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..kg.terms import tokenize
from ..kg.types import LevelName, Memory, level_name
from .applicability import Nominee, Situation, may_stand_beneath
from .terms import stop_stems

_MIN_NEW: Final = 0.3
"""Part of the words of a lower memory that the upper one must lack. Chosen by us."""
_MOST_BENEATH: Final = 2
_PREFERRED: Final[tuple[LevelName, ...]] = ("workflow", "insight", "summary", "trace")
"""What helps most beneath an answer: how it was done, before what else is known of the run."""


@dataclass(frozen=True, slots=True)
class Place:
    """An answer with the nominees that stand below it in the graph, best first."""

    nominee: Nominee
    below: tuple[Nominee, ...] = ()


def antichain(nominees: Sequence[Nominee], above: Mapping[str, frozenset[str]]) -> list[Place]:
    """Keep the most abstract of every chain of nominees, at the best place any of them had.

    `above` maps an id to everything that stands above it. No two nominees of the result stand
    above one another.
    """
    nothing: frozenset[str] = frozenset()
    places: list[tuple[Nominee, list[Nominee]]] = []
    for nominee in nominees:
        id = nominee.hit.id
        over = above.get(id, nothing)
        upper = next((p for p in places if p[0].hit.id in over), None)
        if upper is not None:
            upper[1].append(nominee)
            continue
        lower = [p for p in places if id in above.get(p[0].hit.id, nothing)]
        if not lower:
            places.append((nominee, []))
            continue
        under = [n for first, others in lower for n in (first, *others)]
        places[places.index(lower[0])] = (nominee, under)
        places = [p for p in places if p not in lower]
    return [Place(nominee, tuple(under)) for nominee, under in places]


def worth_adding(place: Place, situation: Situation) -> list[Nominee]:
    """The lower nominees to show beneath an answer: at most two, near the task, with news.

    Being near means the same project or the same environment; news are words that neither the
    answer nor a lower one shown before has.
    """
    said = _words(place.nominee.hit.memory)
    shown: list[Nominee] = []
    for lower in sorted(place.below, key=_preference):
        memory = lower.hit.memory
        words = _words(memory)
        if len(shown) == _MOST_BENEATH:
            break
        if may_stand_beneath(memory, situation) and len(words - said) >= _MIN_NEW * len(words) > 0:
            shown.append(lower)
            said |= words
    return shown


def _preference(nominee: Nominee) -> int:
    return _PREFERRED.index(level_name(nominee.hit.level))


def _words(memory: Memory) -> set[str]:
    return set(tokenize(memory.full)) - stop_stems()
