"""What a user asks for, out of texts of any form: titles, plans, commands, pasted terminals."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from ...record import RunRecord
from .language import Clause, clauses_of
from .prose import CODE_MARKS, FRAME, cut, lines_of, plain, sentences_of, split_sentences

_TITLE_WORDS: Final = 15
_MAX_SENTENCES: Final = 40
_MAX_PARSED: Final = 6

_COMMAND = re.compile(r"\A/([A-Za-z][\w:-]{1,40})(?:\s+(.*))?\Z", re.DOTALL)
_PREAMBLE = re.compile(
    r"\A\W*(?:now,? )?(?:you are\b|you're (?:an? |the )|i will ask you|i want you to act|act as\b"
    r"|i will start a new problem"
    r"|in the \S{1,40} (?:code )?environment|the toolkit for|context summary"
    r"|the following (?:query|pre-defined functions)|this session is being continued"
    r"|# (?:role|system|instructions)\b)",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^\W{0,6}(?:now,? )?(?:your |my |the |original |user )*"
    r"(?:task(?: description)?|question|problem|goal|objective|query|request|instruction|issue)s?"
    r"(?: is| to solve)?\W{0,4}(?::|$)\W{0,4}(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_JOB = re.compile(
    r"\b(?:your (?:job|task|goal|role|mission|objective) is(?: to)?|you (?:need|have|are asked) to"
    r"|your job:)\s+([^.\n]{10,300})",
    re.IGNORECASE,
)
_INTRODUCES = re.compile(r"\b(?:my|your|the) (?:problem|question|task) is\s*:\s*", re.IGNORECASE)
_DOING = re.compile(r"\Ayou are (?=\w+ing\b)", re.IGNORECASE)
_PLAN = re.compile(
    r"\A\W*(?:please )?(implement|execute|carry out|follow|apply) (?:the|this) (?:following )?"
    r"(?:plan|spec(?:ification)?|design)\b[^\n]{0,40}\n+",
    re.IGNORECASE,
)
_PLAN_WORD = re.compile(r"\A(?:implementation )?plan\s*[:–-]\s*", re.IGNORECASE)
_PROMPT = re.compile(
    r"\A(?:➜|❯|\$|%)\s+(?:\S+ git:\(\S+\) (?:\S )?|\S+[@:]\S+[$%#]\s+)?(?=\w)(.+)\Z"
    r"|\A\(?\w+@[\w.-]+[^$#%\n]{0,60}[$#%]\s+(.+)\Z"
)
_ERROR_LINE = re.compile(r"(?i)\b(?:error|fatal|failed|exception|cannot|denied|not found)\b")
_GREETING = re.compile(
    r"\A(?:(?:hello|hi|hey|okay|ok|so|now|then|well|yes|also|please|thanks|awesome"
    r"|great|perfect|nice|cool)\b[\s,!.:-]+)+",
    re.IGNORECASE,
)
_LEADING_IN = re.compile(
    r"(?:\s+(?:with|by|as|including|using|to|that|and|focus on|requirements?|the following|about"
    r"|(?:i'd like|i want|i need) you(?: to)?"
    r"|(?:that|which) (?:allow|let)s? (?:me|us|users)(?: to)?))+\Z",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"^\w{2,40}\([^\n]{0,1000}\)(?: -> [^\n]{1,100})?[ \t]*$", re.MULTILINE)
_ENVIRONMENT = re.compile(r"\A\W*in the \S{1,40} (?:code )?environment", re.IGNORECASE)
_GIVEN = re.compile(r"\A(?:given|consider|here is|below is) (?:the following|a|this)\b", re.I)
_LOG = re.compile(r"\s*(?:\[?\d{1,2}:\d\d:\d\d|\bat \w+\.\w+ \().*\Z")
_ANAPHORA = re.compile(
    r"\A(?:this|these|that|those|it|then|well|and|but|so|or|also|however|as expected|in addition"
    r"|(?:after|before|because of|besides|with) (?:that|this)"
    r"|the result is|which|here|if (?:it|this|that)\b|likewise|otherwise"
    r"|similarly|therefore|thus|hence|instead)\b(?! should)",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|my|me|we|we're|we've|our|us|let's)\b", re.I)
_TEMPLATE = re.compile(
    r"(?i)\b(?:guidelines?|bug reports?|please (?:include|provide|be|search|check|see|make)"
    r"|have (?:checked|searched|confirmed|read)|issue tracker|stack ?overflow|thank|minimal"
    r"|copy-past|this (?:issue|template)|new issue|duplicate|pull request|contribut|see also"
    r"|related to|screenshot)"
)
_EXPECTS = re.compile(
    r"(?i)\b(?:should|instead|expect(?:s|ed)?|fails?|failed|raises?|must|needs? to|wrong(?:ly)?"
    r"|incorrect(?:ly)?|crash(?:es)?|ignores?|breaks?|cannot|can't|doesn't|does not|don't|do not"
    r"|isn't|is not|aren't|are not|no longer|unexpected(?:ly)?|missing|currently)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request: its title of at most 15 words, the same uncut, and what follows it.

    `command` is the name of a slash command. `form` tells how it was put.
    """

    title: str
    line: str
    rest: str = ""
    command: str = ""
    form: Literal["plain", "command", "plan", "terminal", "role", "short"] = "plain"

    @property
    def subject(self) -> str:
        """The title without what the form says by itself."""
        return self.title.partition(": ")[2] if self.form == "plan" else self.title


