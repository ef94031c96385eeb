"""What became of the work that memories were shown for: counts, and what they say for the ranking.

An episode is one retrieval whose outcome is known. It speaks for what was shown; where the agent
said which memories it used, for those alone. Success after showing a memory proves little where
such work mostly succeeds, so it is compared with the episodes of the same domain that did without.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from weakref import WeakKeyDictionary

from ..kg.episodes import noted_outcomes
from ..kg.protocols import GraphStore
from ..kg.types import Edge, EdgeType, OutcomeSource, OutcomeStatus, Retrieval, Trace

TRUST: Final[Mapping[OutcomeSource, float]] = {
    "verifier": 1.0,
    "human": 1.0,
    "judge": 0.6,
    "heuristic": 0.3,
    "none": 0.0,
}
"""How much an outcome counts, by who says so: 2p - 1 for a source that is right with odds p.
Source: a judge agreed with the verifier in 74 to 85 of 100 cases (arXiv 2604.14004); the weight of
a heuristic is chosen by us."""

PRIOR: Final = 8.0
"""Episodes that the rate without a memory counts for, before those with it. Chosen by us."""

CERTAINTY: Final = 2.0
"""Standard deviations by which a change must exceed chance. Chosen by us: of memories that do
nothing one in twenty is moved, by little."""

USE_WEIGHT: Final = 8.0
"""What a change of the odds of success by 1, beyond chance, adds to R. Chosen by us so that a
memory that costs a fifth of the successes for certain falls by as much as the strict floors ask
for on top of the others."""

MOST: Final = 3.0
"""Most that use adds to or takes from R. Chosen by us."""

_OF_USE: Final[tuple[EdgeType, ...]] = ("SHOWED", "USED", "WITHHELD")


_KNOWN: Final[WeakKeyDictionary[GraphStore, tuple[str, list["Episode"]]]] = WeakKeyDictionary()
"""The episodes that this process has read, by store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """A retrieval, what was shown, used and withheld, and how the work ended."""

    retrieval: str
    domain: str
    shown: frozenset[str]
    used: frozenset[str]
    withheld: frozenset[str]
    holdout: float
    outcome: OutcomeStatus
    weight: float

    @property
    def credited(self) -> frozenset[str]:
        """What the outcome speaks for."""
        return self.used or self.shown

    def counts_for(self, domain: str) -> bool:
        """Tell whether it says something about work of this domain; of none means of any."""
        return self.weight > 0 and domain in ("", self.domain)


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """How often a memory was shown and used, and how often the work then succeeded or failed."""

    shown: int = 0
    used: int = 0
    helped: int = 0
    hurt: int = 0


@dataclass(frozen=True, slots=True)
class Beta:
    """Odds of success as a Beta distribution with these two counts."""

    success: float
    failure: float

    @property
    def mean(self) -> float:
        """Expected odds, in (0, 1)."""
        return self.success / (self.success + self.failure)

    @property
    def variance(self) -> float:
        """How uncertain the odds are."""
        total = self.success + self.failure
        return self.success * self.failure / (total * total * (total + 1.0))

    def seen(self, outcomes: Iterable[Episode]) -> "Beta":
        """The odds after these episodes."""
        success, failure = self.success, self.failure
        for episode in outcomes:
            if episode.outcome == "success":
                success += episode.weight
            else:
                failure += episode.weight
        return Beta(success, failure)


def episodes_of(store: GraphStore, ids: Sequence[str]) -> list[Episode]:
    """Every retrieval that showed or withheld one of these memories, ordered by id.

    Raises:
        StoreError: the store could not be read.
    """
    edges = store.edges(ids, types=_OF_USE, direction="in")
    return _episodes(store, sorted({e.source for e in edges}))


def all_episodes(store: GraphStore) -> list[Episode]:
    """Every retrieval of the store, ordered by id.

    Raises:
        StoreError: the store could not be read.
    """
    return _episodes(store, [n.id for n in store.find("Retrieval")])


