"""Texts, term counts and vectors as stores keep them, and back."""

from typing import Final

import numpy as np

from ..errors import EmbeddingError
from ..terms import TermCounts
from ..types import Vector

MARK: Final = "\ufffe"
"""What no text begins with that is kept as it is: U+FFFE is no character."""


def kept_text(text: str) -> str:
    """Text as every store can hold it.

    UTF-8 knows no lone surrogates (bytes of a file name that are not UTF-8), and functions of
    databases stop at NUL. Texts with either are kept as hexadecimal digits after a mark.
    """
    if text.isascii() and "\0" not in text:
        return text
    raw = text.encode("utf-8", errors="surrogatepass")
    if "\0" in text or text.startswith(MARK) or has_surrogate(text):
        return MARK + raw.hex()
    return text


def original_text(kept: str) -> str:
    """The text that `kept_text` was given."""
    if not kept.startswith(MARK):
        return kept
    return bytes.fromhex(kept[1:]).decode("utf-8", errors="surrogatepass")


def has_surrogate(text: str) -> bool:
    """Tell whether a text cannot be written in UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def terms_blob(terms: TermCounts) -> bytes:
    """Term counts as bytes: the ids, then the counts in the key, then those in the full text."""
    return (
        np.ascontiguousarray(terms.ids, dtype="<u4").tobytes()
        + np.ascontiguousarray(terms.key, dtype=np.uint8).tobytes()
        + np.ascontiguousarray(terms.full, dtype=np.uint8).tobytes()
    )


def to_terms(blob: bytes, *, key_length: int, full_length: int) -> TermCounts:
    """The term counts of a blob."""
    count = len(blob) // 6
    return TermCounts(
        ids=np.frombuffer(blob, dtype="<u4", count=count),
        key=np.frombuffer(blob, dtype=np.uint8, count=count, offset=4 * count),
        full=np.frombuffer(blob, dtype=np.uint8, count=count, offset=5 * count),
        key_length=key_length,
        full_length=full_length,
    )


def vector_blob(vector: Vector, *, dim: int) -> bytes:
    """A vector as bytes.

    Raises:
        EmbeddingError: it has another length than the store's vectors, or holds no number.
    """
    row = np.ascontiguousarray(vector, dtype="<f4")
    if row.shape != (dim,):
        raise EmbeddingError(
            f"A vector of shape {row.shape} came to a store of vectors of {dim} numbers.",
            hint="Use the embedder the store was made with, or embed the store again: "
            "stepladder reembed",
        )
    if not np.isfinite(row).all():
        raise EmbeddingError("A vector holds values that are not finite.")
    return row.tobytes()


def to_vector(blob: bytes) -> Vector:
    """The vector of a blob, float32 of shape (dim,)."""
    return np.frombuffer(blob, dtype="<f4")
