"""What stands behind insights: whose tasks and projects, and what their cited steps show."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..protocols import GraphStore
from ..types import Retrieval, Step, Support, Trace
from .decisions import Pair, pair_of
from .state import chunks, edges_of

MIN_TASKS: Final = 3
MIN_PROJECTS: Final = 2
"""An insight leaves its projects when at least so many tasks of so many projects bear it out."""

MIN_TRACES: Final = 3
"""Runs that must show the same failure and the same remedy for two insights to be one."""
MIN_HELPED: Final = 3
"""Answers that must have helped with both for two insights to be one."""

Signature = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Backing:
    """The distinct tasks and named projects of the runs below some insights."""

    tasks: frozenset[str] = frozenset()
    projects: frozenset[str] = frozenset()

    @property
    def is_quorum(self) -> bool:
        """Tell whether this is enough for an insight to leave its projects."""
        return len(self.tasks) >= MIN_TASKS and len(self.projects) >= MIN_PROJECTS


def backing(store: GraphStore, ids: Sequence[str]) -> Backing:
    """Walk down from insights to the runs below them."""
    seen = set(ids)
    waiting = list(ids)
    while waiting:
        edges = edges_of(store, sorted(waiting), ("GENERALIZES_TO",), incoming=True)
        below = {e.source for e in edges if e.score is None}  # one with a score was inferred
        waiting = sorted(below - seen)
        seen |= below
    traces = [
        node
        for some in chunks(sorted(seen))
        for node in store.get(some).values()
        if isinstance(node, Trace)
    ]
    return Backing(
        tasks=frozenset(t.task or t.id for t in traces),
        projects=frozenset(t.project for t in traces if t.project),
    )


def shared_evidence(store: GraphStore, pairs: Sequence[Pair]) -> frozenset[Pair]:
    """Of some pairs those whose evidence says the same.

    Either three runs, some of each insight, show a failure of the same phase and error class that
    the same command repaired, or both were used in three answers that helped.
    """
    if not pairs:
        return frozenset()
    ids = sorted({id for pair in pairs for id in pair})
    shown = _signatures(store, ids)
    helped = _helped(store, ids)
    return frozenset(
        pair_of(a, b)
        for a, b in pairs
        if _same_repair(shown.get(a, {}), shown.get(b, {}))
        or len(helped.get(a, set()) & helped.get(b, set())) >= MIN_HELPED
    )


def _same_repair(a: dict[Signature, set[str]], b: dict[Signature, set[str]]) -> bool:
    return any(len(a[s] | b[s]) >= MIN_TRACES for s in a.keys() & b.keys())


def _signatures(store: GraphStore, ids: Sequence[str]) -> dict[str, dict[Signature, set[str]]]:
    """For each insight the failures it cites with their remedies, and the runs that show them."""
    cited: dict[str, set[str]] = defaultdict(set)
    for edge in edges_of(store, ids, ("CITES",)):
        cited[edge.source].add(edge.target)
    wanted = sorted({step for steps in cited.values() for step in steps})
    steps = {
        id: node
        for some in chunks(wanted)
        for id, node in store.get(some).items()
        if isinstance(node, Step)
    }
    run_of = {e.source: e.target for e in edges_of(store, sorted(steps), ("PART_OF",))}
    found: dict[str, dict[Signature, set[str]]] = {}
    for insight, ends in cited.items():
        by_run: dict[str, list[Step]] = defaultdict(list)
        for end in ends:
            if end in steps and end in run_of:
                by_run[run_of[end]].append(steps[end])
        of_insight: dict[Signature, set[str]] = defaultdict(set)
        for run, some in by_run.items():
            for signature in _repairs(sorted(some, key=lambda s: s.index)):
                of_insight[signature].add(run)
        found[insight] = dict(of_insight)
    return found


def _repairs(steps: Sequence[Step]) -> set[Signature]:
    """Failures among some steps of one run, each with the last other command that went well."""
    found: set[Signature] = set()
    for position, step in enumerate(steps):
        if not step.error_class:
            continue
        later = [
            s
            for s in steps[position + 1 :]
            if not s.error_class and s.program and not _is_same_command(s, step)
        ]
        if later:
            remedy = later[-1]
            found.add((step.phase, step.error_class, remedy.program, remedy.subcommand))
    return found


def _is_same_command(a: Step, b: Step) -> bool:
    """Tell whether a step only does again what another one did; that is no remedy."""
    return (a.program, a.subcommand) == (b.program, b.subcommand)


def _helped(store: GraphStore, ids: Sequence[str]) -> dict[str, set[str]]:
    """For each insight the answers in which it was used and that somebody said had helped."""
    used: dict[str, set[str]] = defaultdict(set)
    for edge in edges_of(store, ids, ("USED",), incoming=True):
        used[edge.target].add(edge.source)
    answers = sorted({r for some in used.values() for r in some})
    good = {
        id
        for some in chunks(answers)
        for id, node in store.get(some).items()
        if isinstance(node, Retrieval) and node.outcome == "success"
    }
    return {id: some & good for id, some in used.items()}


def generality(support: Support) -> float:
    """How general an insight is by what stands behind it, in [0, 1); higher is more general.

    The mean over tasks, projects, domains, languages and agents of 1 - 1 / n, where n is the
    effective number of each: 2 to the power of the entropy of its counts, and the plain number
    of tasks. One task of one project gives 0; four of each, evenly, give .75.
    Source: chosen by us.
    """
    counts = (support.projects, support.domains, support.languages, support.agents)
    numbers = [float(support.tasks), *(_effective(list(c.values())) for c in counts)]
    return round(sum(1 - 1 / n for n in numbers if n >= 1) / len(numbers), 4)


def _effective(counts: Sequence[int]) -> float:
    total = sum(counts)
    if not total:
        return 0.0
    product = 1.0
    for count in counts:
        share = count / total
        product *= share ** (-share) if share else 1.0
    return max(product, 1.0)
