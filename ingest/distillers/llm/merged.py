"""Asks a model to put what several insights have in common into words, and checks them.

The insights below a merged one are the evidence: what is written must quote them and be made of
their words, say the same, and name nothing that belongs to one project.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Annotated, Final

from pydantic import Field

from ....kg.consolidation.opposites import opposition
from ....kg.consolidation.promotion import everything_said
from ....kg.consolidation.rewording import in_words
from ....kg.consolidation.stance import stance
from ....kg.consolidation.wording import content_terms, wording
from ....kg.leaks import leaks
from ....kg.types import Insight
from ...lessons import Lesson, refusal_of_words
from ...llm.answer import schema_of
from ...llm.model import Prompt
from ...llm.tokens import estimate
from .forms import Form, Line, Text
from .grounding import stands_in
from .pair_judge import lesson_lines
from .prompting import Limits, fenced, instructions

_MAX_OUTPUT_TOKENS: Final = 1_200
_USUAL_TOKENS: Final = 350
_FEWEST_QUOTED: Final = 2
_OWN_WORDS: Final = 0.25
"""The share of its distinct words that a model may bring. Chosen by us: to put sentences together
takes some, and with more the lesson is the model's."""


class MemberQuote(Form):
    """A lesson by its number, and words of it."""

    lesson: int
    quote: Annotated[str, Field(max_length=500)]


class MergedForm(Form):
    """What several lessons have in common."""

    title: Line
    description: Text
    content: Text
    applies_when: Line
    not_when: Line
    evidence: Annotated[tuple[MemberQuote, ...], Field(max_length=8)]


def merged_prompt(members: Sequence[Insight], *, limits: Limits) -> Prompt:
    """What is asked about insights that were merged; as many are shown as the limit allows."""
    version, words = instructions("merged")
    shown = list(_shown(members, limits))
    left = len(members) - len(shown)
    fence, data = fenced("\n\n".join(shown))
    more = f" {left} more say the same and are left out." if left else ""
    return Prompt(
        version=version,
        system=words,
        user=f"The lessons stand between <{fence}> and </{fence}>.{more}\n{data}",
        form="merged",
        schema=schema_of(MergedForm),
        max_output_tokens=_MAX_OUTPUT_TOKENS,
        usual_tokens=_USUAL_TOKENS,
    )


def _shown(members: Sequence[Insight], limits: Limits) -> Iterator[str]:
    spent = 0
    for number, member in enumerate(members, start=1):
        text = "\n".join((f"[{number}]", *lesson_lines(member)))
        spent += estimate(text)
        if spent > limits.sent_tokens and number > _FEWEST_QUOTED:
            return
        yield text


def reworded(merged: Insight, told: MergedForm, *, author: str) -> Insight:
    """The merged insight in the words of a model."""
    words = {
        "title": told.title.strip(),
        "description": told.description.strip(),
        "content": told.content.strip(),
        "applies_when": told.applies_when.strip(),
        "not_when": told.not_when.strip(),
    }
    return in_words(merged, words, author=author)


def refusal_of_merged(
    written: Insight,
    told: MergedForm,
    *,
    ruled: Insight,
    members: Sequence[Insight],
    projects: Collection[str],
) -> str:
    """Why words for a merged insight are not taken, by kind; empty where nothing speaks against.

    `ruled` is the insight in the words of one of its members, `projects` are the names of all
    projects there are.
    """
    if not _is_quoted(told, members):
        return "not borne out by its members"
    if leaks(everything_said(written), projects=projects):
        return "names what belongs to one project"
    if _has_own_words(written, members):
        return "words that no member has"
    if _is_turned_round(written, ruled):
        return "the opposite of its members"
    lesson = Lesson(
        title=written.title,
        description=written.description,
        content=written.content,
        kind=written.kind,
        polarity=written.polarity,
        applies_when=written.applies_when,
        not_when=written.not_when,
    )
    return "not short and general" if refusal_of_words(lesson) else ""


def _is_quoted(told: MergedForm, members: Sequence[Insight]) -> bool:
    true = {
        quote.lesson
        for quote in told.evidence
        if 1 <= quote.lesson <= len(members)
        and stands_in(quote.quote, _texts(members[quote.lesson - 1]))
    }
    return len(true) >= _FEWEST_QUOTED


def _is_turned_round(written: Insight, ruled: Insight) -> bool:
    """Tell whether a model forbids what was advised, or advises the opposite.

    Titles may say the same in another order; only one that forbids counts by itself.
    """
    titles = stance(written.title), stance(ruled.title)
    leads = stance(wording(written).lead), stance(wording(ruled).lead)
    forbids = titles[0].forbids != titles[1].forbids
    return bool(opposition(*leads) or (forbids and opposition(*titles)))


def _texts(member: Insight) -> tuple[str, ...]:
    return (
        member.title, member.description, member.content, member.applies_when, member.not_when,
    )  # fmt: skip


def _has_own_words(written: Insight, members: Sequence[Insight]) -> bool:
    """Tell whether a model brought a number or a name with digits, or too many other words."""
    said = set(content_terms(everything_said(written)))
    known = {t for m in members for t in content_terms(everything_said(m))}
    own = said - known
    return len(own) > _OWN_WORDS * len(said) or any(c.isdigit() for term in own for c in term)