def ask_of(run: RunRecord) -> Ask:
    """What the user of a run asked for first.

    A request that only sets the stage, with nothing done before the next one, gives way to that.
    """
    texts = [run.trajectory.task, *(request.text for request in run.requests[1:2])]
    if len(texts) > 1 and _sets_the_stage(texts[0]) and not _acted_before_second(run):
        told = understood(texts[1])
        if len(told.line.split()) >= 3:
            return told
    return understood(texts[0])


def _sets_the_stage(text: str) -> bool:
    return bool(_PREAMBLE.match(text)) and _past_tools(text) == text


def _acted_before_second(run: RunRecord) -> bool:
    second = request_turns(run)[1]
    return any(step.turn < second for step in run.steps)


def request_turns(run: RunRecord) -> list[int]:
    """The numbers of the turns that are the run's requests, in order."""
    waiting = list(run.requests)
    found: list[int] = []
    for number, turn in enumerate(run.trajectory.turns):
        if waiting and turn == waiting[0]:
            waiting.pop(0)
            found.append(number)
    return found


@lru_cache(maxsize=512)
def understood(text: str) -> Ask:
    """What a request says it wants, whatever its form."""
    text = text.strip()
    if found := _COMMAND.match(text):
        return _of_command(found[1], found[2] or "")
    body = plain(_past_tools(text))
    if plan := _PLAN.match(body):
        heading, rest = _first_line(body[plan.end() :])
        line = f"{plan[1].capitalize()} a plan: {_PLAN_WORD.sub('', heading)}"
        return Ask(title=cut(line, _TITLE_WORDS), line=line, rest=rest, form="plan")
    if prompt := _of_terminal(text):
        return prompt
    form: Literal["plain", "role"] = "plain"
    if _PREAMBLE.match(body):
        body, form = _after_preamble(body), "role"
    elif (label := _LABEL.match(body)) and len(body) > label.end() - len(label[1]):
        body = body[label.start(1) :].strip() or body
    heading, rest = _first_line(body)
    if _GIVEN.match(heading):
        heading, rest = next(_told_later(rest), (heading, rest))
    line, more = _first_sentence(_LOG.sub("", heading))
    rest = f"{more}\n\n{rest}"
    if len(line.split()) < 2:
        short = f"a request that says only “{line}”" if line else "a request without words"
        return Ask(title=short, line=line, rest=rest, form="short")
    return Ask(title=cut(line, _TITLE_WORDS), line=line, rest=rest, form=form)


def _past_tools(text: str) -> str:
    """A text without the description of tools that it begins with."""
    if not _PREAMBLE.match(text):
        return text
    signatures = list(_SIGNATURE.finditer(text))
    if len(signatures) > 1:
        text = text[signatures[-1].end() :]
        paragraphs = re.split(r"\n[ \t]*\n", text)[1:]
        told = [n for n, p in enumerate(paragraphs) if p.strip() and not p[0].isspace()]
        return "\n\n".join(paragraphs[told[0] :]) if told else text
    while _ENVIRONMENT.match(text) and "\n\n" in text:
        text = text.partition("\n\n")[2]
    return text


def _told_later(rest: str) -> Iterator[tuple[str, str]]:
    """Later lines that are prose, each with what follows it: a table or a listing is none."""
    lines = rest.split("\n")
    for number, line in enumerate(lines):
        if len(line.split()) >= 4 and "  " not in line.strip() and not CODE_MARKS.search(line):
            yield line.strip(), "\n".join(lines[number + 1 :])


