"""Commands about what is kept."""

import click

from ..serve import json_forms
from . import terminal
from .options import as_json
from .shell import opened, print_json


@click.command()
@as_json
@click.pass_obj
def stats(store: str, as_json: bool) -> None:
    """Count what is kept: levels, domains, projects, outcomes, and what was left out.

    \b
    Example:
      stepladder stats --json
    """

    with opened(store) as kb:
        counted = kb.stats()
    if as_json:
        print_json(json_forms.stats_json(counted))
    else:
        terminal.print_stats(counted)


@click.command()
@click.argument("ids", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
@click.pass_obj
def forget(store: str, ids: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Delete memories; a trace goes with everything that stands on it alone.

    \b
    Example:
      stepladder forget trace-52ab
    """
    with opened(store) as kb:
        full_ids = [kb.resolve(id) for id in ids]
        if not yes:
            click.confirm(f"Delete {', '.join(full_ids)}?", abort=True, err=True)
        removed = kb.forget(full_ids)
    if as_json:
        print_json(json_forms.forget_json(full_ids, removed=removed))
    else:
        click.echo(f"{removed} nodes deleted.")
