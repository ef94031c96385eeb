"""The command that Claude Code's hooks call."""

import os
import sys

import click

from ..kg.settings import Settings


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    add_help_option=False,
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def hook(ctx: click.Context, arguments: tuple[str, ...]) -> None:
    """Answer a hook of Claude Code, whose JSON comes on standard input.

    The hooks are session-start, prompt and stop; `stepladder install claude-code` sets them. It
    ends within two seconds and with code 0 whatever happens; what went wrong is shown by
    `stepladder doctor`.

    \b
    Example:
      echo '{"prompt": "fix the failing test", "cwd": "."}' | stepladder hook prompt
    """
    from ..serve.hook_state import HookState
    from ..serve.hooks import HookOptions, guarded

    words = [a for a in arguments if not a.startswith("-")]
    if not words:
        click.echo(ctx.get_help())
        return
    options = HookOptions(
        store=ctx.obj,
        reflect="--reflect" in arguments,
        plugin="--plugin" in arguments,
        holdout=_odds(arguments),
    )
    said = guarded(
        words[0] if words else "",
        tuple(words[1:]),
        options=options,
        state=HookState(Settings.read(os.environ).state),
        environment=os.environ,
        stdin=sys.stdin,
    )
    if said:
        sys.stdout.write(said)


def _odds(arguments: tuple[str, ...]) -> float:
    """The value of --holdout=P; a wrong one is none."""
    for argument in arguments:
        name, _, value = argument.partition("=")
        if name == "--holdout" and value.replace(".", "", 1).isdigit():
            return min(1.0, float(value))
    return 0.0
