"""Statements of users on Neo4j: read access mode, a time limit, values ready for JSON."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from neo4j import READ_ACCESS, Driver
from neo4j.exceptions import DriverError, Neo4jError
from neo4j.graph import Node, Path, Relationship
from neo4j.time import Date, DateTime, Duration, Time

from ...cypher import CypherLimits, Rows, within_limits
from ...errors import StepladderError, StoreError, UsageError
from ...types import NODE_TYPES

_VECTOR_LENGTH: Final = 64
"""So many decimal numbers in a row are a vector. Ours have 256 and more; no other list has any."""

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
    try:
        with (
            driver.session(database=database, default_access_mode=READ_ACCESS) as session,
            session.begin_transaction(timeout=limits.timeout_s) as transaction,
        ):
            result = transaction.run(statement, dict(parameters))
            columns = result.keys()
            found = within_limits(columns, _plain_rows(result), limits=limits)
            transaction.rollback()
    except (Neo4jError, DriverError) as error:
        raise _as_ours(error, limits) from error
    milliseconds = 1000 * (time.perf_counter() - started)
    return Rows(
        columns=found.columns,
        rows=found.rows,
        truncated=found.truncated,
        why=found.why,
        milliseconds=milliseconds,
    )


def _plain_rows(result: Any) -> Iterator[Sequence[Any]]:
    for record in result:
        yield [plain(value) for value in record.values()]


def plain(value: Any) -> Any:
    """A value of the driver as JSON can hold it; vectors and bytes become None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Node):
        return _node(value)
    if isinstance(value, Relationship):
        return _relationship(value)
    if isinstance(value, Path):
        return {
            "nodes": [_node(n) for n in value.nodes],
            "relationships": [_relationship(r) for r in value.relationships],
        }
    if isinstance(value, list | tuple):
        return None if _is_vector(value) else [plain(v) for v in value]
    if isinstance(value, Mapping):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, bytes | bytearray):
        return None
    if isinstance(value, Duration):
        return _duration(value)
    if isinstance(value, DateTime | Date | Time):
        return value.to_native().isoformat()
    return str(value)


def _node(node: Node) -> dict[str, Any]:
    labels = sorted(node.labels)
    known = {f.name for name in labels if name in NODE_TYPES for f in fields(NODE_TYPES[name])}
    shown = sorted(known & set(node)) if known else sorted(node)
    properties = {name: value for name in shown if (value := plain(node[name])) is not None}
    return {"id": properties.get("id"), "labels": labels, "properties": properties}


def _relationship(relationship: Relationship) -> dict[str, Any]:
    start, end = relationship.nodes
    return {
        "type": relationship.type,
        "start": start.get("id") if start else None,
        "end": end.get("id") if end else None,
        "properties": {name: plain(relationship[name]) for name in sorted(relationship)},
    }


def _duration(value: Duration) -> dict[str, int]:
    parts = {"months": value.months, "days": value.days, "seconds": value.seconds}
    return {**parts, "nanoseconds": value.nanoseconds} if value.nanoseconds else parts


def _is_vector(value: Sequence[Any]) -> bool:
    return len(value) >= _VECTOR_LENGTH and all(isinstance(v, float) for v in value)


def _as_ours(error: Neo4jError | DriverError, limits: CypherLimits) -> StepladderError:
    code = error.code or "" if isinstance(error, Neo4jError) else ""
    message = (error.message or "") if isinstance(error, Neo4jError) else str(error)
    if _TIMED_OUT in code or "transaction has been terminated" in message.lower():
        return UsageError(
            f"The statement was stopped after {limits.timeout_s:g} seconds.", hint=_NARROW
        )
    if _NO_MEMORY in code:
        return UsageError("The statement was stopped: it took too much memory.", hint=_NARROW)
    if _READ_MODE in code:
        return UsageError("A statement here only reads; the server refused it as a write.")
    if code.startswith("Neo.ClientError.Statement"):
        return UsageError(f"Cypher: {message}")
    return StoreError(f"Neo4j could not answer: {message or error}")
