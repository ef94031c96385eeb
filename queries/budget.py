"""As much of an answer as its budget holds."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .items import Item
from .render import body_text, count_tokens, fenced, key_text

_ANY_MARK = "memory-r-0000000000000000"
"""As long as the longest mark."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """Items with their texts, whether keys were cut, and how many items there was no room for."""

    items: tuple[Item, ...]
    brief: bool
    left_out: int


def within_budget(items: Sequence[Item], *, budget_tokens: int, bodies: bool = False) -> Fitted:
    """Give every item the text that fits, and leave out the last ones where nothing does.

    Keys come first, whole ones if all of them fit, else cut after 15 words: showing more of them
    helps more than showing all of each (bench/evaluate.py, T1 budget). Bodies are added to the
    first items as long as there is room.
    """
    whole = tuple(_with_keys(item, short=False) for item in items)
    if _tokens(whole, brief=False) <= budget_tokens:
        kept, brief = whole, False
    else:
        kept, brief = tuple(_with_keys(item, short=True) for item in items), True
        kept = _prefix(kept, _most_that_fit(kept, budget_tokens))
    if bodies and not brief:
        kept = _with_bodies(kept, budget_tokens)
    return Fitted(kept, brief, _count(items) - _count(kept))


def _with_keys(item: Item, *, short: bool) -> Item:
    return replace(
        item,
        text=key_text(item.memory, short=short),
        beneath=tuple(_with_keys(lower, short=short) for lower in item.beneath),
    )


def _most_that_fit(items: tuple[Item, ...], budget_tokens: int) -> int:
    """How many items, those beneath counted, can be shown within the budget with short keys."""
    numbers = range(1, _count(items) + 1)
    return bisect_right(
        numbers, budget_tokens, key=lambda n: _tokens(_prefix(items, n), brief=True)
    )


def _prefix(items: tuple[Item, ...], number: int) -> tuple[Item, ...]:
    """The first items, those beneath counted after what they stand under."""
    kept: list[Item] = []
    for item in items:
        if number <= 0:
            break
        kept.append(replace(item, beneath=item.beneath[: number - 1]))
        number -= 1 + len(item.beneath)
    return tuple(kept)


def _with_bodies(items: tuple[Item, ...], budget_tokens: int) -> tuple[Item, ...]:
    kept = items
    for n, item in enumerate(items):
        lower = tuple(_with_body(i) for i in item.beneath)
        for longer in (replace(_with_body(item), beneath=lower), _with_body(item)):
            tried = (*kept[:n], longer, *kept[n + 1 :])
            if _tokens(tried, brief=False) <= budget_tokens:
                kept = tried
                break
    return kept


def _with_body(item: Item) -> Item:
    body = body_text(item.memory)
    return replace(item, text=f"{item.text}\n{body}") if body else item


def _tokens(items: Sequence[Item], *, brief: bool) -> int:
    return count_tokens(fenced(items, mark=_ANY_MARK, brief=brief))


def _count(items: Sequence[Item]) -> int:
    return sum(1 + len(item.beneath) for item in items)
