"""The file of the ledger: opened, made, and brought up to date."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import apsw

from ...kg.errors import LlmError

_WAIT_MS: Final = 10_000
_TURN_MS: Final = 1_000
_TURNS: Final = 300
"""Waits of a second for a process that hands questions in. Chosen by us: an upload takes less."""

_VERSIONS: Final = (
    """
CREATE TABLE calls (
    id INTEGER PRIMARY KEY, hash TEXT NOT NULL, model TEXT NOT NULL, prompt TEXT NOT NULL,
    state TEXT NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
    usd_nano INTEGER NOT NULL, counted INTEGER NOT NULL
) STRICT;
CREATE TABLE answers (
    hash TEXT PRIMARY KEY, model TEXT NOT NULL, prompt TEXT NOT NULL, fits INTEGER NOT NULL,
    text TEXT NOT NULL
) STRICT, WITHOUT ROWID;
""",
    """
ALTER TABLE calls ADD COLUMN estimated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE calls ADD COLUMN batch TEXT NOT NULL DEFAULT '';
""",
)
"""What makes each version of the file out of the one before. `batch` is the id of a batch that a
call is part of, or the id of its uploaded file before the batch is made."""


def open_ledger_file(path: Path) -> apsw.Connection:
    """Open a ledger's file, making it or bringing it up to date."""
    file = apsw.Connection(str(path))
    file.set_busy_timeout(_WAIT_MS)
    file.execute("PRAGMA journal_mode = WAL")
    # A process that is killed loses nothing so; where the power fails, a last call is made again.
    file.execute("PRAGMA synchronous = NORMAL")
    file.execute("BEGIN IMMEDIATE")
    known = int(file.pragma("user_version"))
    for number, script in enumerate(_VERSIONS[known:], start=known + 1):
        file.execute(script)
        file.pragma("user_version", number)
    file.execute("COMMIT")
    return file


@contextmanager
def turn(path: Path) -> Iterator[None]:
    """Wait until nobody else hands questions in by a ledger, and keep others waiting meanwhile.

    An empty file beside it is locked; the system unlocks it where a process is killed.

    Raises:
        LlmError: somebody else hands questions in all the time.
    """
    with closing(apsw.Connection(str(path.with_name(f"{path.name}.lock")))) as lock:
        # Short waits, so that an interruption gets through.
        lock.set_busy_timeout(_TURN_MS)
        for _ in range(_TURNS):
            try:
                lock.execute("BEGIN EXCLUSIVE")
                break
            except apsw.BusyError:
                continue
        else:
            raise LlmError(
                "Another process hands questions in.", hint="Run it again when that has ended."
            )
        try:
            yield
        finally:
            lock.execute("ROLLBACK")
