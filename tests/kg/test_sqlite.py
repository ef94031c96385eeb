"""The store in a SQLite file: what outlives a kill, several processes, threads, forks, errors."""

import json
import multiprocessing
import os
import stat
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import apsw
import numpy as np
import pytest

from stepladder.kg.errors import EmbeddingError, SchemaError, StoreError, UsageError
from stepladder.kg.protocols import CandidateQuery, WriteReport
from stepladder.kg.stores.sqlite import SQLiteStore
from stepladder.kg.stores.sqlite.connection import as_store_error
from stepladder.kg.stores.sqlite.migrations import APPLICATION_ID, scripts
from stepladder.kg.terms import term_id
from stepladder.kg.types import Batch, Edge, Insight, Scope, Step, Trace, Vector

STEPS = 30

WRITER = """
import sys
from pathlib import Path
from stepladder.kg.stores.sqlite import SQLiteStore
from stepladder.kg.types import Batch, Edge, Insight, Step, Trace

path, name, first, last, steps = Path(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:])
store = SQLiteStore.open(path, dim=8)
for n in range(first, last):
    trace = Trace(id=f"trace-{name}-{n}", created="", title=f"run {n} of {name}", scope=name)
    made = tuple(
        Step(id=f"step-{name}-{n}-{i}", created="", scope=name, index=i, phase="run", tool="bash",
             command="make")
        for i in range(steps)
    )
    own = Insight(id=f"insight-{name}-{n}", created="", title="own lesson", scope=name)
    both = Insight(id="insight-shared", created="", title="shared lesson")
    edges = [Edge(source=s.id, type="PART_OF", target=trace.id) for s in made]
    edges += [Edge(source=trace.id, type="GENERALIZES_TO", target=i.id) for i in (own, both)]
    store.write(Batch(nodes=(trace, *made, own, both), edges=tuple(edges)))
    print(n, flush=True)
"""

