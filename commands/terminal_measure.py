"""What people see of measurements: cards, floors, and how well a store answers."""

from collections.abc import Sequence
from typing import Final

from rich.table import Table

from ..queries.calibration import Calibration
from ..queries.evaluation.card_effects import CardEffect, CardReport, Ratio
from ..queries.evaluation.store_report import StoreReport
from .terminal import console, plain

_CARDS_SHOWN: Final = 60


def print_cards(found: CardReport) -> None:
    """A line for each card, over all domains first."""
    out = console()
    out.print(
        f"{found.runs} runs with a verdict; {found.rated} of them with a difficulty from outside, "
        f"{found.repeated} others of tasks that were run several times."
    )
    if not found.effects:
        out.print(f"No card has {found.least_runs} runs yet.")
        return
    for domain in dict.fromkeys(e.domain for e in found.effects):
        effects = [e for e in found.effects if e.domain == domain][:_CARDS_SHOWN]
        heads = (
            domain or "all runs",
            "with",
            "without",
            "raw ratio",
            "at equal difficulty",
            "says",
        )
        out.print(_table(heads, [_card_row(e) for e in effects]))
    out.print(
        f"{found.tests} ratios corrected together (Holm). {found.rare} cards have fewer than "
        f"{found.least_runs} runs; {found.unknown} runs have no verdict, {found.untrusted} one of "
        "a judge or a heuristic."
    )
    if not found.tests:
        out.print(
            "Nothing is known at equal difficulty: run tasks several times, or give --difficulty."
        )


def print_effects(effects: Sequence[CardEffect]) -> None:
    """What became of runs with and without one card, a line for all runs and for each domain."""
    heads = ("solved", "with it", "without", "raw ratio", "at equal difficulty", "says")
    rows = [(effect.domain or "all runs", *_card_row(effect)[1:]) for effect in effects]
    console().print(_table(heads, rows))


def _card_row(effect: CardEffect) -> tuple[str, ...]:
    """Solved runs of all with the card and without it, and two ratios with their intervals."""
    table = effect.table
    return (
        effect.card,
        f"{table.with_success}/{table.exposed}",
        f"{table.without_success}/{table.runs - table.exposed}",
        _ratio(effect.raw),
        _ratio(effect.adjusted),
        effect.claim or "nothing",
    )


def print_calibration(found: Calibration, *, dry_run: bool) -> None:
    """The floors by kind, and what reaches them."""
    out = console()
    would = "would be " if dry_run else ""
    out.print(f"{found.questions} runs asked again among {found.memories:,} memories.")
    out.print(_table(("kind", "default", "strict", "applied", "reach it", "did not", "reach it",
                      "floor is"), [
        (
            kind,
            f"{fit.floor.default:.1f}",
            f"{fit.floor.strict:.1f}",
            str(fit.right),
            f"{fit.passed:.2f} / {fit.strict_passed:.2f}",
            str(fit.wrong),
            f"{fit.false:.2f} / {fit.strict_false:.2f}",
            f"{would}fitted" if fit.fitted else "the built-in one",
        )
        for kind, fit in found.kinds.items()
    ]))  # fmt: skip
    if found.crowding:
        out.print(f"The neighbourhoods of {len(found.crowding):,} insights were measured.")


def print_evaluation(found: StoreReport) -> None:
    """Every measure with its interval."""
    out = console()
    out.print(f"{found.runs:,} runs, {found.memories:,} memories; {found.asked} runs asked again.")
    out.print(_table(("left out", "measure", "of", "value", "95 % interval"), [
        (m.part, m.name, str(m.count), f"{m.value:.2f}", f"{m.low:.2f} to {m.high:.2f}")
        for m in found.measures
    ]))  # fmt: skip
    if not found.measures:
        out.print("There are too few runs to ask again. Add some: stepladder ingest")


def _ratio(ratio: Ratio | None) -> str:
    return f"{ratio.value:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]" if ratio else ""


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", no_wrap=True)
    for row in rows:
        table.add_row(*map(plain, row))
    return table
