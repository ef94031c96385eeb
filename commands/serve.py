"""The door for people: the explorer in a browser, and the HTTP API."""

import os

import click

from ..serve.loopback import LOOPBACK


@click.command()
@click.option("--host", default=LOOPBACK, show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8766,
    show_default=True,
    help="The port; 0 takes any that is free.",
)
@click.option("--open", "open_browser", is_flag=True, help="Open it in the browser.")
@click.pass_obj
def serve(store: str, host: str, port: int, open_browser: bool) -> None:
    """Explore the graph in a browser: search, ladders, evidence, merges, review, Cypher.

    It listens on this machine only. Reading is open to it; changing something needs the token in
    the printed address, made at the start or taken from STEPLADDER_TOKEN. The HTTP API is at /api/.

    \b
    Example:
      stepladder serve --open
    """
    from ..serve.web.run import run

    token = os.environ.get("STEPLADDER_TOKEN", "")
    run(store, host=host, port=port, token=token, open_browser=open_browser)
