"""What every search needs of each memory, in memory: state, level, scope, length and code.

On disk it lies in blocks of 512 positions. A process keeps the whole as arrays and, before a
search, reads again the blocks that were written since, by itself or by others.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

import apsw
import numpy as np
from numpy.typing import NDArray

from ...types import Scope
from .connection import fetch
from .rows import json_columns, json_texts, scope_list

BLOCK: Final = 512
ABSENT: Final = 0
PRESENT: Final = 1
EMBEDDED: Final = 2

_MAX_LEVEL: Final = 2**16 - 1

_READ_BLOCK = "SELECT records FROM catalogue WHERE block = ?"

_WRITE_BLOCK = """
    INSERT INTO catalogue (block, sequence, records) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET sequence = excluded.sequence, records = excluded.records
"""

_CHANGED_BLOCKS = "SELECT block, records FROM catalogue WHERE sequence > ? ORDER BY block"

_SCOPE_NUMBERS = """
    SELECT number FROM scope
    WHERE :scopes IS NULL OR name IN (SELECT value FROM json_each(:scopes))
"""

_ADD_SCOPES = "INSERT OR IGNORE INTO scope (name) SELECT value FROM json_each(?)"

_POSITIONS = """
    SELECT memory.position FROM json_each(?) AS wanted
    CROSS JOIN node ON node.id = wanted.value
    JOIN memory ON memory.node = node.number
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What changes at one position. A code of None leaves the code that is there."""

    level: int
    scope: int
    length: int
    code: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """All memories as arrays of equal length, indexed by position; `codes` has a row for each."""

    sequence: int
    state: NDArray[np.uint8]
    level: NDArray[np.uint16]
    scope: NDArray[np.uint32]
    length: NDArray[np.uint32]
    codes: NDArray[np.uint8]

    @classmethod
    def empty(cls, code_bytes: int) -> "Catalogue":
        """A catalogue of nothing."""
        return cls(
            sequence=-1,
            state=np.zeros(0, np.uint8),
            level=np.zeros(0, np.uint16),
            scope=np.zeros(0, np.uint32),
            length=np.zeros(0, np.uint32),
            codes=np.zeros((0, code_bytes), np.uint8),
        )

    def allowed(
        self,
        connection: apsw.Connection,
        *,
        levels: tuple[int, int],
        scope: Scope,
        exclude: Iterable[str],
    ) -> NDArray[np.bool_]:
        """Tell for every position whether a memory is there that the caller may be given."""
        mask: NDArray[np.bool_] = self.state != ABSENT
        lowest, highest = levels
        mask &= (self.level >= max(lowest, 0)) & (self.level <= min(highest, _MAX_LEVEL))
        if scope.projects is not None:
            numbers = fetch(connection, _SCOPE_NUMBERS, {"scopes": scope_list(scope)})
            mask &= np.isin(self.scope, np.array([n for (n,) in numbers], dtype=np.uint32))
        excluded = list(exclude)
        if excluded:
            found = fetch(connection, _POSITIONS, (json_texts(excluded),))
            positions = np.array([p for (p,) in found], dtype=np.int64)
            mask[positions[positions < len(mask)]] = False
        return mask


class CatalogueCache:
    """The newest catalogue this process has seen; may be used from several threads."""

    def __init__(self) -> None:
        self._catalogue: Catalogue | None = None
        self._lock = Lock()
        self._process = os.getpid()

    def fresh(self, connection: apsw.Connection, *, sequence: int, code_bytes: int) -> Catalogue:
        """The catalogue as of `sequence`, or newer; `connection` is inside a read transaction."""
        if self._process != os.getpid():  # a lock that another thread held when we were forked
            self._lock, self._process = Lock(), os.getpid()
        with self._lock:
            known = self._catalogue
            if known is None or known.codes.shape[1] != code_bytes:
                known = Catalogue.empty(code_bytes)
            if known.sequence < sequence:
                known = _reread(connection, known, sequence=sequence)
                self._catalogue = known
            return known


def write_entries(
    connection: apsw.Connection,
    entries: Mapping[int, Entry | None],
    *,
    sequence: int,
    code_bytes: int,
) -> None:
    """Write what changed, by position; None clears a position."""
    kind = record_type(code_bytes)
    by_block: dict[int, list[int]] = {}
    for position in sorted(entries):
        by_block.setdefault(position // BLOCK, []).append(position)
    for block, positions in by_block.items():
        stored = fetch(connection, _READ_BLOCK, (block,))
        records = np.frombuffer(stored[0][0], kind).copy() if stored else np.zeros(BLOCK, kind)
        for position in positions:
            _set(records[position % BLOCK : position % BLOCK + 1], entries[position])
        connection.execute(_WRITE_BLOCK, (block, sequence, records.tobytes()))


def scope_numbers(connection: apsw.Connection, names: Iterable[str]) -> dict[str, int]:
    """The numbers of scopes, given as column texts; new ones are added."""
    wanted = json_columns(sorted(set(names)))
    connection.execute(_ADD_SCOPES, (wanted,))
    query = "SELECT name, number FROM scope WHERE name IN (SELECT value FROM json_each(?))"
    return dict(fetch(connection, query, (wanted,)))


def record_type(code_bytes: int) -> np.dtype[Any]:
    """The layout of one position's record."""
    return np.dtype(
        [
            ("state", "u1"),
            ("level", "<u2"),
            ("scope", "<u4"),
            ("length", "<u4"),
            ("code", "u1", (code_bytes,)),
        ]
    )


def _set(record: NDArray[Any], entry: Entry | None) -> None:
    if entry is None:
        record[:] = np.zeros((), record.dtype)
        return
    record["state"] = np.maximum(record["state"], PRESENT)
    record["level"] = min(max(entry.level, 0), _MAX_LEVEL)
    record["scope"] = entry.scope
    record["length"] = entry.length
    if entry.code is not None:
        record["state"] = EMBEDDED
        record["code"] = np.frombuffer(entry.code, np.uint8)


def _reread(connection: apsw.Connection, known: Catalogue, *, sequence: int) -> Catalogue:
    changed = fetch(connection, _CHANGED_BLOCKS, (known.sequence,))
    code_bytes = known.codes.shape[1]
    last = max((int(block) for block, _ in changed), default=-1)
    size = max(len(known.state), (last + 1) * BLOCK)

    def grown(old: NDArray[Any]) -> NDArray[Any]:
        new = np.zeros((size, *old.shape[1:]), old.dtype)
        new[: len(old)] = old
        return new

    result = Catalogue(
        sequence=sequence,
        state=grown(known.state),
        level=grown(known.level),
        scope=grown(known.scope),
        length=grown(known.length),
        codes=grown(known.codes),
    )
    kind = record_type(code_bytes)
    for block, blob in changed:
        records = np.frombuffer(blob, kind)
        place = slice(block * BLOCK, (block + 1) * BLOCK)
        result.state[place] = records["state"]
        result.level[place] = records["level"]
        result.scope[place] = records["scope"]
        result.length[place] = records["length"]
        result.codes[place] = records["code"]
    return result
