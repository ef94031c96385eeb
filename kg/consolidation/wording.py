"""The words of an insight, as they are compared: its text without markup, its terms, its lead."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from sys import intern
from typing import Final

from ..terms import tokenize
from ..types import Memory

_MARKUP: Final = re.compile(r"//+|[{}`*#>|]+|(?m:^\s*[-+•]\s+)")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=\S)|\n+")
_TITLE_WORDS: Final = 15
"""Length of a title that an import cuts from a text without one."""

_STOP_WORDS: Final = """
a about above after again all almost along also although always am among an and another any are
around as at be because become been before being below between both but by can cannot could do
done during each either else etc even ever every few for from further get give go had has have he
her here him his how however i if in indeed into is it its itself keep last least less made many
may me might more most mostly much must my namely never next no none nor not nothing now of off
often on once one only onto or other others our out over own part per perhaps please put rather
re same see seem should show side since so some somehow something sometimes still such take than
that the their them then there therefore these they this those through thus to together too under
until up upon us very via was we well were what whatever when whenever where whether which while
who whole why will with within without would yet you your find found use used using
"""


@dataclass(frozen=True, slots=True)
class Wording:
    """An insight's words.

    `text` is everything it says without markup; `lead` the title and the first sentence, as they
    are written; `terms` are the stems of `text` in order, without stop words.
    """

    text: str
    lead: str
    terms: tuple[str, ...]


def wording(memory: Memory) -> Wording:
    """The words of a memory, each part said once."""
    parts = _parts(memory)
    text = clean("\n".join(parts))
    return Wording(text=text, lead=_lead(parts), terms=content_terms(text))


def said(memory: Memory) -> str:
    """The text of a memory's words, where nothing else of them is asked for."""
    return clean("\n".join(_parts(memory)))


def clean(text: str) -> str:
    """A text without Markdown and comment marks, on one line."""
    return " ".join(_MARKUP.sub(" ", text).split())


def content_terms(text: str) -> tuple[str, ...]:
    """The stems of a text in order, without stop words."""
    stops = stop_terms()
    return tuple(intern(t) for t in tokenize(text) if t not in stops)


@cache
def stop_terms() -> frozenset[str]:
    """Stems of words that say nothing of what a text is about."""
    return frozenset(tokenize(_STOP_WORDS))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of one word, empty where it has none."""
    return " ".join(tokenize(word))


def _parts(memory: Memory) -> list[str]:
    """Title, description and content, without a part that another one begins with."""
    parts = [p for p in (memory.title, memory.description, memory.content) if p.strip()]
    folded = [" ".join(p.split()) for p in parts]
    return [
        part
        for number, part in enumerate(parts)
        if not any(
            other.startswith(folded[number])
            for place, other in enumerate(folded)
            if place != number and (len(other), -place) > (len(folded[number]), -number)
        )
    ]


def _lead(parts: list[str]) -> str:
    """The first part as a whole where it is short, and the first sentence of the next."""
    if not parts:
        return ""
    first = _first_sentence(parts[0])
    if len(parts) == 1 or len(first.split()) > _TITLE_WORDS:
        return first
    return f"{first.rstrip('.')}. {_first_sentence(parts[1])}"


def _first_sentence(text: str) -> str:
    return " ".join(_SENTENCE_END.split(text.strip(), maxsplit=1)[0].split())
