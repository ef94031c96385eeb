"""The process that holds the view and runs statements on it; `view.py` starts it and may kill it.

It is a script: it imports kglite and the standard library, so that it starts in a moment and holds
nothing of ours but the view. Each request is a line of JSON on standard input, each reply a line
of JSON on standard output:

    {"build": size_bytes}, then so many bytes of a kglite records document
        -> {"built": true}
    {"run": statement, "parameters", "timeout_ms", "rows", "size_bytes"}
        -> {"columns", "rows", "truncated", "milliseconds"} or {"error", "timeout"}
"""

import json
import math
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from datetime import date, datetime
from datetime import time as clock
from typing import Any, BinaryIO, Final

import kglite

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

MEMORY_BYTES: Final = 1_500_000_000
"""How much more memory than the view a statement may take. Chosen by us: a gigabyte-sized answer is
none, and a machine that runs coding agents has as much to spare."""

WORK_UNITS: Final = 5_000_000
"""How many rows and list items a statement may hold. Chosen by us: they fit into `MEMORY_BYTES`, so
that a statement over it is refused and the view stays."""

TOOK_TOO_LONG: Final = 124
TOOK_TOO_MUCH: Final = 125
"""Exit codes; `view.py` reads them."""

_GRACE_S: Final = 1.0
_POLL_S: Final = 0.02
_VIRTUAL: Final = "type"


class Watch:
    """Ends this process where a statement takes more time or memory than it may.

    kglite's own limit is not looked at inside every loop (`replace`, `EXISTS`, long texts).
    """

    def __init__(self) -> None:
        self._deadline = math.inf
        self._memory = math.inf
        threading.Thread(target=self._look, daemon=True).start()

    def start(self, timeout_s: float) -> None:
        """Count from now."""
        self._memory = peak_memory() + MEMORY_BYTES
        self._deadline = time.monotonic() + timeout_s + _GRACE_S

    def stop(self) -> None:
        """The statement has ended."""
        self._deadline = self._memory = math.inf

    def _look(self) -> None:
        while True:
            time.sleep(_POLL_S)
            if time.monotonic() > self._deadline:
                os._exit(TOOK_TOO_LONG)
            if peak_memory() > self._memory:
                os._exit(TOOK_TOO_MUCH)


def peak_memory() -> float:
    """The most bytes this process has held so far; 0 where the system does not tell."""
    if resource is None:
        return 0.0
    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)


def open_no_more_files() -> None:
    """Let this process open no file and no connection from now on, where the system can do that.

    kglite would read files for LOAD CSV. Such statements do not come here; this is the second bar.
    """
    if resource is not None:
        probe = os.dup(0)
        os.close(probe)
        resource.setrlimit(resource.RLIMIT_NOFILE, (probe, probe))


class View:
    """The graph, and how its values are written as JSON."""

    def __init__(self, document: str) -> None:
        self._graph = kglite.from_records(document)
        self._graph.read_only(True)
        self._ids: list[str] = []

    def run(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Run a statement and keep as much of the answer as was asked for."""
        started = time.perf_counter()
        found = self._graph.cypher(
            request["run"],
            params=request["parameters"],
            timeout_ms=request["timeout_ms"],
            max_work_units=WORK_UNITS,
            row_limit=request["rows"] + 1,
            hide_structural_keys=True,
        )
        if isinstance(found, str):
            raise ValueError("The statement asks for another form of answer.")
        columns = list(found.columns)
        rows: list[str] = []
        size, why = 0, ""
        for row in found:
            text = json.dumps([self.plain(row[c]) for c in columns], ensure_ascii=False)
            size += len(text.encode("utf-8", errors="replace"))
            if len(rows) == request["rows"]:
                why = f"more than {request['rows']:,} rows"
            elif size > request["size_bytes"]:
                why = f"more than {request['size_bytes']:,} bytes"
            if why:
                break
            rows.append(text)
        milliseconds = 1000 * (time.perf_counter() - started)
        return {"columns": columns, "rows": rows, "why": why, "milliseconds": milliseconds}

    def plain(self, value: Any) -> Any:
        """A value as JSON can hold it."""
        if isinstance(value, float) and not math.isfinite(value):
            return None
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (datetime, date, clock)):
            return value.isoformat()
        if isinstance(value, list):
            return [self.plain(v) for v in value]
        if isinstance(value, dict):
            return self._mapping(value)
        return str(value)

    def _mapping(self, value: dict[str, Any]) -> dict[str, Any]:
        if value.keys() == {"id", "labels", "properties"}:
            own = {
                k: self.plain(v)
                for k, v in value["properties"].items()
                if v is not None and (k != _VIRTUAL or v not in value["labels"])
            }
            return {"id": own.get("id"), "labels": value["labels"], "properties": own}
        if value.keys() == {"id", "start", "end", "type", "properties"}:
            return {
                "type": value["type"],
                "start": self._id(value["start"]),
                "end": self._id(value["end"]),
                "properties": self.plain(value["properties"]),
            }
        return {str(k): self.plain(v) for k, v in value.items()}

    def _id(self, place: int) -> str:
        """The id of the node at a place of kglite's; the list of all is made when first needed."""
        if not self._ids:
            rows: Any = self._graph.cypher("MATCH (n) RETURN elementId(n) AS place, n.id AS id")
            by_place = {int(r["place"]): str(r["id"]) for r in rows}
            self._ids = [by_place.get(i, "") for i in range(max(by_place, default=-1) + 1)]
        return self._ids[place]


def serve(source: BinaryIO, reply: Callable[[Mapping[str, Any]], None]) -> None:
    """Answer requests until there are no more."""
    watch = Watch()
    view: View | None = None
    for line in source:
        request = json.loads(line)
        if "build" in request:
            view = View(source.read(request["build"]).decode("ascii"))
            kglite.trim_memory()
            open_no_more_files()
            reply({"built": True})
        elif view is not None:
            watch.start(request["timeout_ms"] / 1000)
            try:
                answer = view.run(request)
            except kglite.CypherTimeoutError as error:
                answer = {"error": str(error), "timeout": True}
            except (kglite.KgError, ValueError, OverflowError, RecursionError, TypeError) as error:
                answer = {"error": str(error), "timeout": False}
            watch.stop()
            reply(answer)


def main() -> None:
    """Keep the pipe for replies to ourselves, and serve."""
    warnings.simplefilter("ignore")
    kglite.set_query_warning_policy("silent")
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)

        def reply(value: Mapping[str, Any]) -> None:
            out.write(json.dumps(value).encode("ascii") + b"\n")
            out.flush()

        serve(sys.stdin.buffer, reply)


if __name__ == "__main__":
    main()
