"""How many tokens a text has: an estimate for plans, and a bound for the cap."""

import math
import re
from typing import Final

_PIECE: Final = re.compile(
    r"(?P<word>[A-Z]+(?![a-z])|[A-Z]?[a-z]+)|(?P<digits>\d{1,3})|(?P<lines>\s*\n\s*)"
    r"|(?P<gap>[ \t]{2,})|(?P<signs>[!-/:-@\[-`{-~]+)|(?P<other>[^\s!-~])"
)
_WEIGHTS: Final = {"word": 0.97, "digits": 1.5, "lines": 0.25, "gap": 2.0, "other": 1.2}
_FIRST_SIGN: Final = 0.75
_FURTHER_SIGN: Final = 0.25
"""Tokens of a piece by its kind. A sign often joins the word after it, and a break the sign before.

Source: least squares on 58 prompts of public runs against the tokenizer of OpenAI's models
(o200k_base); how near it is on others: `python bench/plan.py`.
"""

_FRAME: Final = 64
"""Tokens of the roles and marks around messages at most. Chosen by us."""

MESSAGE_TOKENS: Final = 5
"""Tokens of the role and the marks of one message, about."""


def estimate(text: str) -> int:
    """Tokens of a text, as tokenizers of current models count them, more or less."""
    total = 0.0
    for piece in _PIECE.finditer(text):
        kind, size = str(piece.lastgroup), piece.end() - piece.start()
        if kind == "signs":
            total += _FIRST_SIGN + _FURTHER_SIGN * (size - 1)
        elif kind == "word":
            total += _WEIGHTS[kind] * _parts(piece[0], size)
        else:
            total += _WEIGHTS[kind]
    return math.ceil(total)


def _parts(word: str, size: int) -> float:
    """Tokens of a word alone: long ones have more, and capitals are rarely seen together."""
    if size > 1 and word.isupper():
        return 1 if size <= 3 else 2 if size <= 7 else 3
    return 1 if size <= 6 else 1.2 if size <= 9 else 1.5


def at_most(*texts: str) -> int:
    """Tokens that messages of these texts cannot exceed: a byte is the least that a token holds."""
    return _FRAME + sum(len(t.encode("utf-8", errors="replace")) for t in texts)
