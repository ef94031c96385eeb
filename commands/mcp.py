"""The door for agents."""

import os
from pathlib import Path

import click

from .options import domain_option, holdout_option, language_option


@click.command()
@click.option("--project", default="", help="The repository; by default that of this folder.")
@domain_option
@language_option
@holdout_option
@click.option("--http", is_flag=True, help="Streamable HTTP on this machine, not stdio.")
@click.option("--port", default=8765, show_default=True, help="Port for --http.")
@click.pass_obj
def mcp(
    store: str, project: str, domain: str, language: str, holdout: float, http: bool, port: int
) -> None:
    """Serve the memory to an agent over MCP: on standard input and output, or over HTTP.

    With --http it listens on 127.0.0.1 only and asks for a token, which it prints at the start
    or takes from STEPLADDER_TOKEN.

    \b
    Example:
      stepladder mcp
      stepladder mcp --http --port 8765
    """
    from ..serve.mcp_run import run_http, run_stdio
    from ..serve.place import place_of

    place = place_of(
        Path.cwd(), environment=os.environ, project=project, domain=domain, language=language
    )
    if http:
        token = os.environ.get("STEPLADDER_TOKEN", "")
        run_http(store, place=place, port=port, token=token, holdout=holdout)
    else:
        run_stdio(store, place=place, holdout=holdout)
