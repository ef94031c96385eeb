"""Comparisons for the contract: they raise where a store broke it, also under `python -O`."""

from collections.abc import Callable
from typing import Any


def equal(got: Any, wanted: Any, *, about: str = "") -> None:
    """Compare two values.

    Raises:
        AssertionError: they are not equal.
    """
    if got != wanted:
        got, wanted, place = _first_difference(got, wanted)
        where = "".join(f" ({part})" for part in (place, about) if part)
        raise AssertionError(f"expected {_short(wanted)}, got {_short(got)}{where}")


def raises(kind: type[Exception], call: Callable[[], object]) -> None:
    """Call something that must fail.

    Raises:
        AssertionError: it did not raise this kind of error.
    """
    try:
        result = call()
    except kind:
        return
    raise AssertionError(f"expected {kind.__name__}, got {_short(result)}")


def _first_difference(got: Any, wanted: Any) -> tuple[Any, Any, str]:
    """The first items that differ of two equally long collections, and where they stand."""
    if isinstance(got, dict) and isinstance(wanted, dict) and got.keys() == wanted.keys():
        return next((got[k], wanted[k], f"at {k!r}") for k in wanted if got[k] != wanted[k])
    if isinstance(got, list) and isinstance(wanted, list) and len(got) == len(wanted):
        pairs = enumerate(zip(got, wanted, strict=True))
        return next((g, w, f"at {i}") for i, (g, w) in pairs if g != w)
    return got, wanted, ""


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 500 else f"{text[:500]}... ({len(text)} characters)"
