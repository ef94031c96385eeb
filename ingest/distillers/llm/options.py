"""Which model is asked, at whose expense, and with whose key."""

import os
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from ....kg.endpoint import is_here, is_provider, key_for
from ....kg.errors import UsageError
from ...llm.client import OpenAIModel
from ...llm.command import CommandModel
from ...llm.model import Model
from ...llm.prices import Price, parse_price, price_list, price_of
from .prompting import DEFAULT_LIMITS, Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmOptions:
    """Which model, at whose expense, and where the account is kept.

    `price` is `input,output` in dollars for a million tokens; empty where the table or the place
    of the server tells. `max_usd` is a hard cap. `api_key_env` names the variable with the
    server's key. With `batch` questions are handed in together, and answered within a day.
    `today` is the day by which the price table is believed; None is the present.
    """

    ledger: Path
    model: str = ""
    base_url: str = ""
    command: str = ""
    price: str = ""
    max_usd: float | None = None
    workers: int = 4
    api_key_env: str = ""
    batch: bool = False
    limits: Limits = DEFAULT_LIMITS
    today: date | None = None


def model_of(options: LlmOptions) -> Model:
    """The way to the model that the options name.

    Raises:
        UsageError: they name none, or two, or a variable that holds no key.
    """
    if bool(options.model) == bool(options.command):
        raise UsageError(
            "Name one model." if options.model else "No model is named.",
            hint="Use --model gpt-5-mini, or --command 'claude -p'",
        )
    if options.command:
        if options.batch:
            raise UsageError("A program takes no batch.", hint="Leave --batch out.")
        return CommandModel(options.command)
    return OpenAIModel(
        options.model,
        options.base_url or None,
        api_key=key_for(options.base_url, os.environ, variable=options.api_key_env),
        # Servers of one's own hold the answer to the schema by a grammar; hosted ones bill it.
        schema_told=not is_here(_server(options)),
    )


def price_of_options(options: LlmOptions) -> Price | None:
    """The price, or None where there is none: a program, or a server on this machine.

    Raises:
        UsageError: nobody knows the price, and it has to be known.
    """
    if options.price:
        return parse_price(options.price)
    known = None
    server = _server(options)
    if options.model and (not server or is_provider(server)):
        known = price_of(options.model, today=options.today or datetime.now(UTC).date())
    free = bool(options.command) or is_here(server)
    if known is None and (options.max_usd is not None or not free):
        raise UsageError(
            f"The price of {options.model or options.command!r} is not known.",
            hint="Say dollars for a million tokens in and out, such as --price 0.25,2 "
            f"(ours are from {price_list()})",
        )
    return known


def _server(options: LlmOptions) -> str:
    """The address of the server that is asked; empty for OpenAI itself."""
    return options.base_url or os.environ.get("OPENAI_BASE_URL", "")
