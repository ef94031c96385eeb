"""The contract's cases about evidence: support, and what a retracted trace takes with it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from ..protocols import GraphStore, WriteReport
from ..types import (
    Batch,
    Domain,
    Edge,
    EdgeType,
    Error,
    Insight,
    Node,
    Project,
    Retrieval,
    Step,
    Summary,
    Support,
    Task,
    Tool,
    Trace,
    Workflow,
)
from .check import equal

_CREATED: Final = "2026-01-01T00:00:00Z"


def _trace(id: str, **values: Any) -> Trace:
    return Trace(id=id, created=_CREATED, title="Repair the import", scope="acme/api", **values)


def _insight(id: str, **values: Any) -> Insight:
    return Insight(id=id, created=_CREATED, title=f"Lesson {id}", **values)


def _summary(id: str) -> Summary:
    return Summary(id=id, created=_CREATED, title="What was done", scope="acme/api")


def _edges(type: EdgeType, *pairs: tuple[str, str], merge_run: str = "") -> tuple[Edge, ...]:
    return tuple(Edge(source=s, type=type, target=t, merge_run=merge_run) for s, t in pairs)


def _up(*pairs: tuple[str, str]) -> tuple[Edge, ...]:
    return _edges("GENERALIZES_TO", *pairs)


def support_counts_distinct_traces_at_any_depth(store: GraphStore) -> None:
    traces = (
        _trace(
            "trace-1",
            task="task-1",
            project="acme/api",
            outcome="success",
            agent="codex",
            domains=("web", "data"),
            languages=("python",),
            models=("m-1",),
        ),
        _trace(
            "trace-2",
            task="task-1",
            project="acme/web",
            outcome="failure",
            agent="codex",
            domains=("web",),
            models=("m-1", "m-2"),
        ),
        _trace("trace-3"),
    )
    nodes: tuple[Node, ...] = (
        *traces,
        _summary("summary-1"),
        _summary("summary-2"),
        _insight("insight-1"),
        _insight("insight-2"),
        _insight("insight-3", level=4),
        _insight("insight-4", origin="import"),
    )
    # Two ways lead from the first trace to the top: it counts once.
    edges = _up(
        ("insight-1", "insight-3"),
        ("insight-2", "insight-3"),
        ("summary-1", "insight-1"),
        ("summary-1", "insight-2"),
        ("trace-2", "summary-2"),
        ("trace-1", "summary-1"),
        ("summary-2", "insight-2"),
        ("trace-3", "insight-3"),
    )
    store.write(Batch(nodes=nodes, edges=edges))
    wanted = Support(
        traces=3,
        tasks=1,
        projects={"acme/api": 1, "acme/web": 1},
        domains={"web": 2, "data": 1},
        languages={"python": 1},
        agents={"codex": 2},
        models={"m-1": 2, "m-2": 1},
        outcomes={"success": 1, "failure": 1, "unknown": 1},
    )
    found = store.support(["insight-3", "insight-4", "summary-2", "trace-3", "insight-9"])
    equal(list(found), ["insight-3", "insight-4", "summary-2", "trace-3"])
    equal(found["insight-3"], wanted)
    equal(found["insight-4"], Support())
    equal(found["summary-2"].outcomes, {"failure": 1})
    equal(found["trace-3"], Support(traces=1, outcomes={"unknown": 1}))


def support_follows_what_becomes_known_of_a_trace(store: GraphStore) -> None:
    trace = _trace("trace-1", outcome="unknown", domains=("web",))
    store.write(Batch(nodes=(trace, _insight("insight-1")), edges=_up(("trace-1", "insight-1"))))
    known = replace(trace, outcome="success", domains=("data",), task="task-1")
    store.write(Batch(nodes=(known,)))
    wanted = Support(traces=1, tasks=1, domains={"data": 1}, outcomes={"success": 1})
    equal(store.support(["insight-1"]), {"insight-1": wanted})


def support_shrinks_with_edges_and_nodes(store: GraphStore) -> None:
    nodes = (
        _trace("trace-1"),
        _trace("trace-2"),
        _summary("summary-1"),
        _summary("summary-2"),
        _insight("insight-1"),
        _insight("insight-2", level=4),
    )
    edges = _up(
        ("trace-1", "summary-1"),
        ("trace-2", "summary-1"),
        ("trace-2", "summary-2"),
        ("summary-1", "insight-1"),
        ("summary-2", "insight-1"),
        ("insight-1", "insight-2"),
    )
    store.write(Batch(nodes=nodes, edges=edges))
    equal(_traces(store, "insight-1", "insight-2"), [2, 2])
    store.delete_edges(_up(("summary-1", "insight-1")))
    equal(_traces(store, "insight-1", "insight-2", "summary-1"), [1, 1, 2])
    store.delete(["summary-2"])
    equal(_traces(store, "insight-1", "insight-2"), [0, 0])
    store.write(Batch(edges=_up(("summary-1", "insight-1"))))
    equal(_traces(store, "insight-1", "insight-2"), [2, 2])
    store.delete(["trace-1"])
    equal(_traces(store, "insight-1", "insight-2", "summary-1"), [1, 1, 1])


def support_of_ten_thousand_traces_is_counted(store: GraphStore) -> None:
    traces = tuple(_trace(f"trace-{i:05d}", task=f"task-{i % 4000}") for i in range(10_000))
    edges = _up(*((t.id, "insight-1") for t in traces), ("insight-1", "insight-2"))
    nodes = (*traces, _insight("insight-1"), _insight("insight-2", level=4))
    store.write(Batch(nodes=nodes, edges=edges))
    found = store.support(["insight-2"])["insight-2"]
    equal((found.traces, found.tasks, dict(found.outcomes)), (10_000, 4000, {"unknown": 10_000}))
    store.write(Batch(retract=tuple(t.id for t in traces[:100])))
    equal(_traces(store, "insight-2"), [9900])
    store.delete_edges(_up(("insight-1", "insight-2")))
    equal(_traces(store, "insight-1", "insight-2"), [9900, 0])


def _run(number: int) -> Batch:
    """What one run brings: a private chain, and a part in what is shared."""
    n = str(number)
    nodes: tuple[Node, ...] = (
        _trace(f"trace-{n}", project="acme/api", task=f"task-{n}"),
        Step(
            id=f"step-{n}-0",
            created=_CREATED,
            scope="acme/api",
            index=0,
            phase="run",
            tool="bash",
            command="make",
            uid=f"call-{n}-0",
        ),
        Step(
            id=f"step-{n}-1",
            created=_CREATED,
            scope="acme/api",
            index=1,
            phase="test",
            tool="bash",
            command="pytest",
        ),
        Workflow(id=f"workflow-{n}", created=_CREATED, title="Repair", scope="acme/api"),
        _summary(f"summary-{n}"),
        _insight(f"insight-own-{n}", scope="acme/api"),
        _insight("insight-card", card="read-the-error"),
        Task(id=f"task-{n}", created=_CREATED, title="Repair the import"),
        Domain(id="domain-1", created=_CREATED, name="web"),
        Project(id="project-1", created=_CREATED, name="acme/api"),
        Tool(id=f"tool-{n}", created=_CREATED, name="make"),
        Tool(id="tool-both", created=_CREATED, name="pytest"),
        Error(id=f"error-{n}", created=_CREATED, error_class="ImportError", signature="no module"),
    )
    edges = (
        *_edges("PART_OF", (f"step-{n}-0", f"trace-{n}"), (f"step-{n}-1", f"trace-{n}")),
        *_edges("NEXT", (f"step-{n}-0", f"step-{n}-1")),
        *_edges("USES", (f"step-{n}-0", f"tool-{n}"), (f"step-{n}-1", "tool-both")),
        *_edges("RAISES", (f"step-{n}-0", f"error-{n}")),
        *_edges("ATTEMPTS", (f"trace-{n}", f"task-{n}")),
        *_edges("IN_DOMAIN", (f"task-{n}", "domain-1")),
        *_edges("IN_PROJECT", (f"trace-{n}", "project-1")),
        *_edges("CITES", ("insight-card", f"step-{n}-0"), (f"insight-own-{n}", f"step-{n}-1")),
        *_edges("APPLIES_TO", ("insight-card", "domain-1")),
        *_up(
            (f"trace-{n}", f"workflow-{n}"),
            (f"trace-{n}", f"summary-{n}"),
            (f"workflow-{n}", f"insight-own-{n}"),
            (f"summary-{n}", "insight-card"),
        ),
    )
    return Batch(nodes=nodes, edges=edges)


def a_retracted_trace_takes_what_stands_on_it_alone(store: GraphStore) -> None:
    first, second = _run(1), _run(2)
    store.write(second)
    alone = {label: store.counts().labels[label] for label in store.counts().labels}
    edges = store.counts().edges
    store.write(first)
    equal(store.write(Batch(retract=("trace-1", "trace-9"))), WriteReport(removed=9))
    equal(store.counts().labels, alone)
    equal(store.counts().edges, edges)
    equal(_traces(store, "insight-card"), [1])
    equal(store.write(second), WriteReport())
    equal(store.known_actions(["call-1-0", "call-2-0"]), {"call-2-0": "trace-2"})


def a_shared_insight_goes_with_its_last_trace(store: GraphStore) -> None:
    store.write(_run(1))
    store.write(Batch(retract=("trace-1",)))
    equal(store.counts().labels, {})
    equal(store.counts().edges, {})
    equal(store.statistics([]).memories, 0)


def an_imported_insight_outlives_its_traces(store: GraphStore) -> None:
    run = _run(1)
    imported = tuple(
        replace(n, origin="import") if n.id == "insight-card" and isinstance(n, Insight) else n
        for n in run.nodes
    )
    store.write(replace(run, nodes=imported))
    store.write(Batch(retract=("trace-1",)))
    equal(store.counts().labels, {"Domain": 1, "Insight": 1})
    equal(_traces(store, "insight-card"), [0])


def a_merged_insight_goes_when_nothing_is_left_below(store: GraphStore) -> None:
    for n in (1, 2):
        store.write(_run(n))
    merged = _insight("insight-merged", level=4)
    pairs = (("insight-own-1", merged.id), ("insight-own-2", merged.id))
    edges = _edges("GENERALIZES_TO", *pairs, merge_run="mergerun-1")
    store.write(Batch(nodes=(merged,), edges=edges))
    store.write(Batch(retract=("trace-1",)))
    equal(_traces(store, "insight-merged"), [1])
    store.write(Batch(retract=("trace-2",)))
    equal(store.counts().labels, {})


def a_run_read_again_keeps_what_others_linked_to_it(store: GraphStore) -> None:
    """A longer reading of the same run replaces what came from it, not merges and retrievals."""
    for n in (1, 2):
        store.write(_run(n))
    merged = _insight("insight-merged", level=4)
    retrieval = Retrieval(
        id="retrieval-1", created=_CREATED, query="q", abstained=False, confidence=8.0, floor=7.5
    )
    others = (
        *_edges("GENERALIZES_TO", ("insight-own-1", merged.id), merge_run="mergerun-1"),
        *_edges("SIMILAR_TO", ("insight-own-1", "insight-own-2")),
        *_edges("SHOWED", ("retrieval-1", "insight-own-1")),
        *_edges("IN_TRACE", ("retrieval-1", "trace-1")),
    )
    store.write(Batch(nodes=(merged, retrieval), edges=others))
    run = _run(1)
    before = store.sequence()
    equal(store.write(replace(run, retract=("trace-1",))), WriteReport())
    equal(store.sequence(), before, about="the sequence")
    gone = {"workflow-1", "step-1-0", "tool-1", "error-1"}
    grown = Batch(
        nodes=(*(n for n in run.nodes if n.id not in gone), _summary("summary-new")),
        edges=(
            *(
                e
                for e in run.edges
                if not gone & {e.source, e.target}
                and (e.source, e.target) != ("summary-1", "insight-card")
            ),
            *_up(("trace-1", "summary-new"), ("summary-new", "insight-own-1")),
        ),
        retract=("trace-1",),
    )
    equal(store.write(grown), WriteReport(added=1, removed=4, edges_added=2))
    equal(sorted(store.get(sorted(gone))), [])
    equal(_traces(store, "insight-own-1", "insight-card", "insight-merged"), [1, 1, 1])
    equal(
        {e.type for e in store.edges(["insight-own-1"], direction="in")},
        {"GENERALIZES_TO", "SHOWED"},
    )
    equal(
        [e.target for e in store.edges(["insight-own-1"], direction="out")],
        ["step-1-1", "insight-merged", "insight-own-2"],
    )


def _traces(store: GraphStore, *ids: str) -> Sequence[int]:
    found = store.support(ids)
    return [found[id].traces for id in ids]


CASES: Final = (
    support_counts_distinct_traces_at_any_depth,
    support_follows_what_becomes_known_of_a_trace,
    support_shrinks_with_edges_and_nodes,
    support_of_ten_thousand_traces_is_counted,
    a_retracted_trace_takes_what_stands_on_it_alone,
    a_shared_insight_goes_with_its_last_trace,
    an_imported_insight_outlives_its_traces,
    a_merged_insight_goes_when_nothing_is_left_below,
    a_run_read_again_keeps_what_others_linked_to_it,
)
"""The cases of this module."""
