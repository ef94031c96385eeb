"""Asks a model how a run ended, where no verifier and no person says it.

The rubric is strict and its answers are put together here: a success is one that the record shows,
that was checked, and that left no error. Several votes are asked for; a majority of all of them
decides, and how large it is says how far it is trusted.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal

from pydantic import Field

from ....kg.types import OutcomeStatus
from ...llm.answer import schema_of
from ...llm.model import Prompt
from ...outcome import CONFIDENCE
from ...record import RunRecord, StepRecord
from ...trajectory import Outcome
from .cut import cut
from .forms import Evidence, Form, Line
from .grounding import grounded
from .prompting import Limits, fenced, instructions
from .session import Session

_MAX_OUTPUT_TOKENS: Final = 800
_USUAL_TOKENS: Final = 200


class OutcomeForm(Form):
    """The answers to the questions of the rubric."""

    asked: Line
    met: Literal["yes", "no", "unclear"]
    checked: Literal["yes", "no"]
    left: Literal["yes", "no", "unclear"]
    evidence: Annotated[tuple[Evidence, ...], Field(max_length=8)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """The votes on one run by their status, and what they amount to; none where nobody answered."""

    votes: Mapping[OutcomeStatus, int]
    outcome: Outcome


def prompts_of(run: RunRecord, *, votes: int, limits: Limits) -> list[Prompt]:
    """What is asked about a run, once for each vote; nothing in it tells what a verifier said."""
    blind = replace(run, trajectory=replace(run.trajectory, outcome=Outcome()))
    version, words = instructions("outcome")
    fence, data = fenced(cut(blind, limit_tokens=limits.sent_tokens).text)
    return [
        Prompt(
            # The number makes each vote a question of its own, to the cache and to nobody else.
            version=f"{version}, vote {number}",
            system=words,
            user=f"The record stands between <{fence}> and </{fence}>.\n{data}",
            form="outcome",
            schema=schema_of(OutcomeForm),
            max_output_tokens=_MAX_OUTPUT_TOKENS,
            usual_tokens=_USUAL_TOKENS,
        )
        for number in range(1, votes + 1)
    ]


def ballot(run: RunRecord, *, votes: int, limits: Limits, session: Session) -> Ballot:
    """What the votes on a run amount to."""
    forms = (session.asker.ask(p, OutcomeForm) for p in prompts_of(run, votes=votes, limits=limits))
    cast = Counter(vote(form, run.steps) for form in forms if form is not None)
    return Ballot(votes=dict(sorted(cast.items())), outcome=_decided(cast, votes=votes))


def vote(form: OutcomeForm, steps: Sequence[StepRecord]) -> OutcomeStatus:
    """What one set of answers amounts to; without evidence that is true it says nothing."""
    if not grounded(form.evidence, steps):
        return "unknown"
    if form.met == "yes" and form.checked == "yes" and form.left == "no":
        return "success"
    return "failure" if form.met == "no" or form.left == "yes" else "unknown"


def _decided(cast: Mapping[OutcomeStatus, int], *, votes: int) -> Outcome:
    for status, number in _decisive(cast):
        if 2 * number > votes:
            return Outcome(
                status=status,
                source="judge",
                confidence=round(CONFIDENCE["judge"] * number / votes, 4),
                detail=f"{number} of {votes} votes",
            )
    return Outcome()


def _decisive(cast: Mapping[OutcomeStatus, int]) -> Iterator[tuple[OutcomeStatus, int]]:
    yield from ((status, number) for status, number in cast.items() if status != "unknown")
