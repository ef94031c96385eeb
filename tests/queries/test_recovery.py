"""What repaired an error before, and which memories speak of it."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from stepladder import KnowledgeBase
from stepladder.kg.types import Batch, Edge, Error, Insight, Node, Step, Trace

TIME = "2026-01-01T00:00:00Z"
MESSAGE = "/usr/bin/python3: No module named pytest"
KEY = ("no-such-module", "<path>: No module named <name>")


def run(name: str, scope: str, repair: str, *, subcommand: str = "") -> Batch:
    """A run of three steps: tests that cannot start, a repair, tests that pass."""
    trace = Trace(id=f"trace-{name}", created=TIME, scope=scope, title=f"Run {name}")
    error = Error(
        id=f"error-{scope}", created=TIME, scope=scope, error_class=KEY[0], signature=KEY[1]
    )

    def step(index: int, phase: str, program: str, *, failed: bool = False, sub: str = "") -> Step:
        return Step(
            id=f"step-{name}-{index}",
            created=TIME,
            scope=scope,
            index=index,
            phase=phase,
            tool="bash",
            command=" ".join(part for part in (program, sub, name) if part),
            program=program,
            subcommand=sub,
            failure="environment" if failed else "",
            error_class=KEY[0] if failed else "",
            error_signature=KEY[1] if failed else "",
        )

    installs = subcommand == "install"
    steps = [
        step(0, "test", "python3", failed=True, sub="-m pytest"),
        step(1, "install" if installs else "explore", repair if installs else "ls",
             sub=subcommand),
        step(2, "test", "python3" if installs else repair, sub="-m pytest" if installs else ""),
    ]  # fmt: skip
    edges = [Edge(source=s.id, type="PART_OF", target=trace.id) for s in steps]
    edges += [Edge(source=a.id, type="NEXT", target=b.id) for a, b in pairwise(steps)]
    edges.append(Edge(source=steps[0].id, type="RAISES", target=error.id))
    nodes: tuple[Node, ...] = (trace, error, *steps)
    return Batch(nodes=nodes, edges=tuple(edges))


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(tmp_path / "memory.db") as kb:
        kb.store.write(run("a", "acme/api", "bin/test"))
        kb.store.write(run("b", "acme/web", "pip", subcommand="install"))
        kb.store.write(run("c", "acme/shop", "pip", subcommand="install"))
        kb.store.write(run("d", "acme/shop", "secret-tool"))
        yield kb


def named(kb: KnowledgeBase, project: str, **more: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(r.program, r.subcommand) for r in kb.recoveries(MESSAGE, project=project, **more)]


def test_what_repaired_it_in_the_own_project_comes_first(kb: KnowledgeBase) -> None:
    assert named(kb, "acme/api") == [("bin/test", ""), ("pip", "install")]
    first = kb.recoveries(MESSAGE, project="acme/api")[0]
    assert (first.command, first.times, first.projects) == ("bin/test a", 1, 1)


def test_a_program_of_one_other_project_is_not_named_and_commands_of_others_never(
    kb: KnowledgeBase,
) -> None:
    found = kb.recoveries(MESSAGE, project="acme/new")
    assert [(r.program, r.command, r.step) for r in found] == [("pip", "", "")]
    assert found[0].projects == 2


def test_a_run_that_does_not_count_does_not_vote(kb: KnowledgeBase) -> None:
    assert named(kb, "acme/api", exclude=("trace-a",)) == [("pip", "install")]


def test_a_text_without_an_error_has_no_recovery(kb: KnowledgeBase) -> None:
    assert kb.recoveries("", project="acme/api") == ()


def test_a_memory_that_cites_the_error_comes_first_where_the_task_is_that_error(
    kb: KnowledgeBase,
) -> None:
    told = Insight(id="insight-1", created=TIME, title="Use the runner of the project")
    other = Insight(id="insight-2", created=TIME, title="No module may be named twice")
    private = Insight(id="insight-3", created=TIME, scope="acme/web", title="Install the runner")
    cites = tuple(Edge(source=i, type="CITES", target="step-a-0") for i in (told.id, private.id))
    kb.store.write(Batch(nodes=(told, other, private), edges=cites))
    answer = kb.retrieve(MESSAGE, project="acme/api", record=False)
    assert answer.items[0].memory.id == told.id
    assert private.id not in [i.memory.id for i in answer.items]
    assert kb.retrieve("Write a letter", project="acme/api", record=False).abstained
