"""No answer stands above another one."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from stepladder.kg.protocols import Candidate
from stepladder.kg.terms import count_terms
from stepladder.kg.types import Edge, Insight, Memory, Workflow
from stepladder.queries.antichain import Place, antichain, worth_adding
from stepladder.queries.applicability import Nominee, Situation
from stepladder.queries.level import ancestors
from stepladder.queries.search import Hit, Parts


def described(memory: Memory) -> Candidate:
    return Candidate.of(memory, terms=count_terms(memory.key, memory.full), vector=None)


def nominee(id: str, **fields: object) -> Nominee:
    memory = Insight(id=id, created="", title=id, **fields)  # type: ignore[arg-type]
    return Nominee(Hit(described(memory), 1.0, 4.0, Parts(1.0, 0.0, 0.0)))


def named(places: list[Place]) -> dict[str, list[str]]:
    return {p.nominee.hit.memory.id: [n.hit.memory.id for n in p.below] for p in places}


def above(*pairs: tuple[str, str]) -> dict[str, frozenset[str]]:
    return ancestors(Edge(source=a, type="GENERALIZES_TO", target=b) for a, b in pairs)


def test_the_more_abstract_one_takes_the_place_of_what_stands_below_it() -> None:
    order = [nominee(i) for i in ("low", "other", "lower", "top", "late")]
    graph = above(("low", "mid"), ("mid", "top"), ("lower", "top"), ("late", "other"))
    assert named(antichain(order, graph)) == {"top": ["low", "lower"], "other": ["late"]}


def test_a_node_under_two_answers_is_named_beneath_the_first() -> None:
    order = [nominee(i) for i in ("one", "two", "both")]
    graph = above(("both", "one"), ("both", "two"))
    assert named(antichain(order, graph)) == {"one": ["both"], "two": []}


def test_without_edges_nothing_changes() -> None:
    order = [nominee(i) for i in ("b", "a", "c")]
    assert named(antichain(order, {})) == {"b": [], "a": [], "c": []}


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=40),
    st.permutations(range(12)),
)
def test_answers_are_an_antichain_that_covers_every_nominee(
    pairs: list[tuple[int, int]], order: list[int]
) -> None:
    graph = above(*((f"n{min(p)}", f"n{max(p)}") for p in pairs if p[0] != p[1]))
    names = [f"n{i}" for i in order[:8]]
    places = named(antichain([nominee(n) for n in names], graph))

    answers = list(places)
    for a in answers:
        assert not graph.get(a, frozenset()) & set(answers)
    for answer, below in places.items():
        assert all(answer in graph[b] for b in below)
    assert sorted([*answers, *(b for below in places.values() for b in below)]) == sorted(names)
    positions = [min(names.index(n) for n in (a, *places[a])) for a in answers]
    covered_once = all(len(set(places[a]) & set(places[b])) == 0 for a, b in pairwise(answers))
    assert covered_once
    assert len(set(positions)) == len(positions)


@settings(deadline=None)
@given(st.permutations(range(10)))
def test_a_chain_has_one_answer_whatever_the_order(order: list[int]) -> None:
    graph = above(*((f"n{i}", f"n{i + 1}") for i in range(9)))
    places = antichain([nominee(f"n{i}") for i in order], graph)
    assert [p.nominee.hit.memory.id for p in places] == ["n9"]
    assert len(places[0].below) == 9


def lower(id: str, content: str, project: str = "acme/api") -> Nominee:
    memory = Workflow(id=id, created="", title=id, content=content, project=project)
    return Nominee(Hit(described(memory), 1.0, 4.0, Parts(1.0, 0.0, 0.0)))


def test_beneath_an_answer_stands_what_is_near_and_says_more() -> None:
    top = nominee("top", content="run the tests of the project before handing in")
    place = Place(
        top,
        (
            lower("top", "run the tests of the project before handing in"),
            lower("foreign", "bin/test src then git diff", project="acme/web"),
            lower("steps", "bin/test src then git diff"),
            lower("again", "git diff bin/test then src steps"),
            lower("more", "ruff check and mypy strict"),
            lower("third", "docker compose up database"),
        ),
    )
    shown = worth_adding(place, Situation(project="acme/api"))
    assert [n.hit.memory.id for n in shown] == ["steps", "more"]
    assert worth_adding(place, Situation()) == []
