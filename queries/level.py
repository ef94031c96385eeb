"""The climb: from the runs nearest to a task up to what they taught.

A memory that was learned from runs like this one need not share a word with the task. So the
nearest leaves (traces, workflows, summaries) vote for the insights above them, along the edges
that distillation and merging left: a leaf's vote is worth 1/log2(1 + rank), and the share of an
insight is the part of all votes that was cast below it. What stands above many runs anyway gets
many votes whatever the task is, so that shares are weighed against breadth.
Source: measured on public sets with bench/evaluate.py (T6b).
"""

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from ..kg.protocols import GraphStore
from ..kg.types import EVERYTHING, LEVELS, Edge, Scope, Support
from .search import Hit, Question, rank_key

VOTERS: Final = 20
"""How many of the nearest leaves vote. Source: bench/evaluate.py, T6b; 10 lose .016 abstract@5."""

BREADTH_WEIGHT: Final = 0.4
"""How much a node loses by standing above many runs anyway, as an exponent.

At 0 the vote brings the most general nodes alone, at 1 what is peculiar to the nearest runs.
Source: bench/evaluate.py, T6b: .4 gives abstract@5 .935 and nDCG@10 .833 (.3: .951 and .811, .5:
.901 and .839). On cards of public runs (bench/answers.py) it gains .03 nDCG@5 for agents that are
few among them and costs .08 for the one that made half of them: what nearly every run did is right
most often and says least."""

_UNSEEN_RUNS: Final = 4
"""Runs that every node is taken to stand above besides those known, so that one run is no proof
of being specific. Chosen by us; 0 to 10 rank alike."""

_NEAREST: Final = 60
"""Leaves looked at to find those who vote; a run has up to three of them."""
_MOST_CLIMBED: Final = 30
"""Insights with the most votes that are looked at. Source: T6b and 122 tasks of public runs get the
same answers as with 60, and at 100,000 memories an answer takes a twentieth less time."""
_BLOCK_WITHIN: Final = 10
"""Only a leaf before this place in the flat order brings its block there. Source:
bench/evaluate.py."""


@dataclass(frozen=True, slots=True)
class Votes:
    """What was cast below a node: its share of all votes in (0, 1], how many tasks voted for it,
    and their leaves, nearest first."""

    share: float
    tasks: int
    leaves: tuple[Hit, ...]

    @property
    def best(self) -> float:
        """R of the leaf that fits the task best."""
        return max(leaf.score for leaf in self.leaves)


@dataclass(frozen=True, slots=True)
class Climbed:
    """An insight that leaves voted for, and the number of runs it stands above in all."""

    hit: Hit
    votes: Votes
    runs: int

    @property
    def value(self) -> float:
        """Share of the votes, less the more the node stands above anyway; higher is shown first."""
        return self.votes.share / math.pow(self.runs + _UNSEEN_RUNS, BREADTH_WEIGHT)


@dataclass(frozen=True, slots=True)
class Climb:
    """What the vote brought: insights in the order to show them, and the graph above the hits.

    `best` is the best leaf that voted, None where nothing was climbed. `above` holds everything
    above the leaves and the first flat hits, and `lifted` the insights above the first flat hits
    that were no hits themselves.
    """

    block: tuple[Climbed, ...]
    best: Hit | None
    above: Mapping[str, frozenset[str]]
    lifted: Mapping[str, Hit]


def climb(
    store: GraphStore,
    question: Question,
    hits: Sequence[Hit],
    *,
    flat: Sequence[Hit] = (),
    scope: Scope = EVERYTHING,
) -> Climb:
    """Let the leaves among some hits vote for the insights above them.

    `flat` are the hits, best first, that the insights are to be merged with, where they are not
    the same ones.

    Raises:
        StoreError: the store could not be read.
    """
    flat = flat or hits
    known = {h.id: h for h in (*hits, *flat)}
    nearest = sorted((h for h in hits if is_leaf(h)), key=_nearness)[:_NEAREST]
    first = flat[:_BLOCK_WITHIN]
    above = ancestors(store.ancestry(sorted({h.id for h in (*nearest, *first)}), scope=scope))
    leaves = [h for h in nearest if above.get(h.id)]
    votes = vote(leaves, above)
    most = sorted(votes, key=lambda node: (-votes[node].share, node))[:_MOST_CLIMBED]
    over_flat = _above_all(first, above)
    missing = sorted((set(most) | over_flat) - known.keys())
    found = question.hits(store.features(missing, scope=scope))
    known |= {h.id: h for h in found}
    insights = [node for node in most if node in known and not is_leaf(known[node])]
    support = store.support(insights)
    # A leaf need not stand for a run, so that support can count fewer than are seen here.
    seen = Counter(chain.from_iterable(above[leaf.id] for leaf in leaves))
    block = [
        Climbed(known[node], votes[node], max(support.get(node, Support()).traces, seen[node]))
        for node in insights
    ]
    lifted = {h.id: h for h in found if h.id in over_flat and not is_leaf(h)}
    best = min((leaf for c in block for leaf in c.votes.leaves), key=rank_key, default=None)
    return Climb(tuple(by_value(block)), best, above, lifted)


