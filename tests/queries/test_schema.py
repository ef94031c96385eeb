"""What a graph holds, in words and numbers."""

from dataclasses import fields
from typing import get_args

from stepladder import KnowledgeBase
from stepladder.kg.types import NODE_TYPES, EdgeType
from stepladder.queries.schema import LinkInfo, PropertyInfo, meanings


def test_every_label_relationship_and_property_has_a_meaning() -> None:
    names = {f.name for kind in NODE_TYPES.values() for f in fields(kind)}
    assert set(meanings()["labels"]) == set(NODE_TYPES)
    assert set(meanings()["relationships"]) == set(get_args(EdgeType))
    assert set(meanings()["properties"]) == {*names, "quote", "score", "rank", "merge_run"}


def test_counts_are_those_of_the_store(explored: KnowledgeBase) -> None:
    schema, counts = explored.schema(), explored.store.counts()
    labels = {info.name: info.count for info in schema.labels if info.count}
    types = {info.type: info.count for info in schema.relationships if info.count}
    assert labels == dict(counts.labels)
    assert types == dict(counts.edges)


def test_a_property_tells_its_type_and_where_it_is_filled(explored: KnowledgeBase) -> None:
    (step,) = (info for info in explored.schema().labels if info.name == "Step")
    found = {info.name: info for info in step.properties}
    codes = [n.exit_code for n in explored.store.find("Step")]  # type: ignore[attr-defined]
    assert found["exit_code"] == PropertyInfo(
        name="exit_code",
        type="whole number",
        about="exit code; not there where it is not known",
        filled=sum(code is not None for code in codes),
    )
    files = [n.files for n in explored.store.find("Step")]  # type: ignore[attr-defined]
    assert (found["files"].type, found["files"].filled) == (
        "list of texts",
        sum(bool(f) for f in files),
    )


def test_a_relationship_tells_its_ends(explored: KnowledgeBase) -> None:
    (shown,) = (r for r in explored.schema().relationships if r.type == "SIMILAR_TO")
    assert shown.links == (LinkInfo(source="Insight", target="Insight", count=2),)
    assert [(p.name, p.type, p.filled) for p in shown.properties] == [
        ("score", "decimal number", 2)
    ]


def test_it_is_the_same_on_neo4j(explored: KnowledgeBase, explored_on_neo4j: KnowledgeBase) -> None:
    assert explored.schema() == explored_on_neo4j.schema()
