"""What a user would build in an afternoon: BM25, cosines, and both fused by rank."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from stepladder.kg.embedding.wordpiece import WordPiece

Floats = NDArray[np.float64]

_K1, _B = 1.2, 0.75
_RRF = 60
_CLS, _SEP = 101, 102


class Encoder(Protocol):
    """Anything that turns texts into unit vectors."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


class BM25:
    """Okapi BM25 over lower-case words.

    Each word of a query counts once; with `repeated` as often as it stands there, which is better
    where the query is code and worse where it is prose.
    """

    def __init__(self, texts: Sequence[str], *, repeated: bool = False) -> None:
        self._repeated = repeated
        counts = [Counter(_words(t)) for t in texts]
        lengths = np.array([c.total() for c in counts], dtype=np.float64)
        self._norm = _K1 * (1 - _B + _B * lengths / max(lengths.mean(), 1.0))
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for row, count in enumerate(counts):
            for word, n in count.items():
                self._postings[word].append((row, n))

    def scores(self, text: str, *, left: NDArray[np.bool_] | None = None) -> Floats:
        """Score every text; with `left` as if only those were there, the others being 0."""
        there = np.ones(len(self._norm), dtype=bool) if left is None else left
        total = int(there.sum())
        scores = np.zeros(len(self._norm))
        for word, times in Counter(_words(text)).items():
            rows = [(r, n) for r, n in self._postings.get(word, ()) if there[r]]
            idf = np.log1p((total - len(rows) + 0.5) / (len(rows) + 0.5))
            for row, n in rows:
                scores[row] += (
                    (times if self._repeated else 1) * idf * n * (_K1 + 1) / (n + self._norm[row])
                )
        return scores


class MiniLM:
    """all-MiniLM-L6-v2 as ONNX, from a folder with the model and its `vocab.txt`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit rows, shape (len(texts), 384); 256 word pieces of each text are read."""
        return np.stack([self._one(t) for t in texts])

    def _one(self, text: str) -> NDArray[np.float32]:
        pieces = [_CLS, *self._wordpiece.ids(text)[:254].tolist(), _SEP]
        ids = np.array([pieces], dtype=np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        vector: NDArray[np.float32] = self._session.run(None, inputs)[0][0]
        return vector

    @cached_property
    def _wordpiece(self) -> WordPiece:
        words = (self._folder / "vocab.txt").read_text(encoding="utf-8")
        return WordPiece(words.removesuffix("\n").split("\n"))

    @cached_property
    def _session(self) -> Any:
        import onnxruntime  # type: ignore[import-not-found]

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        (model,) = sorted(self._folder.glob("*.onnx"))
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def fused(*lists: Floats) -> Floats:
    """Reciprocal rank fusion with k = 60."""
    ranks = [np.argsort(np.argsort(-scores, kind="stable"), kind="stable") for scores in lists]
    return np.asarray(np.sum([1.0 / (_RRF + 1 + r) for r in ranks], axis=0), dtype=np.float64)


def standardised(scores: Floats) -> Floats:
    """Scores as deviations from their mean, in standard deviations."""
    spread = max(float(scores.std()), 1e-9)
    return np.asarray((scores - scores.mean()) / spread, dtype=np.float64)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
