"""What is printed of the work of a language model."""

from rich.console import Console

from ..ingest.report import LlmReport
from ..queries.render import clean


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
