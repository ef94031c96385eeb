"""What somebody should know who gets no rows: labels and types that nothing can have."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Final, get_args

from ..kg.types import NODE_TYPES, EdgeType
from .statement import Statement, Token

_ALSO: Final = ("|", "&")
_OPEN: Final = ("(", "[", "{")
_CLOSE: Final = (")", "]", "}")


def notes_on(statement: Statement) -> tuple[str, ...]:
    """A sentence for each label and type in a statement that is none of ours."""
    types = get_args(EdgeType)
    known = {*NODE_TYPES, *types}
    sentences = []
    for name, bracket in _names(statement.tokens):
        if name not in known:
            kind, choices = ("type", types) if bracket == "[" else ("label", tuple(NODE_TYPES))
            close = get_close_matches(name, choices, n=1)
            guess = f" Did you mean {close[0]}?" if close else ""
            sentences.append(f"Nothing has the {kind} {name}.{guess}")
    return tuple(dict.fromkeys(sentences))


def _names(tokens: tuple[Token, ...]) -> Iterator[tuple[str, str]]:
    """Names behind a colon, and those that follow them, with the bracket they stand in."""
    brackets: list[str] = []
    behind_colon = wanted = False
    for token in tokens:
        if token.text in _OPEN:
            brackets.append(token.text)
        elif token.text in _CLOSE:
            brackets.pop()
        inside = brackets[-1] if brackets else ""
        if token.text == ":":
            behind_colon = wanted = inside != "{"  # else it is a map
        elif token.text in _ALSO:
            wanted = behind_colon
        elif wanted and token.kind in ("word", "name"):
            yield token.text.strip("`"), inside
            wanted = False
        else:
            behind_colon = wanted = False
