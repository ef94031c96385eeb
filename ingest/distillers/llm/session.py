"""One use of a model: what it would take, the answers, and the distiller that reads them."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Final

from pydantic import BaseModel

from ...llm.asker import Asker
from ...llm.batches import Batches
from ...llm.client import OpenAIModel
from ...llm.ledger import CapError, Ledger
from ...llm.model import Prompt
from ...llm.prices import FREE, NANO, to_nano
from ...protocols import Distillate
from ...record import RunRecord
from ...report import LlmReport
from .distiller import NAME, LlmDistiller
from .forms import RunForm
from .options import LlmOptions, model_of, price_of_options
from .prompting import DEFAULT_LIMITS, Limits, prompt_of

__all__ = ["LlmOptions", "Plan", "PromptCollector", "Session"]

_WRITTEN_A_SECOND: Final = 60
_BEGINS_AFTER_S: Final = 2.0


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
        model = model_of(options)
        self._price = price_of_options(options)
        self._options = options
        self._ledger = Ledger(
            options.ledger,
            model=model.name,
            price=self._price or FREE,
            cap_nano=None if options.max_usd is None else to_nano(options.max_usd),
        )
        self._asker = Asker(model, self._ledger, sleep=sleep)
        self._batches = None
        if options.batch and isinstance(model, OpenAIModel):
            self._batches = Batches(model, self._asker)
        self._wanted: dict[str, Prompt] = {}
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

    @property
    def asker(self) -> Asker:
        """What asks, with the ledger behind it."""
        return self._asker

    @property
    def limits(self) -> Limits:
        """How much is sent and written at most."""
        return self._options.limits

    def prompt_of(self, run: RunRecord) -> Prompt:
        """What is asked about a run."""
        return prompt_of(run, limits=self._options.limits)

    def plan(self, prompts: Iterable[Prompt]) -> Plan:
        """Say what answering prompts would take; nothing is sent.

        Where the ledger knows what this model took for others, the plan goes by that. What is
        handed in already is not asked again.
        """
        by_hash = {self._asker.hash_of(p): p for p in prompts}
        self._wanted |= by_hash
        held = self._ledger.handed_in(by_hash) if self._batches else {}
        under_way = {h.hash for batch in held.values() for h in batch}
        asked = tuple(
            p for h, p in by_hash.items() if h not in under_way and not self._asker.is_kept(p)
        )
        usual = self._ledger.usual()
        estimated = sum(map(self._asker.estimated_input, asked))
        tokens_in = round(estimated * (usual.input_ratio if usual else 1.0))
        known = usual.output_tokens if usual else {}
        written = [known.get(p.version, min(p.usual_tokens, p.max_output_tokens)) for p in asked]
        tokens_out = round(sum(written))
        usd = None
        if self._price is not None:
            usd = self._price.of(input_tokens=tokens_in, output_tokens=tokens_out) / NANO
        all_s = _BEGINS_AFTER_S * len(asked) + tokens_out / _WRITTEN_A_SECOND
        return Plan(
            calls=len(asked),
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            usd=usd,
            seconds=round(all_s / min(self._options.workers, max(1, len(asked))), 1),
            prompts=asked,
        )

    def answer(self, prompts: Sequence[Prompt], form: type[BaseModel] = RunForm) -> None:
        """Have prompts answered, several at a time; what is answered is kept at once.

        In a batch it is all that was planned so far.

        Raises:
            LlmError: the model cannot be asked at all, and nothing is known.
            BatchWaiting: answers are still to come.
        """
        if self._batches:
            self._batches.answer(self._wanted, form)
            return
        with ThreadPoolExecutor(self._options.workers) as pool:
            try:
                for _ in pool.map(lambda p: self._asker.ask(p, form), prompts):
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
