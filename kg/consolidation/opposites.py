"""Whether two texts that share their words say opposite things."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from ..terms import tokenize
from .stance import Relation, Stance
from .wording import stem, stop_terms

_PREFIXES: Final = ("un", "in", "im", "ir", "dis", "non", "de", "mis", "il")
_MIN_ROOT: Final = 4
_NEAREST: Final = 2
_LIST: Final = "antonyms.txt"


def opposition(a: Stance, b: Stance) -> str:
    """What makes two texts that share half of their words opposites, empty where nothing does."""
    mine, other = _content(a), _content(b)
    shared, shorter = len(mine & other), min(len(mine), len(other))
    if not shorter or 2 * shared < shorter:
        return ""
    differ = a.forbids != b.forbids
    pair = next(_pairs(a.words - b.words, b.words - a.words, besides_negation=differ), None)
    if differ:
        if pair or _forbids_what_the_other_leaves(a, b):
            return ""
        return "one forbids what the other asks for"
    if pair:
        return f"{pair[0]} / {pair[1]}"
    if a.negated != b.negated and 3 * shared >= 2 * max(len(mine), len(other)):
        return "one denies what the other says"
    return _denied(a, b) or _turned(a, b) or _reordered(a.stems, b.stems)


def _forbids_what_the_other_leaves(a: Stance, b: Stance) -> bool:
    """Tell whether "avoid Y" meets "X instead of Y"."""
    one, other = (a, b) if a.forbids else (b, a)
    mine = _content(one)
    return any(r.kind == "over" and mine & set(r.second) for r in other.relations)


def _pairs(
    only_a: frozenset[str], only_b: frozenset[str], *, besides_negation: bool
) -> Iterator[tuple[str, str]]:
    """Opposite words of which each text has one; words that forbid by themselves may not count."""
    known, negating = _antonyms(), _negating_stems()
    stems_b = {stem(w): w for w in sorted(only_b)}
    for word in sorted(only_a):
        for other in sorted(known.get(stem(word), frozenset()) & stems_b.keys()):
            if not (besides_negation and {stem(word), other} & negating):
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


def _denied(a: Stance, b: Stance) -> str:
    """What the one denies and the other asks for."""
    for one, other in ((a, b), (b, a)):
        found = (one.denied & other.affirmed) - one.affirmed - other.denied - stop_terms()
        if found:
            return f"one denies {min(found)}"
    return ""


def _turned(a: Stance, b: Stance) -> str:
    """What the one wants and the other leaves, where a comparison is turned round."""
    for mine in a.relations:
        for other in b.relations:
            if mine.kind == other.kind and (moved := _moved(mine, other)):
                return f"{' '.join(sorted(moved))} is on the other side"
    for one, text in ((a, b), (b, a)):
        for relation in one.relations:
            if relation.kind == "over" and not text.relations:
                left = set(relation.second) - set(relation.first)
                wanted = [s for s in relation.first if s not in relation.second][-1:]
                if wanted and left & set(text.stems) and not set(wanted) & set(text.stems):
                    return f"{' '.join(sorted(left & set(text.stems)))} is what the other leaves"
    return ""


def _moved(a: Relation, b: Relation) -> frozenset[str]:
    """Stems that stand on one side only in both, and not on the same."""
    first_a, second_a = _sides(a)
    first_b, second_b = _sides(b)
    return first_a & second_b | second_a & first_b


def _sides(relation: Relation) -> tuple[frozenset[str], frozenset[str]]:
    """The stems next to the word between the sides, without those on both."""
    first, second = set(relation.first), set(relation.second)
    return (
        frozenset(relation.first[-_NEAREST:]) - second,
        frozenset(relation.second[:_NEAREST]) - first,
    )


def _reordered(a: Sequence[str], b: Sequence[str]) -> str:
    """Tell of equal words in another order, unless only a clause has moved."""
    if sorted(a) != sorted(b) or list(a) == list(b):
        return ""
    turns = (list(a[k:]) + list(a[:k]) for k in range(1, len(a)))
    return "" if any(turn == list(b) for turn in turns) else "the same words in another order"


def _content(stance: Stance) -> frozenset[str]:
    return frozenset(stance.stems) - stop_terms() - _negating_stems()


@cache
def _negating_stems() -> frozenset[str]:
    return frozenset(
        tokenize(
            "never not always avoid refrain stop ensure forbid forbidden skip omit ignore prohibit "
            "resist quit cease no none without"
        )
    )


@cache
def _antonyms() -> dict[str, frozenset[str]]:
    """Stems and the stems of their opposites."""
    opposite: dict[str, set[str]] = {}
    text = files(__package__).joinpath(_LIST).read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        sides = [[stem(w) for w in side.split()] for side in line.split("|")]
        for number, side in enumerate(sides):
            others = {w for place, s in enumerate(sides) if place != number for w in s}
            for word in side:
                opposite.setdefault(word, set()).update(others)
    return {word: frozenset(others - {word}) for word, others in opposite.items()}
