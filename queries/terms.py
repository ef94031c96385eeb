"""The words of a task text: which of them ask for something, and how much each one weighs."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..kg.protocols import TermStatistics
from ..kg.terms import term_id, tokenize

FULL_TERMS: Final = 32
"""How many of the heaviest words are compared with whole texts; keys are compared with all words.

Source: measured on public sets with bench/evaluate.py; 24 and 32 are equal, 96 lose .08 nDCG@10.
"""

_MAX_CHARS: Final = 60_000
_SURFACE: Final = re.compile(r"[^\W_]+")

_STOP_WORDS: Final = (
    "a an the this that these those it its and or but if then than so as of to in on at by for"
    " with from into is are was were be been not no do does did can should will would have has"
    " you your we our i they which all any"
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a task text by its stem, and how often it stands there."""

    stem: str
    count: int


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The words of a task text, heaviest first.

    `ids` are uint32 of shape (n,), `key_idf` and `full_idf` float64 of the same shape: the inverse
    document frequency of each word over keys and over whole texts.
    """

    words: tuple[Word, ...]
    ids: NDArray[np.uint32]
    key_idf: NDArray[np.float64]
    full_idf: NDArray[np.float64]

    @property
    def heaviest(self) -> tuple[str, ...]:
        """Stems of the words that are compared with whole texts."""
        return tuple(w.stem for w in self.words[:FULL_TERMS])

    @property
    def self_weight(self) -> float:
        """Weight of the heaviest words together: what a memory that holds them all could reach."""
        return float(self.full_idf[:FULL_TERMS].sum())


@cache
def stop_stems() -> frozenset[str]:
    """Stems of words that say nothing about a task."""
    return frozenset(tokenize(_STOP_WORDS))


def read_words(text: str) -> dict[int, Word]:
    """Count the words of a text by term id, stop words left out, in the order of the text.

    Only the first 60,000 characters are read.
    """
    text = text[:_MAX_CHARS]
    counts: dict[str, int] = {}
    for stem in tokenize(text):
        counts[stem] = counts.get(stem, 0) + 1
    stops = stop_stems()
    return {term_id(stem): Word(stem, count) for stem, count in counts.items() if stem not in stops}


def weigh(words: Mapping[int, Word], statistics: TermStatistics) -> QueryTerms:
    """Order words by `(1 + ln tf) * idf`; idf = ln(1 + (N - df + .5) / (df + .5)) over full texts.

    A word that no memory holds keeps its place and its weight: that nothing in the store speaks
    of it makes every answer less certain.
    Source: Okapi BM25 idf in its non-negative form; the order was measured on public sets with
    bench/evaluate.py.
    """
    ids = list(words)
    frequencies = [statistics.document_frequency.get(i, (0, 0)) for i in ids]
    key = _idf([f[0] for f in frequencies], statistics.memories)
    full = _idf([f[1] for f in frequencies], statistics.memories)
    weight = [(1.0 + math.log(words[i].count)) * f for i, f in zip(ids, full, strict=True)]
    order = sorted(range(len(ids)), key=lambda n: (-weight[n], words[ids[n]].stem))
    return QueryTerms(
        words=tuple(words[ids[n]] for n in order),
        ids=np.array([ids[n] for n in order], dtype=np.uint32),
        key_idf=key[order],
        full_idf=full[order],
    )


def _idf(frequencies: Sequence[int], memories: int) -> NDArray[np.float64]:
    df = np.asarray(frequencies, dtype=np.float64)
    return np.log1p((np.maximum(memories - df, 0.0) + 0.5) / (df + 0.5))


def surfaces(text: str) -> dict[str, str]:
    """The first written form of each stem of a text, for sentences that people read."""
    found: dict[str, str] = {}
    for surface in dict.fromkeys(_SURFACE.findall(text[:_MAX_CHARS])):
        for stem in tokenize(surface):
            found.setdefault(stem, surface)
    return found
