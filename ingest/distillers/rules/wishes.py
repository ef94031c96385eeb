"""Corrections and standing wishes of the user, in the user's own words."""

import re
from collections.abc import Iterator
from typing import Final

from ....kg.types import Insight
from ...record import RunRecord
from .asks import request_turns
from .card import Hit
from .fact import fact
from .language import Clause, clauses_of
from .prose import sentences_of

_MIN_WORDS: Final = 4
_MAX_WORDS: Final = 30
_MAX_SENTENCES: Final = 12
"""A longer message is a paste or a specification, and no correction. Chosen by us."""

_WISH: Final = re.compile(
    r"\b(?:never|always|must(?: not)?|make sure|explicitly|no longer|rather than|instead of"
    r"|let'?s (?:use|keep|not)|(?:please )?do(?:n't| not)|stop (?!the\b)|prefer|from now on"
    r"|please use|use [\w`./-]+,? not?\b|no [\w ]{1,30} (?:yet|please)|should (?:not|never|only)"
    r"|shouldn't|only (?:use|do|doing|change)|every time|whenever|avoid"
    r"|before you (?:go|do|start|commit|push|merge|change)"
    r"|not (?:as )?an? [\w ]{1,30},? but)\b",
    re.IGNORECASE,
)
_AVOID: Final = re.compile(
    r"\b(?:never|do(?:n't| not)|stop|no longer|avoid|must not|should(?: not|n't| never)"
    r"|let'?s not)\b|^no\b",
    re.IGNORECASE,
)
_HEDGE: Final = re.compile(
    r"\b(?:i don'?t (?:know|think|understand|see|get|care|mind)|kind of|maybe|perhaps|i think"
    r"|not sure|i guess|doesn'?t|didn'?t|isn'?t|wasn'?t|don'?t (?:work|have|exist|seem|need it"
    r"|match)|wonder|implausible|your answer|ask for human|last step to propose)\b",
    re.IGNORECASE,
)
_PASTED: Final = re.compile(
    r"[/\\]\w+[/\\]|0x[0-9a-f]+|\b(?=[a-f]*\d)[0-9a-f]{7,}\b|\w+_\w+_\w+|[{}<>|;=]|\d{2}:\d{2}|\bError:"
    r"|\b(?:npm|pip|warn|info|debug)\b.{0,12}\berror\b|^\s*[\[({#$%@]|(?-i:\b[a-z]+[A-Z]\w+[A-Z]\w+)|\w\(\)|\$\d",
    re.IGNORECASE,
)
_SPEAKERS: Final = frozenset({"you", "we", "let", "us", "'s", "let's"})
_ORDER: Final = re.compile(
    r"(?i)(?:please |ok(?:ay)?[.,]? |no[.,]? )*(?:let'?s|never|always|don't|do not)\b|no\b(?!,)"
)
_STANDING: Final = re.compile(
    r"(?i)\b(?:never|always|don'?t want|want you to|rather than|instead of|from now on"
    r"|explicitly)\b"
)
_PARTS: Final = re.compile(r"(?<=[.!?])\s+|\s*\n\s*")


def wishes_of(run: RunRecord) -> Iterator[tuple[Insight, Hit]]:
    """Yield the sentences in which a user corrects the agent or says how things are to be done.

    Not those of the first message, no questions, nothing pasted, no hedges; each is an order, or
    said of the user and the agent.
    """
    for number, request in zip(request_turns(run)[1:], run.requests[1:], strict=True):
        sentences = [p for s in sentences_of(request.text) for p in _PARTS.split(s) if p]
        likely = [s for s in sentences if _may_wish(s)]
        if len(sentences) > _MAX_SENTENCES:
            continue
        for sentence, clause in zip(likely, clauses_of(likely), strict=True):
            if _wishes(sentence, clause):
                yield _wish(run, sentence), Hit(steps=_step_after(run, number), quote=sentence)


def _may_wish(sentence: str) -> bool:
    words = sentence.split()
    return (
        _MIN_WORDS <= len(words) <= _MAX_WORDS
        and not sentence.rstrip().endswith(("?", ":"))
        and sentence.upper() != sentence
        and bool(_WISH.search(sentence))
        and not (_HEDGE.search(sentence) or _PASTED.search(sentence))
    )


def _wishes(sentence: str, clause: Clause) -> bool:
    """Tell orders and words about how to work from statements about the program."""
    if _ORDER.match(sentence) or (clause.tag == "VB" and clause.opens and not clause.subject):
        return True
    if clause.subject in ("", "i"):
        return bool(_STANDING.search(sentence)) or sentence.lower().startswith("not ")
    return clause.subject in _SPEAKERS


def _wish(run: RunRecord, sentence: str) -> Insight:
    return fact(
        run,
        title=sentence.rstrip("."),
        description="A wish of the user for this project.",
        content=sentence,
        kind="interaction protocol adherence",
        polarity="avoid" if _AVOID.search(sentence) else "do",
    )


def _step_after(run: RunRecord, turn: int) -> tuple[int, ...]:
    """The first step after the user's words."""
    return tuple(s.index for s in run.steps if s.turn > turn)[:1]
