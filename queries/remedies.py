"""Which memories speak of an error: those that cite steps at which it was met.

Words of an error message are the words of every error, so that near runs say little about it. What
an error-and-repair insight stands on are steps that failed with this very error, and the graph
knows which those are.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from ..kg.protocols import Candidate, GraphStore
from ..kg.types import LEVELS, Scope
from .applicability import Nominee
from .floors import Floors, kind_of
from .nominate import Nominees
from .recovery import ErrorKey

_SAME_CLASS: Final = 0.3
_LEAST: Final = 0.5
"""What a citation of an error of the same class counts beside one of the same signature, and how
much must speak for a memory. Chosen by us."""

_MOST: Final = 40


@dataclass(frozen=True, slots=True)
class Remedies:
    """What speaks for each memory, most first, and the memories."""

    spoken: Mapping[str, float]
    candidates: tuple[Candidate, ...]


def remedies(
    store: GraphStore, error: ErrorKey, *, scope: Scope, exclude: frozenset[str] = frozenset()
) -> Remedies:
    """The memories in scope that cite steps with such an error.

    A memory that cites many other steps as well is about something else, so that the sum of its
    citations is divided by the root of their number.

    Raises:
        StoreError: the store could not be read.
    """
    found = {
        c.candidate.id: (c.candidate, (c.same + _SAME_CLASS * c.other) / math.sqrt(c.cites))
        for c in store.citing(error.error_class, error.signature, scope=scope)
        if c.candidate.id not in exclude
    }
    order = sorted(found, key=lambda id: (-round(found[id][1], 9), id))[:_MOST]
    kept = [id for id in order if found[id][1] >= _LEAST]
    return Remedies({id: found[id][1] for id in kept}, tuple(found[id][0] for id in kept))


def for_an_error(nominees: Nominees, floors: Floors, *, found: Remedies) -> tuple[Nominees, Floors]:
    """Put what speaks of an error first and lift it over its floor."""
    spoken = found.spoken
    known = {n.hit.id: n.hit for n in nominees.ordered}
    missing = [c for c in found.candidates if c.id not in known]
    known |= {h.id: h for h in nominees.question.hits(missing)}
    first = [Nominee(known[id]) for id in spoken]
    first.sort(key=lambda n: n.hit.level < LEVELS["insight"])
    rest = [n for n in nominees.ordered if n.hit.id not in spoken]
    added = {
        n.hit.id: max(0.0, floors.of(kind_of(n.hit.memory)) - n.hit.score) + spoken[n.hit.id]
        for n in first
    }
    return (
        replace(nominees, ordered=(*first, *rest)),
        replace(floors, lifts={**floors.lifts, **added}),
    )
