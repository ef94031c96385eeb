"""Several processes on one store, and processes that are killed or stopped while they ingest."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import apsw
import pytest

from stepladder import KnowledgeBase
from stepladder.ingest.report import Progress
from stepladder.kg.protocols import Counts
from stepladder.kg.types import NODE_TYPES, Edge, Node, Trace

EXAMPLES = Path(__file__).parent.parent / "examples"
RUNS = sorted(
    p
    for p in EXAMPLES.glob("*/*")
    if p.is_dir() or (p.suffix in (".json", ".jsonl") and p.name != "outcomes.jsonl")
)
KILLS = 50
KILLED_RUNS = sorted((p for p in RUNS if p.is_file()), key=lambda p: p.stat().st_size)[:6]
SEED = 20_260_401

POSIX = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="a process can be forked and signalled on POSIX systems only"
)

QUERIES = """
import sys
from pathlib import Path
from stepladder import KnowledgeBase

stop, answers = Path(sys.argv[2]), 0
with KnowledgeBase.open(sys.argv[1]) as kb:
    while not stop.exists():
        for task in ("a test fails only in CI", "the port is in use", "the archive misses a file"):
            answer = kb.retrieve(task, record=False)
            for item in answer.items:
                kb.why(item.memory.id)
            answers += 1
print(answers)
"""


def stepladder(store: Path, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "stepladder.cli", "--store", str(store), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def contents(store: Path) -> tuple[dict[str, Node], set[Edge]]:
    """Every node by its id, and every edge."""
    with KnowledgeBase.open(store) as kb:
        nodes = {n.id: n for label in NODE_TYPES for n in kb.store.find(label)}
        return nodes, set(kb.store.edges(list(nodes)))


@pytest.fixture(scope="module")
def in_a_row(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store into which one process read every sample run, one after the other."""
    store = tmp_path_factory.mktemp("row") / "memory.db"
    with KnowledgeBase.open(store) as kb:
        kb.ingest(RUNS)
    return store


def test_five_processes_ingest_while_two_query_and_nothing_is_lost_or_doubled(
    tmp_path: Path, in_a_row: Path
) -> None:
    store, stop = tmp_path / "memory.db", tmp_path / "stop"
    arguments = [sys.executable, "-c", QUERIES, str(store), str(stop)]
    readers = [
        subprocess.Popen(
            arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
        )
        for _ in range(2)
    ]
    parts = [[str(p) for p in RUNS[start::5]] for start in range(5)]
    writers = [stepladder(store, "ingest", "--json", *part) for part in parts]
    reports = []
    for writer in writers:
        said, complaint = writer.communicate()
        assert (writer.returncode, complaint) == (0, "")
        reports.append(json.loads(said))
    stop.touch()
    for reader in readers:
        said, complaint = reader.communicate()
        assert (reader.returncode, complaint) == (0, "")
        assert int(said) > 0
    assert [report["failed"] for report in reports] == [[]] * 5
    assert sum(report["new"] for report in reports) == 21
    nodes, edges = contents(store)
    expected_nodes, expected_edges = contents(in_a_row)
    assert nodes == expected_nodes
    assert edges == expected_edges


def test_the_same_files_by_several_processes_at_once_are_kept_once(
    tmp_path: Path, in_a_row: Path
) -> None:
    store = tmp_path / "memory.db"
    writers = [stepladder(store, "ingest", "--json", *map(str, RUNS)) for _ in range(2)]
    for writer in writers:
        _, complaint = writer.communicate()
        assert (writer.returncode, complaint) == (0, "")
    assert contents(store) == contents(in_a_row)


def acknowledging_ingest(store: Path, to: int) -> None:
    """Ingest, and tell of each run that was kept."""
    told = 0

    def tell(progress: Progress) -> None:
        nonlocal told
        for id in progress.report.traces[told:]:
            os.write(to, f"{id}\n".encode())
        told = len(progress.report.traces)

    with KnowledgeBase.open(store) as kb:
        report = kb.ingest(KILLED_RUNS, on_progress=tell)
        for id in report.traces[told:]:
            os.write(to, f"{id}\n".encode())


