"""Who may be shown at all: flat hits, with what the nearest runs taught at its place among them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ..kg.protocols import Embedder, GraphStore
from ..kg.types import LevelName, Scope
from .applicability import Nominee
from .level import Climb, climb, with_block
from .search import Hit, Lookup, Question, ask, rank, rank_key

_FLAT: Final = 100
"""Memories that each of the two lists of the flat search brings. Source: bench/evaluate.py, T2 and
T6b: 200 give the same answers, and take a seventh more time at 100,000 memories."""

_LEAF_LEVELS: Final[tuple[LevelName, ...]] = ("trace", "workflow", "summary")
_WITNESSES: Final = 60
"""Leaves that each of the two lists brings. Source: bench/evaluate.py, T6b; 100 rank alike."""


@dataclass(frozen=True, slots=True)
class Nominees:
    """Memories in scope in the order they are to be looked at, and the task they were found for."""

    ordered: tuple[Nominee, ...]
    question: Question


def nominate(
    store: GraphStore,
    embedder: Embedder,
    task: str,
    *,
    scope: Scope,
    witnesses: Scope,
    transfer_from: str = "",
    exclude: frozenset[str] = frozenset(),
    vote: bool = True,
) -> Nominees:
    """Search in `scope`, let the leaves in `witnesses` vote, and put both in one order.

    Only memories in `scope` are nominated, whoever voted for them; without `vote` those alone that
    the search finds. `transfer_from` is the task's
    language where memories of others are welcome; it is not needed where they are left out anyway.

    Raises:
        StoreError: the store could not be read.
    """
    question = ask(store, embedder, task, language=transfer_from, transfer=bool(transfer_from))
    lookups = [Lookup(limit=_FLAT, scope=scope, exclude=exclude)]
    if not vote:
        (flat,) = rank(store, question, *lookups)
        return Nominees(tuple(Nominee(h) for h in flat), question)
    if witnesses != scope:
        leaves = replace(lookups[0], limit=_WITNESSES, levels=_LEAF_LEVELS, scope=witnesses)
        lookups.append(leaves)
    ranked = rank(store, question, *lookups)
    flat, voters = ranked[0], ranked[-1]
    climbed = climb(store, question, voters, flat=flat, scope=witnesses)
    ordered = tuple(
        n for n in in_order(flat, climbed) if scope.allows(n.hit.scope) and n.hit.id not in exclude
    )
    return Nominees(ordered, question)


def in_order(hits: Sequence[Hit], climbed: Climb) -> Iterator[Nominee]:
    """Yield flat hits and climbed insights, see `with_block`, each with the votes it had.

    An insight above one of the first flat hits comes just before it, so that the more abstract of
    the two is looked at first.
    """
    voted = {c.hit.id: c for c in climbed.block}
    placed: set[str] = set()
    for hit in with_block(hits, climbed):
        over = [climbed.lifted[i] for i in climbed.above.get(hit.id, ()) if i in climbed.lifted]
        over.sort(key=lambda h: (-h.level, *rank_key(h)))
        for each in (*over, hit):
            id = each.id
            if id in placed:
                continue
            placed.add(id)
            vote = voted.get(id)
            yield Nominee(each, vote.votes, vote.runs) if vote else Nominee(each)
