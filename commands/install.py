"""Commands that put Stepladder into a coding agent's settings and take it out again."""

import os
from pathlib import Path

import click

from ..kg.errors import StepladderError
from ..kg.settings import Settings, default_store
from ..serve.install.hosts import HOSTS, Wish, own_command, plugin_is_on
from ..serve.install.plan import Plan, install_plan, uninstall_plan
from .options import as_json, holdout_option
from .shell import print_json

_host = click.argument("agent", type=click.Choice(list(HOSTS)))
_yes = click.option("--yes", is_flag=True, help="Do not ask.")
_dry_run = click.option("--dry-run", is_flag=True, help="Show what would change and write nothing.")


@click.command()
@_host
@click.option("--no-hooks", is_flag=True, help="Claude Code: the MCP server alone, no hooks.")
@click.option(
    "--reflect", is_flag=True, help="Claude Code: ask for lessons once, where a session turned."
)
@holdout_option
@_yes
@_dry_run
@as_json
@click.pass_obj
def install(
    store: str,
    agent: str,
    no_hooks: bool,
    reflect: bool,
    holdout: float,
    yes: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Put the MCP server, and for Claude Code the hooks, into an agent's settings.

    The change is shown first. Only what is needed is inserted; comments and layout stay, and
    `uninstall` takes it out again to the byte. Installing twice changes nothing.

    \b
    Example:
      stepladder install claude-code
      stepladder install codex --dry-run
    """
    if agent == "claude-code" and plugin_is_on(home=Path.home(), environment=os.environ):
        raise StepladderError(
            "The Stepladder plugin is on in Claude Code and brings the server and the hooks.",
            hint="Nothing is to be done; or turn the plugin off first: /plugin",
        )
    wish = Wish(
        command=own_command(store, default_store=str(default_store())),
        hooks=not no_hooks,
        reflect=reflect,
        holdout=holdout,
    )
    plan = install_plan(
        agent,
        wish,
        home=Path.home(),
        environment=os.environ,
        state=Settings.read(os.environ).state,
    )
    _carry_out(plan, agent=agent, yes=yes, dry_run=dry_run, as_json=as_json, done="Installed in")


@click.command()
@_host
@_yes
@_dry_run
@as_json
def uninstall(agent: str, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Take Stepladder out of an agent's settings again, which become what they were.

    \b
    Example:
      stepladder uninstall claude-code
    """
    plan = uninstall_plan(
        agent,
        home=Path.home(),
        environment=os.environ,
        state=Settings.read(os.environ).state,
    )
    _carry_out(plan, agent=agent, yes=yes, dry_run=dry_run, as_json=as_json, done="Removed from")


def _carry_out(
    plan: Plan, *, agent: str, yes: bool, dry_run: bool, as_json: bool, done: str
) -> None:
    changes = plan.changes
    if not as_json:
        for edit in changes:
            click.echo(edit.diff(), nl=False)
    if changes and not dry_run:
        if not yes:
            click.confirm("Write this?", abort=True, err=True)
        try:
            plan.apply()
        except OSError as error:
            raise StepladderError(f"Could not write {error.filename}: {error.strerror}.") from error
    if as_json:
        paths = [str(e.path) for e in changes]
        print_json({"agent": agent, "changed": paths, "dry_run": dry_run})
    elif not changes:
        click.echo("Nothing to change.")
    elif not dry_run:
        click.echo(f"{done} {agent}. Start it anew to see the change.")
