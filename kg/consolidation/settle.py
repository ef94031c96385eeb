"""Who belongs together: from pairs of insights to groups, proposals and contradictions."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..types import Insight
from .clusters import average_link, components, joined, mutual
from .decisions import Pair
from .guards import VetoKind
from .plan import Limits, Why
from .pool import Pool
from .score import FULL_LENGTH

_DECIDED: Final[frozenset[VetoKind]] = frozenset(
    {"apart", "rejected", "related", "contradicts", "project"}
)
"""Vetoes that say the pair was looked at already, or need not be."""

Place = int
Quorum = Callable[[Sequence[Pair]], frozenset[Pair]]
"""Of some pairs of ids those whose evidence says that they are the same."""


@dataclass(frozen=True, slots=True)
class Group:
    """Places of a pool that belong together, and why."""

    places: tuple[Place, ...]
    why: Why


@dataclass(frozen=True, slots=True)
class Proposed:
    """Two places of a pool and the nearness of their words."""

    a: Place
    b: Place
    nearness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals:
    """Pairs that nobody decided on, by what is to be said of them."""

    kept_apart: tuple[Proposed, ...] = ()
    suggested: tuple[Proposed, ...] = ()
    contradictions: tuple[Proposed, ...] = ()


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of places of a pool with their nearness, arrays of one length."""

    i: NDArray[np.intp]
    j: NDArray[np.intp]
    nearness: NDArray[np.float32]

    def where(self, mask: NDArray[np.bool_]) -> "Pairs":
        """Those of the pairs that a mask names."""
        return Pairs(self.i[mask], self.j[mask], self.nearness[mask])

    def listed(self) -> list[tuple[Place, Place]]:
        """The pairs as numbers."""
        return [(int(a), int(b)) for a, b in zip(self.i, self.j, strict=True)]


class Grouping:
    """Groups the places of a pool by copies, wording, evidence and decisions.

    Copies are as one place from the start, and so are insights that somebody said are the same.
    The rest is average link on the nearness of words, where a pair that evidence backs counts as
    near enough.
    """

    def __init__(
        self,
        pool: Pool,
        pairs: Pairs,
        *,
        limits: Limits,
        same: Collection[Pair],
        quorum: Quorum,
    ) -> None:
        self._pool = pool
        self._limits = limits
        self._label = pool.copies()
        self._backed = _backed(pool, pairs, limits=limits, quorum=quorum)
        self._near = pairs.where(pairs.nearness >= limits.unattended).listed()
        places = ((pool.place.get(a), pool.place.get(b)) for a, b in sorted(same))
        self._decided = [(a, b) for a, b in places if a is not None and b is not None]

    def groups(self, touched: Collection[Place] | None = None) -> list[Group]:
        """Groups of two and more places.

        `touched` restricts the answer to components that hold one of these places; the pool must
        hold these components as a whole.
        """
        copies = self._copy_links(range(len(self._pool)))
        links = [*sorted(self._backed), *self._decided, *copies]
        wanted = _holding(components([*self._near, *links]), touched)
        # Guards take their time, so that only pairs that may be in an answer are shown to them.
        inside = {place for component in wanted for place in component}
        near = [p for p in self._near if p[0] in inside and self._pool.veto(*p) is None]
        asked = _holding(components([*near, *links]), touched)
        self._pool.read_ahead(asked)
        return [group for component in asked for group in self.within(component)]

    def within(self, places: Sequence[Place]) -> list[Group]:
        """The groups of two and more among some places."""
        inside = set(places)
        decided = [p for p in self._decided if inside.issuperset(p)]
        copies = self._copy_links(places)
        units = joined([[p] for p in places], [*decided, *copies])
        later = {copy for copy, _ in copies}
        originals = [[p for p in unit if p not in later] for unit in units]
        found: list[Group] = []
        for group in average_link(
            range(len(units)),
            lambda wanted: self._nearness([originals[u] for u in wanted]),
            min_nearness=self._limits.unattended,
        ):
            members = tuple(sorted(p for unit in group for p in units[unit]))
            if len(members) > 1:
                found.append(Group(members, self._why(members)))
        return found

    def _copy_links(self, places: Iterable[Place]) -> list[tuple[Place, Place]]:
        """Each copy among some places with the first of its kind among them."""
        first: dict[int, Place] = {}
        links: list[tuple[Place, Place]] = []
        for place in sorted(places):
            label = self._label.get(place)
            if label is None:
                continue
            if label in first:
                links.append((place, first[label]))
            else:
                first[label] = place
        return links

    def _nearness(self, units: Sequence[Sequence[Place]]) -> NDArray[np.float64]:
        """The mean nearness between the places of each two units."""
        members = [place for unit in units for place in unit]
        near = self._pool.matrix(members)
        row_of = {place: row for row, place in enumerate(members)}
        for a, b in self._backed:
            if a in row_of and b in row_of:
                for at in ((row_of[a], row_of[b]), (row_of[b], row_of[a])):
                    near[at] = max(near[at], self._limits.unattended)
        sizes = [len(unit) for unit in units]
        if max(sizes) == 1:
            return near
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        sums = np.add.reduceat(np.add.reduceat(near, starts, axis=0), starts, axis=1)
        return np.asarray(sums / np.outer(sizes, sizes))

    def _why(self, members: Sequence[Place]) -> Why:
        places = set(members)
        if any(places.issuperset(p) for p in self._decided):
            return "decision"
        return "evidence" if any(places.issuperset(p) for p in self._backed) else "wording"