def _above_all(hits: Sequence[Hit], above: Mapping[str, frozenset[str]]) -> frozenset[str]:
    nothing: frozenset[str] = frozenset()
    return nothing.union(*(above.get(h.id, nothing) for h in hits))


def is_leaf(hit: Hit) -> bool:
    """Tell whether a memory stands below the insights."""
    return hit.level < LEVELS["insight"]


def ancestors(edges: Iterable[Edge]) -> dict[str, frozenset[str]]:
    """Everything above each node that is the source of an edge; a cycle is walked once."""
    parents: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        parents[edge.source].append(edge.target)
    return {node: _closure(node, parents) for node in list(parents)}


def _closure(node: str, parents: Mapping[str, Sequence[str]]) -> frozenset[str]:
    seen: set[str] = set()
    waiting = [node]
    while waiting:
        for parent in parents.get(waiting.pop(), ()):
            if parent not in seen:
                seen.add(parent)
                waiting.append(parent)
    return frozenset(seen - {node})


def vote(leaves: Sequence[Hit], above: Mapping[str, frozenset[str]]) -> dict[str, Votes]:
    """The votes for every node above the nearest leaves.

    Leaves stand in the order of how many words their keys share with the task. All leaves of
    one task, or of one run, have one vote, so that a task that was run ten times does not outvote
    nine others.
    """
    nearest = sorted(leaves, key=_nearness)
    runs = [leaf for leaf in nearest if leaf.level == 0]
    groups: dict[str, list[Hit]] = {}
    for leaf in nearest:
        groups.setdefault(_voter(leaf, runs, above), []).append(leaf)
    voters = list(groups.values())[:VOTERS]
    weights = [1.0 / math.log2(2.0 + rank) for rank in range(len(voters))]
    total = math.fsum(weights)
    cast: dict[str, list[float]] = defaultdict(list)
    below: dict[str, list[Hit]] = defaultdict(list)
    for weight, voter in zip(weights, voters, strict=True):
        for node in sorted(set().union(*(above[leaf.id] for leaf in voter))):
            cast[node].append(weight)
            below[node] += [leaf for leaf in voter if node in above[leaf.id]]
    return {
        node: Votes(math.fsum(cast[node]) / total, len(cast[node]), tuple(below[node]))
        for node in cast
    }


def _nearness(leaf: Hit) -> tuple[float, float, str]:
    return -leaf.parts.key, -leaf.score, leaf.id


def _voter(leaf: Hit, runs: Sequence[Hit], above: Mapping[str, frozenset[str]]) -> str:
    """Whose vote a leaf casts: its task's, or without one that of the run it stands above."""
    if leaf.task or leaf.level == 0:
        return leaf.task or leaf.id
    id = leaf.id
    return min((r.task or r.id for r in runs if id in above[r.id]), default=id)


def by_value(block: Sequence[Climbed]) -> list[Climbed]:
    """Climbed insights in the order to show them.

    The surer the vote, the more specific the insight that comes first: one above every run gets
    every vote, so that its share says little. Of equal value the one that fits the task better
    comes first, then by id.
    """
    return sorted(block, key=lambda c: (-round(c.value, 9), -c.hit.score, c.hit.id))


def with_block(hits: Sequence[Hit], climbed: Climb) -> list[Hit]:
    """The flat order with the climbed block at the place of its best leaf.

    Insights that stood above that place keep it. Moving the block to the top would cost flat
    search .04 nDCG@10 (bench/evaluate.py). A leaf beyond the tenth place brings its block to the
    end.
    """
    best = climbed.best
    if best is None:
        return list(hits)
    place = bisect_left(hits, rank_key(best), key=rank_key)
    if place >= _BLOCK_WITHIN:
        place = len(hits)
    head = list(hits[:place])
    placed = {h.id for h in head}
    block = [c.hit for c in climbed.block if c.hit.id not in placed]
    placed |= {h.id for h in block}
    return [*head, *block, *(h for h in hits[place:] if h.id not in placed)]
