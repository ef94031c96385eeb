"""Whether a shared insight says where it comes from: a check for tests, not a filter.

The words of the catalogue are ours and its slots take none of a run's, so nothing can leak there by
construction. What is not ours word for word, such as a merged text, must not name its source.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from ....kg.protocols import GraphStore
from ....kg.types import SHARED, Insight, Project
from .cards import catalogue
from .prose import split_sentences

LeakKind = Literal["path", "address", "hash", "e-mail", "name", "owner"]

_PATTERNS: Final[tuple[tuple[LeakKind, re.Pattern[str]], ...]] = (
    ("address", re.compile(r"\b(?:https?|ssh|git|file)://\S+|\bwww\.\S+|\bgit@[\w.-]+:\S+")),
    ("e-mail", re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")),
    (
        "path",
        re.compile(
            r"(?<![\w<`])(?:~|\.{1,2})?/[\w.-]+|\b[\w.-]+/[\w.-]+/[\w./-]*|\b[A-Za-z]:\\\S*"
        ),
    ),
    ("hash", re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b")),
)
_WHOLE: Final = re.compile(r"[\w.-]*\w")
_MIN_NAME: Final = 3
"""Letters of a name that is looked for; shorter ones are in every text. Chosen by us."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """What a shared insight should not say: the field it stands in, and the words found."""

    insight: str
    field: str
    kind: LeakKind
    found: str


def leaks_of(store: GraphStore, *, users: Collection[str] = ()) -> list[Leak]:
    """Every leak in the shared insights of a store, held against the store's own projects.

    `users` are names of people whose runs the store holds, as far as they are known.
    """
    names = {*users, *_parts(n.name for n in store.find("Project") if isinstance(n, Project))}
    insights = (n for n in store.find("Insight") if isinstance(n, Insight) and n.scope == SHARED)
    return [leak for insight in insights for leak in leaks_in(insight, names)]


def leaks_in(insight: Insight, names: Collection[str]) -> Iterator[Leak]:
    """Yield what one insight says of its source: places, addresses, hashes, people and `names`."""
    if owner := insight.project or insight.task:
        yield Leak(insight=insight.id, field="project or task", kind="owner", found=owner)
    for field in ("title", "description", "content", "applies_when", "not_when"):
        text = getattr(insight, field)
        for kind, found in (*_placed(text), *_named(text, names)):
            yield Leak(insight=insight.id, field=field, kind=kind, found=found)


def _placed(text: str) -> Iterator[tuple[LeakKind, str]]:
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield kind, match[0]
            text = text.replace(match[0], " " * len(match[0]))


def _named(text: str, names: Collection[str]) -> Iterator[tuple[LeakKind, str]]:
    if not names or is_ours(text):
        return
    said = set(_WHOLE.findall(text.lower()))
    spoken = _spoken(text)
    for name in sorted(names):
        if len(name) >= _MIN_NAME and (name.lower() in said or _spoken(name) in spoken):
            yield "name", name


def _spoken(text: str) -> str:
    """The words of a text between single blanks, so that `big-tool` is found in `big tool`."""
    return f" {' '.join(re.findall('[a-z0-9]+', text.lower()))} "


def _parts(projects: Iterable[str]) -> Iterator[str]:
    """The names in a project's name: `acme/api` is of acme, and is the api."""
    for project in projects:
        yield from (part for part in re.split(r"[/\\]", project) if part)


def is_ours(text: str) -> bool:
    """Say whether every sentence of a text stands word for word in the catalogue."""
    return all(sentence in _sentences() for sentence in _split(text))


@cache
def _sentences() -> frozenset[str]:
    texts = (
        text
        for card in catalogue()
        for text in (
            card.title, card.situation, card.seen, card.advice, card.applies_when, card.not_when,
        )
    )  # fmt: skip
    return frozenset(sentence for text in texts for sentence in _split(text))


def _split(text: str) -> list[str]:
    return [s for line in text.split("\n") for s in split_sentences(line)]
