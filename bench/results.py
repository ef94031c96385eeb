"""What a test of retrieval measured, and how it is printed."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One measure of one test; `low` and `high` bound the difference to the baseline."""

    test: str
    measure: str
    rows: int
    ours: float
    baseline: float
    baseline_name: str
    low: float
    high: float


def print_table(results: Sequence[Result], *, cosines: str) -> None:
    """One row a measure."""
    table = Table(title=f"Cosines of the baselines: {cosines}")
    for heading in (
        "test",
        "measure",
        "rows",
        "ours",
        "baseline",
        "difference [95 %]",
        "baseline is",
    ):
        table.add_column(heading, justify="left" if heading in ("test", "measure") else "right")
    for r in results:
        difference = f"{r.ours - r.baseline:+.3f} [{r.low:+.3f}, {r.high:+.3f}]"
        values = (f"{r.ours:.3f}", f"{r.baseline:.3f}", difference)
        table.add_row(r.test, r.measure, str(r.rows), *values, r.baseline_name)
    Console(width=160).print(table)
