"""The embedder that needs no network: one stored vector a word piece, summed and normalised.

It knows words, not their order: "always" and "never" differ by one vector among many, so
opposite advice is as near as equal advice.
"""

import zipfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import EmbeddingError
from .wordpiece import WordPiece

_HERE = Path(__file__).parent
_TABLE = _HERE / "static-256-int8.npz"
_CENTRE = _HERE / "static-256-centre.npz"
_VOCABULARY = _HERE / "vocab.txt"


_FEW = 16
"""Texts from which the whole table is unpacked. Chosen by us."""


class StaticEmbedder:
    """Embeds texts with a token table distilled from all-MiniLM-L6-v2.

    The table is read at the first use. A text gets the same vector, to the bit, alone and in any
    batch. At most 512 word pieces of a text are read.

    `centre` is the mean of the unit vectors of typical short technical texts, shape (256,).
    Source: `python scripts/embedding_centre.py`, over public bug titles, tasks, rules and lessons.

    Raises:
        EmbeddingError: a file of the model is missing or damaged.
    """

    name = "static-256"
    dim = 256

    def __init__(self) -> None:
        self.centre: NDArray[np.float32] = _arrays(_CENTRE, "centre")["centre"].astype(np.float32)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit rows, shape (len(texts), 256); a text without words gets a row of zeros.

        Raises:
            EmbeddingError: a file of the model is missing or damaged.
        """
        rows = self._table.__getitem__ if len(texts) > _FEW else self._rows
        ids_of = self._wordpiece.ids
        sums = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            np.add.reduce(rows(ids_of(text)), axis=0, out=sums[row])
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        np.divide(sums, lengths, out=sums, where=lengths > 0)
        return sums

    @cached_property
    def _table(self) -> NDArray[np.float32]:
        """One vector a word piece, shape (30522, 256), from bytes and a scale for each row."""
        table = self._stored["q"].astype(np.float32)
        table *= self._stored["s"].astype(np.float32)[:, None]
        return table

    def _rows(self, ids: NDArray[np.uint16]) -> NDArray[np.float32]:
        """The vectors of a few word pieces: a single text need not wait for the whole table."""
        rows = self._stored["q"][ids].astype(np.float32)
        rows *= self._stored["s"][ids].astype(np.float32)[:, None]
        return rows

    @cached_property
    def _stored(self) -> dict[str, NDArray[np.generic]]:
        return _arrays(_TABLE, "q", "s")

    @cached_property
    def _wordpiece(self) -> WordPiece:
        try:
            text = _VOCABULARY.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise _unreadable(_VOCABULARY, error) from error
        return WordPiece(text.removesuffix("\n").split("\n"))


def _arrays(path: Path, *names: str) -> dict[str, NDArray[np.generic]]:
    """The named arrays of an .npz file."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in names}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> EmbeddingError:
    return EmbeddingError(
        f"Cannot read {path}, a part of the static embedder: {error}",
        hint="Install again: pip install --force-reinstall stepladder",
    )