def use_of(store: GraphStore, id: str) -> dict[str, Use]:
    """How a memory was used, by domain; the empty name stands for work of no known domain.

    Raises:
        StoreError: the store could not be read.
    """
    found: dict[str, Use] = {}
    for episode in episodes_of(store, [id]):
        if id not in episode.shown:
            continue
        use = found.get(episode.domain, Use())
        credited = id in episode.credited
        found[episode.domain] = replace(
            use,
            shown=use.shown + 1,
            used=use.used + (id in episode.used),
            helped=use.helped + (credited and episode.outcome == "success"),
            hurt=use.hurt + (credited and episode.outcome == "failure"),
        )
    return dict(sorted(found.items()))


def adjustments(
    store: GraphStore, ids: Sequence[str], *, domain: str, reading: GraphStore | None = None
) -> dict[str, float]:
    """What use adds to R of each memory for work of a domain; those without evidence are absent.

        USE_WEIGHT * sign(lift) * max(0, |lift| - CERTAINTY * its standard deviation), within +-MOST

    `lift` is the expected odds of success with the memory shown less those of the same kind of
    work without it. Episodes of other domains do not count; where the domain is not known, all do.
    `reading` is the store as the answer reads it, for what may come from there.

    Raises:
        StoreError: the store could not be read.
    """
    known = [e for e in _with_outcome(store, reading or store) if e.counts_for(domain)]
    if not any(not e.credited.isdisjoint(ids) for e in known):
        return {}
    found: dict[str, float] = {}
    for id in ids:
        with_it = [e for e in known if id in e.credited]
        if term := _term(with_it, [e for e in known if id not in e.shown]):
            found[id] = term
    return found


def _term(with_it: Sequence[Episode], without: Sequence[Episode]) -> float:
    if not with_it:
        return 0.0
    others = Beta(1.0, 1.0).seen(without)
    shown = Beta(PRIOR * others.mean, PRIOR * (1.0 - others.mean)).seen(with_it)
    lift = shown.mean - others.mean
    doubt = CERTAINTY * math.sqrt(shown.variance + others.variance)
    certain = max(0.0, abs(lift) - doubt)
    return math.copysign(min(MOST, USE_WEIGHT * certain), lift) if certain else 0.0


def _with_outcome(store: GraphStore, reading: GraphStore) -> list[Episode]:
    """The latest episodes with an outcome; read anew where one was reported since."""
    state, ids = noted_outcomes(reading)
    known = _KNOWN.get(store)
    if known is None or known[0] != state:
        known = _KNOWN[store] = (state, _episodes(store, sorted(ids)) if ids else [])
    return known[1]


def _episodes(store: GraphStore, ids: Sequence[str]) -> list[Episode]:
    nodes = store.get(ids)
    of_use: dict[str, list[Edge]] = defaultdict(list)
    in_traces: dict[str, list[str]] = defaultdict(list)
    for edge in store.edges(ids, types=(*_OF_USE, "IN_TRACE"), direction="out"):
        if edge.type == "IN_TRACE":
            in_traces[edge.source].append(edge.target)
        else:
            of_use[edge.source].append(edge)
    runs = store.get(sorted({t for found in in_traces.values() for t in found}))
    made = []
    for id, node in nodes.items():
        if isinstance(node, Retrieval):
            seen_in = [runs[t] for t in sorted(in_traces[id]) if t in runs]
            traces = [t for t in seen_in if isinstance(t, Trace)]
            made.append(_episode(node, of_use[id], traces))
    return made


def _episode(node: Retrieval, edges: Sequence[Edge], traces: Sequence[Trace]) -> Episode:
    told = [(node.outcome, node.outcome_source), *((t.outcome, t.outcome_source) for t in traces)]
    outcome, source = max(
        (t for t in told if t[0] != "unknown"),
        key=lambda t: TRUST[t[1]],
        default=("unknown", "none"),
    )
    domains = [d for t in traces for d in t.domains]

    def ends(type: EdgeType) -> frozenset[str]:
        return frozenset(e.target for e in edges if e.type == type)

    return Episode(
        retrieval=node.id,
        domain=node.domain or (domains[0] if domains else ""),
        shown=ends("SHOWED"),
        used=ends("USED"),
        withheld=ends("WITHHELD"),
        holdout=node.holdout,
        outcome=outcome,
        weight=TRUST[source] if outcome != "unknown" else 0.0,
    )
