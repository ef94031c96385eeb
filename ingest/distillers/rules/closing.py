"""What an agent says it changed, out of its last words."""

import re
from collections.abc import Iterator
from typing import Final

from ...record import RunRecord
from ...shell.programs import names
from .asks import Ask, request_turns
from .changes import Changes, changed_by
from .language import Clause, clauses_of
from .patterns import base_name
from .prose import sentences_of
from .verbs import CHANGES, base_form

_TEXTS: Final = 6
_MAX_PARSED: Final = 12
_WORD = re.compile(r"[A-Za-z]{3,}")
_CAUSE = re.compile(
    r"\A(?:the|this) (?:issue|problem|bug|root cause|cause|fault) (?:was|is)\b.{0,200}"
    r"\b(?:that|because|caused|due to|when|where)\b",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:by|to|because|instead of|so that|so|since|rather than|which)\b", re.I)
_NOT_THE_CHANGE = re.compile(
    r"(?i)\b(?:reproduc\w+|script|temporary|temp|debug\w*|demo|backup|clean(?:ed)? ?up|let me|i'll"
    r"|i will|i need|i should|i can|next|if|would|could|might|verif\w+|confirm\w*|submi\w+|wait"
    r"|now (?:let|i)|seems?|maybe|perhaps|first|previous|attempt\w*|tried|command|output|sed\b)"
)
_ACTORS: Final = names("i we fix change changes update patch solution commit implementation")
_REPORTED: Final = CHANGES - names("check wrap make use build write install pass return raise move")
"""Verbs that report a change; the others report work on the way as often."""

_OPENINGS = re.compile(r"(?i)\A(?:and|ah|oh|however|but|so|also|i also|then|wait|actually)\b")
_COMMON: Final = names(
    "the and that this with from for into not was were are has have had its their will now all any "
    "which when then also been only but more can should code file files test tests function method"
)


def closing_of(run: RunRecord, ask: Ask, changes: Changes) -> str:
    """What the agent says it changed and why, after its last change; empty where it does not say.

    A finished action about something that the task or the changed files name. A sentence with a
    reason is taken before one without, one of a later text before one of an earlier.
    """
    texts = list(_last_texts(run, changes))
    known = _words(f"{ask.line} {ask.rest[:2000]}") | {
        w for f in changes.files for w in _words(base_name(f))
    }
    likely = [s for t in texts for s in sentences_of(t) if _may_tell(s, known)][:_MAX_PARSED]
    told = [s for s, c in zip(likely, clauses_of(likely), strict=True) if _tells(s, c)]
    reasoned = [s for s in told if _REASON.search(s)]
    return next(iter((*reasoned, *told)), "")


def _last_texts(run: RunRecord, changes: Changes) -> Iterator[str]:
    """The agent's words from its last change to the user's next, the last ones first."""
    last = max((s.turn for s in run.steps if changed_by(s, changes)), default=-1)
    if last < 0:
        return
    turns = run.trajectory.turns
    end = next((n for n in request_turns(run) if n > last), len(turns))
    said = [t.text or t.thought for t in turns[last:end] if t.role == "agent" and not t.rejected]
    yield from [text for text in said if text.strip()][-_TEXTS:][::-1]


def _words(text: str) -> set[str]:
    return {w.lower() for w in _WORD.findall(text)} - _COMMON


def _may_tell(sentence: str, known: set[str]) -> bool:
    """Tell cheaply whether a sentence may be about the change, before it is parsed."""
    words = sentence.split()
    if not 5 <= len(words) <= 40 or not sentence.endswith((".", "!")):
        return False
    if sentence.count("`") % 2 or sentence.count("(") != sentence.count(")"):
        return False
    if _OPENINGS.match(sentence):
        return False
    if not words[0][0].isalpha() or _NOT_THE_CHANGE.search(sentence) or "```" in sentence:
        return False
    if not any(base_form(w.lower().strip(",")) in _REPORTED for w in words[:8]):
        return bool(_CAUSE.match(sentence)) and bool(_words(sentence) & known)
    return bool(_words(sentence) & known)


def _tells(sentence: str, clause: Clause) -> bool:
    """Say whether the main clause reports something done: `I changed`, `Fixed the`, `was moved`."""
    if is_cause(sentence):
        return True
    opens = sentence.split()[0].lower()
    if opens.endswith("ed") and base_form(opens) in _REPORTED:
        return True
    if clause.verb not in _REPORTED or clause.subject in ("it", "this", "that", "which", "there"):
        return False
    helpers = {*clause.helpers}
    if {"will", "would", "should", "can", "could", "must", "may", "not", "n't"} & helpers:
        return False
    if clause.tag == "VBD":
        return clause.subject in _ACTORS
    return clause.tag == "VBN" and bool({"been", "was", "were", "have", "'ve", "has"} & helpers)


def is_cause(sentence: str) -> bool:
    """Say whether a sentence tells the cause of a fault and not what was changed."""
    return bool(_CAUSE.match(sentence))
