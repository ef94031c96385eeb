"""The command line. Data goes to stdout, progress and hints to stderr."""

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from io import TextIOWrapper
from typing import Any, Final

import click

from stepladder.kg.errors import StepladderError, UsageError
from stepladder.kg.settings import Settings

COMMANDS: Final[Mapping[str, str]] = {
    "ingest": "ingest:ingest",
    "plan": "plan:plan",
    "redistill": "redistill:redistill",
    "judge": "judge:judge",
    "import": "ingest:import_",
    "query": "query:query",
    "show": "query:show",
    "why": "query:why",
    "feedback": "feedback:feedback",
    "evaluate": "measure:evaluate",
    "calibrate": "measure:calibrate",
    "consolidate": "consolidate:consolidate",
    "merges": "consolidate:merges",
    "unmerge": "consolidate:unmerge",
    "keep-apart": "consolidate:keep_apart",
    "review": "consolidate:review",
    "verdicts": "consolidate:verdicts",
    "stats": "store:stats",
    "cypher": "cypher:cypher",
    "schema": "cypher:schema",
    "export": "export:export",
    "migrate": "migrate:migrate",
    "reembed": "reembed:reembed",
    "forget": "store:forget",
    "mcp": "mcp:mcp",
    "serve": "serve:serve",
    "install": "install:install",
    "uninstall": "install:uninstall",
    "doctor": "doctor:doctor",
    "hook": "hook:hook",
    "demo": "demo:demo",
}
"""Where each command stands in `commands/`, in the order in which help lists them."""

SUMMARIES: Final[Mapping[str, str]] = {
    "ingest": "Read finished runs and climb from each to insights.",
    "plan": "Say what asking a language model would take.",
    "redistill": "Have a language model write the words of kept runs anew.",
    "judge": "Have a language model say how runs ended.",
    "import": "Take memories made elsewhere.",
    "query": "Answer a task with the memories that apply, or with none.",
    "show": "Show a memory and what it is linked to.",
    "why": "Show the evidence of a memory, down to the steps.",
    "feedback": "Say how the work went that an answer was given for.",
    "evaluate": "Measure how well the store answers, and what its cards did.",
    "calibrate": "Fit the floors on the store's own runs.",
    "consolidate": "Merge insights that say the same.",
    "merges": "List the consolidations that stand.",
    "unmerge": "Take a merge back.",
    "keep-apart": "Say that two insights must never be merged.",
    "review": "Decide on pairs that may say the same.",
    "verdicts": "List what a model decided on pairs, or take it back.",
    "stats": "Count what is kept.",
    "cypher": "Ask the graph in Cypher, or run a named query.",
    "schema": "Show what the graph holds, in words and numbers.",
    "export": "Write the graph, or what it teaches, for others.",
    "migrate": "Copy the whole graph into another store.",
    "reembed": "Change the embedder of a store.",
    "forget": "Delete memories.",
    "mcp": "Serve the memory to an agent.",
    "serve": "Explore the graph in a browser.",
    "install": "Put it into a coding agent's settings.",
    "uninstall": "Take it out of a coding agent's settings again.",
    "doctor": "Say what is wrong and the command that mends it.",
    "hook": "Answer a hook of Claude Code.",
    "demo": "Do all of it on the sample runs.",
}
"""What help says of each command without loading it."""


class _Commands(click.Group):
    """Loads a command when it is called, and turns our errors into a message and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(f"stepladder.commands.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, SUMMARIES[name]) for name in COMMANDS])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except StepladderError as error:
            click.echo(f"Error: {error}", err=True)
            if error.hint:
                click.echo(f"  {error.hint}", err=True)
            ctx.exit(2 if isinstance(error, UsageError) else 1)
        except KeyboardInterrupt:
            click.echo("Stopped.", err=True)
            ctx.exit(130)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--store", default=None, metavar="PATH", help="Where the graph is kept. [STEPLADDER_STORE]"
)
@click.version_option(package_name="stepladder")
@click.pass_context
def main(ctx: click.Context, store: str | None) -> None:
    """Memory for coding agents: runs in, the most abstract lesson that applies out.

    \b
    Example:
      stepladder ingest
      stepladder query "tests fail only in CI: ModuleNotFoundError after the lock file changed"
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # no sign of ours may stop a command
    ctx.obj = store or Settings.read(os.environ).store


if __name__ == "__main__":
    main()
