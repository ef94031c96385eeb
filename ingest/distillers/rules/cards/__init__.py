"""The catalogue: every module here defines one `CARD`."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from ..card import Card


@cache
def catalogue() -> tuple[Card, ...]:
    """All cards, in order of their names."""
    found = (import_module(f"{__name__}.{m.name}").CARD for m in iter_modules(__path__))
    return tuple(sorted(found, key=lambda card: str(card.name)))
