"""What every command does around its work: open the store, print JSON."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from ..kb import KnowledgeBase


@contextmanager
def opened(store: str) -> Iterator[KnowledgeBase]:
    """The knowledge base at an address, closed at the end."""
    with KnowledgeBase.open(store) as kb:
        yield kb


def print_json(value: Any) -> None:
    """Print a value as JSON on standard output."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))
