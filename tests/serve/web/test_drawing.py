"""The drawings: every box has its own place, lines end at boxes, the walk goes straight up."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepladder import KnowledgeBase
from stepladder.queries.domain_map import DomainMap, DomainPair
from stepladder.serve.web import domain_drawing
from stepladder.serve.web.ladder_drawing import HEIGHT, WIDTH, drawing


def test_no_two_boxes_overlap_and_all_are_inside(kb: KnowledgeBase) -> None:
    for label in ("Insight", "Summary", "Workflow", "Trace"):
        for node in kb.store.find(label):
            found = drawing(kb.ladder(kb.why(node.id)))
            for a, b in combinations(found.boxes, 2):
                assert abs(a.x - b.x) >= WIDTH or abs(a.y - b.y) >= HEIGHT, node.id
            for box in found.boxes:
                assert 0 <= box.x <= found.width - WIDTH
                assert 0 <= box.y <= found.height - HEIGHT


def test_the_walk_stands_in_the_first_column(kb: KnowledgeBase) -> None:
    for node in kb.store.find("Insight"):
        ladder = kb.ladder(kb.why(node.id))
        found = drawing(ladder)
        first = min(b.x for b in found.boxes)
        column = [b for b in found.boxes if b.x == first and "step" not in b.classes.split()]
        assert [b.address.rpartition("/")[2] for b in column] == list(ladder.walk)
        assert [b.y for b in column] == sorted(b.y for b in column)


def test_long_words_are_cut_to_the_box(kb: KnowledgeBase) -> None:
    kb.import_memories([{"id": "insight-long", "title": "word" * 200}])
    (box,) = drawing(kb.ladder(kb.why("insight-long"))).boxes
    assert len(box.lines) == 3
    assert max(len(line) for line in box.lines) <= 28
    assert box.lines[-1].endswith("…")


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=40), st.integers(0, 500), max_size=30))
def test_any_map_of_domains_can_be_drawn(counts: dict[str, int]) -> None:
    insights = {name: frozenset(map(str, range(n))) for name, n in counts.items()}
    pairs = [
        DomainPair(a=a, b=b, shared=min(counts[a], counts[b]))
        for a, b in combinations(sorted(counts), 2)
        if min(counts[a], counts[b])
    ]
    found = domain_drawing.drawing(DomainMap(insights=insights, pairs=tuple(pairs)))
    assert len(found.places) + found.left_out == len(counts)
    assert all(1 <= link.thickness <= 5 for link in found.links)
    for place in found.places:
        assert 0 < place.x < domain_drawing.WIDTH
        assert 0 < place.y < domain_drawing.HEIGHT


@pytest.mark.parametrize("name", ["", "x" * 300])
def test_a_domain_without_insights_has_a_place(name: str) -> None:
    found = domain_drawing.drawing(DomainMap(insights={name: frozenset()}))
    assert len(found.places) == 1
    assert found.links == ()
