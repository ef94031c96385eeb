"""Which traces stand behind which memories, and what kinds of runs they were.

Relationships `_STANDS_ON` between entries are the reachability of traces along GENERALIZES_TO.
What a write changes of it is gathered here; at its end the counters that `support` reads, JSON in
each memory's entry, are brought up to date.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...types import Trace
from ..encoding import kept_text
from .catalogue import chunks
from .server import Ask, Row
from .values import digest

Facet = tuple[str, str]


@dataclass(slots=True)
class Evidence:
    """What became of memories' evidence within one transaction.

    `gained` holds by memory, facet and value by how many traces the count differs.
    """

    gained: dict[str, Counter[Facet]] = field(default_factory=lambda: defaultdict(Counter))
    described: dict[str, str] = field(default_factory=dict)
    """Facets, as JSON, of the traces that are new or different, by id."""

    def describe(self, id: str, trace: Trace) -> None:
        """Keep what kind of run a trace is; it is written by `settle_traces`."""
        self.described[id] = json.dumps(sorted(_facets(trace)))

    def settle_traces(self, ask: Ask) -> None:
        """Write what kinds of runs the described traces are; each stands behind itself."""
        for some in chunks(self.described):
            known = {row[0]: row for row in ask("evidence_of", ids=some)}
            self._count(known.values(), -1)
            rows = [
                {"id": id, "facets": self.described[id], "task": _task(self.described[id])}
                for id in some
            ]
            ask("describe", rows=rows)
            new = [[id, self.described[id], [id]] for id in some if id not in known]
            again = [[id, self.described[id], row[2]] for id, row in known.items()]
            self._count([*new, *again], 1)

    def carry_up(self, ask: Ask, edges: Iterable[tuple[str, str]]) -> None:
        """Put the evidence of new GENERALIZES_TO edges' sources behind what stands above them.

        `edges` are pairs of refs; all of them are stored already, so their order does not matter.
        """
        rows = [{"source": source, "target": target} for source, target in edges]
        for some in chunks(rows):
            self._count(ask("carry_up", rows=some), 1)

    def retrace(self, ask: Ask, traces: Iterable[str]) -> None:
        """Take these traces from the memories they no longer reach."""
        for some in chunks(traces):
            self._count(ask("retrace", ids=some), -1)

    def forget(self, ask: Ask, ids: Sequence[str]) -> None:
        """Take what stands on these nodes from other memories, before the nodes are removed."""
        for some in chunks(ids):
            self._count(ask("evidence_of", ids=some), -1)
        for id in ids:
            self.gained.pop(id, None)

    def flush(self, ask: Ask) -> None:
        """Bring the counters of all memories that gained or lost evidence up to date."""
        changes = {id: gained for id, gained in self.gained.items() if any(gained.values())}
        tasks = _count_tasks(ask, changes)
        for some in chunks(changes):
            rows = [
                {"id": id, "support": _support(text, changes[id], tasks[id])}
                for id, text in ask("support", ids=some)
            ]
            ask("write_support", rows=rows)

    def _count(self, rows: Iterable[Row], sign: int) -> None:
        for _, facets, memories in rows:
            listed = [(name, value) for name, value in json.loads(facets)]
            for memory in memories:
                gained = self.gained[memory]
                for facet in listed:
                    gained[facet] += sign


def traces_of(ask: Ask, ids: Iterable[str]) -> list[str]:
    """The traces that stand behind memories."""
    found: dict[str, None] = {}
    for some in chunks(ids):
        found.update((trace, None) for (trace,) in ask("traces_of", ids=some))
    return list(found)


def _count_tasks(ask: Ask, changes: Mapping[str, Counter[Facet]]) -> Counter[str]:
    """By how many the distinct tasks behind each memory differ."""
    moved = [
        (memory, digest(value), difference)
        for memory, gained in changes.items()
        for (name, value), difference in gained.items()
        if name == "task" and difference
    ]
    differences: Counter[str] = Counter()
    for some in chunks(moved):
        rows = [{"memory": memory, "task": task} for memory, task, _ in some]
        now = {(memory, task): count for memory, task, count in ask("task_counts", rows=rows)}
        for memory, task, difference in some:
            after = now.get((memory, task), 0)
            differences[memory] += (after > 0) - (after - difference > 0)
    return differences


def _support(text: str | None, gained: Counter[Facet], tasks: int) -> str:
    """The counters of a memory after a change, as JSON."""
    facets: dict[str, dict[str, int]] = json.loads(text) if text else {}
    changes = [(facet, n) for facet, n in gained.items() if facet[0] != "task"]
    for (name, value), difference in [*changes, (("tasks", ""), tasks)]:
        counts = facets.setdefault(name, {})
        counts[value] = counts.get(value, 0) + difference
        if counts[value] <= 0:
            del counts[value]
    kept: dict[str, Any] = {name: counts for name, counts in sorted(facets.items()) if counts}
    return json.dumps(kept, sort_keys=True)


def _task(facets: str) -> str | None:
    """The task among a trace's facets, as entries are found by it."""
    return next((digest(value) for name, value in json.loads(facets) if name == "task"), None)


def _facets(trace: Trace) -> Iterator[Facet]:
    yield "trace", ""
    single = {
        "task": trace.task,
        "project": trace.project,
        "agent": trace.agent,
        "outcome": trace.outcome,
    }
    several = {"domain": trace.domains, "language": trace.languages, "model": trace.models}
    for name, value in single.items():
        if value:
            yield name, kept_text(value)
    for name, values in several.items():
        for value in dict.fromkeys(values):
            if value:
                yield name, kept_text(value)
