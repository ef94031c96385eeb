"""Whether two texts that share their words say opposite things."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from ..terms import tokenize
from .wording import content_terms, stem

_CLAUSE_END: Final = re.compile(r"[,;:.!?()\n]|\s[-–—]\s|\b(?:because|since|so that|and then)\b")
_SUBORDINATE: Final = re.compile(
    r"^(?:when|whenever|if|before|after|while|for|in|on|during|unless|once|as|at|where|to|with)\b",
    re.IGNORECASE,
)
_NEGATOR: Final = re.compile(
    r"(?<!to )\b(?:not|never|no|don'?t|doesn'?t|didn'?t|mustn'?t|shouldn'?t|won'?t|can'?t|cannot"
    r"|isn'?t|aren'?t|avoid|avoids|avoiding|refrain|stop|without|nor|neither|nothing|none|forbid"
    r"|forbidden|prohibited|unless|rarely|seldom|skip|omit|ignore)\b",
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
    r"|encod|pars|import|export|redirect|pip|forward|downgrad|upgrad|renam)\w*\b.*\b(?:to|into|from)\b",
    re.IGNORECASE,
)
"""Verbs after which "to" and "from" say where something goes."""
_NOT_THE_OTHER: Final = re.compile(
    r",?\s+(?:and\s+)?not\s+(?=\w+(?:\s+\w+)?\s*(?:[.,;]|$))", re.IGNORECASE
)
_SIDE_TERMS: Final = 5
_PREFIXES: Final = ("un", "in", "im", "ir", "dis", "non", "de", "mis", "il")
_MIN_ROOT: Final = 4


@dataclass(frozen=True, slots=True)
class Stance:
    """What a text is for and against.

    `forbids` tells whether its main clause is a prohibition, `negated` whether it holds an odd
    number of negations. `relations` are (kind, terms wanted or first, terms left or second) of
    comparisons such as "X over Y" and of orders such as "X before Y".
    """

    forbids: bool
    negated: bool
    words: frozenset[str]
    terms: frozenset[str]
    relations: tuple[tuple[str, frozenset[str], frozenset[str]], ...]


def stance(lead: str) -> Stance:
    """The stance of a text's title and first sentence."""
    main = _main_clause(_NO_NEGATION.sub(" ", lead))
    return Stance(
        forbids=_PROHIBITION.match(main) is not None,
        negated=len(_NEGATOR.findall(main)) % 2 == 1,
        words=frozenset(w.lower() for w in _WORD.findall(lead)),
        terms=frozenset(content_terms(lead)),
        relations=tuple(_relations(lead)),
    )


def _main_clause(lead: str) -> str:
    """The first clause that does not only say when or what for."""
    clauses = [c.strip(" -–—→•✅❌*\"'") for c in _CLAUSE_END.split(lead)]
    clauses = [c for c in clauses if _WORD.search(c)]
    return next((c for c in clauses if not _SUBORDINATE.match(c)), "".join(clauses[:1]))


def opposition(a: Stance, b: Stance) -> str:
    """What makes two texts that share half of their words opposites, empty where nothing does."""
    shared = _without_negators(a.terms) & _without_negators(b.terms)
    shorter = min(len(_without_negators(a.terms)), len(_without_negators(b.terms)))
    if not shorter or 2 * len(shared) < shorter:
        return ""
    pair = next(_pairs(a.words - b.words, b.words - a.words), None)
    if a.forbids != b.forbids:
        if pair or _forbids_what_the_other_leaves(a, b):
            return ""
        return "one forbids what the other asks for"
    if pair:
        return f"{pair[0]} / {pair[1]}"
    longer = max(len(_without_negators(a.terms)), len(_without_negators(b.terms)))
    if a.negated != b.negated and 3 * len(shared) >= 2 * longer:
        return "one denies what the other says"
    return _turned(a, b)


def _forbids_what_the_other_leaves(a: Stance, b: Stance) -> bool:
    """Tell whether "avoid Y" meets "X instead of Y"."""
    one, other = (a, b) if a.forbids else (b, a)
    return any(kind == "over" and left & one.terms for kind, _, left in other.relations)


def _pairs(only_a: frozenset[str], only_b: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Opposite words of which each text has one."""
    known = _antonyms()
    stems_b = {stem(w): w for w in sorted(only_b)}
    for word in sorted(only_a):
        for other in sorted(known.get(stem(word), frozenset()) & stems_b.keys()):
            yield word, stems_b[other]
    for word in sorted(only_a):
        for other in sorted(only_b):
            if _negates(word, other) or _negates(other, word):
                yield word, other


def _negates(word: str, root: str) -> bool:
    """Tell whether a word is a root with a prefix that turns it round."""
    if len(root) < _MIN_ROOT or not word.endswith(root):
        return False
    return word.removesuffix(root).rstrip("-") in _PREFIXES


def _turned(a: Stance, b: Stance) -> str:
    """What the one wants and the other leaves, where a comparison is turned round."""
    for kind, wanted, left in a.relations:
        for other_kind, other_wanted, other_left in b.relations:
            if kind != other_kind:
                continue
            crossed = len(wanted & other_left) + len(left & other_wanted)
            straight = len(wanted & other_wanted) + len(left & other_left)
            if crossed > straight and wanted & other_left:
                return f"{' '.join(sorted(wanted & other_left))} is on the other side"
    for one, other in ((a, b), (b, a)):
        if other.relations:
            continue
        for kind, wanted, left in one.relations:
            only_left = left - wanted
            if (
                kind == "over"
                and only_left
                and only_left & other.terms
                and not ((wanted - left) & other.terms)
            ):
                return f"{' '.join(sorted(only_left & other.terms))} is what the other leaves"
    return ""


def _relations(lead: str) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    text = _NOT_THE_OTHER.sub(" instead of ", lead)
    for clause in _CLAUSE_END.split(text):
        for match in _BETWEEN.finditer(clause):
            left = frozenset(content_terms(clause[: match.start()])[-_SIDE_TERMS:])
            right = frozenset(content_terms(clause[match.end() :])[:_SIDE_TERMS])
            if left and right:
                word = " ".join(match[0].lower().split())
                if word not in ("to", "into", "from") or _MOVES.search(clause):
                    yield _relation(word, left, right)


def _relation(
    word: str, left: frozenset[str], right: frozenset[str]
) -> tuple[str, frozenset[str], frozenset[str]]:
    if word in ("over", "instead of", "rather than", "in place of"):
        return "over", left, right
    if word in ("in favor of", "in favour of"):
        return "over", right, left
    if word == "after":
        return "before", right, left
    return ("to" if word == "into" else word), left, right


def _without_negators(terms: frozenset[str]) -> frozenset[str]:
    return terms - _negator_terms()


@cache
def _negator_terms() -> frozenset[str]:
    return frozenset(tokenize("avoid refrain stop always ensure forbid skip omit ignore prohibit"))


@cache
def _antonyms() -> dict[str, frozenset[str]]:
    """Stems and the stems of their opposites."""
    opposite: dict[str, set[str]] = {}
    source = files(__package__).joinpath("antonyms.txt").read_text(encoding="utf-8")
    for line in source.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        sides = [[stem(w) for w in side.split()] for side in line.split("|")]
        for number, side in enumerate(sides):
            others = {w for place, s in enumerate(sides) if place != number for w in s}
            for word in side:
                opposite.setdefault(word, set()).update(others)
    return {word: frozenset(others - {word}) for word, others in opposite.items()}
