"""Gathers what a write changes for search, and lays it down at the end of the transaction."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from ...terms import TermCounts
from ...types import Memory
from ..encoding import terms_blob, to_terms, to_vector
from .catalogue import Entry, Geometry, chunks, write_entries
from .server import Ask, Row
from .values import NodeRow, digest, record_of

_LEVELS: Final = 100_000
"""Levels are words of five digits in the full-text index: their order is that of the numbers."""


@dataclass(slots=True)
class IndexChanges:
    """What happened to memories within one transaction."""

    removed: list[TermCounts] = field(default_factory=list)
    added: list[TermCounts] = field(default_factory=list)
    cleared: set[int] = field(default_factory=set)
    placed: dict[int, tuple[int, str]] = field(default_factory=dict)
    """By position: level, and digest of the scope, of memories whose record changes."""
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By id: properties of entries that are new or different."""
    vectors: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    """By id: position and vector."""

    def add(self, row: NodeRow, memory: Memory, position: int, *, terms: TermCounts) -> None:
        """Take a new memory in."""
        self.added.append(terms)
        self.rows[row.id] = {"id": row.id, "position": position, **_words(terms)}
        self.place(row, memory, position)

    def place(self, row: NodeRow, memory: Memory, position: int) -> None:
        """Set what a memory says and where it belongs."""
        scope = digest(row.properties["scope"])
        self.placed[position] = (memory.level, scope)
        entry = self.rows.setdefault(row.id, {"id": row.id})
        entry |= {"level": level_word(memory.level), "scope": scope, **record_of(row, memory)}

    def retext(self, id: str, *, old: TermCounts, new: TermCounts) -> None:
        """Replace the terms of a memory."""
        self.removed.append(old)
        self.added.append(new)
        self.rows.setdefault(id, {"id": id}).update(_words(new))

    def remove(self, ask: Ask, ids: Iterable[str]) -> None:
        """Take the memories among these nodes out, with what is kept about them."""
        for some in chunks(ids):
            for row in ask("entries", ids=some):
                self.cleared.add(row[1])
                self.removed.append(terms_of(row))
            ask("remove_entries", ids=some)

    def write_rows(self, ask: Ask) -> None:
        """Write the entries gathered so far, so that evidence can be linked to them."""
        for some in chunks(self.rows.values()):
            ask("write_entries", rows=some)
        self.rows.clear()

    def flush(self, ask: Ask, totals: Mapping[str, Any], geometry: Geometry) -> dict[str, int]:
        """Bring vectors, frequencies and catalogue up to date; return the totals that changed."""
        _write_vectors(ask, self.vectors)
        _write_frequencies(ask, removed=self.removed, added=self.added)
        entries = self._entries(geometry)
        write_entries(ask, entries, sequence=totals["sequence"], geometry=geometry)
        removed = {"removed": totals["sequence"]} if self.cleared else {}
        signed = [(t, 1) for t in self.added] + [(t, -1) for t in self.removed]
        return {
            "memories": totals["memories"] + sum(sign for _, sign in signed),
            "key_length": totals["key_length"] + sum(sign * t.key_length for t, sign in signed),
            "full_length": totals["full_length"] + sum(sign * t.full_length for t, sign in signed),
            **removed,
        }

    def _entries(self, geometry: Geometry) -> dict[int, Entry | None]:
        entries: dict[int, Entry | None] = {
            position: Entry(level=level, scope=scope)
            for position, (level, scope) in self.placed.items()
        }
        if self.vectors:
            rows = np.stack([to_vector(blob) for _, blob in self.vectors.values()])
            for (position, _), code in zip(
                self.vectors.values(), geometry.encode(rows), strict=True
            ):
                entries[position] = replace(entries.get(position) or Entry(), code=code.tobytes())
        return entries | dict.fromkeys(self.cleared)


def level_word(level: int) -> str:
    """A level as the full-text index compares it."""
    return f"{min(max(level, 0), _LEVELS - 1):05d}"


def terms_of(entry: Row) -> TermCounts:
    """The term counts in a row of the statement `entries`."""
    return to_terms(entry[2], key_length=entry[3], full_length=entry[4])


def _words(terms: TermCounts) -> dict[str, Any]:
    repeated = np.repeat(terms.ids, terms.full)
    return {
        "words": " ".join(map(str, repeated.tolist())),
        "terms": terms_blob(terms),
        "key_length": terms.key_length,
        "full_length": terms.full_length,
    }


def _write_vectors(ask: Ask, vectors: Mapping[str, tuple[int, bytes]]) -> None:
    for some in chunks(vectors.items()):
        rows: list[dict[str, Any]] = []
        zeros: list[dict[str, Any]] = []
        for id, (_, blob) in some:
            numbers = to_vector(blob)
            if numbers.any():
                rows.append({"id": id, "vector": blob, "numbers": numbers.tolist()})
            else:
                zeros.append({"id": id, "vector": blob})
        if rows:
            ask("write_vectors", rows=rows)
        if zeros:
            ask("write_zero_vectors", rows=zeros)


def _write_frequencies(
    ask: Ask, *, removed: Iterable[TermCounts], added: Iterable[TermCounts]
) -> None:
    signed = [(t, 1) for t in added] + [(t, -1) for t in removed]
    if not signed:
        return
    ids = np.concatenate([t.ids for t, _ in signed])
    in_key = np.concatenate([(t.key > 0) * np.int64(sign) for t, sign in signed])
    in_full = np.concatenate([(t.full > 0) * np.int64(sign) for t, sign in signed])
    unique, place = np.unique(ids, return_inverse=True)
    key = np.bincount(place, weights=in_key, minlength=len(unique)).astype(np.int64)
    full = np.bincount(place, weights=in_full, minlength=len(unique)).astype(np.int64)
    moved = (key != 0) | (full != 0)
    columns = np.stack([unique[moved].astype(np.int64), key[moved], full[moved]], axis=1)
    for some in chunks(columns.tolist()):
        ask("write_terms", rows=some)
    for some in chunks(unique[(key < 0) | (full < 0)].tolist()):
        ask("drop_terms", ids=some)
