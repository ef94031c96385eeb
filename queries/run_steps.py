"""The steps of a run in the order they happened."""

from ..kg.protocols import GraphStore
from ..kg.types import EVERYTHING, Scope, Step


def steps_of_run(store: GraphStore, trace: str, *, scope: Scope = EVERYTHING) -> list[Step]:
    """Every step of a trace in scope, by index; none where the id is of something else.

    Raises:
        StoreError: the store could not be read.
    """
    edges = store.edges([trace], types=("PART_OF",), direction="in", scope=scope)
    nodes = store.get([e.source for e in edges], scope=scope).values()
    return sorted((n for n in nodes if isinstance(n, Step)), key=lambda s: (s.index, s.id))
