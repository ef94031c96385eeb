"""The whole ladder on the sample runs."""

import tempfile
from pathlib import Path
from typing import Any

import click

from ..serve import json_forms
from . import terminal
from .options import as_json
from .shell import opened, print_json

EXAMPLES = Path(__file__).parent.parent / "examples"
DEMO_TASK = "Fix a bug in a Python library: a test fails and the usual test runner is not installed"


@click.command()
@click.argument("task", default=DEMO_TASK)
@as_json
def demo(task: str, as_json: bool) -> None:
    """Do all of it on the sample runs that come with Stepladder, in a store of its own.

    \b
    Example:
      stepladder demo
      stepladder demo "the edit tool says the text was not found"
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        store = str(Path(folder) / "demo.db")
        if as_json:
            print_json(_demo_json(store, task))
        else:
            terminal.print_demo(store, examples=EXAMPLES, task=task)


def _demo_json(store: str, task: str) -> dict[str, Any]:
    """What the commands that the demonstration stands for would print."""
    with opened(store) as kb:
        report = kb.ingest(sorted(p for p in EXAMPLES.iterdir() if p.is_dir()))
        answer = kb.retrieve(task)
        found = [json_forms.evidence_json(kb.why(i.memory.id)) for i in answer.items[:1]]
        return {
            "ingest": json_forms.ingest_json(report, dry_run=False),
            "stats": json_forms.stats_json(kb.stats()),
            "query": json_forms.answer_json(answer),
            "why": found[0] if found else None,
        }
