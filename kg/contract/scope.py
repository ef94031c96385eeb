"""The contract's case that compares every read with a plain graph, over random graphs."""

from random import Random
from typing import Final

from ..protocols import GraphStore
from ..types import NODE_TYPES, Error, Memory, Scope, label_of
from .check import equal
from .model import Model, random_batch, random_scope

_SEEDS: Final = range(12)
_ROUNDS: Final = 8


def every_read_keeps_to_its_scope(store: GraphStore) -> None:
    """On random graphs, written and deleted step by step, every answer is the model's."""
    for seed in _SEEDS:
        random, model = Random(seed), Model()
        store.delete([n.id for label in NODE_TYPES for n in store.find(label)])
        for turn in range(_ROUNDS):
            about = f"seed {seed}, round {turn}"
            if turn % 4 == 3:
                _delete_some(store, model, random)
            else:
                batch = random_batch(random, model)
                equal(store.write(batch), model.write(batch), about=about)
            _compare(store, model, random_scope(random), about=about)


def _delete_some(store: GraphStore, model: Model, random: Random) -> None:
    ids = random.sample(sorted(model.nodes), min(3, len(model.nodes)))
    equal(store.delete(ids), model.delete(ids))
    keys = random.sample(sorted(model.edges), min(4, len(model.edges)))
    edges = [model.edges[k] for k in keys]
    equal(store.delete_edges(edges), model.delete_edges(edges))


def _compare(store: GraphStore, model: Model, scope: Scope, *, about: str) -> None:
    ids = sorted(model.nodes)
    seen = {id: n for id, n in sorted(model.nodes.items()) if scope.allows(n.scope)}
    equal(store.get(ids, scope=scope), seen, about=about)
    for label, kind in NODE_TYPES.items():
        wanted = [n for n in seen.values() if type(n) is kind]
        equal(store.find(label, scope=scope), wanted, about=about)
    edges = model.edges_between(scope)
    some = set(ids[::2])
    equal(store.edges(ids, scope=scope), edges, about=about)
    out = [e for e in edges if e.source in some and e.type == "GENERALIZES_TO"]
    equal(store.edges(sorted(some), types=("GENERALIZES_TO",), direction="out", scope=scope), out)
    coming = [e for e in edges if e.target in some]
    equal(store.edges(sorted(some), direction="in", scope=scope), coming, about=about)
    equal(store.edges(sorted(some), direction="in", scope=scope, most=999), coming, about=about)
    equal(store.ancestry(ids[::3], scope=scope), model.ancestry(ids[::3], scope), about=about)
    equal(store.descents(ids[::3], scope=scope), model.descents(ids[::3], scope), about=about)
    everything = sorted(seen.values(), key=lambda n: (label_of(n), n.id))
    equal(list(store.export(scope=scope)), [*everything, *edges], about=about)
    equal(store.counts(scope=scope), model.counts(scope), about=about)
    found = store.features(ids, scope=scope)
    equal([c.memory for c in found], [n for n in seen.values() if isinstance(n, Memory)])
    equal(
        {c.memory.id: None if c.vector is None else c.vector.tolist() for c in found},
        {
            id: v.tolist() if (v := model.vectors.get(id)) is not None else None
            for id in model.memories(scope)
        },
        about=about,
    )
    signature = min((n.signature for n in model.nodes.values() if isinstance(n, Error)), default="")
    cited = store.citing("E", signature, scope=scope)
    equal(
        [(c.candidate.id, c.same, c.other, c.cites) for c in cited],
        model.citing("E", signature, scope),
        about=about,
    )
    equal(store.citing("none", signature, scope=scope), [])
    equal(
        store.support(ids),
        {id: model.support(id) for id in ids if id in model.memories()},
        about=about,
    )


CASES: Final = (every_read_keeps_to_its_scope,)
"""The cases of this module."""
