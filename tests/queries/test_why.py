"""The way from a memory down to the steps that bear it out."""

from collections.abc import Callable

import pytest

from stepladder.kg.errors import UsageError
from stepladder.kg.stores.sqlite.store import SQLiteStore
from stepladder.kg.types import Edge, Memory, Scope, Step
from stepladder.queries.why import CitedStep, evidence

Keep = Callable[..., SQLiteStore]
Make = Callable[..., Memory]


def step(trace: str, index: int, scope: str = "acme/api") -> Step:
    return Step(
        id=f"step-{trace}-{index}",
        created="2026-01-01T00:00:00Z",
        scope=scope,
        index=index,
        phase="test",
        tool="bash",
        command=f"bin/test {index}",
        exit_code=index % 2,
    )


def cites(upper: str, lower: str, quote: str = "") -> Edge:
    return Edge(source=upper, type="CITES", target=lower, quote=quote)


def part(lower: Step, trace: str) -> Edge:
    return Edge(source=lower.id, type="PART_OF", target=trace)


@pytest.fixture
def believed(keep: Keep, memory: Make) -> SQLiteStore:
    own = {"scope": "acme/api", "project": "acme/api"}
    steps = [step("a", n) for n in (0, 1, 2)] + [step("b", 0, "acme/web")]
    return keep(
        memory("trace", "trace-a", "Fix the parser", **own),
        memory("trace", "trace-b", "Fix the lexer", scope="acme/web", project="acme/web"),
        memory("trace", "trace-c", "Fix the printer", **own),
        memory("summary", "summary-a", "The parser was fixed", **own),
        memory("insight", "insight-1", "Run the project's own tests"),
        memory("insight", "insight-2", "Run the tests of the project"),
        memory("insight", "insight-m", "Run the tests", level=4),
        *steps,
        above=(
            ("trace-a", "summary-a"),
            ("summary-a", "insight-1"),
            ("trace-b", "insight-2"),
            ("trace-c", "insight-2"),
            ("insight-1", "insight-m"),
            ("insight-2", "insight-m"),
        ),
        edges=(
            cites("insight-1", "step-a-2", "1 passed"),
            cites("summary-a", "step-a-1"),
            cites("summary-a", "step-a-2"),
            cites("insight-2", "step-b-0"),
            *(part(s, "trace-b" if s.scope == "acme/web" else "trace-a") for s in steps),
        ),
    )


def test_the_path_leads_through_every_level_to_steps_with_their_exit_codes(
    believed: SQLiteStore,
) -> None:
    found = evidence(believed, "insight-m")
    assert found.memory.id == "insight-m"
    assert found.support.traces == 3
    assert [m.id for m in found.between] == ["insight-1", "insight-2", "summary-a"]
    assert [(t.trace.id, t.path) for t in found.traces] == [
        ("trace-a", ("insight-m", "insight-1", "summary-a", "trace-a")),
        ("trace-b", ("insight-m", "insight-2", "trace-b")),
        ("trace-c", ("insight-m", "insight-2", "trace-c")),
    ]
    assert found.traces[0].steps == (
        CitedStep(step=step("a", 1), quote="", cited_by="summary-a"),
        CitedStep(step=step("a", 2), quote="1 passed", cited_by="insight-1"),
    )
    assert [c.step.exit_code for c in found.traces[0].steps] == [1, 0]
    assert (found.memories_left_out, found.traces_left_out) == (0, 0)


def test_what_is_left_out_is_counted(believed: SQLiteStore) -> None:
    found = evidence(believed, "insight-m", max_traces=1, max_steps=1)
    (only,) = found.traces
    assert (only.trace.id, len(only.steps), only.steps_left_out) == ("trace-a", 1, 1)
    assert found.traces_left_out == 2


def test_another_project_sees_only_its_own_runs(believed: SQLiteStore) -> None:
    found = evidence(believed, "insight-m", scope=Scope.of("acme/web"))
    assert [m.id for m in found.between] == ["insight-1", "insight-2"]
    assert [t.trace.id for t in found.traces] == ["trace-b"]
    assert found.traces_left_out == 0


def test_a_memory_out_of_scope_is_as_good_as_absent(believed: SQLiteStore) -> None:
    for id, scope in (("summary-a", Scope.of("acme/web")), ("insight-x", Scope.of())):
        with pytest.raises(UsageError, match=f"There is no memory '{id}' that may be read here"):
            evidence(believed, id, scope=scope)


def test_a_step_is_no_memory(believed: SQLiteStore) -> None:
    with pytest.raises(UsageError):
        evidence(believed, "step-a-1")


def test_a_trace_is_its_own_evidence(believed: SQLiteStore) -> None:
    found = evidence(believed, "trace-c")
    assert [(t.trace.id, t.path) for t in found.traces] == [("trace-c", ("trace-c",))]
    assert found.between == ()
