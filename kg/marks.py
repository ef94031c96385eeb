"""The marks around recalled text: they name the retrieval, and no text may bring its own."""

import re
from typing import Final

_ANY_MARK: Final = re.compile(r"memory-(?:r-)?[0-9a-f]{8,}", re.IGNORECASE)
_RETRIEVAL: Final = re.compile(r"<memory-(r-[0-9a-f]{16})>")


_FOREIGN_TAG: Final = re.compile(
    r"<(?=/?(?:[a-z]+[-_:][\w:-]*|system|human|user|assistant|developer|tools?|functions?"
    r"|instructions?|invoke|result|context)\b[^<]{0,200}>|\|)",
    re.IGNORECASE,
)
"""Tags by which harnesses and chat formats tell who speaks; code seldom has them."""


def mark(id: str) -> str:
    """The mark for text recalled under this id: `memory-r-…` for a retrieval, else `memory-…`."""
    return f"memory-{id if id.startswith('r-') else id.rpartition('-')[2]}"


def retrievals_in(text: str) -> list[str]:
    """The ids of the retrievals whose opening marks stand in a text, in order and once."""
    return list(dict.fromkeys(_RETRIEVAL.findall(text)))


def without_marks(text: str) -> str:
    """A text that cannot pass for the end of what it stands in.

    Anything like a mark is taken out, also where taking one out would make another, and tags by
    which harnesses tell who speaks lose their bracket.
    """
    while (found := _ANY_MARK.sub("memory", text)) != text:
        text = found
    return _FOREIGN_TAG.sub("‹", text)