def _holding(
    found: Sequence[list[Place]], touched: Collection[Place] | None
) -> Sequence[list[Place]]:
    """Those of some components that hold one of these places; all of them where it is None."""
    if touched is None:
        return found
    places = set(touched)
    return [component for component in found if not places.isdisjoint(component)]


def _backed(
    pool: Pool, pairs: Pairs, *, limits: Limits, quorum: Quorum
) -> frozenset[tuple[int, int]]:
    """Pairs that are only suggestions by their words but have evidence in common."""
    asked = pairs.where(pairs.nearness < limits.unattended).listed()
    found = quorum([(pool.ids[a], pool.ids[b]) for a, b in asked])
    return frozenset(
        p for p in asked if (pool.ids[p[0]], pool.ids[p[1]]) in found and pool.veto(*p) is None
    )


def proposals(
    pool: Pool,
    pairs: Pairs,
    *,
    limits: Limits,
    together: Callable[[Place, Place], bool],
    fresh: Collection[Place] | None = None,
) -> Proposals:
    """What to say of the pairs that are not together, the nearest first.

    An insight brings few proposals, besides pairs that are near enough to merge. `fresh` restricts
    it to pairs with one of these places, and `pairs` holds those that are near enough.
    """
    found: dict[str, list[Proposed]] = {"apart": [], "similar": [], "opposite": []}
    brought: dict[Place, int] = {}
    for at in np.lexsort((pairs.j, pairs.i, -pairs.nearness)):
        a, b, near = int(pairs.i[at]), int(pairs.j[at]), float(pairs.nearness[at])
        if fresh is not None and a not in fresh and b not in fresh:
            continue
        if together(a, b):
            continue
        certain = near >= limits.unattended
        if not certain and max(brought.get(a, 0), brought.get(b, 0)) >= limits.most:
            continue
        veto = pool.veto(a, b)
        if certain and veto is not None:
            found["apart"].append(Proposed(a, b, near))
        if veto is not None and veto.kind in _DECIDED:
            continue
        opposite = certain and veto is not None and veto.kind == "opposite"
        found["opposite" if opposite else "similar"].append(Proposed(a, b, near))
        for place in (a, b):
            brought[place] = brought.get(place, 0) + 1
    return Proposals(
        kept_apart=tuple(found["apart"]),
        suggested=tuple(found["similar"]),
        contradictions=tuple(found["opposite"]),
    )


def near_enough(pool: Pool, pairs: Pairs, *, limits: Limits) -> NDArray[np.bool_]:
    """Tell which pairs are merged or proposed where nothing stands against it.

    Besides what is near by itself these are pairs of which each is the other's nearest: how near
    the nearest is depends on how a text is written and on how much is said of its topic. Long
    texts may be further apart then.
    """
    near = pairs.nearness
    found = near >= min(limits.suggestion, limits.unattended)
    unit = _units(pool, pairs, limits=limits)
    candidates = ~found & mutual(pairs.i, pairs.j, near, unit=unit)
    for at in np.flatnonzero(candidates & (near >= min(limits.mutual, limits.mutual_long))):
        ends = (int(pairs.i[at]), int(pairs.j[at]))
        is_long = all(len(pool.marks(p).terms) >= FULL_LENGTH for p in ends)
        found[at] = near[at] >= (limits.mutual_long if is_long else limits.mutual)
    return found


def across_domains(pool: Pool, pairs: Pairs, *, limits: Limits) -> NDArray[np.bool_]:
    """Tell which pairs come from two domains and are merged where evidence bears them out.

    The words of two domains differ, so that less is asked of them where evidence speaks too.
    """
    found = pairs.nearness >= limits.across
    for at in np.flatnonzero(found):
        found[at] = between_domains(pool.insights[pairs.i[at]], pool.insights[pairs.j[at]])
    return found


def between_domains(a: Insight, b: Insight) -> bool:
    """Tell whether two insights come from different domains."""
    return bool(a.domains and b.domains and not set(a.domains) & set(b.domains))


def _units(pool: Pool, pairs: Pairs, *, limits: Limits) -> NDArray[np.intp]:
    """A number for each place, the same for those near enough to be copies of each other."""
    unit = np.arange(len(pool), dtype=np.intp)
    copies = pairs.where(pairs.nearness >= limits.unattended).listed()
    for component in components(copies):
        unit[component] = component[0]
    return unit
