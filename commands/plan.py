"""Says what asking a language model would take."""

import os
from datetime import datetime
from pathlib import Path

import click

from ..kg.errors import UsageError
from . import terminal
from .model_options import Asked, distiller_option, model_options, tell_plan
from .options import as_json, domain_option
from .shell import opened


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@domain_option
@click.option("--project", default="", help="Say that the runs belong to this repository.")
@click.option("--since", type=click.DateTime(), help="Only files changed on or after this day.")
@click.option("--limit", type=click.IntRange(min=1), help="Stop after this many new runs.")
@distiller_option
@model_options
@click.option("--show-prompts", is_flag=True, help="Print what would be sent, word for word.")
@as_json
@click.pass_obj
def plan(
    store: str,
    paths: tuple[Path, ...],
    domain: str,
    project: str,
    since: datetime | None,
    limit: int | None,
    distiller: str,
    asked: Asked,
    show_prompts: bool,
    as_json: bool,
) -> None:
    """Say what an ingest with a language model would take: calls, tokens, price, time.

    Nothing is sent and nothing is written. Runs that are in the store already and answers that
    are known cost nothing.

    \b
    Example:
      stepladder plan runs/ --distiller llm --model gpt-5-mini
      stepladder plan runs/ --distiller llm --command 'claude -p' --show-prompts
    """

    if distiller != "llm":
        raise UsageError(f"The distiller {distiller!r} asks nobody.", hint="Add --distiller llm")
    options = asked.options(store)
    found = list(paths) or terminal.own_session_files(
        home=Path.home(), environment=os.environ, quiet=as_json
    )
    with opened(store) as kb:
        made = kb.plan(
            found,
            llm=options,
            domain=domain,
            project=project,
            limit=limit,
            since=since.astimezone() if since else None,
        )
    tell_plan(made, show_prompts=show_prompts, as_json=as_json)
