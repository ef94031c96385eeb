"""The command that says what is wrong."""

import os
from dataclasses import asdict
from pathlib import Path

import click

from ..kg.settings import Settings
from ..serve.doctor import findings
from ..serve.hook_state import HookState
from .options import as_json
from .shell import print_json
from .terminal import console, plain

_MARKS = {"ok": "[green]ok[/]", "warning": "[yellow]note[/]", "wrong": "[red]wrong[/]"}


@click.command()
@click.option("--forget-failures", is_flag=True, help="Empty the log of silent failures.")
@as_json
@click.pass_context
def doctor(ctx: click.Context, forget_failures: bool, as_json: bool) -> None:
    """Look at the store, versions, disk, agents' settings and hooks; say what mends what is wrong.

    It ends with code 1 where something is wrong, and changes nothing.

    \b
    Example:
      stepladder doctor
    """
    read = Settings.read(os.environ)
    settings = Settings(store=ctx.obj, state=read.state, embedder=read.embedder)
    if forget_failures:
        HookState(settings.state).log.unlink(missing_ok=True)
    found = list(findings(settings, home=Path.home(), environment=os.environ))
    if as_json:
        print_json([asdict(f) for f in found])
    else:
        out = console()
        for finding in found:
            out.print(f"{_MARKS[finding.verdict]:<6} {finding.name}: {plain(finding.said)}")
            if finding.mend:
                out.print(f"       {plain(finding.mend)}")
    ctx.exit(int(any(f.verdict == "wrong" for f in found)))
