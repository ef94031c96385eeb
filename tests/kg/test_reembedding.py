"""Another embedder for a store: all vectors at once, or none, however it ends."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from click.testing import CliRunner

from stepladder import KnowledgeBase
from stepladder.cli import main
from stepladder.kg.embedding.static import StaticEmbedder
from stepladder.kg.errors import EmbeddingError, UsageError
from stepladder.kg.reembedding import reembed
from stepladder.kg.stores.sqlite.store import SQLiteStore
from stepladder.kg.types import Vector

EXAMPLES = Path(__file__).parents[2] / "examples" / "repo-bugfix"
QUERY = "the check fails after the module was changed"

EMBEDDER = '''
import numpy as np
from stepladder.kg.embedding.static import StaticEmbedder

class Turned:
    """As long as our own vectors, so that their length cannot tell them apart."""

    def __init__(self):
        self._static = StaticEmbedder()
        self.name, self.dim = "turned:Turned", self._static.dim
        self.centre = np.ascontiguousarray(self._static.centre[::-1])

    def encode(self, texts):
        return np.ascontiguousarray(self._static.encode([t[::-1] for t in texts])[:, ::-1])
'''

KILLED = """
import os, signal, sys
from stepladder import KnowledgeBase
from turned import Turned

last, count, marks = int(sys.argv[2]), 0, []

def watch(frame, event, argument):
    global count
    name = frame.f_code.co_filename
    if not name.endswith("reembedding.py") and "sqlite" not in name:
        return
    count += 1
    if frame.f_code.co_name == "switch_vectors" and event in ("call", "return"):
        marks.append(count)
    if count == last:
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

embedder = Turned()
sys.setprofile(watch)
KnowledgeBase.reembed(sys.argv[1], embedder=embedder)
sys.setprofile(None)
print(*marks, count)
"""


class Turned:
    """The embedder of the subprocesses, here."""

    name = "turned:Turned"

    def __init__(self) -> None:
        self._static = StaticEmbedder()
        self.dim = self._static.dim
        self.centre = np.ascontiguousarray(self._static.centre[::-1])
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vector:
        self.texts += texts
        return np.ascontiguousarray(self._static.encode([t[::-1] for t in texts])[:, ::-1])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of runs and 700 memories, embedded with our own embedder."""
    folder = tmp_path_factory.mktemp("made")
    with KnowledgeBase.open(folder / "memory.db") as kb:
        kb.ingest([EXAMPLES])
        rows = ({"title": f"Check part {n} of the module"} for n in range(700))
        kb.import_memories(list(rows))
    return folder


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy")) / "memory.db"


def answers(store: Path, embedder: Any) -> list[tuple[str, float]]:
    with KnowledgeBase.open(store, embedder=embedder) as kb:
        return [(h.memory.id, round(h.score, 5)) for h in kb.search(QUERY, k=20)]


def vectors(store: Path) -> tuple[str | None, dict[str, tuple[str, bytes]]]:
    """Who the vectors are said to come from, and each memory's text and vector."""
    with SQLiteStore.open(store) as opened:
        ids = [n.id for name in ("Trace", "Workflow", "Summary", "Insight")
               for n in opened.find(name)]  # fmt: skip
        found = {
            c.memory.id: (c.memory.key, b"" if c.vector is None else c.vector.tobytes())
            for c in opened.features(ids)
        }
        return opened.setting("embedder"), found


def expected(found: dict[str, tuple[str, bytes]], embedder: Any) -> dict[str, tuple[str, bytes]]:
    rows = embedder.encode([key for key, _ in found.values()])
    return {
        id: (key, np.asarray(v, "<f4").tobytes())
        for (id, (key, _)), v in zip(found.items(), rows, strict=True)
    }


