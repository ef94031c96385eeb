"""What the search for near vectors needs of each memory, in memory: level, scope and sign code.

On the server it lies in blocks of 128 positions. A process keeps the whole as arrays; every answer
of the server brings the blocks that were written since, by itself or by others.

Neo4j's own vector index is not asked: on the 5.26 line a search of it takes 55 ms of processor time
over 10,000 vectors that came in 2,000 writes, and it finds other memories than the store in a file.
Source: docs/adr/0010-sign-codes-on-neo4j.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ... import codes
from ...types import Scope, Vector
from ..encoding import to_vector
from .server import Ask
from .values import digest, scope_list

BLOCK: Final = 128
ABSENT: Final = 0
PRESENT: Final = 1
EMBEDDED: Final = 2

_MAX_LEVEL: Final = 2**16 - 1
_PAGE: Final = 10_000


@dataclass(frozen=True, slots=True)
class Geometry:
    """The length of the store's vectors and the point their codes are centred on."""

    dim: int
    centre: Vector

    @property
    def code_bytes(self) -> int:
        """Bytes of one code."""
        return int(self.encode(np.zeros((0, self.dim), np.float32)).shape[1])

    def encode(self, vectors: Vector) -> NDArray[np.uint8]:
        """Codes of vectors, uint8 of shape (len(vectors), code_bytes)."""
        return codes.encode(vectors, self.centre)

    def fits(self, other: "Geometry") -> bool:
        """Tell whether two are the same."""
        return self.dim == other.dim and np.array_equal(self.centre, other.centre)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What changes at one position; None leaves what is there. `scope` is a `values.digest`."""

    level: int | None = None
    scope: str | None = None
    code: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """All memories as arrays of equal length, indexed by position; `codes` has a row for each."""

    sequence: int
    geometry: Geometry
    state: NDArray[np.uint8]
    level: NDArray[np.uint16]
    scope: NDArray[np.uint64]
    codes: NDArray[np.uint8]

    @classmethod
    def empty(cls, geometry: Geometry) -> "Catalogue":
        """A catalogue of nothing."""
        return cls(
            sequence=-1,
            geometry=geometry,
            state=np.zeros(0, np.uint8),
            level=np.zeros(0, np.uint16),
            scope=np.zeros(0, np.uint64),
            codes=np.zeros((0, geometry.code_bytes), np.uint8),
        )

    def nearest(
        self, vector: Vector, *, k: int, levels: tuple[int, int], scope: Scope
    ) -> NDArray[np.intp]:
        """The positions with the nearest codes that may be answered, nearest first, at most `k`."""
        query = codes.encode_query(vector, self.geometry.centre)
        mask = self._allowed(levels=levels, scope=scope)
        return codes.nearest(self.codes, query, k=k, mask=mask)

    def _allowed(self, *, levels: tuple[int, int], scope: Scope) -> NDArray[np.bool_]:
        lowest, highest = levels
        mask: NDArray[np.bool_] = self.state == EMBEDDED
        mask &= self.level >= max(lowest, 0)
        mask &= self.level <= min(highest, _MAX_LEVEL)
        scopes = scope_list(scope)
        if scopes is not None:
            numbers = np.array([int(digest(s), 16) for s in scopes], dtype=np.uint64)
            mask &= np.isin(self.scope, numbers)
        return mask


class CatalogueCache:
    """The newest catalogue this process has seen, and the settings beside it.

    May be used from several threads.
    """

    def __init__(self) -> None:
        self._catalogue: Catalogue | None = None
        self._settings: dict[str, str] = {}
        self._settled = False
        self._lock = Lock()

    @property
    def sequence(self) -> int:
        """Up to which write of the store it is known, -1 for none."""
        known = self._catalogue
        return -1 if known is None else known.sequence

    @property
    def since(self) -> int:
        """After which write blocks are to be read.

        Neo4j shows a write piece by piece while it is committed, its number perhaps before its
        blocks. So those of the last one are read again, until no newer one is there.
        """
        return self.sequence if self._settled else self.sequence - 1

    def known(self) -> Catalogue:
        """The newest catalogue; there is one once `update` was called."""
        if self._catalogue is None:
            raise RuntimeError("no catalogue was read yet")
        return self._catalogue

    def settings(self) -> Mapping[str, str]:
        """What is kept with the store, as kept; nothing is taken away from it ever."""
        return self._settings

    def update(
        self,
        totals: Mapping[str, Any],
        blocks: Sequence[Sequence[Any]],
        settings: Sequence[tuple[str, str]],
    ) -> Catalogue:
        """Take in what an answer brought: totals, and the blocks and settings written since."""
        with self._lock:
            known = self._catalogue
            geometry = to_geometry(totals)
            if known is None or not known.geometry.fits(geometry):
                known = Catalogue.empty(geometry)
            if totals["sequence"] < known.sequence:
                return known
            self._settled = totals["sequence"] == known.sequence
            if blocks or not self._settled:
                known = _with_blocks(known, blocks, sequence=totals["sequence"])
            self._catalogue = known
            self._settings = {**self._settings, **dict(settings)}
            return known

    def forget(self) -> None:
        """Begin anew, as after a change of the vectors' length."""
        with self._lock:
            self._catalogue = None


