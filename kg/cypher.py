"""Reading a graph in Cypher: what an answer is, what bounds it, which stores answer themselves.

Values in an answer are ready for JSON. A node is `{"id", "labels", "properties"}` with the id of
ours, a relationship `{"type", "start", "end", "properties"}` with the ids of its ends, a path
`{"nodes", "relationships"}`, a time its ISO 8601 text, a duration `{"months", "days", "seconds"}`.
A number that is none (infinite, or the root of -1) is null.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True, kw_only=True)
class CypherLimits:
    """How much one statement may give and take.

    `size_bytes` counts the rows as JSON in UTF-8.
    """

    rows: int = 1000
    timeout_s: float = 10.0
    size_bytes: int = 1_000_000


DEFAULT_LIMITS: Final = CypherLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The answer to a statement; `why` says what was left out where `truncated` is true.

    `notes` are sentences about the statement, such as on a label that nothing has.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False
    why: str = ""
    milliseconds: float = 0.0
    notes: tuple[str, ...] = ()


@runtime_checkable
class CypherSource(Protocol):
    """A store that answers Cypher itself; for others a view is built from what they export."""

    @property
    def own_labels(self) -> tuple[str, ...]:
        """Labels of the nodes the store keeps for itself, which are linked to no others."""
        ...

    def cypher(
        self, statement: str, parameters: Mapping[str, Any], *, limits: CypherLimits
    ) -> Rows:
        """Run a statement that was found to read only, once more in a mode that cannot write.

        Vectors and whatever else the store keeps for itself are left out of nodes.

        Raises:
            UsageError: the statement is wrong, or took more time than it may.
            StoreError: the store could not answer.
        """
        ...


def within_limits(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], *, limits: CypherLimits
) -> Rows:
    """As many of the rows, which are ready for JSON, as the limits allow."""
    kept: list[tuple[Any, ...]] = []
    size = 0
    why = ""
    for row in rows:
        size += len(json.dumps(row, ensure_ascii=False).encode("utf-8", errors="replace"))
        why = over_limits(len(kept) + 1, size, limits=limits)
        if why:
            break
        kept.append(tuple(row))
    return Rows(columns=tuple(columns), rows=tuple(kept), truncated=bool(why), why=why)


def over_limits(rows: int, size_bytes: int, *, limits: CypherLimits) -> str:
    """What of the limits so many rows of this size exceed, empty where nothing."""
    if rows > limits.rows:
        return f"more than {limits.rows:,} rows"
    if size_bytes > limits.size_bytes:
        return f"more than {limits.size_bytes:,} bytes"
    return ""
