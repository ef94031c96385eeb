"""Whether what a model wrote is borne out by the steps that it quotes."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from ...record import StepRecord
from .forms import Evidence

_SHORTEST_QUOTE: Final = 8
"""Characters; shorter words stand in every run. Chosen by us."""


def grounded(evidence: Iterable[Evidence], steps: Sequence[StepRecord]) -> list[Evidence]:
    """The evidence that is true: its words stand in its step, but for white space.

    A quote that stands in no more than the step's neighbour is not taken for it.
    """
    return [e for e in evidence if 0 <= e.step < len(steps) and _holds(steps[e.step], e.quote)]


def stands_in(quote: str, texts: Iterable[str]) -> bool:
    """Tell whether a quote of enough characters stands in a text, but for white space."""
    words = _plain(quote)
    return len(words) >= _SHORTEST_QUOTE and any(words in _plain(text) for text in texts)


def _holds(step: StepRecord, quote: str) -> bool:
    return stands_in(quote, _texts(step))


def _texts(step: StepRecord) -> Iterator[str]:
    yield step.command
    yield step.observation
    yield from _strings(step.call.arguments)


def _strings(value: Any) -> Iterator[str]:
    places = [value]
    while places:
        item = places.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            places.extend(item.values())
        elif isinstance(item, list | tuple):
            places.extend(item)


def _plain(text: str) -> str:
    return " ".join(text.split())
