"""What a text is for and against, read off its title and first sentence."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from ..terms import tokenize

RelationKind = Literal["over", "before", "than", "to", "from"]

_CLAUSE_END: Final = re.compile(r"[,;:.!?()\n]|\s[-–—]\s|\b(?:because|since|so that|and then)\b")
_SUBORDINATE: Final = re.compile(
    r"^(?:when|whenever|if|before|after|while|for|in|on|during|unless|once|as|at|where|to|with)\b",
    re.IGNORECASE,
)
_NEGATOR: Final = re.compile(
    r"(?<!to )\b(?:not|never|no|don'?t|doesn'?t|didn'?t|mustn'?t|shouldn'?t|won'?t|can'?t|cannot"
    r"|isn'?t|aren'?t|avoid|avoids|avoiding|refrain|stop|without|nor|neither|nothing|none|forbid"
    r"|forbidden|prohibited|unless|rarely|seldom|skip|omit|ignore)\b"
    r"|\b(?:keep|keeps|keeping|leave|leaves|leaving|stay)\b[^.,;]{0,60}\bout\b",
    re.IGNORECASE,
)
_NO_NEGATION: Final = re.compile(
    r"\b(?:do\s+not|don'?t|never)\s+(?:forget|hesitate|fail|neglect)\b|\bnot\s+only\b"
    r"|\b(?:if|whether|or)\s+not\b",
    re.IGNORECASE,
)
_PROHIBITION: Final = re.compile(
    r"^(?:please\s+|you\s+|one\s+|agents?\s+|(?:it\s+is|it's)\s+)?(?:should\s+|must\s+)?"
    r"(?:never|do\s+not|don'?t|avoid|refrain|stop|not\b|no\b|skip|omit"
    r"|resist|quit|cease|forbid|prohibit)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_BETWEEN: Final = re.compile(
    r"\b(?:over|instead\s+of|rather\s+than|in\s+favou?r\s+of|in\s+place\s+of|before|after|than"
    r"|into|from|to)\b",
    re.IGNORECASE,
)
_MOVES: Final = re.compile(
    r"\b(?:convert|migrat|mov|copy|copi|cast|translat|map|push|pull|switch|merg|transform|sync"
    r"|encod|pars|import|export|redirect|pip|forward|downgrad|upgrad|renam)\w*\b.*"
    r"\b(?:to|into|from)\b",
    re.IGNORECASE,
)
"""Verbs after which "to" and "from" say where something goes."""
_NOT_THE_OTHER: Final = re.compile(
    r",?\s+(?:and\s+)?not\s+(?=\w+(?:\s+\w+){0,3}\s*(?:[.,;]|$))", re.IGNORECASE
)
_FIRST_THEN: Final = re.compile(
    r"^(?P<one>[^.;:!?]+?)\bfirst\b,?\s+(?:and\s+)?(?:only\s+)?(?:then\s+)?(?P<other>[^.;:!?]+?)"
    r"\s*(?:\b(?:afterwards?|later|after\s+that|last|second)\b)?[.;:!?]*$",
    re.IGNORECASE,
)
_THEN: Final = re.compile(
    r"([\w-]+),?\s+(?:and\s+)?then\s+(?:(?:the|a|an)\s+)?([\w-]+)", re.IGNORECASE
)
_GIVE_UP: Final = re.compile(r"\b(?:give|gives|giving|gave)\s+up\b", re.IGNORECASE)
_SIDE_TERMS: Final = 5


@dataclass(frozen=True, slots=True)
class Relation:
    """A comparison such as "X over Y", or an order such as "X before Y".

    `first` are the stems before, the nearest last; `second` those after it.
    """

    kind: RelationKind
    first: tuple[str, ...]
    second: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stance:
    """What a text is for and against.

    `forbids` tells whether its main clause is a prohibition, `negated` whether it holds an odd
    number of negations. `words` are in small letters; `stems` are in order, without function
    words. `denied` are stems that directly follow a negation, `affirmed` those that stand in some
    clause before any negation.
    """

    forbids: bool
    negated: bool
    words: frozenset[str]
    stems: tuple[str, ...]
    denied: frozenset[str]
    affirmed: frozenset[str]
    relations: tuple[Relation, ...]


def stance(lead: str) -> Stance:
    """The stance of a text's title and first sentence."""
    lead = _GIVE_UP.sub(" quit", lead.replace("()", ""))
    plain = _NO_NEGATION.sub(" ", lead)
    main = _main_clause(plain)
    denied, affirmed = _sides_of_negations(plain)
    return Stance(
        forbids=_PROHIBITION.match(main) is not None,
        negated=len(_NEGATOR.findall(main)) % 2 == 1,
        words=frozenset(w.lower() for w in _WORD.findall(lead)),
        stems=_stems(lead),
        denied=denied,
        affirmed=affirmed,
        relations=tuple(_relations(lead)),
    )


def _main_clause(lead: str) -> str:
    """The first clause that does not only say when or what for."""
    clauses = [c.strip(" -–—→•✅❌*\"'") for c in _CLAUSE_END.split(lead)]
    clauses = [c for c in clauses if _WORD.search(c)]
    return next((c for c in clauses if not _SUBORDINATE.match(c)), "".join(clauses[:1]))


def _sides_of_negations(lead: str) -> tuple[frozenset[str], frozenset[str]]:
    """What is denied by the word that follows a negation, and what stands before any."""
    denied: set[str] = set()
    affirmed: set[str] = set()
    for clause in _CLAUSE_END.split(lead):
        found = _NEGATOR.search(clause)
        affirmed.update(_stems(clause[: found.start()] if found else clause))
        if found:
            denied.update(_stems(clause[found.end() :])[:1])
    return frozenset(denied), frozenset(affirmed)


def _relations(lead: str) -> Iterator[Relation]:
    text = _NOT_THE_OTHER.sub(" instead of ", lead)
    for clause in _CLAUSE_END.split(text):
        for match in _BETWEEN.finditer(clause):
            first = _stems(clause[: match.start()])[-_SIDE_TERMS:]
            second = _stems(clause[match.end() :])[:_SIDE_TERMS]
            word = " ".join(match[0].lower().split())
            goes = word not in ("to", "into", "from") or _MOVES.search(clause)
            if first and second and goes:
                yield _relation(word, first, second)
    for earlier, later in _THEN.findall(lead):
        if _stems(earlier) and _stems(later):
            yield Relation("before", _stems(earlier), _stems(later))
    if found := _FIRST_THEN.match(lead):
        first, second = _stems(found["one"]), _stems(found["other"])
        if first and second:
            yield Relation("before", first[-_SIDE_TERMS:], second[:_SIDE_TERMS])


def _relation(word: str, first: tuple[str, ...], second: tuple[str, ...]) -> Relation:
    if word in ("over", "instead of", "rather than", "in place of"):
        return Relation("over", first, second)
    if word in ("in favor of", "in favour of"):
        return Relation("over", second, first)
    if word in ("before", "after"):
        return Relation("before", *((first, second) if word == "before" else (second, first)))
    if word == "than":
        return Relation("than", first, second)
    return Relation("from" if word == "from" else "to", first, second)


def _stems(text: str) -> tuple[str, ...]:
    return tuple(t for t in tokenize(text) if t not in _function_stems())


@cache
def _function_stems() -> frozenset[str]:
    return frozenset(
        tokenize(
            "a an and are as at be been by for has have in is it its of on or that the their them "
            "they this these those to was were will with you your ones one"
        )
    )
