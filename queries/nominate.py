"""Who may be shown at all: flat hits, with what the nearest runs taught at its place among them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..kg.protocols import Embedder, GraphStore
from ..kg.types import LevelName, Scope
from .applicability import Nominee
from .level import Climb, climb, with_block
from .search import Hit, Question, rank, rank_key

_LEAF_LEVELS: Final[tuple[LevelName, ...]] = ("trace", "workflow", "summary")


@dataclass(frozen=True, slots=True)
class Nominees:
    """Memories in the order they are to be looked at, and what is needed to judge them.

    `above` holds everything above each of them, `memories` is the size of the store and
    `considered` how many memories in scope were scored.
    """

    ordered: tuple[Nominee, ...]
    above: Mapping[str, frozenset[str]]
    question: Question
    memories: int
    considered: int


def nominate(
    store: GraphStore,
    embedder: Embedder,
    task: str,
    *,
    scope: Scope,
    witnesses: Scope,
    language: str = "",
    exclude: frozenset[str] = frozenset(),
    transfer: bool = False,
) -> Nominees:
    """Search in `scope`, let the leaves in `witnesses` vote, and put both in one order.

    Only memories in `scope` are nominated, whoever voted for them.

    Raises:
        StoreError: the store could not be read.
    """

    flat = rank(
        store,
        embedder,
        task,
        scope=scope,
        language=language,
        exclude=exclude,
        transfer=transfer,
    )
    voters = flat
    if witnesses != scope:
        voters = rank(
            store,
            embedder,
            task,
            levels=_LEAF_LEVELS,
            scope=witnesses,
            language=language,
            exclude=exclude,
            transfer=transfer,
        )
    climbed = climb(store, voters, shown=flat.hits, scope=witnesses)
    ordered = tuple(
        n
        for n in in_order(flat.hits, climbed)
        if scope.allows(n.hit.memory.scope) and n.hit.memory.id not in exclude
    )
    scored = {h.memory.id for h in flat.hits} | {n.hit.memory.id for n in ordered}
    return Nominees(ordered, climbed.above, flat.question, flat.memories, len(scored))


def in_order(hits: Sequence[Hit], climbed: Climb) -> Iterator[Nominee]:
    """Yield flat hits and climbed insights, see `with_block`, each with the votes it had.

    An insight above one of the first flat hits comes just before it, so that the more abstract of
    the two is looked at first.
    """
    votes = {c.hit.memory.id: c.votes for c in climbed.block}
    placed: set[str] = set()
    for hit in with_block(hits, climbed):
        over = [
            climbed.lifted[i] for i in climbed.above.get(hit.memory.id, ()) if i in climbed.lifted
        ]
        over.sort(key=lambda h: (-h.memory.level, *rank_key(h)))
        for each in (*over, hit):
            id = each.memory.id
            if id in placed:
                continue
            placed.add(id)
            yield Nominee(each, votes.get(id))