READER = """
import sys
from pathlib import Path
from stepladder.kg.protocols import CandidateQuery
from stepladder.kg.stores.sqlite import SQLiteStore

path, steps, stop = Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
store = SQLiteStore.open(path, dim=8)
reads = 0
while not stop.exists():
    labels = store.counts().labels
    traces = labels.get("Trace", 0)
    assert labels.get("Step", 0) == traces * steps, labels
    assert labels.get("Insight", 0) == traces + (traces > 0), labels
    support = store.support(["insight-shared"])
    seen = support["insight-shared"].traces if support else 0
    assert seen >= traces, (seen, traces)
    (found,) = store.candidates(CandidateQuery(terms=("share",), vector=None))
    # Each read sees a state of its own: the first batch may land between two of them.
    assert {c.id for c in found} <= {"insight-shared"} and len(found) >= bool(support), found
    reads += 1
print(reads)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def insight(name: str, title: str = "Run the tests", **values: object) -> Insight:
    return Insight(id=f"insight-{name}", created="2026-01-01T00:00:00Z", title=title, **values)


def unit(*values: float) -> Vector:
    vector = np.array(values, np.float32)
    return vector / np.linalg.norm(vector)


def writer(path: Path, name: str, first: int, last: int) -> "subprocess.Popen[str]":
    arguments = (str(path), name, str(first), str(last), str(STEPS))
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, *arguments], stdout=subprocess.PIPE, text=True
    )


def found(store: SQLiteStore, **query: object) -> list[str]:
    values: dict[str, object] = {"terms": (), "vector": None, **query}
    return [c.memory.id for c in store.candidates(CandidateQuery(**values))[0]]


def check_file(path: Path) -> None:
    connection = apsw.Connection(str(path))
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


def test_acknowledged_batches_outlive_a_kill_and_no_batch_is_half_there(path: Path) -> None:
    random, acknowledged = Random(5), -1
    for _ in range(10):
        with writer(path, "a", acknowledged + 1, acknowledged + 1000) as child:
            assert child.stdout is not None
            for line in child.stdout:
                acknowledged = int(line)
                if random.random() < 0.3:
                    break
            child.kill()
            later = [int(line) for line in child.stdout if line.endswith("\n")]
            acknowledged = max([acknowledged, *later])
        with SQLiteStore.open(path, dim=8) as store:
            whole = [int(t.id.rpartition("-")[2]) for t in store.find("Trace")]
            # One more than acknowledged may have landed: the child was killed before it said so.
            assert max(whole) - acknowledged in (0, 1)
            acknowledged = max(whole)
            assert sorted(whole) == list(range(acknowledged + 1))
            n = len(whole)
            assert store.counts().labels == {"Insight": n + 1, "Step": n * STEPS, "Trace": n}
            assert store.counts().edges == {"GENERALIZES_TO": 2 * n, "PART_OF": n * STEPS}
            assert store.support(["insight-shared"])["insight-shared"].traces == n
            statistics = store.statistics([term_id("lesson"), term_id("run")])
            assert statistics.memories == 2 * n + 1
            assert statistics.document_frequency == {
                term_id("lesson"): (n + 1, n + 1),
                term_id("run"): (n, n),
            }
    check_file(path)


def test_five_processes_write_while_two_read_and_nothing_is_lost(path: Path) -> None:
    stop, batches = path.with_name("stop"), 25
    writers = [writer(path, name, 0, batches) for name in "abcde"]
    readers = [
        subprocess.Popen(
            [sys.executable, "-c", READER, str(path), str(STEPS), str(stop)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = [child.communicate()[0].split() for child in writers]
    stop.touch()
    reads = [int(child.communicate()[0]) for child in readers]
    assert said == [[str(n) for n in range(batches)]] * 5
    assert [child.returncode for child in (*writers, *readers)] == [0] * 7
    assert min(reads) > 0
    with SQLiteStore.open(path, dim=8) as store:
        n = 5 * batches
        assert store.counts().labels == {"Insight": n + 1, "Step": n * STEPS, "Trace": n}
        assert store.support(["insight-shared"])["insight-shared"].traces == n
        assert store.statistics([]).memories == 2 * n + 1
        assert Counter(t.scope for t in store.find("Trace")) == dict.fromkeys("abcde", batches)
    check_file(path)


def test_a_search_sees_what_another_open_store_wrote(path: Path) -> None:
    with SQLiteStore.open(path, dim=4) as one, SQLiteStore.open(path, dim=4) as other:
        near, far = unit(1, 0, 0, 0), unit(0, 1, 0, 0)
        one.write(Batch(nodes=(insight("a"), insight("b")), vectors={"insight-a": near}))
        assert found(other, vector=near, limit=1) == ["insight-a"]
        assert found(other, terms=("test",)) == ["insight-a", "insight-b"]
        other.write(Batch(vectors={"insight-a": far, "insight-b": near}))
        assert found(one, vector=near, limit=1) == ["insight-b"]
        one.write(Batch(nodes=(insight("a", "Pin it", level=4, scope="acme/api"),)))
        assert found(other, vector=far, limit=1, scope=Scope.of()) == ["insight-b"]
        assert found(other, vector=far, limit=1, min_level=4) == ["insight-a"]
        assert found(other, terms=("test",)) == ["insight-b"]
        one.delete(["insight-b"])
        one.write(Batch(nodes=(insight("c", "Pin it"),)))
        assert found(other, vector=near) == ["insight-a"]
        assert found(other, terms=("pin",)) == ["insight-a", "insight-c"]


def test_one_store_serves_many_threads(path: Path) -> None:
    with SQLiteStore.open(path, dim=4) as store:

        def work(thread: int) -> int:
            seen = 0
            for n in range(10):
                vector = unit(1, thread, n, 1)
                store.write(
                    Batch(
                        nodes=(insight(f"{thread}-{n}"),),
                        vectors={f"insight-{thread}-{n}": vector},
                    )
                )
                seen += f"insight-{thread}-{n}" in found(store, vector=vector, limit=1)
            return seen

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(work, range(8))) == [10] * 8
        assert store.statistics([term_id("test")]).document_frequency == {term_id("test"): (80, 80)}


def write_one(store: SQLiteStore, name: str) -> None:
    store.write(Batch(nodes=(insight(name),)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks, such as Linux")
def test_a_forked_process_may_use_the_store_it_inherited(path: Path) -> None:
    with SQLiteStore.open(path, dim=4) as store:
        write_one(store, "before")
        assert found(store, terms=("test",)) == ["insight-before"]
        child = multiprocessing.get_context("fork").Process(target=write_one, args=(store, "child"))
        child.start()
        write_one(store, "parent")
        child.join()
        assert child.exitcode == 0
        names = ["insight-before", "insight-child", "insight-parent"]
        assert found(store, terms=("test",)) == names
    check_file(path)


def test_a_read_leaves_no_transaction_open(path: Path) -> None:
    with SQLiteStore.open(path, dim=4) as store:
        write_one(store, "a")
        store.find("Insight", limit=0)
        store.get(["insight-a"])
        found(store, terms=("test",), vector=unit(1, 0, 0, 0))
        assert store.setting("none") is None
        connection = apsw.Connection(str(path))
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0]
        assert busy == 0
        connection.close()


def test_a_new_file_is_marked_and_has_the_newest_schema(path: Path) -> None:
    store = SQLiteStore.open(path.parent / "new" / "folder" / "memory.db")
    store.close()
    connection = apsw.Connection(str(path.parent / "new" / "folder" / "memory.db"))
    assert connection.pragma("user_version") == len(scripts()) >= 1
    assert connection.pragma("application_id") == APPLICATION_ID
    assert connection.pragma("journal_mode") == "wal"
    connection.close()


def test_an_empty_file_becomes_a_store_and_a_copy_without_its_log_is_one(path: Path) -> None:
    path.touch()
    with SQLiteStore.open(path) as store:
        write_one(store, "a")
    copy = path.with_name("copy.db")
    connection = apsw.Connection(str(path))
    connection.execute("VACUUM INTO ?", (str(copy),))
    connection.close()
    with SQLiteStore.open(f"sqlite://{copy}") as store:
        assert list(store.get(["insight-a"])) == ["insight-a"]
        write_one(store, "b")
        assert found(store, terms=("test",)) == ["insight-a", "insight-b"]


def test_a_file_of_a_later_version_is_refused(path: Path) -> None:
    SQLiteStore.open(path).close()
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 99)
    connection.close()
    with pytest.raises(SchemaError) as raised:
        SQLiteStore.open(path)
    assert str(raised.value) == (
        f"The store {path} has schema version 99; this program knows up to {len(scripts())}."
    )
    assert raised.value.hint == "Upgrade with: pip install --upgrade stepladder"


def test_a_database_of_another_program_is_refused_and_left_as_it_was(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE bookmark (url TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"is a database of another program\.$"):
        SQLiteStore.open(path)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["memory.db"]


def test_a_file_that_is_no_database_is_refused_and_left_as_it_was(path: Path) -> None:
    text = "not a database\n" * 100
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StoreError, match=r"is not a store\.") as raised:
        SQLiteStore.open(path)
    assert raised.value.hint == "Give the path of another file, or of one that does not exist yet."
    assert path.read_text(encoding="utf-8") == text


def test_a_folder_in_place_of_a_file_is_refused(path: Path) -> None:
    path.mkdir()
    with pytest.raises(StoreError, match=r"could not be opened\."):
        SQLiteStore.open(path)
    (path / "file").touch()
    with pytest.raises(StoreError, match="could not be made"):
        SQLiteStore.open(path / "file" / "memory.db")


def test_a_damaged_file_is_named(path: Path) -> None:
    with SQLiteStore.open(path) as store:
        store.write(Batch(nodes=tuple(insight(str(i), "word " * 50) for i in range(200))))
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\7" * (size - 3 * 8192))
    with (
        pytest.raises(StoreError, match=r"is damaged\.") as raised,
        SQLiteStore.open(path) as store,
    ):
        store.find("Insight")
    assert "ingest the runs again" in raised.value.hint


def test_a_write_gives_up_where_another_process_keeps_the_lock(path: Path) -> None:
    with SQLiteStore.open(path, timeout_s=0.01) as store:
        connection = apsw.Connection(str(path))
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"stayed locked by another process\.") as raised:
            write_one(store, "a")
        assert raised.value.hint == "Try again once the other process has finished writing."
        assert store.find("Insight") == []
        connection.execute("ROLLBACK")
        connection.close()
        write_one(store, "a")


def test_a_full_disk_is_named_and_keeps_what_was_written(path: Path) -> None:
    with SQLiteStore.open(path) as store:
        write_one(store, "a")
    connection = apsw.Connection(str(path))
    pages = connection.pragma("page_count")
    connection.pragma("max_page_count", pages)
    with pytest.raises(apsw.FullError) as raised:
        connection.execute("INSERT INTO setting VALUES ('x', hex(zeroblob(?)))", (pages * 4096,))
    error = as_store_error(raised.value, path)
    connection.close()
    assert str(error).startswith(f"The disk that holds the store {path} is full.")
    with SQLiteStore.open(path) as store:
        assert list(store.get(["insight-a"])) == ["insight-a"]


OPEN_AS_NOBODY = """
import os, sys
from pathlib import Path
from stepladder.kg.errors import StoreError
from stepladder.kg.stores.sqlite import SQLiteStore
from stepladder.kg.types import Batch, Insight

