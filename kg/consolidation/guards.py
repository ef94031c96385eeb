"""What stands against merging two insights, however near their words are."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from ..types import Memory
from .names import identifiers_in, names_in, numbers_in, placeholders_in, without_examples
from .opposites import opposition
from .stance import Stance, stance
from .wording import Wording

VetoKind = Literal[
    "opposite",
    "tools",
    "identifiers",
    "numbers",
    "narrower",
    "words",
    "facets",
    "project",
    "apart",
    "rejected",
    "related",
    "contradicts",
]

FEW_TERMS: Final = 6
"""Of so few terms each counts: where both texts have one that the other lacks, what is shared says
little. Source: chosen on 1,200 pairs of lessons that one reader labelled, where it raises the
precision of what is merged unattended from .80 to .96."""

MANY_TERMS: Final = 15
"""From so many terms on a name is one word among others; in fewer it is the topic. Source: chosen
by us, with the length from which a text counts as long."""


@dataclass(frozen=True, slots=True)
class Veto:
    """Why two insights must not be merged unattended, with the words that say so."""

    kind: VetoKind
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What the guards read off one insight.

    `names`, `identifiers` and `numbers` are those of the title and the first sentence;
    `all_names` those of the whole text, `terms` its distinct stems.
    """

    stance: Stance
    names: frozenset[str]
    all_names: frozenset[str]
    identifiers: Mapping[str, str]
    placeholders: frozenset[str]
    numbers: frozenset[str]
    tools: frozenset[str]
    polarity: str
    terms: frozenset[str]


def marks(memory: Memory, words: Wording) -> Marks:
    """Read off an insight what the guards compare."""
    lead = without_examples(words.lead)
    return Marks(
        stance=stance(words.lead),
        names=names_in(lead),
        all_names=names_in(words.text),
        identifiers=identifiers_in(lead),
        placeholders=placeholders_in(lead),
        numbers=numbers_in(lead),
        tools=frozenset(t.lower() for t in memory.tools),
        polarity=memory.polarity,
        terms=frozenset("python" if t == "python3" else t for t in words.terms),
    )


def veto(a: Marks, b: Marks) -> Veto | None:
    """The first thing that stands against a merge, the gravest first."""
    return next(_vetoes(a, b), None)


def _vetoes(a: Marks, b: Marks) -> Iterator[Veto]:
    if said := opposition(a.stance, b.stance):
        yield Veto("opposite", said)
    if {a.polarity, b.polarity} == {"do", "avoid"} and _reads_alike(a.stance, b.stance):
        yield Veto("opposite", "one is to be done and the other avoided")
    if a.tools and b.tools and not a.tools & b.tools:
        yield Veto("facets", _sides(a.tools, b.tools))
    if a.all_names and b.all_names and not a.all_names & b.all_names:
        yield Veto("tools", _sides(a.all_names, b.all_names))
    if a.names - b.names and b.names - a.names:
        yield Veto("tools", _sides(a.names - b.names, b.names - a.names))
    if a.identifiers and b.identifiers and not a.identifiers.keys() & b.identifiers.keys():
        yield Veto("identifiers", _sides(a.identifiers.values(), b.identifiers.values()))
    if a.numbers and b.numbers and not a.numbers & b.numbers:
        yield Veto("numbers", _sides(a.numbers, b.numbers))
    alone = (a.names - b.all_names) | (b.names - a.all_names)
    if alone and min(len(a.terms), len(b.terms)) < MANY_TERMS:
        yield Veto("narrower", f"only one names {', '.join(sorted(alone))}")
    if a.placeholders != b.placeholders:
        yield Veto("narrower", f"only one has {', '.join(sorted(a.placeholders ^ b.placeholders))}")
    if min(len(a.terms), len(b.terms)) <= FEW_TERMS and a.terms - b.terms and b.terms - a.terms:
        yield Veto("words", _sides(a.terms - b.terms, b.terms - a.terms))


def _reads_alike(a: Stance, b: Stance) -> bool:
    """Tell whether no negation in the words says which of two is to be avoided."""
    return a.forbids == b.forbids and a.negated == b.negated


def _sides(a: Iterable[str], b: Iterable[str]) -> str:
    return f"{', '.join(sorted(a)[:4])} / {', '.join(sorted(b)[:4])}"
