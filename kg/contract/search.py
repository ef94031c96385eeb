"""The contract's cases about search: term statistics, candidates, their filters."""

import math
from collections.abc import Sequence
from random import Random
from typing import Final

import numpy as np

from ..protocols import CandidateQuery, GraphStore, TermStatistics
from ..terms import count_terms, term_id, tokenize
from ..types import NODE_TYPES, SHARED, Batch, Insight, Scope, Trace, Vector
from .check import equal
from .model import (
    PROJECTS,
    Model,
    random_batch,
    random_scope,
    random_text,
    random_vector,
)

_SEEDS: Final = range(12)
_K1, _B = 1.2, 0.75


def term_statistics_are_those_of_a_recount(store: GraphStore) -> None:
    """After every write, retraction and deletion."""
    for seed in _SEEDS:
        random, model = Random(seed), Model()
        store.delete([n.id for label in NODE_TYPES for n in store.find(label)])
        for turn in range(6):
            if turn == 4:
                ids = random.sample(sorted(model.nodes), min(6, len(model.nodes)))
                store.delete(ids)
                model.delete(ids)
            else:
                batch = random_batch(random, model)
                store.write(batch)
                model.write(batch)
            wanted = _recount(model)
            asked = [*wanted.document_frequency, term_id("neverseen")]
            equal(store.statistics(asked), wanted, about=f"seed {seed}, round {turn}")


def an_empty_store_answers(store: GraphStore) -> None:
    nothing = TermStatistics(
        memories=0, traces=0, mean_key_length=0.0, mean_full_length=0.0, document_frequency={}
    )
    equal(store.statistics([1, 2]), nothing)
    equal(store.statistics([]), nothing)
    equal(store.candidates(CandidateQuery(terms=("test",), vector=random_vector(Random(0)))), [[]])


def candidates_carry_what_scoring_needs(store: GraphStore) -> None:
    random, insights = _insights(20)
    vectors = {i.id: random_vector(random) for i in insights[::2]}
    store.write(Batch(nodes=insights, vectors=vectors))
    query = CandidateQuery(terms=_all_terms(insights), vector=None, limit=20)
    (found,) = store.candidates(query)
    equal([c.memory for c in found], list(insights))
    for c in found:
        wanted = count_terms(c.memory.key, c.memory.full)
        equal(c.terms.ids.tolist(), wanted.ids.tolist())
        equal(c.terms.key.tolist(), wanted.key.tolist())
        equal(c.terms.full.tolist(), wanted.full.tolist())
        equal((c.terms.key_length, c.terms.full_length), (wanted.key_length, wanted.full_length))
        vector = vectors.get(c.memory.id)
        equal(_listed(c.vector), _listed(vector))


def a_memory_is_found_by_each_of_its_terms(store: GraphStore) -> None:
    """Terms are stems already and must not be stemmed again."""
    words = (
        "generalisations universities running relational connection's caf\u00e9 \u6f22\u5b57 "
        "stra\u00dfe \u0130stanbul x86_64 __init__ node.js C++ 3.14 AND NOT or NEAR \u0444\u0430"
        "\u0439\u043b\u044b \u0e20\u0e32\u0e29\u0e32 \u00bd na\u00efvet\u00e9 \ud800x a\0b ies"
    )
    store.write(Batch(nodes=(_insight(1, words), _insight(2, "nothing alike"))))
    for term in dict.fromkeys(tokenize(words)):
        (found,) = store.candidates(CandidateQuery(terms=(term,), vector=None))
        equal([c.memory.id for c in found], ["insight-0001"], about=f"term {term!r}")


def the_best_by_bm25_come_first(store: GraphStore) -> None:
    random, insights = _insights(60)
    store.write(Batch(nodes=insights))
    for _ in range(20):
        terms = tuple(dict.fromkeys(tokenize(random_text(random, 4))))
        scores = _bm25(insights, terms)
        for limit in (1, 5, 100):
            query = CandidateQuery(terms=terms, vector=None, limit=limit)
            found = {c.memory.id for c in store.candidates(query)[0]}
            best = sorted((s for s in scores.values() if s > 0), reverse=True)[:limit]
            equal(len(found), len(best))
            worst = min((scores[id] for id in found), default=0.0)
            equal(worst >= min(best, default=0.0) - 1e-3, True, about=f"{terms}, {limit}")


def the_nearest_come_first(store: GraphStore) -> None:
    random, insights = _insights(60)
    vectors = {i.id: random_vector(random) for i in insights[:50]}
    store.write(Batch(nodes=insights, vectors=vectors))
    for _ in range(20):
        wanted = random_vector(random)
        order = sorted(vectors, key=lambda id: float(-(vectors[id] @ wanted)))
        for limit in (1, 5, 100):
            query = CandidateQuery(terms=(), vector=wanted, limit=limit)
            equal([c.memory.id for c in store.candidates(query)[0]], sorted(order[:limit]))


def a_new_vector_takes_the_place_of_the_old(store: GraphStore) -> None:
    random, insights = _insights(3)
    old, new, other = (random_vector(random) for _ in range(3))
    store.write(Batch(nodes=insights, vectors={"insight-0000": old, "insight-0001": other}))
    store.write(Batch(vectors={"insight-0000": new}))
    ((found,),) = store.candidates(CandidateQuery(terms=(), vector=new, limit=1))
    equal((found.memory.id, _listed(found.vector)), ("insight-0000", _listed(new)))


