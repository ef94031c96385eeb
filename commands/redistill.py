"""Has a language model look again at runs that are in the store already."""

from typing import TYPE_CHECKING

import click
from rich.console import Console

from ..kg.errors import UsageError
from ..kg.types import LevelName
from ..serve import llm_forms
from .model_options import (
    Asked,
    batch_option,
    model_options,
    show_prompts_option,
    tell_plan,
    waiting_told,
    where_option,
    yes_option,
)
from .options import as_json
from .shell import opened, print_json
from .terminal_llm import print_llm

if TYPE_CHECKING:
    from ..ingest.distillers.llm.options import LlmOptions


@click.command()
@click.option(
    "--level",
    "levels",
    multiple=True,
    type=click.Choice(["workflow", "summary", "insight"]),
    help="Write this level anew; may be given several times. All three by default.",
)
@click.option(
    "--merged", is_flag=True, help="Write merged insights anew, from all that were merged in them."
)
@click.option("--undo", is_flag=True, help="With --merged: take the words of models back.")
@where_option
@click.option("--limit", type=click.IntRange(min=1), help="So many runs or insights at most.")
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
    merged: bool,
    undo: bool,
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

    With --merged it is merged insights whose words are written, to fit all that were merged. Their
    fields are author (whose words they have; empty for rules), level, scope, project, domain,
    language, members, id.

    \b
    Example:
      stepladder redistill --level insight --where "distiller = 'rules'" --model gpt-5-mini
      stepladder redistill --where "project = 'acme/api'" --command 'claude -p' --dry-run
      stepladder redistill --merged --where "author = ''" --model gpt-5-mini
    """
    if undo or merged:
        _demand_merged(levels, merged=merged)
    if undo:
        asked.refuse(hint="Leave the model out: --undo asks none.")
        _restore(store, where, limit, as_json=as_json)
        return
    llm = asked.options(store, batch=batch)
    if merged:
        _rewrite(
            store, llm, where, limit,
            asked=asked, dry_run=dry_run, yes=yes, show_prompts=show_prompts, as_json=as_json,
        )  # fmt: skip
        return
    levels = levels or ("workflow", "summary", "insight")
    with opened(store) as kb, waiting_told(as_json=as_json):
        if dry_run or show_prompts:
            plan = kb.plan_redistill(llm=llm, where=where, levels=levels, limit=limit)
            tell_plan(plan, show_prompts=show_prompts, as_json=as_json)
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


def _demand_merged(levels: tuple[LevelName, ...], *, merged: bool) -> None:
    if not merged:
        raise UsageError(
            "--undo takes the words of merged insights back.", hint="Add --merged to it."
        )
    if levels:
        raise UsageError("--merged is of merged insights alone.", hint="Leave --level out.")


def _restore(store: str, where: str, limit: int | None, *, as_json: bool) -> None:
    with opened(store) as kb:
        restored = kb.restore_merged(where=where, limit=limit)
    if as_json:
        print_json({"restored": restored})
    else:
        click.echo(f"{restored:,} merged insights have the words of rules again.")


def _rewrite(
    store: str,
    llm: "LlmOptions",
    where: str,
    limit: int | None,
    *,
    asked: Asked,
    dry_run: bool,
    yes: bool,
    show_prompts: bool,
    as_json: bool,
) -> None:
    with opened(store) as kb, waiting_told(as_json=as_json):
        if dry_run or show_prompts:
            plan = kb.plan_rewrite_merged(llm=llm, where=where, limit=limit)
            tell_plan(plan, show_prompts=show_prompts, as_json=as_json)
            return
        done = kb.rewrite_merged(llm=llm, where=where, limit=limit, approve=asked.approve(yes=yes))
    if as_json:
        print_json(llm_forms.rewritten_json(done))
        return
    out = Console(highlight=False)
    out.print(
        f"{done.merged:,} merged insights: {done.written:,} in words of the model "
        f"({done.changed:,} changed), {done.stands:,} left as they were."
    )
    if done.llm:
        print_llm(out, done.llm)
