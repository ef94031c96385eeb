"""What the scores of one consolidation rest on, frozen so that later ones compare.

Document frequencies, a sample of texts against which the density of a neighbourhood is told, and
where there is a second embedder, how its cosines are brought to the scale of the first.
"""

import json
import zlib
from base64 import b85decode, b85encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import log
from typing import Any, Final

SAMPLE: Final = 2000
"""Texts in the sample; a fixed number, so that a neighbourhood does not get denser as a store
grows. Chosen by us."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Frozen statistics of the insights that were there.

    `frequency` counts the insights that hold a term, for terms of two insights and more; a term
    that is not in it is taken to be in one. `scale` and `shift` bring the cosine of a second
    embedder to the scale of the first: `scale * cosine + shift`.
    """

    insights: int
    frequency: Mapping[str, int]
    sample: tuple[str, ...]
    embedder: str = ""
    scale: float = 1.0
    shift: float = 0.0

    def idf(self, term: str) -> float:
        """Inverse document frequency of a term, at least 1."""
        return 1 + log((1 + self.insights) / (1 + self.frequency.get(term, 1)))

    @classmethod
    def none(cls) -> "Statistics":
        """Statistics of no insights."""
        return cls(insights=0, frequency={}, sample=())


def document_frequency(texts: Sequence[Sequence[str]]) -> dict[str, int]:
    """In how many texts a term occurs, for those in two and more."""
    counted: Counter[str] = Counter()
    for terms in texts:
        counted.update(set(terms))
    return {term: n for term, n in sorted(counted.items()) if n > 1}


def sample_of(ids: Sequence[str], size: int = SAMPLE) -> tuple[str, ...]:
    """Up to `size` ids, the same ones whatever order they come in."""
    return tuple(sorted(ids, key=lambda id: (_hash(id), id))[:size])


def pack(statistics: Statistics) -> dict[str, Any]:
    """Statistics as values for JSON; the long tables are compressed."""
    return {
        "insights": statistics.insights,
        "frequency": squeeze(statistics.frequency),
        "sample": squeeze(list(statistics.sample)),
        "embedder": statistics.embedder,
        "scale": statistics.scale,
        "shift": statistics.shift,
    }


def unpack(values: Mapping[str, Any]) -> Statistics:
    """The statistics that `pack` was given."""
    return Statistics(
        insights=values["insights"],
        frequency=expand(values["frequency"]),
        sample=tuple(expand(values["sample"])),
        embedder=values["embedder"],
        scale=values["scale"],
        shift=values["shift"],
    )


def squeeze(value: Any) -> str:
    """A JSON value as short text."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return b85encode(zlib.compress(text.encode("ascii"), 9)).decode("ascii")


def expand(text: str) -> Any:
    """The value that `squeeze` was given."""
    return json.loads(zlib.decompress(b85decode(text)))


def _hash(id: str) -> bytes:
    return blake2b(id.encode("utf-8", errors="surrogatepass"), digest_size=8).digest()
