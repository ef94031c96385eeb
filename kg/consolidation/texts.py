"""Words and vectors of insights, each worked out once however often a run asks for it."""

from collections.abc import Sequence

import numpy as np

from ..protocols import Embedder
from ..types import Insight, Vector
from .wording import Wording, said, wording


class Texts:
    """Remembers by id what insights say, as long as one run looks at them."""

    def __init__(self, embedders: Sequence[Embedder]) -> None:
        self._embedders = tuple(embedders)
        self._wordings: dict[str, Wording] = {}
        self._rows: tuple[dict[str, Vector], ...] = tuple({} for _ in self._embedders)

    def wordings(self, insights: Sequence[Insight]) -> list[Wording]:
        """The words of some insights, in their order."""
        missing = [i for i in insights if i.id not in self._wordings]
        self._wordings.update((i.id, wording(i)) for i in missing)
        return [self._wordings[i.id] for i in insights]

    def vectors(self, insights: Sequence[Insight]) -> tuple[Vector, ...]:
        """Unit rows of some insights, one array of shape (n, dim) an embedder."""
        return tuple(self._vectors(k, insights) for k in range(len(self._embedders)))

    def first(self, insights: Sequence[Insight]) -> Vector:
        """Unit rows of the first embedder only, shape (n, dim)."""
        return self._vectors(0, insights)

    def _vectors(self, number: int, insights: Sequence[Insight]) -> Vector:
        rows, embedder = self._rows[number], self._embedders[number]
        missing = [i for i in insights if i.id not in rows]
        if missing:
            found = embedder.encode([said(i) for i in missing])
            rows.update((i.id, row) for i, row in zip(missing, found, strict=True))
        found = np.array([rows[i.id] for i in insights], np.float32)
        return found.reshape(len(insights), embedder.dim)
