"""What tokens cost."""

import tomllib
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from importlib.resources import files
from typing import Any, Final

from ...kg.errors import UsageError

NANO: Final = 10**9
"""Parts of a dollar that money is counted in, so that sums are exact."""

_MILLION: Final = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Nano-dollars for a million tokens."""

    input_nano: int
    output_nano: int

    def of(self, *, input_tokens: int, output_tokens: int) -> int:
        """Nano-dollars of a call, rounded up."""
        told = input_tokens * self.input_nano + output_tokens * self.output_nano
        return -(-told // _MILLION)


FREE: Final = Price(input_nano=0, output_nano=0)


def price_of(model: str, *, today: date) -> Price | None:
    """The price of a well-known model from the table, or None; an old table knows none."""
    table = _table()
    found = table["models"].get(model)
    if not found or today > table["as_of"] + timedelta(days=table["good_for_days"]):
        return None
    return _price(str(found["input"]), str(found["output"]))


def price_list() -> str:
    """Where the table comes from and when, for people."""
    table = _table()
    return f"{table['source']} as of {table['as_of']}"


def _table() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "prices.toml").read_text(encoding="utf-8"))


def parse_price(text: str) -> Price:
    """A price given as `input,output` in dollars for a million tokens.

    Raises:
        UsageError: it is not two numbers of zero or more.
    """
    parts = text.split(",")
    try:
        if len(parts) != 2:
            raise ValueError("two numbers expected")
        return _price(*parts)
    except (ValueError, InvalidOperation) as error:
        raise UsageError(
            f"Not a price: {text!r}.",
            hint="Give dollars for a million tokens in and out, such as --price 0.25,2",
        ) from error


def _price(input_usd: str, output_usd: str) -> Price:
    return Price(input_nano=to_nano(input_usd), output_nano=to_nano(output_usd))


def to_nano(usd: str | float) -> int:
    """Dollars in nano-dollars.

    Raises:
        ValueError: the amount is not a finite number of zero or more.
        InvalidOperation: it is no number.
    """
    amount = Decimal(str(usd).strip())
    if not amount.is_finite() or amount < 0:
        raise ValueError("an amount of zero or more expected")
    return int(amount * NANO)
