"""Has a language model look again at runs that are in the store already."""

import click
from rich.console import Console

from ..kg.types import LevelName
from ..serve import json_forms, llm_forms
from .model_options import (
    Asked,
    batch_option,
    model_options,
    plan_line,
    print_prompts,
    show_prompts_option,
    waiting_told,
    where_option,
    yes_option,
)
from .options import as_json
from .shell import opened, print_json
from .terminal_llm import print_llm


@click.command()
@click.option(
    "--level",
    "levels",
    multiple=True,
    type=click.Choice(["workflow", "summary", "insight"]),
    help="Write this level anew; may be given several times. All three by default.",
)
@where_option
@click.option("--limit", type=click.IntRange(min=1), help="So many runs at most.")
@model_options
@batch_option
@click.option("--dry-run", is_flag=True, help="Say what it would take, and send nothing.")
@yes_option
@show_prompts_option
@as_json
@click.pass_obj
def redistill(
    store: str,
    levels: tuple[LevelName, ...],
    where: str,
    limit: int | None,
    asked: Asked,
    batch: bool,
    dry_run: bool,
    yes: bool,
    show_prompts: bool,
    as_json: bool,
) -> None:
    """Have a language model write the words of kept runs anew.

    Runs are read again from their files where these are unchanged, else from the steps that are
    kept. What rules made stays beside it, and stands alone where the model has no answer. Stopped
    and called again it goes on; answers are paid for once.

    --where compares fields with =, !=, <, <=, >, >= and ~ (contains), joined by AND: distiller,
    project, domain, language, outcome, judged, agent, model, format, started, steps, id.

    \b
    Example:
      stepladder redistill --level insight --where "distiller = 'rules'" --model gpt-5-mini
      stepladder redistill --where "project = 'acme/api'" --command 'claude -p' --dry-run
    """
    llm = asked.options(store, batch=batch)
    levels = levels or ("workflow", "summary", "insight")
    with opened(store) as kb, waiting_told(as_json=as_json):
        if dry_run or show_prompts:
            plan = kb.plan_redistill(llm=llm, where=where, levels=levels, limit=limit)
            if as_json:
                print_json(json_forms.plan_json(plan, prompts=show_prompts))
                return
            if show_prompts:
                print_prompts(plan)
            click.echo(plan_line(plan))
            return
        done = kb.redistill(
            llm=llm,
            where=where,
            levels=levels,
            limit=limit,
            approve=asked.approve(yes=yes),
        )
    if as_json:
        print_json(llm_forms.redistilled_json(done))
        return
    out = Console(highlight=False)
    out.print(
        f"{done.runs:,} runs: {done.written:,} written anew, {done.stands:,} left as they were; "
        f"{done.added:,} memories added, {done.changed:,} changed, {done.removed:,} removed."
    )
    if done.llm:
        print_llm(out, done.llm)
