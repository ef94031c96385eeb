"""The prompt of a run: instructions from text files, and the run as fenced data."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from ....kg.ids import content_id
from ...llm.answer import schema_of
from ...llm.model import Prompt
from ...record import RunRecord
from .cut import cut
from .forms import RunForm


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of a run is sent, and how much a model may write about it, in tokens.

    The defaults are chosen by us: together with the instructions half of what small local models
    take.
    """

    sent_tokens: int = 12_000
    written_tokens: int = 3_000


DEFAULT_LIMITS: Final = Limits()


def prompt_of(run: RunRecord, *, limits: Limits = DEFAULT_LIMITS) -> Prompt:
    """What a model is asked about a run; the same run gives the same words."""
    ending = "success" if _went_well(run) else "failure"
    names = ("frame", "summary", f"workflow.{ending}", f"insights.{ending}")
    told = [instructions(name) for name in names]
    text = cut(run, limit_tokens=limits.sent_tokens).text
    fence, data = fenced(text)
    field = run.domain or "software"
    head = f"Field of work: {field}. The record stands between <{fence}> and </{fence}>."
    return Prompt(
        version=", ".join(version for version, _ in told),
        # The same for all runs that ended alike, so that a server can keep what it read of it.
        system="\n".join(words for _, words in told),
        user=f"{head}\n{data}",
        form="run",
        schema=_schema(),
        max_output_tokens=limits.written_tokens,
    )


def _went_well(run: RunRecord) -> bool:
    """By the verdict; where there is none, by the last check with one."""
    status = run.trajectory.outcome.status
    if status != "unknown":
        return status == "success"
    verdicts = [s.verdict for s in run.steps if s.check and s.verdict]
    return not verdicts or verdicts[-1] == "pass"


def fenced(text: str) -> tuple[str, str]:
    """A mark made from a text, so that nobody can write it there, and the text between two."""
    fence = content_id("run", text)
    return fence, f"<{fence}>\n{text}\n</{fence}>"


@cache
def instructions(name: str) -> tuple[str, str]:
    """The version of a prompt file, which is its first line, and its words."""
    path = files(__package__) / "prompts" / f"{name}.txt"
    version, _, words = path.read_text(encoding="utf-8").partition("\n")
    return version, words


@cache
def _schema() -> dict[str, object]:
    return schema_of(RunForm)
