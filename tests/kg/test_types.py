"""The values the graph is made of."""

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, Literal, get_args, get_origin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepladder.kg.types import (
    EVERYTHING,
    LEVELS,
    NODE_TYPES,
    SHARED,
    Edge,
    Insight,
    Node,
    Scope,
    Step,
    Task,
    Trace,
    from_properties,
    join_text,
    label_of,
    level_name,
    memories,
    to_properties,
)

NUMBERS: Final = st.integers(-(2**53), 2**53)
VALUES: Final[Mapping[Any, st.SearchStrategy[Any]]] = {
    str: st.text(max_size=20),
    int: NUMBERS,
    float: st.floats(allow_nan=False),
    bool: st.booleans(),
    int | None: st.none() | NUMBERS,
    tuple[str, ...]: st.lists(st.text(max_size=5), max_size=3).map(tuple),
}


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    if get_origin(kind) is Literal:
        return st.sampled_from(get_args(kind))
    return VALUES[kind]


def nodes() -> st.SearchStrategy[Node]:
    return st.sampled_from(sorted(NODE_TYPES)).flatmap(
        lambda label: st.builds(
            NODE_TYPES[label], **{f.name: values_of(f.type) for f in fields(NODE_TYPES[label])}
        )
    )


@given(nodes())
def test_a_node_comes_back_from_its_properties_as_json(node: Node) -> None:
    text = json.dumps(to_properties(node))
    assert from_properties(label_of(node), json.loads(text)) == node


def test_every_field_of_a_node_is_a_scalar_or_a_tuple_of_strings() -> None:
    for node_type in NODE_TYPES.values():
        for f in fields(node_type):
            assert get_origin(f.type) is Literal or f.type in VALUES, (node_type, f.name)


def test_properties_of_a_later_version_are_left_out() -> None:
    task = Task(id="task-1", created="", title="Repair it")
    assert from_properties("Task", {**to_properties(task), "mood": "calm"}) == task


def test_an_unknown_label_is_an_error() -> None:
    with pytest.raises(KeyError):
        from_properties("Mood", {"id": "mood-1", "created": ""})


def test_labels_are_the_names_of_the_types() -> None:
    assert all(label == node_type.__name__ for label, node_type in NODE_TYPES.items())
    assert label_of(Insight(id="insight-1", created="", title="")) == "Insight"


def test_key_and_full_text_leave_empty_parts_out() -> None:
    insight = Insight(id="insight-1", created="", title="Pin it", content="Versions move.")
    assert (insight.key, insight.full) == ("Pin it", "Pin it\nVersions move.")
    assert join_text() == join_text("", "") == ""
    assert join_text("a", "", "b") == "a\nb"


def test_levels_have_names() -> None:
    assert {name: level_name(level) for name, level in LEVELS.items()} == {
        name: name for name in LEVELS
    }
    assert [level_name(n) for n in (3, 4, 99)] == ["insight"] * 3


def test_a_scope_shows_shared_nodes_and_its_projects() -> None:
    scope = Scope.of("acme/api", "acme/web")
    seen = [scope.allows(s) for s in (SHARED, "acme/api", "acme/web", "acme", "")]
    assert seen == [True, True, True, False, False]
    assert [Scope.of().allows(s) for s in (SHARED, "acme/api")] == [True, False]
    assert EVERYTHING.allows("acme/api")


def test_memories_are_the_nodes_that_can_be_recalled() -> None:
    trace = Trace(id="trace-1", created="", title="")
    step = Step(id="step-1", created="", index=0, phase="run", tool="bash", command="ls")
    insight = Insight(id="insight-1", created="", title="")
    assert memories([trace, step, insight]) == [trace, insight]


def test_values_cannot_be_changed() -> None:
    edge = Edge(source="a", type="CITES", target="b")
    with pytest.raises(AttributeError):
        edge.quote = "x"  # type: ignore[misc]
