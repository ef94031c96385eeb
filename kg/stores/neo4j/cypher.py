"""Statements of users on Neo4j: read access mode, a time limit, values ready for JSON."""

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import fields, replace
from typing import Any, Final

from neo4j import READ_ACCESS, Driver, NotificationMinimumSeverity, Transaction
from neo4j.exceptions import DriverError, Neo4jError
from neo4j.graph import Node, Path, Relationship
from neo4j.time import Date, DateTime, Duration, Time

from ...cypher import CypherLimits, Rows, within_limits
from ...errors import StepladderError, StoreError, UsageError
from ...types import NODE_TYPES

OWN_LABELS: Final = ("_Store", "_Setting", "_Entry", "_Term", "_Block")
"""Labels of the nodes that are the store's alone: `statements/m001_graph.cypher`."""

_IDS: Final = """
MATCH (n)
WHERE elementId(n) IN $ends
RETURN elementId(n) AS end, n.id AS id
"""

_VECTOR_LENGTH: Final = 64
"""So many decimal numbers in a row are a vector. Ours have 256 and more; no other list has any."""

_GRACE_S: Final = 3.0
"""The server looks for transactions that took too long every two seconds."""

_TIMED_OUT: Final = "TransactionTimedOut"
_NO_MEMORY: Final = "OutOfMemory"
_READ_MODE: Final = "AccessMode"
_NARROW: Final = "Narrow it: name labels, bound paths such as [:NEXT*1..5], or add a LIMIT."


def run(
    driver: Driver,
    statement: str,
    parameters: Mapping[str, Any],
    *,
    limits: CypherLimits,
    database: str | None = None,
) -> Rows:
    """Run a statement in a transaction that cannot write and is never committed.

    Raises:
        UsageError: the statement is wrong, writes, or took more than it may.
        StoreError: the server could not answer.
    """
    started = time.perf_counter()

    def work() -> Rows:
        with (
            driver.session(
                database=database,
                default_access_mode=READ_ACCESS,
                notifications_min_severity=NotificationMinimumSeverity.OFF,
            ) as session,
            session.begin_transaction(timeout=limits.timeout_s) as transaction,
        ):
            found = _read(transaction, statement, parameters, limits=limits)
            transaction.rollback()
            return found

    try:
        found = _before(limits.timeout_s + _GRACE_S, work)
    except (Neo4jError, DriverError) as error:
        raise _as_ours(error, limits) from error
    if found is None:
        raise _too_long(limits)
    return replace(found, milliseconds=1000 * (time.perf_counter() - started))


def _before(timeout_s: float, work: Callable[[], Rows]) -> Rows | None:
    """What a piece of work returns, None where it takes longer; then it is left alone.

    The server ends a transaction that takes too long, but looks at the clock only between rows:
    one list comprehension over a long list runs to its end, though nobody waits for it.
    """
    done: Future[Rows] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # handed to the caller
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        return done.result(timeout_s)
    except TimeoutError:
        return None


def _read(
    transaction: Transaction,
    statement: str,
    parameters: Mapping[str, Any],
    *,
    limits: CypherLimits,
) -> Rows:
    result = transaction.run(statement, dict(parameters))
    values = _Values()
    kept: list[list[Any]] = []

    def rows() -> Iterator[list[Any]]:
        for record in result:
            kept.append(record.values())
            yield [values.plain(v) for v in kept[-1]]

    found = within_limits(result.keys(), rows(), limits=limits)
    if not values.unknown:
        return found
    result.consume()
    ends = transaction.run(_IDS, {"ends": sorted(values.unknown)})
    values.ids = {record["end"]: record["id"] for record in ends}
    again = (tuple(values.plain(v) for v in row) for row in kept[: len(found.rows)])
    return replace(found, rows=tuple(again))


class _Values:
    """Values of the driver as JSON can hold them; vectors and bytes become None.

    The driver knows the ends of a relationship by Neo4j's own ids; `unknown` gathers them, `ids`
    says what they are here.
    """

    def __init__(self) -> None:
        self.unknown: set[str] = set()
        self.ids: dict[str, str] = {}

    def plain(self, value: Any) -> Any:
        """A value ready for JSON."""
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, Node):
            return self._node(value)
        if isinstance(value, Relationship):
            return self._relationship(value)
        if isinstance(value, Path):
            return {
                "nodes": [self._node(n) for n in value.nodes],
                "relationships": [self._relationship(r) for r in value.relationships],
            }
        if isinstance(value, Duration):  # before tuple, which it is
            return _duration(value)
        if isinstance(value, list | tuple):
            return None if _is_vector(value) else [self.plain(v) for v in value]
        if isinstance(value, Mapping):
            return {key: self.plain(v) for key, v in value.items()}
        if isinstance(value, DateTime | Date | Time):
            return value.to_native().isoformat()
        return None if isinstance(value, bytes | bytearray) else str(value)

    def _node(self, node: Node) -> dict[str, Any]:
        labels = sorted(node.labels)
        known = {f.name for name in labels if name in NODE_TYPES for f in fields(NODE_TYPES[name])}
        shown = sorted(known & set(node)) if known else sorted(node)
        values = {name: self.plain(node[name]) for name in shown}
        properties = {name: value for name, value in values.items() if value is not None}
        return {"id": properties.get("id"), "labels": labels, "properties": properties}

    def _relationship(self, relationship: Relationship) -> dict[str, Any]:
        start, end = relationship.nodes
        return {
            "type": relationship.type,
            "start": self._id(start),
            "end": self._id(end),
            "properties": {name: self.plain(relationship[name]) for name in sorted(relationship)},
        }

    def _id(self, node: Node | None) -> Any:
        if node is None or "id" in node:
            return None if node is None else node["id"]
        if node.element_id not in self.ids:
            self.unknown.add(node.element_id)
        return self.ids.get(node.element_id)


def _duration(value: Duration) -> dict[str, int]:
    parts = {"months": value.months, "days": value.days, "seconds": value.seconds}
    return {**parts, "nanoseconds": value.nanoseconds} if value.nanoseconds else parts


def _is_vector(value: Sequence[Any]) -> bool:
    return len(value) >= _VECTOR_LENGTH and all(isinstance(v, float) for v in value)


def _as_ours(error: Neo4jError | DriverError, limits: CypherLimits) -> StepladderError:
    code = error.code or "" if isinstance(error, Neo4jError) else ""
    message = (error.message or "") if isinstance(error, Neo4jError) else str(error)
    if _TIMED_OUT in code or "transaction has been terminated" in message.lower():
        return _too_long(limits)
    if _NO_MEMORY in code:
        return UsageError("The statement was stopped: it took too much memory.", hint=_NARROW)
    if _READ_MODE in code:
        return UsageError("A statement here only reads; the server refused it as a write.")
    if code.startswith("Neo.ClientError.Statement"):
        return UsageError(f"Cypher: {message}")
    return StoreError(f"Neo4j could not answer: {message or error}")


def _too_long(limits: CypherLimits) -> UsageError:
    return UsageError(
        f"The statement was stopped after {limits.timeout_s:g} seconds.", hint=_NARROW
    )
