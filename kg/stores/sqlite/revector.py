"""Changes all vectors of a store at once, and keeps those of another embedder out of it."""

from collections.abc import Iterable, Sequence
from typing import Final

import apsw

from ...errors import EmbeddingError, StoreError
from ...types import Vector
from ..encoding import kept_text, original_text, vector_blob
from . import index
from .connection import fetch
from .index import Geometry, IndexChanges
from .rows import json_texts
from .write import next_sequence, sequence

_EMBEDDER: Final = "SELECT value FROM setting WHERE name = 'embedder'"

_SET_EMBEDDER: Final = """
    INSERT INTO setting (name, value) VALUES ('embedder', ?)
    ON CONFLICT DO UPDATE SET value = excluded.value
"""

_PLACES: Final = """
    SELECT node.id, node.level, node.scope, memory.position, memory.full_length
    FROM json_each(?) AS wanted
    CROSS JOIN node ON node.id = wanted.value
    JOIN memory ON memory.node = node.number
"""


def switch(
    connection: apsw.Connection,
    new: Geometry,
    parts: Iterable[Sequence[tuple[str, Vector]]],
    *,
    embedder: str,
    expected: int,
) -> bool:
    """Put other vectors in place of all, inside the caller's transaction.

    Returns False, with nothing changed, where the store is not at the sequence `expected`.
    """
    if sequence(connection) != expected:
        return False
    number = next_sequence(connection)
    index.reset(connection, new, sequence=number)
    for part in parts:
        _write_part(connection, new, part, sequence=number)
    connection.execute(_SET_EMBEDDER, (kept_text(embedder),))
    return True


def _write_part(
    connection: apsw.Connection,
    new: Geometry,
    part: Sequence[tuple[str, Vector]],
    *,
    sequence: int,
) -> None:
    changes = IndexChanges()
    blobs = {kept_text(id): vector_blob(vector, dim=new.dim) for id, vector in part}
    rows = fetch(connection, _PLACES, (json_texts(id for id, _ in part),))
    if len(rows) != len(blobs):
        raise StoreError("A vector came for a memory that is not there.")
    for id, level, scope, position, length in rows:
        changes.vectors[position] = blobs[id]
        changes.place(position, level=level, scope=scope, length=length)
    changes.flush(connection, sequence=sequence)


def demand_embedder(connection: apsw.Connection, name: str) -> None:
    """Refuse to go on where the store's vectors come from another embedder by now.

    Raises:
        EmbeddingError: they do.
    """
    rows = fetch(connection, _EMBEDDER)
    if rows and original_text(rows[0][0]) != name:
        now = original_text(rows[0][0])
        raise EmbeddingError(
            f"The store's vectors come from {now!r} by now, not from {name!r}.",
            hint=f"Start the program again with STEPLADDER_EMBEDDER={now}.",
        )