def test_all_vectors_are_those_of_the_other_embedder(store: Path) -> None:
    before = vectors(store)
    told: list[tuple[int, int]] = []
    done = KnowledgeBase.reembed(
        store, embedder=Turned(), on_progress=lambda *counts: told.append(counts)
    )
    assert done is not None
    name, found = vectors(store)
    assert (name, done.before, done.after) == ("turned:Turned", "static-256", "turned:Turned")
    assert found == expected(found, Turned())
    assert {id: key for id, (key, _) in found.items()} == {
        id: key for id, (key, _) in before[1].items()
    }
    assert done.memories == len(found)
    assert told == sorted(told)
    assert told[-1] == (done.embedded, done.embedded)
    assert sorted(p.name for p in store.parent.iterdir() if "reembed" in p.name) == []
    assert [id for id, _ in answers(store, Turned())]
    again = KnowledgeBase.reembed(store, embedder=Turned())
    assert again is not None
    assert (again.memories, again.embedded) == (0, 0)


def test_there_and_back_is_the_store_from_before(store: Path) -> None:
    before, said = vectors(store), answers(store, StaticEmbedder())
    KnowledgeBase.reembed(store, embedder=Turned())
    with pytest.raises(EmbeddingError, match="turned") as caught:
        KnowledgeBase.open(store, embedder="static-256")
    assert "STEPLADDER_EMBEDDER=turned:Turned" in caught.value.hint
    KnowledgeBase.reembed(store, embedder="static-256")
    assert vectors(store) == before
    assert answers(store, StaticEmbedder()) == said


def test_vectors_of_another_length_are_taken(store: Path) -> None:
    class Short(Turned):
        name = "short"

        def __init__(self) -> None:
            super().__init__()
            self.dim, self.centre = 64, self.centre[:64]

        def encode(self, texts: Sequence[str]) -> Vector:
            return super().encode(texts)[:, :64]

    KnowledgeBase.reembed(store, embedder=Short())
    _, found = vectors(store)
    assert found == expected(found, Short())
    assert answers(store, Short())


