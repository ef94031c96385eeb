"""The read-only Cypher door: one statement in, a bounded answer out, the same on every store."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..kg.cypher import DEFAULT_LIMITS, CypherLimits, CypherSource, Rows
from ..kg.protocols import GraphStore
from .guard import check
from .hidden import without_labels
from .notes import notes_on
from .view import View


class CypherDoor:
    """Answers Cypher for one store; keeps the view it may have to build. `close` it when done.

    A store that speaks Cypher is asked itself, in a mode that cannot write. For any other a
    read-only view is built, and again after every write.
    """

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._view = View(store)

    def __enter__(self) -> "CypherDoor":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(
        self,
        statement: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        limits: CypherLimits = DEFAULT_LIMITS,
    ) -> Rows:
        """Run one statement that reads; values come as parameters.

        Raises:
            UsageError: it does more than read, is wrong, or took more than the limits allow.
            StoreError: the store could not answer.
        """
        values = dict(parameters or {})
        found = check(statement, values)
        if isinstance(self._store, CypherSource):
            text = without_labels(found, self._store.own_labels)
            rows = self._store.cypher(text, values, limits=limits)
        else:
            rows = self._view.run(found.text, values, limits=limits)
        return replace(rows, notes=notes_on(found))

    def close(self) -> None:
        """Let the view go."""
        self._view.close()


def run(
    store: GraphStore,
    statement: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    limits: CypherLimits = DEFAULT_LIMITS,
) -> Rows:
    """Run one statement; for several keep a `CypherDoor`.

    Raises:
        UsageError: it does more than read, is wrong, or took more than the limits allow.
        StoreError: the store could not answer.
    """
    with CypherDoor(store) as door:
        return door.run(statement, parameters, limits=limits)
