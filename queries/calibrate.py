"""Fit the floors on a store's own graph, each run asked as if it had not been seen.

Every run's task is asked again with all that stands on this run alone left out. Of insights what
applied is what the run itself led to and others had led to as well; of leaves those of another run
of the same task. What did not apply are the other insights, and leaves of other projects. A floor
is put where the best of the one and the best of the other part most, for each kind of node on its
own. Where they do not part, the built-in floor stands.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..kg.protocols import Embedder, GraphStore
from ..kg.types import EVERYTHING, LEVELS, Memory, Trace
from .calibration import Calibration, KindFit
from .crowding import crowding_of
from .floors import FLOORS, Floor, Kind, adjusted, kind_of
from .level import ancestors
from .lifts import lifts
from .nominate import nominate
from .score import dense_weight

MOST_QUESTIONS: Final = 200
"""Runs that are asked at most; ids are hashes, so that the first are as good as any."""

SHORTEST_TASK: Final = 4
"""Words that a task must have to be asked again. Source: bench/answers.py."""

LEAST: Final = 20
"""Scores of what applied, and of what did not, from which a floor is fitted. Chosen by us."""

TRUST: Final = 50.0
"""Scores of what applied for which the built-in floor counts beside the fitted one. Chosen by
us."""

TYPICAL: Final = 0.25
"""Which quantile of the crowding of all insights changes nothing. Source: bench/evaluate.py, T2:
what tasks lead to stands in places that are less crowded than three in four."""

LEAST_PARTED: Final = 0.2
"""How far the parts above the floor must differ for it to be better than the built-in one. Chosen
by us: on 366 public runs cards and facts of projects do not come near it, as they are brought by
votes and not by their own words."""

STRICT_FALSE: Final = 0.5
"""Part of the false answers of the default floor that a strict one still gives. Source: at the
built-in floors 17 of 31 in 100, bench/evaluate.py, T2."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """Of one run asked again: by kind, the best score of what applied and of what did not."""

    right: Mapping[Kind, float]
    wrong: Mapping[Kind, float]


def calibrate(store: GraphStore, embedder: Embedder, *, time: str) -> Calibration:
    """Fit floors and crowding on everything that a store holds; nothing is written.

    Raises:
        StoreError: the store could not be read.
    """
    size = sum(store.counts().levels.values())
    crowding = crowding_of(store, weight=dense_weight(embedder.name))
    typical = float(np.quantile(list(crowding.values()), TYPICAL)) if crowding else 0.0
    crowded = Calibration(
        time=time, memories=size, questions=0, kinds={}, typical=typical, crowding=crowding
    )
    asked = list(_ask_again(store, embedder, crowded))
    kinds = {kind: fitted(kind, *_scores(asked, kind), memories=size) for kind in FLOORS}
    return replace(crowded, questions=len(asked), kinds=kinds)


def _questions(store: GraphStore) -> list[tuple[Trace, str]]:
    """Runs with the text of their task."""
    traces = [n for n in store.find("Trace") if isinstance(n, Trace)]
    asked = [(t, t.title if t.origin == "import" else t.content) for t in traces]
    return [(t, text) for t, text in asked if len(text.split()) >= SHORTEST_TASK][:MOST_QUESTIONS]


def _ask_again(store: GraphStore, embedder: Embedder, calibration: Calibration) -> Iterator[_Asked]:
    questions = _questions(store)
    nothing: frozenset[str] = frozenset()
    above = ancestors(store.ancestry([t.id for t, _ in questions]))
    known = sorted(nothing.union(*(above.get(t.id, nothing) for t, _ in questions)))
    alone = {id for id, support in store.support(known).items() if support.traces <= 1}
    for trace, text in questions:
        over = above.get(trace.id, nothing)
        nominees = nominate(
            store,
            embedder,
            text,
            scope=EVERYTHING,
            witnesses=EVERYTHING,
            exclude=frozenset({trace.id, *(over & alone)}),
        )
        added = lifts(
            nominees.ordered,
            nominees.question.terms,
            calibration=calibration,
            floor=float("-inf"),
        )
        best: dict[tuple[bool, Kind], float] = {}
        for memory, score in ((n.hit.memory, n.hit.score) for n in nominees.ordered):
            applied = _applied(memory, trace, over)
            if applied is not None:
                key = applied, kind_of(memory)
                best[key] = max(best.get(key, float("-inf")), score + added.get(memory.id, 0.0))
        yield _Asked(*({k: v for (a, k), v in best.items() if a is yes} for yes in (True, False)))


def _applied(memory: Memory, trace: Trace, over: frozenset[str]) -> bool | None:
    """Tell whether a memory applied to a run; None where nobody can say."""
    if memory.level >= LEVELS["insight"]:
        return memory.id in over
    if memory.task and memory.task == trace.task:
        return True
    return False if memory.project != trace.project or not memory.project else None


def _scores(asked: Sequence[_Asked], kind: Kind) -> tuple[list[float], list[float]]:
    right = [a.right[kind] for a in asked if kind in a.right]
    return right, [a.wrong[kind] for a in asked if kind in a.wrong]


def fitted(kind: Kind, right: Sequence[float], wrong: Sequence[float], *, memories: int) -> KindFit:
    """The floor of a kind from the best scores of what applied and of what did not.

    The floor is where the parts that reach it differ most (Youden's index), drawn towards the
    built-in one where little is known. It is kept as it would be in a store of a size that needs no
    adjustment.
    """
    shift = adjusted(0.0, memories)
    floor, known = FLOORS[kind], False
    yes, no = np.sort(np.asarray(right)), np.sort(np.asarray(wrong))
    if min(len(yes), len(no)) >= LEAST:
        places = np.unique(yes)
        parted = _reaching(yes, places) - _reaching(no, places)
        at = int(np.argmax(parted))
        if parted[at] >= LEAST_PARTED:
            known = True
            trust = len(yes) / (len(yes) + TRUST)
            default = _drawn(float(places[at]) - shift, floor.default, trust)
            allowed = STRICT_FALSE * float(_reaching(no, np.array([default + shift]))[0])
            strict = float(np.quantile(no, 1.0 - allowed, method="higher")) - shift
            floor = Floor(default, max(default, _drawn(strict, floor.strict, trust)))
    ends = np.array([floor.default, floor.strict]) + shift
    passed, false = _reaching(yes, ends).tolist(), _reaching(no, ends).tolist()
    return KindFit(
        floor=floor,
        fitted=known,
        right=len(yes),
        wrong=len(no),
        passed=passed[0],
        false=false[0],
        strict_passed=passed[1],
        strict_false=false[1],
    )


def _reaching(scores: NDArray[np.float64], floors: NDArray[np.float64]) -> NDArray[np.float64]:
    """The part of sorted scores that reaches each floor."""
    if not len(scores):
        return np.zeros(len(floors))
    below = np.searchsorted(scores, floors, side="left")
    return np.asarray(1.0 - below / len(scores), dtype=np.float64)


def _drawn(found: float, built_in: float, trust: float) -> float:
    return round(trust * found + (1.0 - trust) * built_in, 2)
