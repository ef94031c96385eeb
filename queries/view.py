"""A read-only view of a store for Cypher, in a process of its own that can be ended at any moment.

kglite, which answers, keeps its own time limit in most loops but not in all, and has no limit for
memory; a process that is killed keeps both.
"""

import json
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from ..kg.cypher import CypherLimits, Rows
from ..kg.errors import StoreError, UsageError
from ..kg.protocols import GraphStore
from .view_document import document

_WORKER: Final = Path(__file__).with_name("view_worker.py")
_TOOK_TOO_MUCH: Final = 125
_GRACE_S: Final = 3.0
_TOO_MUCH: Final = ("max_work_units", "safety limit")
_NARROW: Final = "Narrow it: name labels, bound paths such as [:NEXT*1..5], or add a LIMIT."


class View:
    """The newest view of one store; built when first asked and again after every write.

    It may be used from several threads, which wait for one another. `close` it when done.
    """

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._worker: _Worker | None = None
        self._sequence = -1
        self._lock = threading.Lock()

    def run(self, statement: str, parameters: Mapping[str, Any], *, limits: CypherLimits) -> Rows:
        """Run a statement that was found to read only.

        Raises:
            UsageError: the statement is wrong, or took more time or memory than it may.
            StoreError: the store could not be read, or the view not be built.
        """
        with self._lock:
            worker = self._fresh()
            try:
                return worker.run(statement, parameters, limits=limits)
            finally:
                if worker.ended:
                    self._worker = None

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._worker is not None:
                self._worker.end()
            self._worker = None

    def _fresh(self) -> "_Worker":
        # Read before the export: a write in between makes the next statement build again.
        sequence = self._store.sequence()
        if self._worker is None or self._sequence != sequence:
            if self._worker is not None:
                self._worker.end()
                self._worker = None
            with closing(self._store.export()) as exported:
                content = document(exported)
            self._worker = _Worker.holding(content)
            self._sequence = sequence
        return self._worker


class _Worker:
    """The process behind a view."""

    def __init__(self) -> None:
        # -P: the folder somebody stands in is no place to import modules from.
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.ended = False
        self._finalizer = weakref.finalize(self, _kill, self._process)

    @classmethod
    def holding(cls, content: bytes) -> "_Worker":
        """A process with a graph in it."""
        worker = cls()
        if worker._ask({"build": len(content)}, content) != {"built": True}:
            worker.end()
            raise StoreError(
                "The view for Cypher could not be built.",
                hint="kglite is missing or does not run here: pip install --upgrade stepladder",
            )
        return worker

    def run(self, statement: str, parameters: Mapping[str, Any], *, limits: CypherLimits) -> Rows:
        request = {
            "run": statement,
            "parameters": parameters,
            "timeout_ms": max(1, int(limits.timeout_s * 1000)),
            "rows": limits.rows,
            "size_bytes": limits.size_bytes,
        }
        alarm = threading.Timer(limits.timeout_s + _GRACE_S, self._process.kill)
        alarm.start()
        try:
            answer = self._ask(request)
        except BaseException:  # interrupted: the next reply would be to this request
            self.end()
            raise
        finally:
            alarm.cancel()
        if answer is None:
            self.end()
            raise self._stopped(limits)
        if answer.get("timeout"):
            raise _too_long(limits)
        if "error" in answer:
            raise _refused(answer["error"])
        return Rows(
            columns=tuple(answer["columns"]),
            rows=tuple(tuple(json.loads(row)) for row in answer["rows"]),
            truncated=bool(answer["why"]),
            why=answer["why"],
            milliseconds=answer["milliseconds"],
        )

    def end(self) -> None:
        """End the process."""
        self.ended = True
        self._finalizer()

    def _ask(self, request: Mapping[str, Any], content: bytes = b"") -> dict[str, Any] | None:
        """What the process replies, None where it ended instead."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(request).encode("ascii") + b"\n" + content)
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError:
            return None
        reply: dict[str, Any] | None = json.loads(line) if line else None
        return reply

    def _stopped(self, limits: CypherLimits) -> UsageError:
        if self._process.wait() == _TOOK_TOO_MUCH:
            return UsageError("The statement was stopped: it took too much memory.", hint=_NARROW)
        return _too_long(limits)


def _refused(error: str) -> UsageError:
    """What kglite says, where it is not about a limit that only we can raise."""
    if any(words in error for words in _TOO_MUCH):
        return UsageError(
            "The statement was stopped: it went through too many rows and list items.",
            hint=_NARROW,
        )
    return UsageError(f"Cypher: {error}")


def _too_long(limits: CypherLimits) -> UsageError:
    return UsageError(
        f"The statement was stopped after {limits.timeout_s:g} seconds.", hint=_NARROW
    )


def _kill(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # what it had not read yet
                pipe.close()
