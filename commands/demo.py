"""The whole ladder on the sample runs."""

import tempfile
from pathlib import Path

import click

from . import terminal

EXAMPLES = Path(__file__).parent.parent / "examples"
DEMO_TASK = "Fix a bug in a Python library: a test fails and the usual test runner is not installed"


@click.command()
@click.argument("task", default=DEMO_TASK)
def demo(task: str) -> None:
    """Do all of it on the sample runs that come with Stepladder, in a store of its own.

    \b
    Example:
      stepladder demo
      stepladder demo "the edit tool says the text was not found"
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        store = str(Path(folder) / "demo.db")
        terminal.print_demo(store, examples=EXAMPLES, task=task)
