"""The contract's case about `GraphStore.reading`: it answers as the store itself does."""

from collections.abc import Sequence
from random import Random
from typing import Final

from ..protocols import Candidate, CandidateQuery, Citing, GraphStore
from ..terms import term_id, tokenize
from ..types import EVERYTHING, NODE_TYPES, Memory
from .check import equal
from .model import Model, random_batch, random_scope, random_text, random_vector

_SEEDS: Final = range(8)
_ROUNDS: Final = 3


def a_reading_answers_as_the_store_does(store: GraphStore) -> None:
    """On random graphs, whatever was asked before, in every scope."""
    for seed in _SEEDS:
        random, model = Random(seed), Model()
        store.delete([n.id for label in NODE_TYPES for n in store.find(label)])
        for turn in range(_ROUNDS):
            batch = random_batch(random, model)
            store.write(batch)
            model.write(batch)
            store.set_setting("turn", f"{seed} {turn}")
            _compare(store, random, ids=sorted(model.nodes), about=f"seed {seed}, round {turn}")


def _compare(store: GraphStore, random: Random, *, ids: list[str], about: str) -> None:
    reading = store.reading()
    terms = tuple(dict.fromkeys(tokenize(random_text(random, 3))))
    term_ids = [term_id(t) for t in terms]
    first = CandidateQuery(
        terms=terms, vector=random_vector(random), limit=5, scope=random_scope(random)
    )
    second = CandidateQuery(terms=terms, vector=None, limit=3, max_level=2)
    equal(reading.statistics(term_ids), store.statistics(term_ids), about=about)
    found = reading.candidates(first, second)
    wanted = store.candidates(first, second)
    equal([_memories(some) for some in found], [_memories(some) for some in wanted], about=about)
    equal(reading.setting("turn"), store.setting("turn"), about=about)
    equal(reading.setting("nothing"), None)
    ours = sorted({c.id for some in found for c in some})
    signature = next((id for id in ids if id.startswith("error")), "")
    for scope in (EVERYTHING, first.scope):
        cited = reading.citing("E", signature, scope=scope)
        again = store.citing("E", signature, scope=scope)
        equal([_counts(c) for c in cited], [_counts(c) for c in again], about=about)
        equal(_memories([c.candidate for c in cited]), _memories([c.candidate for c in again]))
        ours = sorted({*ours, *(c.candidate.id for c in cited)})
    for scope in (first.scope, EVERYTHING, random_scope(random)):
        above = reading.ancestry(ours, scope=scope)
        equal(above, store.ancestry(ours, scope=scope), about=about)
        for asked in (ours, sorted({e.target for e in above}), ids[::3]):
            equal(
                _memories(reading.features(asked, scope=scope)),
                _memories(store.features(asked, scope=scope)),
                about=about,
            )
            equal(reading.support(asked), store.support(asked), about=about)
            equal(
                reading.ancestry(asked, scope=scope),
                store.ancestry(asked, scope=scope),
                about=about,
            )
            equal(
                reading.descents(asked, scope=scope),
                store.descents(asked, scope=scope),
                about=about,
            )


def _counts(found: Citing) -> tuple[int, int, int]:
    return found.same, found.other, found.cites


def _memories(candidates: Sequence[Candidate]) -> list[Memory]:
    return [c.memory for c in candidates]


CASES: Final = (a_reading_answers_as_the_store_does,)
"""The cases of this module."""