def filters_never_starve_the_answer(store: GraphStore) -> None:
    """Few memories may be read, and those that may not are the better matches."""
    random = Random(7)
    wanted = random_vector(random)
    hidden = tuple(_insight(i, "parse json", scope="acme/api", level=3 + i % 2) for i in range(300))
    visible = tuple(
        _insight(300 + i, "parse " + "other words " * 20, scope=SHARED, level=4) for i in range(4)
    )
    vectors: dict[str, Vector] = {i.id: wanted for i in hidden}
    vectors |= {i.id: random_vector(random) for i in visible}
    store.write(Batch(nodes=(*hidden, *visible), vectors=vectors))
    ids = [i.id for i in visible]
    for terms, vector in ((("pars", "json"), None), ((), wanted)):
        query = CandidateQuery(terms=terms, vector=vector, limit=4, scope=Scope.of("acme/web"))
        equal([c.memory.id for c in store.candidates(query)[0]], ids)
        by_exclusion = CandidateQuery(
            terms=terms, vector=vector, limit=4, exclude=frozenset(i.id for i in hidden)
        )
        equal([c.memory.id for c in store.candidates(by_exclusion)[0]], ids)
        level = CandidateQuery(terms=terms, vector=vector, limit=300, min_level=4, max_level=4)
        levels = {c.memory.level for c in store.candidates(level)[0]}
        equal(levels, {4})
        equal(len(store.candidates(level)[0]), 154)


def candidates_are_complete_and_in_scope(store: GraphStore) -> None:
    """On random graphs, with every kind of filter at once."""
    for seed in _SEEDS:
        random, model = Random(seed), Model()
        store.delete([n.id for label in NODE_TYPES for n in store.find(label)])
        for _ in range(5):
            batch = random_batch(random, model)
            store.write(batch)
            model.write(batch)
            _compare(store, model, random, about=f"seed {seed}")


def _compare(store: GraphStore, model: Model, random: Random, *, about: str) -> None:
    scope = random_scope(random)
    lowest, highest = random.choice(((0, 99), (1, 3), (3, 99), (4, 4)))
    exclude = frozenset(random.sample(sorted(model.nodes), min(3, len(model.nodes))))
    terms = tuple(dict.fromkeys(tokenize(random_text(random, 3))))
    vector = random.choice((None, random_vector(random)))
    query = CandidateQuery(
        terms=terms,
        vector=vector,
        limit=200,
        min_level=lowest,
        max_level=highest,
        scope=scope,
        exclude=exclude,
    )
    ids = {term_id(t) for t in terms}
    counted = model.terms()
    wanted = [
        m
        for id, m in sorted(model.memories(scope).items())
        if lowest <= m.level <= highest
        and id not in exclude
        and (ids & set(counted[id].ids.tolist()) or (vector is not None and id in model.vectors))
    ]
    equal([c.memory for c in store.candidates(query)[0]], wanted, about=about)


def _recount(model: Model) -> TermStatistics:
    counted = list(model.terms().values())
    in_key: dict[int, int] = {}
    in_full: dict[int, int] = {}
    for terms in counted:
        for id, key, full in zip(
            terms.ids.tolist(), terms.key.tolist(), terms.full.tolist(), strict=True
        ):
            in_key[id] = in_key.get(id, 0) + (key > 0)
            in_full[id] = in_full.get(id, 0) + (full > 0)
    n = len(counted)
    return TermStatistics(
        memories=n,
        traces=sum(isinstance(node, Trace) for node in model.nodes.values()),
        mean_key_length=sum(t.key_length for t in counted) / n if n else 0.0,
        mean_full_length=sum(t.full_length for t in counted) / n if n else 0.0,
        document_frequency={id: (in_key[id], in_full[id]) for id in sorted(in_full)},
    )


def _bm25(insights: Sequence[Insight], terms: Sequence[str]) -> dict[str, float]:
    counted = {i.id: count_terms(i.key, i.full) for i in insights}
    mean = sum(c.full_length for c in counted.values()) / len(counted)
    scores = dict.fromkeys(counted, 0.0)
    for id in (term_id(t) for t in terms):
        holders = {k: int(c.full[c.ids == id][0]) for k, c in counted.items() if id in c.ids}
        idf = math.log(1 + (len(counted) - len(holders) + 0.5) / (len(holders) + 0.5))
        for k, n in holders.items():
            scores[k] += (
                idf * n * (_K1 + 1) / (n + _K1 * (1 - _B + _B * counted[k].full_length / mean))
            )
    return scores


def _insights(count: int) -> tuple[Random, tuple[Insight, ...]]:
    random = Random(count)
    made = (
        _insight(i, random_text(random, random.randrange(3, 40)), scope=random.choice(PROJECTS))
        for i in range(count)
    )
    return random, tuple(made)


def _insight(number: int, content: str, *, scope: str = SHARED, level: int = 3) -> Insight:
    return Insight(
        id=f"insight-{number:04d}",
        created="2026-01-01T00:00:00Z",
        scope=scope,
        level=level,
        title="Lesson",
        content=content,
    )


def _all_terms(insights: Sequence[Insight]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(t for i in insights for t in tokenize(i.full)))


def _listed(vector: Vector | None) -> list[float] | None:
    return None if vector is None else np.asarray(vector, np.float32).tolist()


CASES: Final = (
    term_statistics_are_those_of_a_recount,
    an_empty_store_answers,
    candidates_carry_what_scoring_needs,
    a_memory_is_found_by_each_of_its_terms,
    the_best_by_bm25_come_first,
    the_nearest_come_first,
    a_new_vector_takes_the_place_of_the_old,
    filters_never_starve_the_answer,
    candidates_are_complete_and_in_scope,
)
"""The cases of this module."""
