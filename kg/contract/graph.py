"""The contract's cases about writing and reading nodes, edges and settings."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from random import Random
from typing import Any, Final

from ..errors import StoreError, UsageError
from ..protocols import GraphStore, WriteReport
from ..types import (
    NODE_TYPES,
    Batch,
    Edge,
    Insight,
    Node,
    Scope,
    Step,
    Task,
    Trace,
)
from .check import equal, raises
from .model import PROJECTS, Model, random_batch, random_vector

_SEEDS: Final = range(12)


def _insight(id: str = "insight-1", **values: Any) -> Insight:
    defaults = {"created": "2026-01-02T00:00:00Z", "title": "Run the tests first"}
    return Insight(id=id, **{**defaults, **values})


def _filled(label: str) -> Node:
    """A node whose every field holds a value of its own."""
    samples: Mapping[str, Any] = {
        "str": "some text",
        "int": 7,
        "float": 0.25,
        "bool": True,
        "int | None": 3,
    }
    values: dict[str, Any] = {}
    for f in fields(NODE_TYPES[label]):
        kind = getattr(f.type, "__name__", str(f.type))
        values[f.name] = samples.get(kind, ("one", "two") if "tuple" in kind else f.name)
    return NODE_TYPES[label](**{**values, "id": f"{label.lower()}-filled"})


def nodes_of_every_label_come_back_as_written(store: GraphStore) -> None:
    nodes = [_filled(label) for label in NODE_TYPES]
    plain = (
        Trace(id="trace-plain", created="", title=""),
        Step(id="step-plain", created="", index=0, phase="", tool="", command=""),
        Insight(id="insight-plain", created="", title="", origin="", polarity="avoid"),
    )
    store.write(Batch(nodes=(*nodes, *plain)))
    wanted = {n.id: n for n in (*plain, *nodes)}
    equal(store.get(list(wanted)), wanted)
    for node in nodes:
        equal(store.find(type(node).__name__, where={"id": node.id}), [node])


def get_keeps_the_order_asked_for_and_leaves_out_what_is_not_there(store: GraphStore) -> None:
    nodes = tuple(_insight(f"insight-{i}") for i in range(5))
    store.write(Batch(nodes=nodes))
    asked = ["insight-3", "insight-9", "insight-0", "insight-3"]
    equal(list(store.get(asked)), ["insight-3", "insight-0"])
    equal([c.memory.id for c in store.features(asked)], ["insight-3", "insight-0"])
    equal(store.get([]), {})


def a_later_write_overwrites_properties_and_keeps_the_earliest_time(store: GraphStore) -> None:
    store.write(Batch(nodes=(_insight(created="2026-03-01T00:00:00Z", kind="old"),)))
    later = _insight(created="2026-05-01T00:00:00Z", kind="new")
    equal(store.write(Batch(nodes=(later,))), WriteReport(changed=1))
    equal(store.get(["insight-1"])["insight-1"], replace(later, created="2026-03-01T00:00:00Z"))
    store.write(Batch(nodes=(replace(later, created="2026-01-01T00:00:00Z"),)))
    equal(store.get(["insight-1"])["insight-1"].created, "2026-01-01T00:00:00Z")
    equal(store.write(Batch(nodes=(replace(later, created=""),))), WriteReport())


def of_equal_ids_in_one_batch_the_last_counts(store: GraphStore) -> None:
    first, last = _insight(created="2026-01-01T00:00:00Z"), _insight(kind="last")
    equal(store.write(Batch(nodes=(first, last))), WriteReport(added=1))
    equal(store.get(["insight-1"]), {"insight-1": replace(last, created=first.created)})


def the_same_batch_a_second_time_changes_nothing(store: GraphStore) -> None:
    for seed in _SEEDS:
        batch = random_batch(Random(seed), Model(), size=20)
        store.write(batch)
        before = store.sequence()
        equal(store.write(batch), WriteReport(), about=f"seed {seed}")
        equal(store.sequence(), before, about="the sequence")


def the_sequence_grows_with_every_change(store: GraphStore) -> None:
    seen = [store.sequence()]
    edge = Edge(source="insight-1", type="SIMILAR_TO", target="insight-2")
    changes: tuple[Callable[[], object], ...] = (
        lambda: store.write(Batch(nodes=(_insight(), _insight("insight-2")))),
        lambda: store.write(Batch(edges=(edge,))),
        lambda: store.write(Batch(vectors={"insight-1": random_vector(Random(0))})),
        lambda: store.set_setting("name", "value"),
        lambda: store.delete_edges([edge]),
        lambda: store.delete(["insight-1"]),
    )
    for change in changes:
        change()
        seen.append(store.sequence())
    equal(seen, sorted(set(seen)))


def an_edge_is_kept_once_and_its_properties_are_overwritten(store: GraphStore) -> None:
    store.write(Batch(nodes=(_insight("insight-1"), _insight("insight-2"))))
    edge = Edge(source="insight-1", type="SIMILAR_TO", target="insight-2", score=0.5)
    equal(store.write(Batch(edges=(edge, edge))), WriteReport(edges_added=1))
    equal(store.write(Batch(edges=(edge,))), WriteReport())
    other = replace(edge, score=0.0, rank=0, quote="why", merge_run="mergerun-1")
    equal(store.write(Batch(edges=(other,))), WriteReport(changed=1))
    equal(store.edges(["insight-1"]), [other])


def a_batch_with_a_missing_end_leaves_nothing_behind(store: GraphStore) -> None:
    store.write(Batch(nodes=(_insight(),)))
    before = store.sequence()
    edge = Edge(source="insight-2", type="SIMILAR_TO", target="insight-missing")
    batch = Batch(nodes=(_insight(kind="other"), _insight("insight-2")), edges=(edge,))
    raises(StoreError, lambda: store.write(batch))
    vectors = {"insight-missing": random_vector(Random(0))}
    raises(StoreError, lambda: store.write(Batch(nodes=(_insight("insight-2"),), vectors=vectors)))
    equal(store.get(["insight-1", "insight-2"]), {"insight-1": _insight()})
    equal(store.sequence(), before, about="the sequence")


def any_text_comes_back_as_it_was(store: GraphStore) -> None:
    odd = "caf\u00e9 \u6f22\u5b57 \U0001f600 a\0b \ud800 \ufffe \u2028 'q' \"d\" $x %s {y} \\ \r\n"
    nodes = (
        _insight(title=odd, content=odd, domains=(odd,), card=odd, scope=odd, project=odd),
        Trace(id="trace-1", created="", title=odd, scope=odd, agent=odd, session=odd),
        Step(id="step-1", created="", scope=odd, index=1, phase="", tool=odd, command=odd, uid=odd),
    )
    cited = Edge(source="insight-1", type="CITES", target="step-1", quote=odd)
    part = Edge(source="step-1", type="PART_OF", target="trace-1")
    up = Edge(source="trace-1", type="GENERALIZES_TO", target="insight-1")
    store.write(Batch(nodes=nodes, edges=(cited, part, up)))
    equal(store.get([n.id for n in nodes], scope=Scope.of(odd)), {n.id: n for n in nodes})
    equal(store.get([n.id for n in nodes], scope=Scope.of("caf\u00e9")), {})
    equal(store.edges(["insight-1"], types=("CITES",)), [cited])
    equal(store.find("Step", where={"tool": odd}), [nodes[2]])
    equal(store.find("Step", where={"tool": odd.partition("\0")[0]}), [])
    equal(store.known_actions([odd, "other"]), {odd: "trace-1"})
    equal(dict(store.support(["insight-1"])["insight-1"].agents), {odd: 1})
    store.set_setting(odd, odd)
    equal(store.setting(odd), odd)


def a_batch_of_five_thousand_rows_lands_whole(store: GraphStore) -> None:
    random = Random(1)
    trace = Trace(id="trace-1", created="", title="Move the parser", scope="acme/api")
    steps = tuple(
        Step(
            id=f"step-{i:04d}",
            created="",
            scope="acme/api",
            index=i,
            phase="run",
            tool="bash",
            command=f"make {i}",
        )
        for i in range(4000)
    )
    insights = tuple(_insight(f"insight-{i:04d}", content=f"lesson {i}") for i in range(1000))
    part_of = tuple(Edge(source=s.id, type="PART_OF", target=trace.id) for s in steps)
    up = tuple(Edge(source=trace.id, type="GENERALIZES_TO", target=i.id) for i in insights)
    vectors = {i.id: random_vector(random) for i in insights}
    batch = Batch(nodes=(trace, *steps, *insights), edges=(*part_of, *up), vectors=vectors)
    equal(store.write(batch), WriteReport(added=5001, edges_added=5000))
    equal(store.find("Step"), list(steps))
    equal(len(store.features([i.id for i in insights])), 1000)
    equal(len(store.ancestry([trace.id])), 1000)


def find_compares_properties_and_orders_by_id(store: GraphStore) -> None:
    steps = tuple(
        Step(
            id=f"step-{i}",
            created="",
            scope=PROJECTS[i % 2],
            index=i,
            phase="run",
            tool="bash",
            command="make",
            exit_code=(None, 0, 2)[i % 3],
        )
        for i in reversed(range(9))
    )
    store.write(Batch(nodes=(*steps, Task(id="task-1", created="", title="t"))))
    equal([n.id for n in store.find("Step", limit=3)], ["step-0", "step-1", "step-2"])
    equal(
        [n.id for n in store.find("Step", where={"exit_code": 2})], ["step-2", "step-5", "step-8"]
    )
    equal([n.id for n in store.find("Step", where={"exit_code": 0}, limit=1)], ["step-1"])
    equal([n.id for n in store.find("Step", where={"index": 0})], ["step-0"])
    equal([n.id for n in store.find("Step", where={"uid": "", "index": 4})], ["step-4"])
    equal(store.find("Step", where={"tool": "bash", "index": 4, "phase": "edit"}), [])
    first = Scope.of(PROJECTS[0])
    equal([n.id for n in store.find("Step", scope=first, limit=2)], ["step-0", "step-2"])
    raises(UsageError, lambda: store.find("Stpe"))
    raises(UsageError, lambda: store.find("Step", where={"comand": "make"}))


def ids_are_resolved_by_their_beginning(store: GraphStore) -> None:
    ids = ["insight-0a", "insight-0b", "insight-1%", "insight-1_", "insight-1x"]
    store.write(Batch(nodes=tuple(_insight(id) for id in reversed(ids))))
    equal(store.resolve("insight-0"), ["insight-0a", "insight-0b"])
    equal(store.resolve("insight-1_"), ["insight-1_"])
    equal(store.resolve("insight", limit=4), ids[:4])
    equal(store.resolve("trace"), [])


def known_actions_name_the_trace_that_holds_them(store: GraphStore) -> None:
    nodes: list[Node] = [Trace(id=f"trace-{i}", created="", title="t") for i in range(2)]
    nodes += [
        Step(id=f"step-{i}", created="", index=i, phase="run", tool="bash", command="x", uid=uid)
        for i, uid in enumerate(("call-a", "call-b", ""))
    ]
    edges = tuple(
        Edge(source=f"step-{i}", type="PART_OF", target=f"trace-{i // 2}") for i in range(3)
    )
    store.write(Batch(nodes=tuple(nodes), edges=edges))
    equal(
        store.known_actions(["call-b", "call-z", "call-a", ""]),
        {"call-b": "trace-0", "call-a": "trace-0"},
    )
    store.delete(["step-0"])
    equal(store.known_actions(["call-a"]), {})


def changed_memories_are_told_from_a_sequence_on(store: GraphStore) -> None:
    store.write(Batch(nodes=(_insight("insight-1"), _insight("insight-2"))))
    before = store.sequence()
    equal(store.changed("Insight", since=before).removed, False, about="removed, nothing done")
    written = (_insight("insight-2", title="Run them twice"), _insight("insight-3"))
    store.write(Batch(nodes=(*written, Trace(id="trace-1", created="", title="t"))))
    changed = store.changed("Insight", since=before)
    found = {m.id: m for m in changed.memories}
    equal(changed.count in (None, 3), True, about="a count of the insights, where there is one")
    equal({m.id: found.get(m.id) for m in written}, {m.id: m for m in written})
    equal("trace-1" in found, False, about="a trace among changed insights")
    after = store.sequence()
    store.delete(["insight-1"])
    equal(store.changed("Insight", since=after).removed, True, about="removed after a removal")


def settings_are_kept_and_replaced(store: GraphStore) -> None:
    equal(store.setting("embedder"), None)
    store.set_setting("embedder", "static-256")
    store.set_setting("empty", "")
    before = store.sequence()
    store.set_setting("embedder", "static-256")
    equal(store.sequence(), before, about="the sequence after writing the same value")
    equal((store.setting("embedder"), store.setting("empty")), ("static-256", ""))
    store.set_setting("embedder", "other")
    equal(store.setting("embedder"), "other")


def a_closed_store_says_so(store: GraphStore) -> None:
    store.write(Batch(nodes=(_insight(),)))
    store.close()
    store.close()
    raises(StoreError, lambda: store.get(["insight-1"]))
    raises(StoreError, lambda: store.write(Batch()))


def of_many_edges_some_are_looked_at(store: GraphStore) -> None:
    nodes = [_insight(f"insight-{i}") for i in range(12)]
    edges = [
        Edge(source=f"insight-{i}", type="GENERALIZES_TO", target=f"insight-{i % 2}")
        for i in range(2, 12)
    ]
    store.write(Batch(nodes=tuple(nodes), edges=tuple(edges)))
    found = store.edges(["insight-0", "insight-1"], direction="in", most=3)
    equal(sorted(e.target for e in found), ["insight-0"] * 3 + ["insight-1"] * 3)
    equal(found, [e for e in sorted(edges, key=lambda e: e.source) if e in found])
    up = store.edges(["insight-2", "insight-3"], direction="out", most=3)
    equal(up, edges[:2])
    equal(store.edges(["insight-0"], direction="in", most=9), store.edges(["insight-0"]))
    cited = Edge(source="insight-2", type="CITES", target="insight-0")
    store.write(Batch(edges=(cited,)))
    equal(store.edges(["insight-0"], types=("CITES",), direction="in", most=1), [cited])


def deleting_takes_nodes_with_their_edges(store: GraphStore) -> None:
    nodes = tuple(_insight(f"insight-{i}") for i in range(3))
    edges = tuple(
        Edge(source=f"insight-{a}", type="SIMILAR_TO", target=f"insight-{b}")
        for a, b in ((0, 1), (1, 2), (0, 2))
    )
    store.write(Batch(nodes=nodes, edges=edges))
    equal(store.delete(["insight-1", "insight-9", "insight-1"]), 1)
    equal(store.delete([]), 0)
    equal(store.edges(["insight-0", "insight-2"]), [edges[2]])
    equal(store.delete_edges([edges[2], edges[2], edges[0]]), 1)
    equal(store.counts().edges, {})
    equal(store.write(Batch(nodes=nodes, edges=edges)), WriteReport(added=1, edges_added=3))


def an_export_is_one_state_however_much_is_written_meanwhile(store: GraphStore) -> None:
    nodes = tuple(_insight(f"insight-{i}") for i in range(4))
    tools = (Task(id="task-1", created="", title="t"), Trace(id="trace-1", created="", title="t"))
    edges = tuple(
        Edge(source=f"insight-{a}", type="SIMILAR_TO", target=f"insight-{b}", score=0.5)
        for a, b in ((0, 1), (0, 2), (1, 2))
    )
    store.write(Batch(nodes=(*reversed(nodes), *tools), edges=tuple(reversed(edges))))
    exported = store.export()
    first = next(exported)
    store.write(Batch(nodes=(_insight("insight-9"), replace(nodes[1], title="changed"))))
    store.delete(["insight-2"])
    equal([first, *exported], [*nodes, *tools, *edges])
    equal(list(store.export(scope=Scope.of())), list(store.export()))
    half_read = store.export()
    next(half_read)
    half_read.close()
    equal(store.delete([n.id for n in (*nodes, *tools)]), 5)
    equal(list(store.export()), [_insight("insight-9")])


CASES: Final = (
    nodes_of_every_label_come_back_as_written,
    get_keeps_the_order_asked_for_and_leaves_out_what_is_not_there,
    a_later_write_overwrites_properties_and_keeps_the_earliest_time,
    of_equal_ids_in_one_batch_the_last_counts,
    the_same_batch_a_second_time_changes_nothing,
    the_sequence_grows_with_every_change,
    an_edge_is_kept_once_and_its_properties_are_overwritten,
    a_batch_with_a_missing_end_leaves_nothing_behind,
    any_text_comes_back_as_it_was,
    a_batch_of_five_thousand_rows_lands_whole,
    find_compares_properties_and_orders_by_id,
    ids_are_resolved_by_their_beginning,
    known_actions_name_the_trace_that_holds_them,
    an_export_is_one_state_however_much_is_written_meanwhile,
    changed_memories_are_told_from_a_sequence_on,
    settings_are_kept_and_replaced,
    a_closed_store_says_so,
    deleting_takes_nodes_with_their_edges,
    of_many_edges_some_are_looked_at,
)
"""The cases of this module."""