def killed_ingest(store: Path, *, cpu_s: float | None, after: int) -> list[str]:
    """Ingest in a process that dies without warning; return the runs it had told of.

    It dies after so much of a processor's time, of a signal that it neither catches nor notices;
    or, without that, it is killed once it has told of so many runs.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            if cpu_s is not None:
                signal.signal(signal.SIGPROF, signal.SIG_DFL)
                signal.setitimer(signal.ITIMER_PROF, cpu_s)
            acknowledging_ingest(store, writing)
        finally:
            os._exit(0)
    os.close(writing)
    told: list[str] = []
    with open(reading, encoding="utf-8") as lines:
        for line in lines:
            told.append(line.strip())
            if cpu_s is None and len(told) == after:
                os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return told


@pytest.fixture(scope="module")
def prefixes(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Counts], float]:
    """What the store holds after none, one, two, ... of the runs, and the processor's time."""
    held: dict[int, Counts] = {}
    with KnowledgeBase.open(tmp_path_factory.mktemp("prefixes") / "memory.db") as kb:
        kb.ingest(KILLED_RUNS, dry_run=True)  # loads what is loaded once

        def note(progress: Progress) -> None:
            held[len(progress.report.traces)] = kb.store.counts()

        before_s = time.process_time()
        report = kb.ingest(KILLED_RUNS, on_progress=note)
        used_s = time.process_time() - before_s
        held[len(report.traces)] = kb.store.counts()
    return [held[n] for n in sorted(held)], used_s


@POSIX
def test_a_killed_ingest_leaves_whole_runs_and_no_part_of_another(
    tmp_path: Path, prefixes: tuple[list[Counts], float]
) -> None:
    held, used_s = prefixes
    assert len(held) > 5
    chance = Random(SEED)
    ends: list[int] = []
    for kill in range(KILLS):
        store = tmp_path / f"{kill}.db"
        cpu_s = chance.uniform(0.001, 1.1 * used_s) if kill % 5 else None
        told = killed_ingest(store, cpu_s=cpu_s, after=chance.randrange(1, len(held)))
        with KnowledgeBase.open(store) as kb:
            traces = {t.id for t in kb.store.find("Trace") if isinstance(t, Trace)}
            assert kb.store.counts() == held[len(traces)]
            assert set(told) <= traces
            assert len(traces) <= len(told) + 1
        assert sound(store)
        ends.append(len(traces))
    assert len(set(ends)) > 4


def sound(store: Path) -> bool:
    connection = apsw.Connection(str(store))
    answer = connection.execute("PRAGMA integrity_check").fetchall()
    connection.close()
    return bool(answer == [("ok",)])


@POSIX
def test_an_ingest_that_was_killed_goes_on_where_it_was(
    tmp_path: Path, prefixes: tuple[list[Counts], float]
) -> None:
    held, used_s = prefixes
    chance = Random(SEED + 1)
    store = tmp_path / "memory.db"
    for _ in range(4):
        killed_ingest(store, cpu_s=chance.uniform(0.2, 0.6) * used_s, after=0)
    with KnowledgeBase.open(store) as kb:
        kb.ingest(KILLED_RUNS)
        assert kb.store.counts() == held[-1]


@POSIX
def test_ctrl_c_says_what_is_kept_and_ends_with_130(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    child = stepladder(store, "ingest", "--json", *map(str, RUNS))
    for traces in counted(store):
        if traces or child.poll() is not None:
            child.send_signal(signal.SIGINT)
            break
    said, complaint = child.communicate()
    if child.returncode == 0:
        pytest.skip("all runs were kept before the signal came; a less busy machine shows it")
    assert child.returncode == 130
    kept = json.loads(said)["new"]
    assert complaint == f"Stopped. The {kept} runs above are kept; run it again to go on.\n"
    with KnowledgeBase.open(store) as kb:
        # The signal may come between the writing of a run and the counting of it.
        assert kept <= kb.stats().levels["trace"] <= kept + 1 < 21
        kb.ingest(RUNS)
        assert kb.stats().levels["trace"] == 21


def counted(store: Path) -> Iterator[int]:
    """How many runs the store holds, again and again."""
    with KnowledgeBase.open(store) as kb:
        while True:
            yield kb.store.counts().labels.get("Trace", 0)