def to_geometry(totals: Mapping[str, Any]) -> Geometry:
    """The geometry that the store keeps among its totals."""
    return Geometry(totals["dim"], to_vector(totals["centre"]))


def record_type(code_bytes: int) -> np.dtype[Any]:
    """The layout of one position's record."""
    return np.dtype(
        [("state", "u1"), ("level", "<u2"), ("scope", "<u8"), ("code", "u1", (code_bytes,))]
    )


def write_entries(
    ask: Ask, entries: Mapping[int, Entry | None], *, sequence: int, geometry: Geometry
) -> None:
    """Write what changed, by position; None clears a position."""
    if not entries:
        return
    kind = record_type(geometry.code_bytes)
    numbers = sorted({position // BLOCK for position in entries})
    blocks = {number: np.zeros(BLOCK, kind) for number in numbers}
    for number, stored in ask("blocks", numbers=numbers):
        blocks[number] = np.frombuffer(stored, kind).copy()
    for position, entry in entries.items():
        place = position % BLOCK
        _set(blocks[position // BLOCK][place : place + 1], entry)
    rows = [{"number": n, "records": records.tobytes()} for n, records in blocks.items()]
    for some in chunks(rows):
        ask("write_blocks", rows=some, sequence=sequence)


def rewrite(ask: Ask, geometry: Geometry, *, sequence: int) -> None:
    """Write the whole catalogue anew, without codes."""
    ask("clear_blocks")
    after = -1
    while page := ask("places", after=after, limit=_PAGE):
        after = page[-1][0]
        entries = {
            position: Entry(level=int(level), scope=scope) for position, level, scope in page
        }
        write_entries(ask, entries, sequence=sequence, geometry=geometry)


def chunks(values: Iterable[Any], size: int = 1000) -> Iterable[list[Any]]:
    """Values in lists of at most `size`."""
    listed = list(values)
    for start in range(0, len(listed), size):
        yield listed[start : start + size]


def _with_blocks(known: Catalogue, blocks: Sequence[Sequence[Any]], *, sequence: int) -> Catalogue:
    last = max((number for number, _ in blocks), default=-1)
    size = max(len(known.state), (last + 1) * BLOCK)

    def grown(old: NDArray[Any]) -> NDArray[Any]:
        new = np.zeros((size, *old.shape[1:]), old.dtype)
        new[: len(old)] = old
        return new

    result = Catalogue(
        sequence=sequence,
        geometry=known.geometry,
        state=grown(known.state),
        level=grown(known.level),
        scope=grown(known.scope),
        codes=grown(known.codes),
    )
    kind = record_type(known.geometry.code_bytes)
    for number, blob in blocks:
        records = np.frombuffer(blob, kind)
        place = slice(number * BLOCK, (number + 1) * BLOCK)
        result.state[place] = records["state"]
        result.level[place] = records["level"]
        result.scope[place] = records["scope"]
        result.codes[place] = records["code"]
    return result


def _set(record: NDArray[Any], entry: Entry | None) -> None:
    if entry is None:
        record[:] = np.zeros((), record.dtype)
        return
    record["state"] = np.maximum(record["state"], PRESENT)
    if entry.level is not None:
        record["level"] = min(max(entry.level, 0), _MAX_LEVEL)
    if entry.scope is not None:
        record["scope"] = int(entry.scope, 16)
    if entry.code is not None:
        record["state"] = EMBEDDED
        record["code"] = np.frombuffer(entry.code, np.uint8)
