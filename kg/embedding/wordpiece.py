"""BERT's uncased WordPiece tokeniser in pure Python.

A text is cut at whitespace into chunks. A chunk is cleaned (control characters and accents
dropped, letters lowered) and cut at punctuation into words; a word is cut into the longest
pieces the vocabulary knows, from the left.

Chunks and words repeat, so the ids of each are remembered as bytes: a text of known chunks
costs one look-up a chunk and one join.

Source: Devlin et al. 2019, arXiv 1810.04805; Wu et al. 2016, arXiv 1609.08144, section 4.1.
"""

import re
import unicodedata
from array import array
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

_UNKNOWN = "[UNK]"
_CONTINUES = "##"
_MAX_WORD_CHARS = 100  # a longer word is unknown as a whole, as in the original
_MAX_KEPT_CHARS = 100  # longer texts hardly ever repeat
_MAX_KEPT = 50_000  # entries of one memory; about 10 MB
_MAX_SPELLINGS = 10_000

_ASCII_WORD = re.compile(r"[a-z0-9]+|[^a-z0-9]")
_ASCII_CONTROL = dict.fromkeys([*range(32), 127])
_CJK = tuple(
    range(first, last + 1)
    for first, last in (
        (0x3400, 0x4DBF),
        (0x4E00, 0x9FFF),
        (0xF900, 0xFAFF),
        (0x20000, 0x2FA1F),
    )
)


class WordPiece:
    """Turns texts into vocabulary ids, without the [CLS] and [SEP] that frame them in BERT.

    `vocabulary` holds fewer than 65,536 different pieces, among them [UNK]; the id of a piece
    is its place. `limit` is the largest number of chunks, and of ids, taken from one text.
    """

    def __init__(self, vocabulary: Sequence[str], *, limit: int = 512) -> None:
        self._limit = limit
        self._id_of_piece = {piece: number for number, piece in enumerate(vocabulary)}
        self._longest_piece = max(map(len, vocabulary))
        self._unknown = _packed([self._id_of_piece[_UNKNOWN]])
        self._spelling = _Spelling()
        self._ids_of_word = _Memory(self._read_word).__getitem__
        self._ids_of_chunk = _Memory(self._read_chunk).__getitem__

    def ids(self, text: str) -> NDArray[np.uint16]:
        """The ids of the text's first pieces, in order; shape (n,) with n at most `limit`."""
        chunks = text.split(None, self._limit)[: self._limit]
        packed = b"".join(map(self._ids_of_chunk, chunks))
        return np.frombuffer(packed, dtype=np.uint16)[: self._limit]

    def _read_chunk(self, chunk: str) -> bytes:
        return b"".join(map(self._ids_of_word, self._words(chunk)[: self._limit]))

    def _words(self, chunk: str) -> list[str]:
        if chunk.isascii():
            return _ASCII_WORD.findall(chunk.lower().translate(_ASCII_CONTROL))
        return chunk.translate(self._spelling).split()

    def _read_word(self, word: str) -> bytes:
        """The longest known pieces from the left, or [UNK] where some part is in none."""
        if len(word) > _MAX_WORD_CHARS:
            return self._unknown
        ids: list[int] = []
        start = 0
        while start < len(word):
            prefix = _CONTINUES if start else ""
            furthest = min(len(word), start + self._longest_piece)
            for end in range(furthest, start, -1):
                number = self._id_of_piece.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return self._unknown
            ids.append(number)
            start = end
        return _packed(ids)


def _packed(ids: list[int]) -> bytes:
    """The ids as unsigned 16-bit numbers in the machine's byte order."""
    return array("H", ids).tobytes()


class _Memory(dict[str, bytes]):
    """Answers of a function, remembered until the memory is full."""

    def __init__(self, answer: Callable[[str], bytes]) -> None:
        super().__init__()
        self._answer = answer

    def __missing__(self, text: str) -> bytes:
        answer = self._answer(text)
        if len(text) <= _MAX_KEPT_CHARS and len(self) < _MAX_KEPT:
            self[text] = answer
        return answer


class _Spelling(dict[int, str]):
    """What `str.translate` writes for a character: see `_spell`."""

    def __missing__(self, code: int) -> str:
        spelling = _spell(chr(code))
        if len(self) < _MAX_SPELLINGS:
            self[code] = spelling
        return spelling


def _spell(char: str) -> str:
    """The character as the vocabulary spells it.

    Nothing for a control character; lower case without accents for a letter; between spaces
    where it is a word of its own.
    """
    if char == "\N{REPLACEMENT CHARACTER}" or unicodedata.category(char) in ("Cc", "Cf"):
        return ""
    decomposed = unicodedata.normalize("NFD", char.lower())
    letters = (letter for letter in decomposed if unicodedata.category(letter) != "Mn")
    return "".join(f" {letter} " if _stands_alone(letter) else letter for letter in letters)


def _stands_alone(char: str) -> bool:
    """Whether the character is a word: punctuation, an ASCII symbol or a CJK ideograph."""
    if char.isascii():
        return not char.isalnum()
    return unicodedata.category(char).startswith("P") or any(ord(char) in block for block in _CJK)
