"""The prompt of a run: instructions from text files, and the run as fenced data."""

from functools import cache
from importlib.resources import files
from typing import Final

from ....kg.ids import content_id
from ...llm.answer import schema_of
from ...llm.model import Prompt
from ...record import RunRecord
from .cut import cut
from .forms import RunForm

LIMIT_TOKENS: Final = 12_000
"""Tokens of a run that are sent at most. Chosen by us: half of what small local models take."""

MAX_OUTPUT_TOKENS: Final = 3_000


def prompt_of(run: RunRecord, *, limit_tokens: int = LIMIT_TOKENS) -> Prompt:
    """What a model is asked about a run; the same run gives the same words."""
    ending = "success" if _went_well(run) else "failure"
    names = ("frame", "summary", f"workflow.{ending}", f"insights.{ending}")
    told = [_file(name) for name in names]
    text = cut(run, limit_tokens=limit_tokens).text
    # Nobody can write the closing mark into a run: it is made from the run.
    fence = content_id("run", text)
    system = "\n".join(words for _, words in told)
    system = system.replace("{fence}", fence).replace("{domain}", run.domain or "software")
    return Prompt(
        version=", ".join(version for version, _ in told),
        system=system,
        user=f"<{fence}>\n{text}\n</{fence}>",
        form="run",
        schema=_schema(),
        max_output_tokens=MAX_OUTPUT_TOKENS,
    )


def _went_well(run: RunRecord) -> bool:
    """By the verdict; where there is none, by the last check with one."""
    status = run.trajectory.outcome.status
    if status != "unknown":
        return status == "success"
    verdicts = [s.verdict for s in run.steps if s.check and s.verdict]
    return not verdicts or verdicts[-1] == "pass"


@cache
def _file(name: str) -> tuple[str, str]:
    """The version of a prompt file, which is its first line, and its words."""
    path = files(__package__) / "prompts" / f"{name}.txt"
    version, _, words = path.read_text(encoding="utf-8").partition("\n")
    return version, words


@cache
def _schema() -> dict[str, object]:
    return schema_of(RunForm)
