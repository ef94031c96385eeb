"""What every command does around its work: open the store, print JSON."""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import click

from ..facade import KnowledgeBase

_UNSEEN: Final = re.compile(
    "[\\x7f-\\x9f\\xad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff"
    "\\ufff9-\\ufffb\\ud800-\\udfff\\U000e0000-\\U000e007f]"
)
"""What a terminal may act on or hide, apart from what JSON escapes anyway."""


@contextmanager
def opened(store: str) -> Iterator[KnowledgeBase]:
    """The knowledge base at an address, closed at the end."""
    with KnowledgeBase.open(store) as kb:
        yield kb


def print_json(value: Any) -> None:
    """Print a value as JSON on standard output, in ASCII where that cannot show it.

    Characters that cannot be seen are escapes: a terminal may act on them.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2)
    click.echo(_UNSEEN.sub(lambda match: json.dumps(match[0])[1:-1], text))
