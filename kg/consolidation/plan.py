"""What a consolidation is about to do, or did: merges, suggestions, and what was kept apart."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..types import Insight
from .guards import Veto

Why = Literal["wording", "evidence", "decision"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Nearness from which something happens.

    From `unattended` on insights are merged. From `suggestion` on a pair is proposed, from `mutual`
    on where each is the other's nearest, and from `mutual_long` on where both are long, too: the
    more words there are, the fewer of them two texts share that say the same. `most` bounds the
    proposals that one insight brings. From `across` on evidence in common merges two insights of
    different domains, though their words alone propose nothing.
    Source: `python bench/merging.py` prints precision and recall at each on every public set; no
    such set has evidence, so that `across` is chosen by us.
    """

    unattended: float = 0.86
    suggestion: float = 0.70
    mutual: float = 0.65
    mutual_long: float = 0.50
    across: float = 0.62
    most: int = 5

    @property
    def least(self) -> float:
        """The nearness below which nothing happens."""
        return min(self.unattended, self.suggestion, self.mutual, self.mutual_long, self.across)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Two insights side by side: ids in order, the nearness of their words and its parts.

    `title_a` and `title_b` are empty where the two were not read.
    `shared` are words of `a` that `b` has too, in one form or another; `only_a` and `only_b` are
    words of one alone; the rarest come first.
    """

    a: str
    b: str
    nearness: float
    cosine: float = 0.0
    terms: float = 0.0
    lead: float = 0.0
    crowd: float = 0.0
    veto: Veto | None = None
    shared: tuple[str, ...] = ()
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()
    title_a: str = ""
    title_b: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Insights that became one, `insight`, and why.

    `nearness` is the mean over all pairs of members, `least` the pair that is furthest apart.
    `promoted` tells whether the merged insight leaves its members' projects; `tasks` and
    `projects` count what stood behind that. `replaces` are merged insights it takes the place of.
    """

    insight: Insight
    members: tuple[Insight, ...]
    why: Why
    nearness: float
    least: Compared
    promoted: bool = False
    tasks: int = 0
    projects: int = 0
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """A group whose words would have let it cross between projects, and why it did not.

    `title` is that of its first member.
    """

    members: tuple[str, ...]
    reason: str
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidation:
    """What one consolidation did, or would do where `dry_run` is set.

    `kept_apart` are pairs near enough to merge that a guard or a decision kept apart. `suggested`
    and `contradictions` are new proposals. Of each the first thousand are given; `counts` has all.
    `dissolved` are merged insights that were taken apart because their members no longer belong
    together. `considered` counts insights, `new` those no consolidation had seen.
    """

    merge_run: str = ""
    time: str = ""
    dry_run: bool = False
    full: bool = False
    considered: int = 0
    new: int = 0
    merged: tuple[Merge, ...] = ()
    kept_apart: tuple[Compared, ...] = ()
    suggested: tuple[Compared, ...] = ()
    contradictions: tuple[Compared, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    dissolved: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """One consolidation of the past."""

    id: str
    time: str
    merges: int
    suggested: int = 0
    merged: tuple[str, ...] = ()
    crossings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What was taken back: runs, merged insights, and edges; what was put back in their place."""

    runs: tuple[str, ...] = ()
    insights: tuple[str, ...] = ()
    edges: int = 0
    restored: tuple[str, ...] = field(default=())
