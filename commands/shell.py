"""What every command does around its work: open the store, print JSON."""

import json
import sys
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
    """Print a value as JSON on standard output, in ASCII where that cannot show it."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2)
    click.echo(text)
