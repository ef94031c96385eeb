"""How near two insights are in words: one number, and the parts it is made of.

    nearness(i, j) = (c + .4 l t + .2 l s) / (1 + .6 l) - .35 (crowd(i) + crowd(j))

c is the cosine of the two texts; t the cosine of their terms, weighted by squared inverse
document frequency; s the share of the first rare terms of each that the other has, too; l grows
from 0 to 1 with the number of terms, since a mean over many words says less and a count over few
says little. crowd(i) is by how much the ten nearest texts of a fixed sample are nearer than usual:
where everything is near, as in texts of one template, being near means little.

Source: `python bench/merging.py`, which measures each term on sets that chose no constant.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..protocols import Embedder
from ..types import Vector
from .statistics import Statistics
from .wording import Wording

TERM_WEIGHT: Final = 0.4
LEAD_WEIGHT: Final = 0.2
CROWD_WEIGHT: Final = 0.7
FULL_LENGTH: Final = 15
"""Distinct terms from which a text counts as long."""
LEAD_TERMS: Final = 3
RARE: Final = 0.04
"""A term of more than this share of the insights is not rare."""
CROWDED: Final = 0.7
NEIGHBOURS: Final = 10
COPY: Final = 0.9
"""Cosine from which a text of the sample is taken for a copy and is no part of a crowd."""
_BLOCK: Final = 4096
_PAIRS: Final = 32_768
_REACHED: Final = 20

Floats = NDArray[np.float32]
Indexes = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """Texts as what scoring needs, row for row.

    `vectors` holds unit rows, one array an embedder; `terms` unit rows of term weights; `has` ones
    where a term occurs; `lead` rows of weights that sum to one; `length` and `crowd` are in
    [0, 1], `information` sums the squared inverse document frequencies, all of shape (n,).
    """

    vectors: tuple[Vector, ...]
    terms: Any
    has: Any
    lead: Any
    length: Floats
    crowd: Floats
    information: Floats

    def __len__(self) -> int:
        return len(self.length)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of each pair's nearness, arrays of one shape."""

    nearness: Floats
    cosine: Floats
    terms: Floats
    lead: Floats
    crowd: Floats


