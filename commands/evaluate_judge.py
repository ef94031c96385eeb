"""Measures a judge of outcomes against verifiers."""

from typing import TYPE_CHECKING

import click
from rich.console import Console

from ..serve import llm_forms
from .model_options import (
    Asked,
    model_options,
    tell_plan,
    votes_option,
    where_option,
    yes_option,
)
from .options import as_json
from .shell import opened, print_json
from .terminal_llm import print_llm

if TYPE_CHECKING:
    from ..ingest.judging import Agreement


@click.command()
@where_option
@votes_option
@click.option("--limit", type=click.IntRange(min=1), help="So many runs at most.")
@model_options
@click.option("--dry-run", is_flag=True, help="Say what it would take, and send nothing.")
@yes_option
@as_json
@click.pass_obj
def judge(
    store: str,
    where: str,
    votes: int,
    limit: int | None,
    asked: Asked,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Measure how far a model that judges outcomes agrees with verifiers and people.

    It is asked about the runs whose end is known, without being told. Shown are the share of its
    verdicts that agree, with a 95 % interval, and Cohen's kappa: 0 is chance, 1 is perfect.
    Nothing is kept but its answers, so that the same measure again costs nothing.

    \b
    Example:
      stepladder evaluate judge --model gpt-5-mini --limit 50 --max-usd 1
    """
    llm = asked.options(store)
    with opened(store) as kb:
        if dry_run:
            plan = kb.plan_judge(llm=llm, where=where, votes=votes, limit=limit, known=True)
            tell_plan(plan, as_json=as_json)
            return
        found = kb.judge_agreement(
            llm=llm, where=where, votes=votes, limit=limit, approve=asked.approve(yes=yes)
        )
    if as_json:
        print_json(llm_forms.agreement_json(found))
    else:
        _print(found)


def _print(found: "Agreement") -> None:
    out = Console(highlight=False)
    out.print(
        f"{found.runs:,} runs whose end is known: the judge decides {found.decided:,}, "
        f"{found.unanswered:,} without an answer."
    )
    for known, row in found.table.items():
        said = ", ".join(f"{name} {number:,}" for name, number in row.items())
        out.print(f"  known {known:<8} judged {said}")
    if found.agreement is not None and found.interval is not None:
        low, high = found.interval
        kappa = "not defined" if found.kappa is None else f"{found.kappa:.2f}"
        out.print(f"Agreement {found.agreement:.2f} [{low:.2f}, {high:.2f}], kappa {kappa}.")
    if found.llm:
        print_llm(out, found.llm)
