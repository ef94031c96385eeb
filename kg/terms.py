"""Words as numbers: the tokenizer and the term counts that lexical scoring rests on."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b
from typing import cast

import apsw
import numpy as np
from numpy.typing import NDArray

_MAX_COUNT = 255


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How often each term occurs in the two fields of a memory.

    `ids` are sorted uint32 of shape (n,); `key` and `full` are uint8 counts of the same shape,
    cut at 255; the lengths count every token of a field.
    """

    ids: NDArray[np.uint32]
    key: NDArray[np.uint8]
    full: NDArray[np.uint8]
    key_length: int
    full_length: int


@cache
def _tokenizer() -> Callable[..., list[str]]:
    connection = apsw.Connection(":memory:")
    return cast("Callable[..., list[str]]", connection.fts5_tokenizer("porter", ["unicode61"]))


def tokenize(text: str) -> list[str]:
    """Split text into stemmed, lower-case terms, as SQLite's `porter unicode61` does."""
    data = text.encode("utf-8", errors="replace")
    return _tokenizer()(
        data,
        apsw.FTS5_TOKENIZE_DOCUMENT,
        None,
        include_offsets=False,
        include_colocated=False,
    )


@lru_cache(maxsize=2**16)
def term_id(term: str) -> int:
    """A 32-bit number for a term, the same in every store and process.

    Two of a million terms share a number with odds of about 1 in 4,300 each, which shifts a
    document frequency by a few counts.
    """
    digest = blake2b(term.encode("utf-8", errors="replace"), digest_size=4).digest()
    return int.from_bytes(digest, "little")


def count_terms(key: str, full: str) -> TermCounts:
    """Count the terms of a memory's key and of its whole text (which holds the key)."""
    in_key, in_full = Counter(tokenize(key)), Counter(tokenize(full))
    numbered = sorted((term_id(t), t) for t in {**in_full, **in_key})
    terms = [t for _, t in numbered]
    return TermCounts(
        ids=np.array([number for number, _ in numbered], dtype=np.uint32),
        key=np.array([min(in_key[t], _MAX_COUNT) for t in terms], dtype=np.uint8),
        full=np.array([min(in_full[t], _MAX_COUNT) for t in terms], dtype=np.uint8),
        key_length=in_key.total(),
        full_length=in_full.total(),
    )
