"""Has a language model judge how runs ended where nobody else says it."""

import click
from rich.console import Console

from ..serve import llm_forms
from .model_options import (
    Asked,
    batch_option,
    model_options,
    show_prompts_option,
    tell_plan,
    votes_option,
    waiting_told,
    where_option,
    yes_option,
)
from .options import as_json
from .shell import opened, print_json
from .terminal_llm import print_llm


@click.command()
@where_option
@votes_option
@click.option("--limit", type=click.IntRange(min=1), help="So many runs at most.")
@model_options
@batch_option
@click.option("--dry-run", is_flag=True, help="Say what it would take, and send nothing.")
@yes_option
@show_prompts_option
@as_json
@click.pass_obj
def judge(
    store: str,
    where: str,
    votes: int,
    limit: int | None,
    asked: Asked,
    batch: bool,
    dry_run: bool,
    yes: bool,
    show_prompts: bool,
    as_json: bool,
) -> None:
    """Have a language model say how runs ended on which no verifier and nobody has a say.

    The rubric is strict: a success is one that the record shows, that was checked after the last
    change, and that left no error. A majority of the votes decides; without one the outcome stays
    unknown. What a verifier or a person says is never overruled. How far to trust it:
    stepladder evaluate judge.

    \b
    Example:
      stepladder judge --model gpt-5-mini --max-usd 1
      stepladder judge --where "project = 'acme/api'" --command 'claude -p' --dry-run
    """
    llm = asked.options(store, batch=batch)
    with opened(store) as kb, waiting_told(as_json=as_json):
        if dry_run or show_prompts:
            plan = kb.plan_judge(llm=llm, where=where, votes=votes, limit=limit)
            tell_plan(plan, show_prompts=show_prompts, as_json=as_json)
            return
        done = kb.judge_outcomes(
            llm=llm, where=where, votes=votes, limit=limit, approve=asked.approve(yes=yes)
        )
    if as_json:
        print_json(llm_forms.outcomes_json(done))
        return
    out = Console(highlight=False)
    out.print(
        f"{done.runs:,} runs without a verdict: {done.success:,} successes, {done.failure:,} "
        f"failures, {done.unknown:,} without a majority, {done.unanswered:,} without an answer."
    )
    if done.llm:
        print_llm(out, done.llm)