if os.geteuid() == 0:
    os.setuid(65534)
try:
    store = SQLiteStore.open(Path(sys.argv[1]))
    store.write(Batch(nodes=(Insight(id="insight-b", created="", title="t"),)))
except StoreError as error:
    print(error, error.hint)
"""


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="needs POSIX rights of files")
def test_a_read_only_folder_is_named() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "memory.db"
        with SQLiteStore.open(path) as store:
            write_one(store, "a")
        path.chmod(stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
        folder.chmod(0o555)
        command = [sys.executable, "-c", OPEN_AS_NOBODY]
        kept = subprocess.run([*command, str(path)], capture_output=True, text=True, check=True)
        new = subprocess.run(
            [*command, str(folder / "new.db")], capture_output=True, text=True, check=True
        )
        folder.chmod(0o755)
        assert "Check that its folder exists and that you may write in it." in new.stdout
        assert "write there" in kept.stdout or "may write in it" in kept.stdout


def test_vectors_of_another_length_are_refused_until_they_are_reset(path: Path) -> None:
    with SQLiteStore.open(path, dim=4) as store:
        store.write(Batch(nodes=(insight("a"),), vectors={"insight-a": unit(1, 0, 0, 0)}))
    with SQLiteStore.open(path, dim=2) as store:
        longer = {"insight-a": unit(1, 0)}
        with pytest.raises(EmbeddingError, match="vectors of 4 numbers") as raised:
            store.write(Batch(vectors=longer))
        assert raised.value.hint.endswith("stepladder reembed")
        with pytest.raises(EmbeddingError, match="vectors of 4 numbers"):
            found(store, vector=unit(1, 0))
        store.reset_vectors(dim=2)
        assert [c.vector for c in store.features(["insight-a"])] == [None]
        assert found(store, terms=("test",), vector=unit(1, 0)) == ["insight-a"]
        assert store.write(Batch(vectors=longer)) == WriteReport(changed=1)
        assert found(store, vector=unit(1, 0)) == ["insight-a"]


def test_a_store_without_vectors_takes_the_length_it_is_opened_with(path: Path) -> None:
    with SQLiteStore.open(path, dim=4) as store:
        write_one(store, "a")
    with SQLiteStore.open(path, dim=2, centre=np.array([0.5, 0], np.float32)) as store:
        store.write(Batch(vectors={"insight-a": unit(1, 0)}))
        assert found(store, vector=unit(1, 0)) == ["insight-a"]
    with pytest.raises(UsageError, match="does not fit vectors of 2 numbers"):
        SQLiteStore.open(path, dim=2, centre=np.zeros(3, np.float32))


def test_values_that_are_not_finite_are_refused(path: Path) -> None:
    with SQLiteStore.open(path, dim=2) as store:
        broken = np.array([np.nan, 1], np.float32)
        with pytest.raises(EmbeddingError, match="not finite"):
            store.write(Batch(nodes=(insight("a"),), vectors={"insight-a": broken}))
        assert store.find("Insight") == []


def test_a_term_that_is_everywhere_is_looked_up_only_where_it_comes_first(path: Path) -> None:
    with SQLiteStore.open(path, dim=2) as store:
        common = tuple(insight(f"{i:04d}", "common") for i in range(2500))
        store.write(Batch(nodes=(*common, insight("rare", "rare word"))))
        assert found(store, terms=("rare", "common")) == ["insight-rare"]
        assert len(found(store, terms=("common", "rare"), limit=50)) == 50


def test_memories_past_the_first_blocks_are_found(path: Path) -> None:
    """Positions 512 and 4,096 begin new blocks of the catalogue and of the postings."""
    with SQLiteStore.open(path, dim=2) as store:
        names = [f"{i:05d}" for i in range(5000)]
        nodes = tuple(insight(n, f"word{int(n) % 50} x{n}") for n in names)
        store.write(Batch(nodes=nodes, vectors={f"insight-{names[-1]}": unit(1, 0)}))
        for n in ("00000", "00511", "00512", "04094", "04095", "04096", "04999"):
            assert found(store, terms=(f"x{n}",)) == [f"insight-{n}"]
        assert len(found(store, terms=("word7",), limit=200)) == 100
        assert found(store, vector=unit(1, 0)) == ["insight-04999"]
        store.delete([f"insight-{n}" for n in names[:4990]])
        assert found(store, terms=tuple(f"word{i}" for i in range(50))) == [
            f"insight-{n}" for n in names[4990:]
        ]
        assert store.statistics([term_id("x00000"), term_id("x04999")]).document_frequency == {
            term_id("x04999"): (1, 1)
        }


def test_a_circle_of_generalisations_ends(path: Path) -> None:
    up = tuple(
        Edge(source=a, type="GENERALIZES_TO", target=b)
        for a, b in (
            ("trace-1", "insight-a"),
            ("insight-a", "insight-b"),
            ("insight-b", "insight-a"),
        )
    )
    with SQLiteStore.open(path, dim=2) as store:
        trace = Trace(id="trace-1", created="", title="t")
        store.write(Batch(nodes=(trace, insight("a"), insight("b")), edges=up))
        ids = ["insight-a", "insight-b"]
        assert len(store.ancestry(["trace-1"])) == 3
        assert [s.traces for s in store.support(ids).values()] == [1, 1]
        store.delete_edges(up[:1])
        assert [s.traces for s in store.support(ids).values()] == [0, 0]


def test_a_node_keeps_its_kind(path: Path) -> None:
    with SQLiteStore.open(path, dim=2) as store:
        write_one(store, "a")
        step = Step(id="insight-a", created="", index=0, phase="run", tool="bash", command="ls")
        with pytest.raises(StoreError, match="has label Insight and cannot take Step"):
            store.write(Batch(nodes=(step,)))


def test_texts_lie_in_the_file_as_they_are_read(path: Path) -> None:
    with SQLiteStore.open(path, dim=2) as store:
        store.write(Batch(nodes=(insight("a", "Caf\u00e9", domains=("web",)),)))
    connection = apsw.Connection(str(path))
    row = connection.execute("SELECT label, level, scope, properties FROM node").fetchall()[0]
    connection.close()
    assert row[:3] == ("Insight", 3, "shared")
    assert json.loads(row[3]) == {
        "domains": ["web"],
        "level": 3,
        "origin": "rules",
        "title": "Caf\u00e9",
    }
    assert "Caf\u00e9" in row[3]