class Scorer:
    """Describes texts and scores pairs of them by frozen statistics.

    `sample` are the vectors of the statistics' sample, by id, of the first embedder.
    """

    def __init__(
        self,
        statistics: Statistics,
        embedders: Sequence[Embedder],
        *,
        sample: Mapping[str, Vector],
    ) -> None:
        self.statistics = statistics
        self.embedders = tuple(embedders)
        ids = sorted(sample)
        self._sample_place = {id: k for k, id in enumerate(ids)}
        rows = [sample[id] for id in ids]
        self._sample = np.array(rows, np.float32) if rows else np.zeros((0, 1), np.float32)

    def describe(
        self, ids: Sequence[str], wordings: Sequence[Wording], *, vectors: Sequence[Vector] = ()
    ) -> Described:
        """Bring texts into the form that `parts` needs.

        `vectors` are those of the first embedders, as far as they are known.
        """
        texts = [w.text for w in wordings]
        rows = (*vectors, *(e.encode(texts) for e in self.embedders[len(vectors) :]))
        terms, has, lead, information = self._term_rows([w.terms for w in wordings])
        distinct = np.diff(has.indptr).astype(np.float32)
        length = np.minimum(1.0, distinct / FULL_LENGTH)
        crowd = np.maximum(0.0, self._density(ids, rows[0]) - CROWDED) * length
        return Described(
            vectors=rows,
            terms=terms,
            has=has,
            lead=lead,
            length=length,
            crowd=crowd.astype(np.float32),
            information=information,
        )

    def reach(self, vectors: Vector, *, without: Sequence[Sequence[str]]) -> Floats:
        """Mean cosine of each row with the twenty nearest of the sample; shape (n,).

        `without` holds for each row the ids that are no neighbours of it.
        """
        result = np.zeros(len(vectors), np.float32)
        count = min(_REACHED, len(self._sample))
        if not count:
            return result
        place = self._sample_place
        for start in range(0, len(vectors), _BLOCK):
            cosines = vectors[start : start + _BLOCK] @ self._sample.T
            for row, ids in enumerate(without[start : start + len(cosines)]):
                cosines[row, [place[id] for id in ids if id in place]] = -np.inf
            nearest = np.partition(cosines, -count, axis=1)[:, -count:]
            there = np.isfinite(nearest)
            sums = np.where(there, nearest, 0.0).sum(axis=1)
            result[start : start + len(cosines)] = sums / np.maximum(there.sum(axis=1), 1)
        return result

    def parts(self, texts: Described, first: Indexes, second: Indexes) -> Parts:
        """Score the pairs (first[k], second[k])."""
        blocks = [
            self._parts(
                texts, first[start : start + _BLOCK * 8], second[start : start + _BLOCK * 8]
            )
            for start in range(0, len(first), _BLOCK * 8)
        ]
        names = ("nearness", "cosine", "terms", "lead", "crowd")
        empty = np.zeros(0, np.float32)
        return Parts(
            **{name: np.concatenate([empty, *(getattr(b, name) for b in blocks)]) for name in names}
        )

    def _parts(self, texts: Described, i: Indexes, j: Indexes) -> Parts:
        cosine = _dot(texts.vectors[0], i, j)
        for rows in texts.vectors[1:]:
            brought = self.statistics.scale * _dot(rows, i, j) + self.statistics.shift
            cosine = np.asarray((cosine + brought) / 2, np.float32)
        terms = _sparse_dot(texts.terms, texts.terms, i, j)
        ways = ((i, j), (j, i))
        lead = sum(_sparse_dot(texts.lead, texts.has, a, b) for a, b in ways) / np.float32(2)
        length = np.sqrt(texts.length[i] * texts.length[j])
        crowd = np.asarray(CROWD_WEIGHT * (texts.crowd[i] + texts.crowd[j]) / 2, np.float32)
        weighted = cosine + TERM_WEIGHT * length * terms + LEAD_WEIGHT * length * lead
        nearness = weighted / (1 + (TERM_WEIGHT + LEAD_WEIGHT) * length) - crowd
        return Parts(
            nearness=np.asarray(nearness, np.float32),
            cosine=cosine,
            terms=terms,
            lead=np.asarray(lead, np.float32),
            crowd=crowd,
        )

    def _density(self, ids: Sequence[str], vectors: Vector) -> Floats:
        """Mean cosine with the ten nearest of the sample that are no copies; shape (n,)."""
        result = np.zeros(len(vectors), np.float32)
        count = min(NEIGHBOURS, len(self._sample))
        if not count:
            return result
        place = self._sample_place
        for start in range(0, len(vectors), _BLOCK):
            cosines = vectors[start : start + _BLOCK] @ self._sample.T
            cosines[cosines >= COPY] = 0.0
            for row, id in enumerate(ids[start : start + len(cosines)]):
                if id in place:
                    cosines[row, place[id]] = 0.0
            nearest = np.partition(cosines, -count, axis=1)[:, -count:]
            result[start : start + len(cosines)] = nearest.sum(axis=1) / NEIGHBOURS
        return result

    def idf(self, term: str) -> float:
        """Inverse document frequency of a term, at least 1."""
        return self.statistics.idf(term)

    def _term_rows(self, texts: Sequence[Sequence[str]]) -> tuple[Any, Any, Any, Floats]:
        columns: dict[str, int] = {}
        weighted = _Rows()
        present = _Rows()
        leading = _Rows()
        information: list[float] = []
        limit = max(3.0, RARE * self.statistics.insights)
        for terms in texts:
            counts: dict[str, int] = {}
            for term in terms:
                counts[term] = counts.get(term, 0) + 1
            weight = {t: self.idf(t) ** 2 for t in counts}
            values = {t: (1 + log(n)) * weight[t] for t, n in counts.items()}
            norm = float(np.sqrt(sum(v * v for v in values.values()))) or 1.0
            rare = [t for t in counts if self.statistics.frequency.get(t, 1) <= limit]
            lead = rare[:LEAD_TERMS]
            total = sum(weight[t] for t in lead) or 1.0
            number = [columns.setdefault(t, len(columns)) for t in counts]
            weighted.add(number, [v / norm for v in values.values()])
            present.add(number, [1.0] * len(number))
            leading.add([columns[t] for t in lead], [weight[t] / total for t in lead])
            information.append(sum(weight.values()))
        width = len(columns)
        return (
            weighted.matrix(width),
            present.matrix(width),
            leading.matrix(width),
            np.array(information, np.float32),
        )


class _Rows:
    """Rows of a sparse matrix as they come."""

    def __init__(self) -> None:
        self._starts = [0]
        self._columns: list[int] = []
        self._values: list[float] = []

    def add(self, columns: Sequence[int], values: Sequence[float]) -> None:
        self._columns.extend(columns)
        self._values.extend(values)
        self._starts.append(len(self._columns))

    def matrix(self, width: int) -> Any:
        shape = (len(self._starts) - 1, width)
        values = np.array(self._values, np.float32)
        matrix = csr_matrix(
            (values, np.array(self._columns, np.int32), np.array(self._starts, np.int64)),
            shape=shape,
        )
        matrix.sort_indices()
        return matrix


def _dot(rows: Vector, i: Indexes, j: Indexes) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", rows[i], rows[j]), np.float32)


def _sparse_dot(a: Any, b: Any, i: Indexes, j: Indexes) -> Floats:
    return np.asarray(a[i].multiply(b[j]).sum(axis=1), np.float32).ravel()
