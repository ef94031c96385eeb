"""Commands that measure: cards, floors, and what showing memories did."""

from pathlib import Path

import click

from ..serve import evaluation_forms, use_forms
from .evaluate_judge import judge
from .options import as_json, domain_option
from .shell import opened, print_json
from .terminal_measure import print_calibration, print_cards, print_evaluation
from .terminal_use import print_uplift

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_NEW_FILE = click.Path(dir_okay=False, writable=True, path_type=Path)


@click.group(invoke_without_command=True)
@click.option("--sample", default=100, show_default=True, help="How many runs are asked again.")
@click.option("--html", type=_NEW_FILE, metavar="FILE", help="Write a report with pictures.")
@as_json
@click.pass_context
def evaluate(ctx: click.Context, sample: int, html: Path | None, as_json: bool) -> None:
    """Measure how well the store answers, or what its cards and answers did.

    Runs are asked again with their task, their project or their domain left out. Shares and
    means carry a 95 % interval.

    \b
    Example:
      stepladder evaluate --html report.html
      stepladder evaluate cards
    """
    if ctx.invoked_subcommand is not None:
        return
    with opened(ctx.obj) as kb:
        found = kb.evaluate(sample=sample)
    if html is not None:
        html.write_text(evaluation_forms.evaluation_html(found), encoding="utf-8")
    if as_json:
        print_json(evaluation_forms.evaluation_json(found))
    else:
        print_evaluation(found)


@evaluate.command()
@domain_option
@click.option(
    "--difficulty",
    type=_FILE,
    metavar="FILE",
    help="JSON that maps a task, run or file name to the share of others that solved it.",
)
@click.option("--least", default=20, show_default=True, help="Leave out cards of fewer runs.")
@as_json
@click.pass_obj
def cards(store: str, domain: str, difficulty: Path | None, least: int, as_json: bool) -> None:
    """Compare the outcomes of runs with and without each card.

    Raw ratios mostly tell which cards come up in hard tasks. A card is said to help or to hurt
    only where the ratio among runs of the same task, or of equal difficulty, allows it after
    correction for the number of cards.

    \b
    Example:
      stepladder evaluate cards --difficulty solved-by-others.json
    """
    shares = evaluation_forms.read_difficulty(difficulty) if difficulty else None
    with opened(store) as kb:
        found = kb.card_effects(domain=domain, difficulty=shares, least_runs=least)
    if as_json:
        print_json(evaluation_forms.cards_json(found))
    else:
        print_cards(found)


@evaluate.command()
@as_json
@click.pass_obj
def uplift(store: str, as_json: bool) -> None:
    """Estimate what shown memories did, against those that a holdout withheld.

    Answers given with --holdout count once their outcome is known. The interval holds the truth
    in 95 of 100 cases.

    \b
    Example:
      stepladder evaluate uplift
    """
    with opened(store) as kb:
        found = kb.uplift()
    if as_json:
        print_json(use_forms.uplift_json(found))
    else:
        print_uplift(found)


evaluate.add_command(judge)


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what the floors would be; keep nothing.")
@as_json
@click.pass_obj
def calibrate(store: str, dry_run: bool, as_json: bool) -> None:
    """Fit the floors below which nothing is said on the store's own runs.

    Each run is asked again as if it had not been seen. `consolidate` does this by itself when the
    store has grown by a quarter.

    \b
    Example:
      stepladder calibrate --dry-run
      stepladder calibrate
    """
    with opened(store) as kb:
        found = kb.calibrate(dry_run=dry_run)
    if as_json:
        print_json(evaluation_forms.calibration_json(found, dry_run=dry_run))
    else:
        print_calibration(found, dry_run=dry_run)
