"""What sort of request it was: from its verb, else from its words, held against what was done."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from ...record import StepRecord
from ...shell.programs import names
from .asks import Ask, understood
from .changes import Changes, changed_by
from .language import clause_of
from .prose import CODE_MARKS, plain
from .verbs import ASKS, CHANGES, base_form

REVIEW: Final = "Review a change"
FIX: Final = "Fix a reported fault"
FEATURE: Final = "Build a feature"
REFACTOR: Final = "Refactor code"
TESTS: Final = "Write or run tests"
DOCS: Final = "Write documentation"
RELEASE: Final = "Release a version"
HAND_OVER: Final = "Commit and hand over a change"
SET_UP: Final = "Set up an environment"
QUESTION: Final = "Answer a question"
PLAN: Final = "Carry out a plan"
RUN: Final = "Run a command"
SOLVE: Final = "Solve a challenge"
DATA: Final = "Work on data"
CHANGE: Final = "Change code"
LOOK: Final = "Look into a project"
LOOK_AT_FAULT: Final = "Look into a reported fault"
LOOK_AT_CHANGE: Final = "Look into a possible change"
DONE_BY_COMMAND: Final = "Carry out a task"

_MIN_GOAL_WORDS: Final = 4
_BY_VERB: Final[Mapping[str, frozenset[str]]] = {
    REVIEW: names("review audit"),
    RELEASE: names("release publish ship tag"),
    HAND_OVER: names("commit push merge rebase land"),
    FIX: names("fix resolve debug repair correct patch address prevent reproduce"),
    REFACTOR: names(
        "refactor rename move extract clean simplify remove delete split consolidate migrate "
        "unify port deduplicate drop strip reorder align combine"
    ),
    TESTS: names("test cover verify validate benchmark"),
    SET_UP: names("install configure deploy provision bootstrap"),
    DOCS: names("document describe"),
    SOLVE: names("decrypt decode crack exploit bypass"),
    DATA: names("insert query count calculate compute select train evaluate"),
    QUESTION: names(
        "explain show find tell list analyse analyze investigate look understand explore summarize "
        "summarise read search compare identify examine inspect determine answer research check "
        "decide walk figure trace plan think be"
    ),
    RUN: names("run execute start stop call"),
    FEATURE: names(
        "add implement create build make support introduce allow extend improve generate develop "
        "integrate design scaffold initialize initialise write convert translate handle enable "
        "enhance permit use optimize optimise include"
    ),
    CHANGE: names("update change set modify replace switch adjust rewrite bump disable restore"),
}
_VERBS: Final = {verb: intent for intent, verbs in _BY_VERB.items() for verb in verbs}

_OPENED: Final = (
    (HAND_OVER, re.compile(r"\b(?:prs?|pull requests?|commits?|branch)\b", re.I)),
    (RELEASE, re.compile(r"\breleases?\b", re.I)),
)
_OBJECTS: Final = (
    (TESTS, re.compile(r"(?<![\w./-])(?:unit |e2e |integration )?tests?(?![\w./-])", re.I)),
    (
        DOCS,
        re.compile(
            r"\b(?:readme|docs?|documentation|docstrings?|changelog|comments?|licen[cs]e|guide"
            r"|claude\.md|agents\.md|adr)\b",
            re.I,
        ),
    ),
    (DATA, re.compile(r"\b(?:records?|rows?|table|sql|dataset|data frame|dataframe|csv)\b", re.I)),
)
"""What a verb of making is about, where that says more than the verb."""

_OPENING: Final = names("create open make draft cut")
_MAKING: Final = names("add create write update make generate insert restore change improve")
_ASKING = re.compile(
    r"\A(?:(?:can|could|would|will) (?:you|we)|(?:i|we)(?:'d| would| do)? (?:want|need|like|have)"
    r"(?: you)? to|let'?s|help (?:me|us)(?: to)?|we (?:should|must)|you (?:should|must)"
    r"|how (?:do|can|should|would|could) (?:i|we|you)|i'd like(?: you)? to|should we|use a \w+ to)"
    r"\s+(?:please |also |now |just )?(\w+)",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"(?:[.!?;:,]|\band)\s+(?:if not,? )?(?:can you |could you |please )+(\w+)", re.IGNORECASE
)
_QUESTION = re.compile(
    r"\A(?:what|why|how|who|is|are|does|do|did|should|has|have|was|were|in what|in how many)\b"
    r"|\?\s*\Z|[,;] why\b",
    re.IGNORECASE,
)
_WORTH_FIXING = re.compile(
    r"(?i)\b(?:bugs?|errors?|exceptions?|traceback|fail(?:s|ed|ing|ures?)?|br(?:oken|eaks?)"
    r"|incorrect(?:ly)?|crash(?:es|ed|ing)?|regression|wrong(?:ly)?|unexpected(?:ly)?|segfaults?"
    r"|invalid|missing|misleading|inconsisten\w+|not work\w*|doesn't|does not|don't|do not|didn't"
    r"|isn't|is not|aren't|are not|won't|cannot|can't|ignor(?:es|ed)|los(?:es?|t)|mangl\w+"
    r"|\w+Error|\w+Exception|raises?|stuck|hangs?|leaks?|bogus|undesired|unnecessar\w+|strange"
    r"|weird|misses|problems?|issues?|should(?:n't| not| be| have)|instead of|not \w+(?:ing|ed))\b"
)
_FAULTY = re.compile(
    r"(?i)\b(?:bugs?|errors?|exceptions?|fail(?:s|ed|ing)|broken|crash\w*|stuck)\b"
)
_WORTH_BUILDING = re.compile(
    r"(?i)\b(?:support(?: for)?|allow(?:s|ing)?|feature|enhancement|would be (?:nice|great|useful)"
    r"|new (?:option|argument|filter|method|command|template)|add(?:ing)?|proposal|please)\b"
)
_ANSWER = re.compile(
    r"\A\W*(?:yes|yeah|yep|ok|okay|sure|continue|go (?:ahead|on|for it)|proceed|thanks|thank you"
    r"|perfect|great|good|nice|let'?s doe? (?:that|it)|do it|please do|no|nope|correct|right|option"
    r"|both|all of them|your answer|observation:)\b",
    re.IGNORECASE,
)
_CHALLENGE = re.compile(r"(?i)\b(?:ctf|capture the flag|the flag|challenge|decrypt|popped)\b")


def intent_of(ask: Ask, steps: Sequence[StepRecord], changes: Changes) -> str:
    """The sort of request, corrected by whether anything was changed in these steps.

    What asks for a change that was not made is a look into it; a question that ended in a change
    of code is a fix or a change.
    """
    asked = asked_for(ask)
    wrote = any(
        changed_by(s, changes) or (s.phase == "edit" and not (s.edits or s.failed)) for s in steps
    )
    if asked in (FIX, REFACTOR, CHANGE, FEATURE, DOCS) and not wrote:
        if asked == FIX:
            return LOOK_AT_FAULT
        looked = all(s.phase in ("explore", "search", "read", "think") for s in steps)
        return LOOK_AT_CHANGE if looked else DONE_BY_COMMAND
    if asked in (QUESTION, LOOK) and any(changed_by(s, changes) for s in steps):
        return FIX if _WORTH_FIXING.search(ask.line) else CHANGE
    if asked == QUESTION and _FAULTY.search(ask.line):
        return LOOK_AT_FAULT
    return asked


@lru_cache(maxsize=512)
def is_goal(text: str) -> bool:
    """Say whether a later request opens a new piece of work and is no answer or remark."""
    ask = understood(text)
    if ask.form in ("command", "plan"):
        return True
    if ask.form == "terminal" or "Traceback (most recent" in text or CODE_MARKS.match(ask.line):
        return False
    words = len(plain(text).split())
    if words < 2 or _ANSWER.match(ask.line):
        return False
    if words < _MIN_GOAL_WORDS:
        return _request_verb(ask.line) in _VERBS
    told = _request_verb(ask.line) or _QUESTION.search(ask.line) or _WORTH_FIXING.search(ask.line)
    return bool(told) and asked_for(ask) != LOOK


@lru_cache(maxsize=512)
def asked_for(ask: Ask) -> str:
    """The sort of request by its words alone."""
    if ask.form == "plan":
        return PLAN
    if ask.form == "command":
        return _of_command(ask)
    if ask.form == "terminal":
        return FIX if "ends with" in ask.line else QUESTION
    if not ask.line:
        return LOOK
    if _CHALLENGE.search(f"{ask.line} {ask.rest[:600]}"):
        return SOLVE
    verb = _request_verb(ask.line)
    if verb in _VERBS:
        return _about(verb, ask.line)
    if verb or ask.form == "role":
        return CHANGE
    return _by_words(ask)


def _of_command(ask: Ask) -> str:
    words = re.split(r"[-_:]", ask.command.lower())
    known = (_about(base_form(w), w) for w in words if base_form(w) in _VERBS)
    return next(known, RUN)


def _about(verb: str, line: str) -> str:
    intent = _VERBS[verb]
    known = (*_OPENED, *_OBJECTS) if verb in _OPENING else _OBJECTS
    if verb in _MAKING | _OPENING:
        return next((sort for sort, words in known if words.search(line)), intent)
    if verb in ("run", "check") and _OBJECTS[0][1].search(line):
        return RUN if "just a test" in line.lower() else TESTS
    if verb == "set":
        return SET_UP if re.search(r"(?i)\bset\s?up\b", line) else CHANGE
    return intent


def _request_verb(line: str) -> str:
    """The verb that a title asks for something with; empty where it only states something."""
    asking = _ASKING.match(line)
    if asking:
        return base_form(asking[1].lower())
    later = _LATER.search(line)
    if later and base_form(later[1].lower()) in _VERBS:
        return base_form(later[1].lower())
    if _QUESTION.search(line):
        return ""
    first = line.split()[0].lower().strip(":,.")
    clause = clause_of(line)
    opens = first in ASKS | CHANGES or first in _VERBS
    states = bool(clause.subject) and clause.tag in ("VBZ", "VBD", "VBP", "VBN")
    taken_for_noun = clause.subject == first and not _WORTH_FIXING.search(line)
    if opens and (not states or taken_for_noun):
        return first
    return clause.verb if clause.opens and clause.tag == "VB" and not clause.subject else ""


def _by_words(ask: Ask) -> str:
    if _QUESTION.search(ask.line):
        return QUESTION
    for text in (ask.line, ask.rest[:1500]):
        if _WORTH_FIXING.search(text):
            return FIX
        if _WORTH_BUILDING.search(text):
            return FEATURE
    return LOOK
