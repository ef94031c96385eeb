"""What is printed of the work of a language model."""

from typing import TYPE_CHECKING

from rich.console import Console

from ..ingest.report import LlmReport
from ..queries.render import clean

if TYPE_CHECKING:
    from ..ingest.distillers.llm.pair_judge import Judged, PairsJudged


def print_llm(out: Console, report: LlmReport) -> None:
    """A line of what was asked and what it took, and one for each reason to drop something."""
    cost = "" if report.usd is None else f", ${report.usd:.4f}"
    out.print(
        f"Asked a model: {report.calls:,} calls, {report.input_tokens:,} tokens in, "
        f"{report.output_tokens:,} out{cost}; {report.answered:,} answers, "
        f"{report.misfits:,} that did not fit, {report.failed:,} without one."
    )
    for reason, number in report.dropped.items():
        out.print(f"  dropped {number:>4}  {clean(reason)}", markup=False)
    if report.stopped:
        out.print(f"  Stopped asking: {clean(report.stopped)}", markup=False)


def print_pairs(done: "PairsJudged") -> None:
    """What a model decided on suggested pairs, and what that took."""
    out = Console(highlight=False)
    kinds = ", ".join(f"{number} {name}" for name, number in done.verdicts.items())
    out.print(
        f"{done.pairs:,} suggested pairs: {len(done.decided):,} decided"
        f"{f' ({kinds})' if kinds else ''}, {done.disagreed:,} left because the two answers "
        f"differ, {done.unanswered:,} without an answer, {done.passed:,} settled by others."
    )
    for judged in done.decided:
        out.print(judged_line(judged), markup=False)
    if done.llm:
        print_llm(out, done.llm)


def judged_line(judged: "Judged") -> str:
    """A verdict of a model on one line."""
    return clean(
        f"  {judged.a} {judged.verdict} {judged.b}: {judged.reason} ({judged.model}, "
        f"{judged.time[:10]})"
    )
