"""As much of an answer as its budget holds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .items import Item
from .render import body_text, count_tokens, fenced, key_text

_ANY_MARK = "memory-0000000000000000"
"""As long as every mark is."""


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
        while kept and _tokens(kept, brief=True) > budget_tokens:
            kept = _without_last(kept)
    if bodies and not brief:
        kept = _with_bodies(kept, budget_tokens)
    return Fitted(kept, brief, _count(items) - _count(kept))


def _with_keys(item: Item, *, short: bool) -> Item:
    return replace(
        item,
        text=key_text(item.memory, short=short),
        beneath=tuple(_with_keys(lower, short=short) for lower in item.beneath),
    )


def _without_last(items: tuple[Item, ...]) -> tuple[Item, ...]:
    *others, last = items
    if last.beneath:
        return (*others, replace(last, beneath=last.beneath[:-1]))
    return tuple(others)


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