def _of_command(name: str, rest: str) -> Ask:
    line, more = _first_sentence(_first_line(plain(rest))[0])
    shown = f"/{name}: {line}" if line else f"the command /{name}"
    return Ask(title=cut(shown, _TITLE_WORDS), line=shown, rest=more, command=name, form="command")


def _of_terminal(text: str) -> Ask | None:
    """A pasted terminal: the command of its first line, and the first line of its error."""
    first, _, rest = text.partition("\n")
    prompt = _PROMPT.match(first.strip())
    if not prompt:
        return None
    command = (prompt[1] or prompt[2]).strip()
    error = next((ln.strip() for ln in rest.split("\n") if _ERROR_LINE.search(ln)), "")
    line = f"`{command}`" + (f" ends with: {error}" if error else ", pasted from a terminal")
    return Ask(title=cut(line, _TITLE_WORDS), line=line, rest=rest, form="terminal")


def _after_preamble(body: str) -> str:
    """The part of a text that says what to do, past the words that set the stage."""
    labels = [m for m in _LABEL.finditer(body) if m.start() > 0]
    for label in labels:
        told = body[label.start(1) :].strip()
        if len(told.split()) >= 3:
            return told
    if introduced := _INTRODUCES.search(body):
        return body[introduced.end() :]
    if job := _JOB.search(body):
        return job[1][0].upper() + body[job.start(1) + 1 :]
    if doing := _DOING.match(body):
        return body[doing.end()].upper() + body[doing.end() + 1 :]
    paragraphs = re.split(r"\n\s*\n", body)
    return "\n\n".join(paragraphs[1:]) if len(paragraphs) > 1 else body


def _first_line(body: str) -> tuple[str, str]:
    """The first line that says something, and the text after it."""
    lines = body.split("\n")
    for number, raw in enumerate(lines):
        shown = lines_of(raw)
        line = _GREETING.sub("", shown[0]) if shown else ""
        if re.search(r"\w", line) and not FRAME.match(line):
            return line, "\n".join(lines[number + 1 :])
    return "", ""


def _first_sentence(line: str) -> tuple[str, str]:
    """The first sentence of a line that has four words, without its full stop, and the others."""
    sentences = split_sentences(line)
    taken = 1
    while taken < len(sentences) and _fits(sentences[: taken + 1]):
        taken += 1
    first = " ".join(sentences[:taken]).rstrip()
    if first.endswith(":"):
        first = _LEADING_IN.sub("", first[:-1])
    return first.rstrip(".").strip(), " ".join(sentences[taken:])


def _fits(sentences: list[str]) -> bool:
    """Say whether these sentences, too short to say much, make one title together."""
    before, now = (len(" ".join(part).split()) for part in (sentences[:-1], sentences))
    return before < 4 or (before < 12 and now <= _TITLE_WORDS)


def expectation_of(ask: Ask) -> str:
    """The sentence nearest to the title that says what is expected or what goes wrong.

    A whole sentence without code; no question, nothing in the first person, nothing that a form
    for reports says by itself. Empty where there is none.
    """
    if ask.form in ("plan", "role", "command"):
        return ""
    likely = [s for s in sentences_of(ask.rest)[:_MAX_SENTENCES] if _may_expect(s, ask)]
    likely = likely[:_MAX_PARSED]
    found = zip(likely, clauses_of(likely), strict=True)
    return next((s for s, clause in found if _is_whole(clause)), "")


def _may_expect(sentence: str, ask: Ask) -> bool:
    words = sentence.split()
    return (
        6 <= len(words) <= 35
        and words[0][0].isupper()
        and sentence.endswith((".", "!"))
        and sentence.count('"') % 2 == sentence.count("`") % 2 == 0
        and sentence.count("(") == sentence.count(")")
        and bool(_EXPECTS.search(sentence))
        and not (CODE_MARKS.search(sentence) or _FIRST_PERSON.search(sentence))
        and not (_TEMPLATE.search(sentence) or ":" in sentence or _ANAPHORA.match(sentence))
        and not _repeats(sentence, ask.line)
    )


def _repeats(sentence: str, title: str) -> bool:
    said, known = (set(re.findall(r"\w{3,}", t.lower())) for t in (sentence, title))
    return len(said & known) > 0.7 * len(said)


def _is_whole(clause: Clause) -> bool:
    return bool(clause.verb and clause.subject)
