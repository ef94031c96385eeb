"""Why a memory is believed: the way down to the steps that bear it out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from ..kg.errors import UsageError
from ..kg.protocols import GraphStore
from ..kg.types import EVERYTHING, Edge, Memory, Scope, Step, Support, Trace

MAX_TRACES: Final = 5
MAX_STEPS: Final = 6
_MAX_BETWEEN: Final = 40
_DEEPEST: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedStep:
    """A step that a memory names as evidence; `quote` and all of `step` come from a run."""

    step: Step
    quote: str
    cited_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceEvidence:
    """A run below a memory, with the ids that lead down to it and the steps that are cited."""

    trace: Trace
    path: tuple[str, ...]
    steps: tuple[CitedStep, ...] = ()
    steps_left_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The way from a memory down to runs and their steps, bounded.

    `between` are the memories on the way, the most abstract first. The counts say how much more
    there is in scope; `support` counts over the whole store.
    """

    memory: Memory
    support: Support = field(default_factory=Support)
    between: tuple[Memory, ...] = ()
    traces: tuple[TraceEvidence, ...] = ()
    memories_left_out: int = 0
    traces_left_out: int = 0


def evidence(
    store: GraphStore,
    id: str,
    *,
    scope: Scope = EVERYTHING,
    max_traces: int = MAX_TRACES,
    max_steps: int = MAX_STEPS,
) -> Evidence:
    """Follow a memory down to the runs that bear it out and to the steps that are cited.

    At most `max_traces` runs are given, those with cited steps first, then by id, and at most
    `max_steps` steps of each, in the order they happened.

    Raises:
        UsageError: there is no such memory in scope.
        StoreError: the store could not be read.
    """
    memory = store.get([id], scope=scope).get(id)
    if not isinstance(memory, Memory):
        raise UsageError(
            f"There is no memory {id!r} that may be read here.",
            hint="Find one with: stepladder query 'your task'",
        )
    paths = _below(store, id, scope)
    nodes = store.get(list(paths), scope=scope)
    traces = {i: n for i, n in nodes.items() if isinstance(n, Trace)}
    between = [n for i, n in nodes.items() if i != id and isinstance(n, Memory) and i not in traces]
    between.sort(key=lambda m: (-m.level, len(paths[m.id]), m.id))
    cited = _cited_steps(store, [id, *(m.id for m in between)], scope)
    chosen = sorted(traces.values(), key=lambda t: (not cited.get(t.id), t.id))[:max_traces]
    return Evidence(
        memory=memory,
        support=store.support([id]).get(id, Support()),
        between=tuple(between[:_MAX_BETWEEN]),
        traces=tuple(
            TraceEvidence(
                trace=trace,
                path=paths[trace.id],
                steps=tuple(cited.get(trace.id, [])[:max_steps]),
                steps_left_out=len(cited.get(trace.id, [])[max_steps:]),
            )
            for trace in chosen
        ),
        memories_left_out=len(between[_MAX_BETWEEN:]),
        traces_left_out=len(traces) - len(chosen),
    )


def _below(store: GraphStore, id: str, scope: Scope) -> dict[str, tuple[str, ...]]:
    """Everything below a node, each with the shortest path to it, first by id."""
    paths: dict[str, tuple[str, ...]] = {id: (id,)}
    ends = [id]
    for _ in range(_DEEPEST):
        found: list[str] = []
        for edge in store.edges(ends, types=("GENERALIZES_TO",), direction="in", scope=scope):
            if edge.source not in paths:
                paths[edge.source] = (*paths[edge.target], edge.source)
                found.append(edge.source)
        if not found:
            break
        ends = sorted(found)
    return paths


def _cited_steps(store: GraphStore, ids: Sequence[str], scope: Scope) -> dict[str, list[CitedStep]]:
    """The steps that these memories cite, by trace, in the order they happened."""
    cites: dict[str, Edge] = {}
    for edge in store.edges(ids, types=("CITES",), direction="out", scope=scope):
        known = cites.get(edge.target)
        if known is None or (edge.quote and not known.quote):
            cites[edge.target] = edge
    steps = store.get(sorted(cites), scope=scope)
    of_trace = store.edges(sorted(steps), types=("PART_OF",), direction="out", scope=scope)
    by_trace: dict[str, list[CitedStep]] = {}
    for edge in of_trace:
        step = steps[edge.source]
        if isinstance(step, Step):
            cite = cites[step.id]
            found = CitedStep(step=step, quote=cite.quote, cited_by=cite.source)
            by_trace.setdefault(edge.target, []).append(found)
    for found_steps in by_trace.values():
        found_steps.sort(key=lambda c: (c.step.index, c.step.id))
    return by_trace