def test_killed_at_any_point_the_store_answers_with_the_old_or_the_new_vectors(
    store: Path, tmp_path: Path
) -> None:
    (tmp_path / "turned.py").write_text(EMBEDDER, encoding="utf-8")
    (tmp_path / "killed.py").write_text(KILLED, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}

    def call(file: Path, last: int) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, str(tmp_path / "killed.py"), str(file), str(last)]
        return subprocess.run(words, capture_output=True, text=True, env=environment, check=False)

    def copied(name: str) -> Path:
        return Path(shutil.copytree(store.parent, tmp_path / name)) / store.name

    old, said_old = vectors(store), answers(store, StaticEmbedder())
    whole = copied("whole")
    done = call(whole, 0)
    assert done.returncode == 0, done.stderr
    begins, ends, all_events = map(int, done.stdout.split())
    new, said_new = vectors(whole), answers(whole, Turned())
    assert said_new != said_old
    moments = {
        *(begins * n // 5 for n in range(1, 5)),
        *(begins + (ends - begins) * n // 9 for n in range(10)),
        ends - 4, ends - 2, ends - 1, ends + 1, all_events - 1,
    }  # fmt: skip
    seen = set()
    for moment in sorted(moments):
        file = copied(f"at-{moment}")
        ended = call(file, moment)
        assert ended.returncode != 0
        found = vectors(file)
        assert found in (old, new), moment
        is_new = found == new
        seen.add(is_new)
        embedder = Turned() if is_new else StaticEmbedder()
        assert answers(file, embedder) == (said_new if is_new else said_old)
        KnowledgeBase.reembed(file, embedder=Turned())
        assert vectors(file) == new
        assert not [p for p in file.parent.iterdir() if "reembed" in p.name]
    assert seen == {True, False}


def test_what_was_embedded_before_it_stopped_is_not_embedded_again(store: Path) -> None:
    class Failing(Turned):
        def encode(self, texts: Sequence[str]) -> Vector:
            if len(self.texts) > 300:
                raise EmbeddingError("The server is gone.")
            return super().encode(texts)

    first, second = Failing(), Turned()
    before = vectors(store)
    with pytest.raises(EmbeddingError, match="gone"):
        KnowledgeBase.reembed(store, embedder=first)
    assert vectors(store) == before
    KnowledgeBase.reembed(store, embedder=second)
    assert first.texts
    assert not set(first.texts) & set(second.texts)


def test_what_comes_in_meanwhile_is_embedded_too(store: Path) -> None:
    added: list[str] = []

    class Disturbed(Turned):
        def encode(self, texts: Sequence[str]) -> Vector:
            if len(added) < 3:
                added.append(f"What was learned meanwhile, part {len(added)}")
                with KnowledgeBase.open(store, embedder="static-256") as kb:
                    kb.import_memories([{"title": added[-1]}])
            return super().encode(texts)

    KnowledgeBase.reembed(store, embedder=Disturbed())
    _, found = vectors(store)
    assert set(added) <= {key for key, _ in found.values()}
    assert found == expected(found, Turned())


def test_who_had_the_store_open_before_mixes_nothing_in(store: Path) -> None:
    with KnowledgeBase.open(store, embedder="static-256") as kb:
        assert kb.search(QUERY)
        KnowledgeBase.reembed(store, embedder=Turned())
        with pytest.raises(EmbeddingError, match="turned:Turned"):
            kb.search(QUERY)
        with pytest.raises(EmbeddingError, match="turned:Turned"):
            kb.import_memories([{"title": "One more"}])
    _, found = vectors(store)
    assert found == expected(found, Turned())


def test_a_store_that_cannot_change_all_at_once_is_left_alone(tmp_path: Path) -> None:
    class Other:
        """A store of somebody else's, without the method."""

    with pytest.raises(UsageError, match="at once") as caught:
        reembed(Other(), Turned(), staging=tmp_path / "s.db")  # type: ignore[arg-type]
    assert "stepladder migrate" in caught.value.hint


# --- the command ---------------------------------------------------------------------------------


def test_the_command_changes_and_tells(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "turned.py").write_text(EMBEDDER, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))

    def run(*words: str) -> Any:
        return CliRunner().invoke(main, ["--store", str(store), *words])

    before = vectors(store)
    counted = json.loads(run("reembed", "turned:Turned", "--dry-run", "--json").stdout)
    assert counted["texts"] > 700
    assert vectors(store) == before
    done = run("reembed", "turned:Turned")
    assert "have vectors of turned:Turned now" in done.stdout
    assert "STEPLADDER_EMBEDDER=turned:Turned" in done.stderr
    assert "already" in run("reembed", "turned:Turned").stdout
    assert run("query", QUERY).exit_code == 1
    monkeypatch.setenv("STEPLADDER_EMBEDDER", "turned:Turned")
    assert run("query", QUERY, "--json").exit_code == 0
    absent = CliRunner().invoke(main, ["--store", str(tmp_path / "no.db"), "reembed", "static-256"])
    assert (absent.exit_code, (tmp_path / "no.db").exists()) == (2, False)


def test_texts_go_to_a_server_only_after_a_yes(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPLADDER_EMBEDDER_URL", "http://127.0.0.1:9/v1")
    before = vectors(store)
    words = ["--store", str(store), "reembed", "openai:tiny"]
    refused = CliRunner().invoke(main, words)
    assert refused.exit_code != 0
    assert vectors(store) == before


class _Remote(BaseHTTPRequestHandler):
    """Embeds with the turned embedder, as OpenAI's API does."""

    sent: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.sent.extend(request["input"])
        rows = Turned().encode(request["input"]).tolist()
        data = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        body = json.dumps({"object": "list", "data": data, "model": "tiny", "usage": usage})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet."""


def test_a_model_behind_a_server_embeds_and_answers(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Remote) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        monkeypatch.setenv("STEPLADDER_EMBEDDER_URL", url)
        words = ["--store", str(store)]
        done = CliRunner().invoke(main, [*words, "reembed", "openai:tiny", "--yes"])
        monkeypatch.setenv("STEPLADDER_EMBEDDER", "openai:tiny")
        asked = CliRunner().invoke(main, [*words, "query", QUERY, "--json"])
        server.shutdown()
        thread.join()
    assert "have vectors of openai:tiny now" in done.stdout
    assert (asked.exit_code, QUERY in _Remote.sent) == (0, True)
    name, found = vectors(store)
    assert name == "openai:tiny"
    for id, (_, blob) in expected(found, Turned()).items():
        near = np.frombuffer(found[id][1], "<f4") @ np.frombuffer(blob, "<f4")
        assert near == pytest.approx(1.0, abs=1e-5)
