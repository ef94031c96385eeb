"""One use of a model: what it would take, the answers, and the distiller that reads them."""

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final
from urllib.parse import urlsplit

from ....kg.errors import UsageError
from ...llm.asker import Asker
from ...llm.client import OpenAIModel
from ...llm.command import CommandModel
from ...llm.ledger import CapError, Ledger
from ...llm.model import Model, Prompt
from ...llm.prices import FREE, NANO, Price, parse_price, price_of, to_nano
from ...llm.tokens import estimate
from ...protocols import Distillate
from ...record import RunRecord
from ...report import LlmReport
from .distiller import NAME, LlmDistiller
from .forms import RunForm
from .prompting import DEFAULT_LIMITS, Limits, prompt_of

_WRITTEN_TOKENS: Final = 900
"""Tokens that a model writes about a run, for plans. Chosen by us."""

_WRITTEN_A_SECOND: Final = 60
_BEGINS_AFTER_S: Final = 2.0
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmOptions:
    """Which model, at whose expense, and where the account is kept.

    `price` is `input,output` in dollars for a million tokens; empty where the table or the place
    of the server tells. `max_usd` is a hard cap.
    """

    ledger: Path
    model: str = ""
    base_url: str = ""
    command: str = ""
    price: str = ""
    max_usd: float | None = None
    workers: int = 4
    limits: Limits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What asking about some runs would take; `usd` is None where there is no price.

    `prompts` are what would be sent, without those whose answer is known already.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    seconds: float
    prompts: tuple[Prompt, ...] = ()


class PromptCollector:
    """A distiller that only notes what would be asked."""

    name = NAME

    def __init__(self, *, limits: Limits = DEFAULT_LIMITS) -> None:
        self.prompts: list[Prompt] = []
        self._limits = limits

    def distill(self, run: RunRecord) -> Distillate:
        """Note the prompt of a run and make nothing of it."""
        if run.steps:
            self.prompts.append(prompt_of(run, limits=self._limits))
        return Distillate()


class Session:
    """Opens the ledger for one use of a model; a context manager."""

    def __init__(
        self, options: LlmOptions, *, sleep: Callable[[float], object] | None = None
    ) -> None:
        """Choose the way to the model and its price; nothing is sent.

        Raises:
            UsageError: no model, two, or one whose price nobody knows.
            StoreError: the ledger cannot be opened.
        """
        model = _model(options)
        self._price = _price(options)
        self._options = options
        self._ledger = Ledger(
            options.ledger,
            model=model.name,
            price=self._price or FREE,
            cap_nano=None if options.max_usd is None else to_nano(options.max_usd),
        )
        self._asker = Asker(model, self._ledger, sleep=sleep)
        self.distiller = LlmDistiller(self._asker, limits=options.limits)

    def __enter__(self) -> "Session":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ledger.close()

    def plan(self, prompts: Iterable[Prompt]) -> Plan:
        """Say what answering prompts would take; nothing is sent."""
        by_hash = {self._asker.hash_of(p): p for p in prompts}
        asked = tuple(p for p in by_hash.values() if not self._asker.is_kept(p))
        tokens_in = sum(estimate(p.system) + estimate(p.user) for p in asked)
        each = min(_WRITTEN_TOKENS, self._options.limits.written_tokens)
        tokens_out = each * len(asked)
        each_s = _BEGINS_AFTER_S + each / _WRITTEN_A_SECOND
        usd = None
        if self._price is not None:
            usd = self._price.of(input_tokens=tokens_in, output_tokens=tokens_out) / NANO
        return Plan(
            calls=len(asked),
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            usd=usd,
            seconds=round(each_s * -(-len(asked) // self._options.workers), 1),
            prompts=asked,
        )

    def answer(self, prompts: Sequence[Prompt]) -> None:
        """Have prompts answered, several at a time; what is answered is kept at once.

        Raises:
            LlmError: the model cannot be asked at all, and nothing is known.
        """
        with ThreadPoolExecutor(self._options.workers) as pool:
            try:
                for _ in pool.map(lambda p: self._asker.ask(p, RunForm), prompts):
                    pass
            except BaseException:
                self._asker.stop()
                pool.shutdown(cancel_futures=True)
                raise
        stopped = self._asker.stopped
        if stopped and not isinstance(stopped, CapError) and not self._asker.endings["answered"]:
            raise stopped

    def report(self) -> LlmReport:
        """What was asked, what it took, and what became of the answers."""
        made = self._ledger.made()
        return LlmReport(
            calls=len(made),
            input_tokens=sum(e.input_tokens for e in made),
            output_tokens=sum(e.output_tokens for e in made),
            usd=self._ledger.spent_nano / NANO if self._price is not None else None,
            answered=self._asker.endings["answered"],
            misfits=self._asker.endings["misfit"],
            failed=self._asker.endings["failed"],
            dropped=dict(sorted(self.distiller.dropped.items())),
            stopped=str(self._asker.stopped or ""),
        )


def _model(options: LlmOptions) -> Model:
    if bool(options.model) == bool(options.command):
        raise UsageError(
            "Name one model." if options.model else "No model is named.",
            hint="Use --model gpt-5-mini, or --command 'claude -p'",
        )
    if options.command:
        return CommandModel(options.command)
    key = None if os.environ.get("OPENAI_API_KEY") or not _is_here(options.base_url) else "none"
    return OpenAIModel(options.model, options.base_url or None, api_key=key)


def _price(options: LlmOptions) -> Price | None:
    """The price, or None where there is none: a program, or a server on this machine."""
    if options.price:
        return parse_price(options.price)
    known = price_of(options.model) if options.model else None
    if known is None and (options.max_usd is not None or not _is_free(options)):
        raise UsageError(
            f"The price of {options.model or options.command!r} is not known.",
            hint="Say dollars for a million tokens in and out, such as --price 0.25,2",
        )
    return known


def _is_free(options: LlmOptions) -> bool:
    return bool(options.command) or _is_here(options.base_url)


def _is_here(base_url: str) -> bool:
    return urlsplit(base_url).hostname in _LOOPBACK
