"""The ladder around a memory: what stands above and below it, in layers, bounded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..kg.protocols import GraphStore
from ..kg.types import EVERYTHING, Edge, Memory, Scope, Step, memories
from .why import Evidence

LAYER: Final = 4
"""Memories of a layer that are shown, at most."""

_FEW_STEPS: Final = 4
_MOST_ABOVE: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """Memories of one level number, those on the walk first; `left_out` counts the others.

    Where one stands above another of the same level, they are in two layers.
    """

    level: int
    memories: tuple[Memory, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """Layers from the most abstract one down, the edges between what is shown, and a walk.

    `walk` leads from the highest memory above down through the one in question to a run that bears
    it out, or as far down as there is something; `steps` are those of that run that are cited. An
    edge is (lower id, upper id).
    """

    id: str
    layers: tuple[Layer, ...]
    edges: tuple[tuple[str, str], ...] = ()
    walk: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    steps_left_out: int = 0


def ladder(
    store: GraphStore,
    found: Evidence,
    *,
    scope: Scope = EVERYTHING,
    trace: str = "",
    per_layer: int = LAYER,
) -> Ladder:
    """Arrange a memory's evidence and what stands above it; the walk ends at `trace` if it can.

    Raises:
        StoreError: the store could not be read.
    """
    id = found.memory.id
    upward = store.ancestry([id], scope=scope)
    nodes = {m.id: m for m in (found.memory, *found.between, *(t.trace for t in found.traces))}
    higher = sorted({e.target for e in upward} - set(nodes))[:_MOST_ABOVE]
    nodes |= {m.id: m for m in memories(store.get(higher, scope=scope).values())}
    chosen = next((t for t in found.traces if t.trace.id == trace), None)
    chosen = chosen or next(iter(found.traces), None)
    edges = _between(store, list(nodes), scope)
    down = chosen.path if chosen else _way_down(id, edges)
    walk = (*_way_up(id, upward, nodes), *down)
    layers = _layers(nodes, walk, edges, found=found, per_layer=per_layer)
    shown = {m.id for layer in layers for m in layer.memories}
    cited = tuple(c.step for c in chosen.steps) if chosen else ()
    return Ladder(
        id=id,
        layers=layers,
        edges=tuple(e for e in edges if set(e) <= shown),
        walk=tuple(i for i in walk if i in shown),
        steps=cited[:_FEW_STEPS],
        steps_left_out=len(cited[_FEW_STEPS:]) + (chosen.steps_left_out if chosen else 0),
    )


def _way_up(id: str, upward: Sequence[Edge], nodes: Mapping[str, Memory]) -> tuple[str, ...]:
    """The way from the highest ancestor down to, and without, a memory; equal ones by id."""
    way = [id]
    while parents := sorted(
        (e.target for e in upward if e.source == way[-1] and e.target in nodes),
        key=lambda p: (-nodes[p].level, p),
    ):
        new = next((p for p in parents if p not in way), None)
        if new is None:
            break
        way.append(new)
    return tuple(reversed(way[1:]))


def _way_down(id: str, edges: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The way from a memory that no run bears out to something below it, the first by id."""
    way = [id]
    while below := sorted(lower for lower, upper in edges if upper == way[-1] and lower not in way):
        way.append(below[0])
    return tuple(way)


def _between(store: GraphStore, ids: Sequence[str], scope: Scope) -> tuple[tuple[str, str], ...]:
    edges = store.edges(ids, types=("GENERALIZES_TO",), direction="out", scope=scope)
    wanted = set(ids)
    return tuple((e.source, e.target) for e in edges if e.target in wanted)


def _layers(
    nodes: Mapping[str, Memory],
    walk: Sequence[str],
    edges: Sequence[tuple[str, str]],
    *,
    found: Evidence,
    per_layer: int,
) -> tuple[Layer, ...]:
    order = {id: place for place, id in enumerate(walk)}
    heights = _heights(nodes, edges)
    rows: dict[tuple[int, int], list[Memory]] = {}
    for memory in nodes.values():
        rows.setdefault((memory.level, heights[memory.id]), []).append(memory)
    made = []
    for row in sorted(rows, reverse=True):
        among = sorted(rows[row], key=lambda m: (m.id not in order, order.get(m.id, 0), m.id))
        more = found.traces_left_out if row == (0, 0) else 0
        kept, rest = tuple(among[:per_layer]), len(among[per_layer:])
        made.append(Layer(level=row[0], memories=kept, left_out=rest + more))
    return tuple(made)


def _heights(nodes: Mapping[str, Memory], edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """How many memories of its own level stand below each, one below the other."""
    heights = dict.fromkeys(nodes, 0)
    within = [(a, b) for a, b in edges if nodes[a].level == nodes[b].level]
    # As many rounds as a chain can be long; edges that lead round in a circle end there too.
    for _ in range(min(len(within), len(nodes) - 1)):
        for lower, upper in within:
            heights[upper] = min(max(heights[upper], heights[lower] + 1), len(nodes))
    return heights
