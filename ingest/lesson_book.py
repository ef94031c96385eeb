"""Keeps the lessons of a run: checks them against the run and against what is known already."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..kg.errors import UsageError
from ..kg.protocols import CandidateQuery, Embedder, GraphStore
from ..kg.terms import tokenize
from ..kg.types import Batch, Edge, Insight, Memory, Scope, Step, Summary, Trace, Vector
from .lessons import (
    MOST,
    SAME,
    Lesson,
    cited_steps,
    evidence_edges,
    insight_of,
    lessons_on,
    refusal,
)

_NEAREST = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of a lesson: the id of its insight, or why it was refused."""

    title: str
    id: str = ""
    refused: str = ""


def keep_lessons(
    store: GraphStore, embedder: Embedder, lessons: Sequence[Lesson], *, trace: str
) -> list[Verdict]:
    """Check lessons one by one and write those that pass; verdicts come in their order.

    Raises:
        UsageError: the id is no run's.
        StoreError: the store could not be read or written.
    """
    run = store.get([trace]).get(trace)
    if not isinstance(run, Trace):
        raise UsageError(f"{trace!r} is no run.", hint="Give the id of a trace.")
    steps = _steps_of(store, trace)
    below = next((s.id for s in _summaries_of(store, trace)), trace)
    taken = len(lessons_on(store, trace)[0])
    verdicts: list[Verdict] = []
    for lesson in lessons:
        reason = refusal(lesson, trace=run, steps=steps)
        insight = insight_of(lesson, run)
        (vector,) = embedder.encode([insight.key])
        reason = reason or _known(store, insight, vector)
        if not reason and taken >= MOST:
            reason = f"At most {MOST} lessons are taken from one run."
        if reason:
            verdicts.append(Verdict(title=lesson.title, refused=reason))
            continue
        taken += 1
        edges = evidence_edges(insight, cited_steps(lesson, steps), below=below)
        store.write(Batch(nodes=(insight,), edges=edges, vectors={insight.id: vector}))
        verdicts.append(Verdict(title=lesson.title, id=insight.id))
    return verdicts


def _steps_of(store: GraphStore, trace: str) -> list[Step]:
    edges: list[Edge] = store.edges([trace], types=("PART_OF",), direction="in")
    nodes = store.get([e.source for e in edges]).values()
    return sorted((n for n in nodes if isinstance(n, Step)), key=lambda s: s.index)


def _summaries_of(store: GraphStore, trace: str) -> list[Summary]:
    edges = store.edges([trace], types=("GENERALIZES_TO",), direction="out")
    return [n for n in store.get([e.target for e in edges]).values() if isinstance(n, Summary)]


def _known(store: GraphStore, insight: Insight, vector: Vector) -> str:
    """Why an insight is nothing new to those who may read it, empty where it is."""
    (near,) = store.candidates(
        CandidateQuery(
            terms=tuple(dict.fromkeys(tokenize(insight.key))),
            vector=vector if vector.any() else None,
            limit=_NEAREST,
            min_level=3,
            scope=Scope.of(insight.scope),
        )
    )
    found: list[tuple[float, Memory]] = []
    for candidate in near:
        memory = candidate.memory
        if memory.polarity not in ("", insight.polarity):
            continue
        cosine = 0.0 if candidate.vector is None else float(np.dot(candidate.vector, vector))
        found.append((1.0 if memory.id == insight.id else cosine, memory))
    if not found:
        return ""
    best, memory = max(found, key=lambda f: (f[0], f[1].id))
    return "" if best < SAME else f"It repeats {memory.id}: {memory.title}"
