"""Connections to the one file: lent to one caller at a time, closed before a fork."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Any, Final
from weakref import WeakSet

import apsw

from ...errors import SchemaError, StoreError

_JOURNAL_LIMIT_BYTES: Final = 64 * 2**20
_MAPPED_BYTES: Final = 2**30
"""So much of the file is read where the operating system holds it, without a copy: the rows of an
answer come 1.6 times as fast at 100,000 memories. Source: `python bench/retrieval.py`."""
_CHECKPOINT_PAGES: Final = 4000
"""Pages of 4 KiB in the log before they move to the file. A run touches hundreds of pages of the
term index, some again and again: SQLite's 1,000 pages would write a quarter more."""

_RETRY_S: Final = 0.02


class Connections:
    """A pool over one file, so that several threads may call the store at once.

    No connection keeps a transaction open between calls. Idle connections are closed before a
    fork, because SQLite's locks do not survive one; parent and child then open their own.
    """

    def __init__(
        self,
        path: Path,
        *,
        timeout_s: float,
        check: Callable[[apsw.Connection], object],
        migrate: Callable[[apsw.Connection], object],
    ) -> None:
        """Open the file, creating it where it is missing.

        Args:
            timeout_s: how long a call waits for another process before it gives up.
            check: raises where the file is not ours to change.
            migrate: brings the file up to date.
        """
        self.path = path
        self._timeout_s = timeout_s
        self._idle: list[apsw.Connection] = []
        self._lent: set[apsw.Connection] = set()
        self._closed = False
        self._lock = Lock()
        with _translated(path):
            connection = _connect(path, timeout_s)
            try:
                check(connection)
                _use_wal(connection, timeout_s)
                migrate(connection)
            except BaseException:
                connection.close()
                raise
        self._idle.append(connection)
        _close_before_forks()
        _POOLS.add(self)

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """Lend a connection inside one read transaction: all statements see the same state."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """Lend a connection inside one write transaction, which an exception undoes."""
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    def close(self) -> None:
        """Close what is idle now, and what is lent when it comes back."""
        with self._lock, _translated(self.path):
            self._closed = True
            self.close_idle()

    def close_idle(self) -> None:
        """Close the idle connections; the caller holds the lock."""
        while self._idle:
            self._idle.pop().close()

    def before_fork(self) -> None:
        """Leave the child no connection that is not in use."""
        self._lock.acquire()
        self.close_idle()

    def after_fork_in_parent(self) -> None:
        """Go on as before."""
        self._lock.release()

    def after_fork_in_child(self) -> None:
        """Forget what other threads of the parent held: it must not even be closed here."""
        _ABANDONED.extend(self._lent)
        self._lent.clear()
        self._lock = Lock()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[apsw.Connection]:
        with _translated(self.path), self._lent_connection() as connection:
            connection.execute(begin)
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _lent_connection(self) -> Iterator[apsw.Connection]:
        with self._lock:
            if self._closed:
                raise StoreError(
                    f"The store {self.path} is closed.", hint="Open it again before using it."
                )
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = _connect(self.path, self._timeout_s)
        self._lent.add(connection)
        try:
            yield connection
        finally:
            with self._lock:
                self._lent.discard(connection)
                if self._closed:
                    connection.close()
                else:
                    self._idle.append(connection)


_POOLS: Final[WeakSet[Connections]] = WeakSet()
_FORKING: Final[list[Connections]] = []
_ABANDONED: Final[list[apsw.Connection]] = []
_fork_hooks_set = False


def _close_before_forks() -> None:
    """Ask Python, once, to be told of forks. Windows has none."""
    global _fork_hooks_set
    if _fork_hooks_set or not hasattr(os, "register_at_fork"):
        return
    _fork_hooks_set = True
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )


def _before_fork() -> None:
    _FORKING.extend(_POOLS)
    for pool in _FORKING:
        pool.before_fork()


def _after_fork_in_parent() -> None:
    while _FORKING:
        _FORKING.pop().after_fork_in_parent()


def _after_fork_in_child() -> None:
    while _FORKING:
        _FORKING.pop().after_fork_in_child()


def _connect(path: Path, timeout_s: float) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    try:
        connection.set_busy_timeout(int(timeout_s * 1000))
        # NORMAL: a commit outlives the process, not a power cut; the file stays whole in both.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA journal_size_limit = {_JOURNAL_LIMIT_BYTES}")
        connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
        connection.wal_autocheckpoint(_CHECKPOINT_PAGES)
    except BaseException:
        connection.close()
        raise
    return connection


def _use_wal(connection: apsw.Connection, timeout_s: float) -> None:
    """Turn on write-ahead logging, which the file remembers.

    SQLite does not wait by itself where two processes do so at once.
    """
    deadline = monotonic() + timeout_s
    while True:
        try:
            if connection.pragma("journal_mode") != "wal":
                connection.pragma("journal_mode", "wal")
            return
        except apsw.BusyError:
            if monotonic() > deadline:
                raise
            sleep(_RETRY_S)


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise as_store_error(error, path) from error


def fetch(
    connection: apsw.Connection, query: str, values: Mapping[str, Any] | tuple[Any, ...] = ()
) -> list[tuple[Any, ...]]:
    """All rows of a query; no statement is left open."""
    return connection.execute(query, values).fetchall()


def as_store_error(error: apsw.Error, path: Path) -> StoreError:
    """Say what SQLite could not do with the file, and what to do about it."""
    for kind, message, hint in _MESSAGES:
        if isinstance(error, kind):
            return StoreError(f"{message.format(path=path)} SQLite: {error}", hint=hint)
    return StoreError(f"The store {path} failed. SQLite: {error}")


def newer_schema(path: str, *, found: int, known: int) -> SchemaError:
    """The error for a file that a later version of the program wrote."""
    return SchemaError(
        f"The store {path} has schema version {found}; this program knows up to {known}.",
        hint="Upgrade with: pip install --upgrade stepladder",
    )


_MESSAGES: Final[tuple[tuple[type[apsw.Error], str, str], ...]] = (
    (
        apsw.BusyError,
        "The store {path} stayed locked by another process.",
        "Try again once the other process has finished writing.",
    ),
    (
        apsw.NotADBError,
        "The file {path} is not a store.",
        "Give the path of another file, or of one that does not exist yet.",
    ),
    (
        apsw.CorruptError,
        "The store {path} is damaged.",
        "Restore it from a copy, or move it away and ingest the runs again.",
    ),
    (
        apsw.CantOpenError,
        "The store {path} could not be opened.",
        "Check that its folder exists and that you may write in it.",
    ),
    (
        apsw.ReadOnlyError,
        "The store {path} or its folder is read-only.",
        "Give yourself the right to write there; readers need it too, for the log beside the file.",
    ),
    (
        apsw.PermissionsError,
        "The store {path} may not be accessed.",
        "Check the rights of the file and of its folder.",
    ),
    (
        apsw.FullError,
        "The disk that holds the store {path} is full.",
        "Free some space; what was written before is kept.",
    ),
    (
        apsw.IOError,
        "The store {path} could not be read or written.",
        "Check the disk; a network folder does not work as a place for a store.",
    ),
)
