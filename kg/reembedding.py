"""Changes the embedder of a store: new vectors are made beside it, then put in place at once.

The new vectors wait in a file of their own, by the text they are of, so that an interrupted change
goes on where it stopped. The store itself changes in one transaction: it answers with the old
vectors until that is done, and with the new ones after it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

import apsw
import numpy as np

from .errors import StoreError, UsageError
from .migrate import EMBEDDER_SETTING
from .protocols import Embedder, GraphStore
from .types import NODE_TYPES, Memory, Vector

_ENCODED_AT_ONCE: Final = 256
_PART: Final = 1000
_TRIES: Final = 20
"""How often the store may change meanwhile; each time only what is new is embedded."""

_LABELS: Final = tuple(name for name, kind in NODE_TYPES.items() if issubclass(kind, Memory))
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS made (embedder TEXT NOT NULL, dim INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS vector (text BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reembedded:
    """What changed: memories, and the texts that were embedded for them now."""

    before: str
    after: str
    memories: int
    embedded: int


@runtime_checkable
class SwitchesVectors(Protocol):
    """A store that can change all its vectors in one transaction."""

    def switch_vectors(
        self,
        parts: Iterable[Sequence[tuple[str, Vector]]],
        *,
        embedder: str,
        dim: int,
        centre: Vector,
        expected: int,
    ) -> bool:
        """Put other vectors in place of all; False where the store changed since `expected`."""
        ...


def texts_to_embed(store: GraphStore) -> list[str]:
    """The texts that another embedder would embed, each once."""
    return list(dict.fromkeys(key for _, key in _keys(store)))


def reembed(
    store: GraphStore,
    embedder: Embedder,
    *,
    staging: Path,
    on_progress: Callable[[int, int], None] | None = None,
) -> Reembedded:
    """Change the embedder of a store; `staging` is the file in which vectors wait.

    `on_progress` is told how many texts of how many are embedded.

    Raises:
        UsageError: the store cannot change its vectors in one transaction.
        EmbeddingError: the embedder failed; what it made so far is kept.
        StoreError: the store could not be read or written, or never stays as it is.
    """
    if not isinstance(store, SwitchesVectors):
        raise UsageError(
            "The vectors of this store cannot be changed at once: its index is of one length.",
            hint="Copy it into a file with `stepladder migrate`, change the file, and copy it into "
            "a new store.",
        )
    before = store.setting(EMBEDDER_SETTING) or ""
    if before == embedder.name:
        _remove(staging)
        return Reembedded(before=before, after=before, memories=0, embedded=0)
    embedded = 0
    with _Staging(staging, embedder) as made:
        for _ in range(_TRIES):
            expected = store.sequence()
            keys = _keys(store)
            embedded += made.add((key for _, key in keys), embedder, on_progress)
            if store.switch_vectors(
                made.parts(keys),
                embedder=embedder.name,
                dim=embedder.dim,
                centre=embedder.centre,
                expected=expected,
            ):
                break
        else:
            raise StoreError(
                "The store is written to all the time.",
                hint="Stop what writes to it, then run stepladder reembed again.",
            )
    _remove(staging)
    return Reembedded(before=before, after=embedder.name, memories=len(keys), embedded=embedded)


def _keys(store: GraphStore) -> list[tuple[str, str]]:
    """Every memory with the text its vector is of."""
    found = (n for label in _LABELS for n in store.find(label))
    return [(n.id, n.key) for n in found if isinstance(n, Memory)]


class _Staging:
    """Vectors by the hash of their text, in a file that outlives the process."""

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self._dim = embedder.dim
        self._file = apsw.Connection(str(path))
        self._file.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        self._file.execute(_SCHEMA)
        with self._file:
            made: list[Any] = self._file.execute("SELECT embedder, dim FROM made").fetchall()
            if made != [(embedder.name, self._dim)]:
                self._file.execute("DELETE FROM made; DELETE FROM vector")
                row = (embedder.name, self._dim)
                self._file.execute("INSERT INTO made VALUES (?, ?)", row)

    def __enter__(self) -> "_Staging":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(
        self,
        texts: Iterable[str],
        embedder: Embedder,
        on_progress: Callable[[int, int], None] | None,
    ) -> int:
        """Embed the texts that are new, and tell how many there were."""
        wanted = {_hash(t): t for t in texts}
        known = {row[0] for row in self._file.execute("SELECT text FROM vector")}
        missing = [(h, t) for h, t in wanted.items() if h not in known]
        done = len(wanted) - len(missing)
        for start in range(0, len(missing), _ENCODED_AT_ONCE):
            part = missing[start : start + _ENCODED_AT_ONCE]
            vectors = np.asarray(embedder.encode([t for _, t in part]), dtype="<f4")
            rows = [(h, v.tobytes()) for (h, _), v in zip(part, vectors, strict=True)]
            with self._file:
                self._file.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", rows)
            if on_progress:
                on_progress(done + start + len(part), len(wanted))
        return len(missing)

    def parts(self, keys: Sequence[tuple[str, str]]) -> Iterator[list[tuple[str, Vector]]]:
        """Ids with their vectors, some at a time."""
        for start in range(0, len(keys), _PART):
            yield [(id, self._vector(key)) for id, key in keys[start : start + _PART]]

    def _vector(self, key: str) -> Vector:
        sql = "SELECT vector FROM vector WHERE text = ?"
        rows: list[Any] = self._file.execute(sql, (_hash(key),)).fetchall()
        ((blob,),) = rows
        return np.frombuffer(blob, dtype="<f4")


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", errors="surrogatepass"), digest_size=16).digest()


def _remove(staging: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        staging.with_name(staging.name + suffix).unlink(missing_ok=True)
