"""Which memories speak of an error: those that cite steps at which it was met.

Words of an error message are the words of every error, so that near runs say little about it. What
an error-and-repair insight stands on are steps that failed with this very error, and the graph
knows which those are.
"""

import math
from collections import Counter
from dataclasses import replace
from typing import Final

from ..kg.protocols import GraphStore
from ..kg.types import LEVELS, Error, Scope
from .applicability import Nominee
from .floors import Floors, kind_of
from .nominate import Nominees
from .recovery import ErrorKey

_SAME_CLASS: Final = 0.3
_LEAST: Final = 0.5
"""What a citation of an error of the same class counts beside one of the same signature, and how
much must speak for a memory. Chosen by us."""

_MOST: Final = 40


def remedies(
    store: GraphStore, error: ErrorKey, *, exclude: frozenset[str] = frozenset()
) -> dict[str, float]:
    """What speaks for each memory that cites steps with such an error, most first.

    A memory that cites many other steps as well is about something else, so that the sum of its
    citations is divided by the root of their number. All runs count; who may read a memory is for
    the caller to see to.

    Raises:
        StoreError: the store could not be read.
    """
    errors = store.find("Error", where={"error_class": error.error_class})
    same = {e.id: isinstance(e, Error) and e.signature == error.signature for e in errors}
    raised = store.edges(list(same), types=("RAISES",), direction="in")
    weight: dict[str, float] = {}
    for edge in raised:
        worth = 1.0 if same[edge.target] else _SAME_CLASS
        weight[edge.source] = max(worth, weight.get(edge.source, 0.0))
    cited = store.edges(sorted(weight), types=("CITES",), direction="in")
    found: dict[str, float] = {}
    for edge in cited:
        if edge.source not in exclude:
            found[edge.source] = found.get(edge.source, 0.0) + weight[edge.target]
    everything = store.edges(sorted(found), types=("CITES",), direction="out")
    size = Counter(e.source for e in everything)
    spoken = {id: value / math.sqrt(max(size[id], 1)) for id, value in found.items()}
    order = sorted(spoken, key=lambda id: (-round(spoken[id], 9), id))[:_MOST]
    return {id: spoken[id] for id in order if spoken[id] >= _LEAST}


def for_an_error(
    store: GraphStore,
    nominees: Nominees,
    floors: Floors,
    *,
    spoken: dict[str, float],
    scope: Scope,
) -> tuple[Nominees, Floors]:
    """Put what speaks of an error first and lift it over its floor; no leaf votes for the rest."""
    known = {n.hit.id: n.hit for n in nominees.ordered}
    missing = [id for id in spoken if id not in known]
    known |= {h.id: h for h in nominees.question.hits(store.features(missing, scope=scope))}
    first = [Nominee(known[id]) for id in spoken if id in known]
    first.sort(key=lambda n: n.hit.level < LEVELS["insight"])
    rest = [Nominee(n.hit, None, n.runs) for n in nominees.ordered if n.hit.id not in spoken]
    added = {
        n.hit.id: max(0.0, floors.of(kind_of(n.hit.memory)) - n.hit.score) + spoken[n.hit.id]
        for n in first
    }
    return (
        replace(nominees, ordered=(*first, *rest)),
        replace(floors, lifts={**floors.lifts, **added}),
    )
