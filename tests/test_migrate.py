"""`migrate` between two files: what it says, what it leaves alone, how it goes on."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stepladder import KnowledgeBase
from stepladder.cli import main
from stepladder.kg.errors import EmbeddingError, StoreError
from stepladder.kg.migrate import MigrateProgress, migrate
from stepladder.kg.stores import is_there, same_place, shown
from stepladder.kg.types import Batch, Edge, Insight

Run = Callable[..., Result]


def insight(name: str, title: str = "Run the tests", created: str = "2026-01-01") -> Insight:
    return Insight(id=f"insight-{name}", created=created, title=title)


def link(a: str, b: str) -> Edge:
    return Edge(source=f"insight-{a}", type="SIMILAR_TO", target=f"insight-{b}", score=0.5)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with KnowledgeBase.open(path) as kb:
        kb.import_memories([{"id": f"insight-{n}", "title": f"Rule {n}"} for n in "abc"])
        kb.store.write(Batch(edges=(link("a", "b"),)))
        kb.store.set_setting("consolidation.decisions", "{}")
    return path


@pytest.fixture
def stepladder(store: Path) -> Run:
    def run(*words: str) -> Result:
        return CliRunner().invoke(main, ["--store", str(store), "migrate", *words])

    return run


def test_everything_arrives_and_a_second_time_nothing_is_new(
    stepladder: Run, store: Path, tmp_path: Path
) -> None:
    to = tmp_path / "other.db"
    first = json.loads(stepladder("--to", str(to), "--json").stdout)
    again = json.loads(stepladder("--to", str(to), "--json").stdout)
    checksums = first.pop("checksums")
    assert sorted(checksums) == ["Insight", "SIMILAR_TO"]
    assert first == {
        "to": str(to),
        "dry_run": False,
        "nodes": {"Insight": 3},
        "edges": {"SIMILAR_TO": 1},
        "added": 3,
        "changed": 0,
        "edges_added": 1,
        "vectors": 3,
    }
    assert again == {**first, "added": 0, "edges_added": 0, "checksums": checksums}
    with KnowledgeBase.open(store) as ours, KnowledgeBase.open(to) as theirs:
        assert list(theirs.store.export()) == list(ours.store.export())
        assert theirs.store.setting("consolidation.decisions") == "{}"


def test_a_dry_run_says_the_same_and_makes_nothing(stepladder: Run, tmp_path: Path) -> None:
    to = tmp_path / "other.db"
    planned = json.loads(stepladder("--to", str(to), "--dry-run", "--json").stdout)
    assert not to.exists()
    done = json.loads(stepladder("--to", str(to), "--json").stdout)
    assert planned == {**done, "dry_run": True, "checksums": {}}


def test_a_dry_run_tells_what_is_there_and_what_would_change(
    stepladder: Run, tmp_path: Path
) -> None:
    to = tmp_path / "other.db"
    stepladder("--to", str(to))
    with KnowledgeBase.open(to) as kb:
        kb.store.delete(["insight-a"])
        kb.store.write(Batch(nodes=(insight("b", "Said otherwise", created=""),)))
    planned = json.loads(stepladder("--to", str(to), "--dry-run", "--json").stdout)
    assert [planned[name] for name in ("added", "changed", "edges_added")] == [1, 1, 1]
    done = json.loads(stepladder("--to", str(to), "--json").stdout)
    assert [done[name] for name in ("added", "changed", "edges_added")] == [1, 1, 1]


def test_people_read_counts_and_the_next_command(stepladder: Run, tmp_path: Path) -> None:
    to = str(tmp_path / "other.db")
    planned = stepladder("--to", to, "--dry-run")
    assert planned.stdout.startswith("Would be copied")
    assert planned.stdout.endswith(
        f"3 nodes and 1 relationships would be new in {to}, 0 would change.\n"
    )
    done = stepladder("--to", to)
    assert done.stdout.startswith("Copied")
    assert done.stdout.endswith(
        f"3 nodes and 1 relationships are new in {to}, 0 changed, the rest was there.\n"
        "Numbers and checksums of every label and type are the same on both sides, "
        "3 vectors included.\n"
        f"Use it: stepladder --store {to} query 'your task'\n"
    )
    assert done.stderr == ""


def test_a_store_is_not_copied_into_itself(stepladder: Run, store: Path) -> None:
    result = stepladder("--to", f"sqlite://{store}")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: Both are the same store: sqlite://")


def test_an_empty_store_is_not_worth_the_way(tmp_path: Path) -> None:
    empty, to = tmp_path / "empty.db", tmp_path / "other.db"
    result = CliRunner().invoke(main, ["--store", str(empty), "migrate", "--to", str(to)])
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: There is nothing to move: the store is empty.\n"
        "  Name the one to move: stepladder --store PATH migrate --to ADDRESS\n"
    )
    assert not to.exists()


def test_a_kind_of_store_that_nobody_knows_is_named(stepladder: Run) -> None:
    result = stepladder("--to", "neo4k://localhost")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: Unknown store 'neo4k'. Did you mean 'neo4j'?")


def test_progress_ends_at_the_whole_in_both_phases(store: Path, tmp_path: Path) -> None:
    told: list[MigrateProgress] = []
    with KnowledgeBase.open(store) as kb:
        kb.migrate(str(tmp_path / "other.db"), on_progress=told.append)
    ends = {p.phase: (p.done, p.total) for p in told}
    assert ends == {"copying": (4, 4), "comparing": (4, 4)}


def test_vectors_of_another_embedder_are_refused_before_anything_is_written(
    stepladder: Run, tmp_path: Path
) -> None:
    to = tmp_path / "other.db"
    with KnowledgeBase.open(to) as kb:
        kb.store.set_setting("embedder", "other-256")
    for words in ((), ("--dry-run",)):
        result = stepladder("--to", str(to), *words)
        assert result.exit_code == 1
        assert "The store's vectors come from 'other-256'" in result.stderr


def test_stores_of_two_embedders_are_not_mixed(store: Path, tmp_path: Path) -> None:
    with KnowledgeBase.open(store) as one, KnowledgeBase.open(tmp_path / "o.db") as other:
        other.store.set_setting("embedder", "other-256")
        with pytest.raises(EmbeddingError, match="those of the target from 'other-256'"):
            migrate(one.store, other.store)
        assert other.store.counts().labels == {}


def test_what_another_process_takes_out_meanwhile_is_told(store: Path, tmp_path: Path) -> None:
    """The target is changed between the copying and the comparing."""
    with KnowledgeBase.open(store) as one, KnowledgeBase.open(tmp_path / "o.db") as other:

        def take_out(state: MigrateProgress) -> None:
            if state.phase == "copying" and state.done == state.total:
                other.store.delete(["insight-c"])

        with pytest.raises(StoreError, match=r"Insight \(2 of 3\)") as raised:
            migrate(one.store, other.store, on_progress=take_out)
        assert "run the same command again" in raised.value.hint


@pytest.mark.skipif(os.name == "nt", reason="a process is interrupted by a signal on POSIX only")
def test_an_interrupted_migration_says_so_and_goes_on(tmp_path: Path) -> None:
    store, to = tmp_path / "large.db", tmp_path / "other.db"
    with KnowledgeBase.open(store) as kb:
        many = tuple(insight(f"{n:05d}", f"Rule {n}") for n in range(5000))
        kb.store.write(Batch(nodes=many))
    interrupting = (
        "import os, signal, sys\n"
        # A shell has what it starts in the background ignore the signal, and so have its children.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from stepladder.cli import main\n"
        "from stepladder.kg.stores.sqlite import SQLiteStore\n"
        "write, left = SQLiteStore.write, [2]\n"
        "def writing(store, batch):\n"
        "    left[0] -= 1\n"
        "    if left[0] < 0:\n"
        f"        os.kill(os.getpid(), {int(signal.SIGINT)})\n"
        "    return write(store, batch)\n"
        "SQLiteStore.write = writing\n"
        "main()\n"
    )
    words = ["--store", str(store), "migrate", "--to", str(to), "--json"]
    stopped = subprocess.run(
        [sys.executable, "-c", interrupting, *words], capture_output=True, encoding="utf-8"
    )
    assert stopped.returncode == 130
    assert stopped.stderr == "Stopped. What was copied is kept; run it again to go on.\n"
    result = CliRunner().invoke(main, words)
    assert json.loads(result.stdout)["added"] == 3000
    assert json.loads(result.stdout)["nodes"] == {"Insight": 5000}


class TestAddresses:
    def test_a_password_is_not_shown(self) -> None:
        assert shown("neo4j://ada:secret@host:7687/team") == "neo4j://host:7687/team"
        assert shown("neo4j://host") == "neo4j://host"
        assert shown("notes@home.db") == "notes@home.db"

    def test_one_store_has_several_addresses(self, tmp_path: Path) -> None:
        path = tmp_path / "memory.db"
        assert same_place(str(path), f"sqlite://{path}")
        assert same_place("neo4j://ada:secret@Host:7687", "bolt://host:7687/")
        assert not same_place("neo4j://host:7687/a", "neo4j://host:7687/b")
        assert not same_place(str(path), "neo4j://host")

    def test_a_file_is_there_or_not(self, store: Path, tmp_path: Path) -> None:
        assert is_there(str(store))
        assert is_there(f"sqlite://{store}")
        assert not is_there(str(tmp_path / "none.db"))
