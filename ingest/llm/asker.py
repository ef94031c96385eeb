"""Asks a model with everything around it: cache, cap, ledger, another try, one repair."""

import json
from collections import Counter
from collections.abc import Callable
from hashlib import blake2b
from threading import Event, Lock
from typing import Final, Literal, TypeVar

from pydantic import BaseModel

from ...kg.errors import LlmError
from ..redact import Redactor
from .answer import Form, MisfitError, fitted, repair_of
from .ledger import CapError, Ledger, Reservation
from .model import CallError, Model, Prompt, Reply
from .tokens import MESSAGE_TOKENS, at_most, estimate

Ending = Literal["answered", "cached", "misfit", "failed", "not asked"]
T = TypeVar("T", bound=BaseModel)

_TRIES: Final = 4
_FIRST_WAIT_S: Final = 2.0
_LONGEST_WAIT_S: Final = 120.0
"""A server that asks for a longer wait is not asked again in this run. Chosen by us."""

_KEPT_CHARS: Final = 20_000
_FAILURES_IN_A_ROW: Final = 3
"""Questions without an answer one after the other from which no more are asked. Chosen by us."""


class Asker:
    """Answers prompts from the cache or the model; safe for several threads.

    `endings` counts questions by how they ended. With `only_kept` none is sent. `stopped` says why
    nothing more is asked, or is empty. `sleep` waits a number of seconds between tries; by default
    until `stop` at most.
    """

    def __init__(
        self, model: Model, ledger: Ledger, *, sleep: Callable[[float], object] | None = None
    ) -> None:
        self.endings: Counter[Ending] = Counter()
        self.stopped: LlmError | None = None
        self._model = model
        self._ledger = ledger
        self._halt = Event()
        self._sleep = sleep or self._halt.wait
        self._lock = Lock()
        self._given_up: set[str] = set()
        self._under_way: dict[str, Event] = {}
        self._failures = 0
        self.only_kept = False

    @property
    def model(self) -> str:
        """The name of the model that is asked."""
        return self._model.name

    def stop(self) -> None:
        """Ask nothing more; calls under way end, and are not tried again."""
        self.stopped = self.stopped or LlmError("Stopped.")
        self._halt.set()

    def is_kept(self, prompt: Prompt) -> bool:
        """Tell whether the answer to a prompt is known, so that it would cost nothing."""
        return self._ledger.kept(self.hash_of(prompt)) is not None

    def estimated_input(self, prompt: Prompt) -> int:
        """Tokens that a prompt takes, about."""
        told = estimate(prompt.system) + estimate(prompt.user) + 2 * MESSAGE_TOKENS
        schema = estimate(json.dumps(prompt.schema)) if self._model.schema_told else 0
        return told + schema

    def hash_of(self, prompt: Prompt) -> str:
        """What a prompt is known by in the cache: its text, its version, its form and the model."""
        parts = (
            self._model.name, prompt.version, prompt.system, prompt.user, prompt.form,
            json.dumps(prompt.schema, sort_keys=True), str(prompt.max_output_tokens),
        )  # fmt: skip
        joined = "\0".join(parts).encode("utf-8", errors="surrogatepass")
        return blake2b(joined, digest_size=16).hexdigest()

    def ask(self, prompt: Prompt, form: type[Form]) -> Form | None:
        """The checked answer to a prompt, or None where there is none to be had.

        A prompt that ended without an answer is not asked again by this object, and one that
        another thread is asking is waited for.
        """
        hash = self.hash_of(prompt)
        with self._turn(hash):
            ending, value = self._settle(prompt, form, hash)
        with self._lock:
            self.endings[ending] += 1
            if value is None:
                self._given_up.add(hash)
        return value

    def _turn(self, hash: str) -> "_Turn":
        return _Turn(hash, self._under_way, self._lock)

    def _settle(self, prompt: Prompt, form: type[T], hash: str) -> tuple[Ending, T | None]:
        kept = self._ledger.answer(hash, prompt=prompt.version)
        if kept is not None:
            try:
                return "cached", fitted(kept, form)
            except MisfitError:
                return "misfit", None
        if self.stopped or self.only_kept or hash in self._given_up:
            return "not asked", None
        try:
            value = self._answered(prompt, form, hash)
        except CapError as error:
            self.stopped = self.stopped or error
            return "not asked", None
        except CallError as error:
            self._note_failure(error)
            return "failed", None
        self._failures = 0
        return ("answered", value) if value is not None else ("misfit", None)

    def _note_failure(self, error: CallError) -> None:
        with self._lock:
            # An answer that is refused or cut says nothing of the next question.
            self._failures += error.again
            if error.stops or self._failures >= _FAILURES_IN_A_ROW:
                self.stopped = self.stopped or error

    def _answered(self, prompt: Prompt, form: type[T], hash: str) -> T | None:
        """Ask, and once more where the answer does not fit."""
        text, value, misfit = self._called(prompt, form, hash, keep_as=hash)
        if value is not None or misfit is None:
            return value
        repair = repair_of(prompt, text, misfit)
        return self._called(repair, form, self.hash_of(repair), keep_as=hash)[1]

    def _called(
        self, prompt: Prompt, form: type[T], hash: str, *, keep_as: str
    ) -> tuple[str, T | None, MisfitError | None]:
        """Call until there is an answer; each call has its own line in the ledger."""
        for attempt in range(_TRIES):
            held = self.reserved(prompt, keep_as)
            try:
                reply = self._model.send(prompt)
            except CallError as error:
                self.settle_failure(held, prompt.version, error)
                wait_s = _FIRST_WAIT_S * 2**attempt if error.after_s is None else error.after_s
                if not error.again or attempt + 1 == _TRIES or wait_s > _LONGEST_WAIT_S:
                    raise
                self._sleep(wait_s)
                if self._halt.is_set():
                    raise
            except LlmError:
                # The client could not start, so nothing was sent.
                self._ledger.settle(held, prompt=prompt.version, input_tokens=0, output_tokens=0)
                raise
            except BaseException:
                # Interrupted: the model may have worked.
                self._ledger.settle(
                    held, prompt=prompt.version, input_tokens=None, output_tokens=None
                )
                raise
            else:
                return self.settle_reply(held, prompt.version, reply, form)
        raise AssertionError("the last try returns or raises")

    @property
    def ledger(self) -> Ledger:
        """Where the calls are noted."""
        return self._ledger

    def reserved(self, prompt: Prompt, hash: str, *, wait: bool = True) -> Reservation:
        """Set aside all that asking a prompt can cost.

        Raises:
            CapError: it does not fit under the cap.
        """
        # The schema is counted twice: some servers put it into words of their own.
        schema = json.dumps(prompt.schema)
        return self._ledger.reserve(
            hash,
            prompt=prompt.version,
            input_tokens=at_most(prompt.system, prompt.user, schema, schema),
            output_tokens=prompt.max_output_tokens,
            estimated=self.estimated_input(prompt),
            wait=wait,
        )

    def settle_failure(self, held: Reservation, version: str, error: CallError) -> None:
        """Note that a call gave no answer, with what it may have cost."""
        self._ledger.settle(
            held,
            prompt=version,
            input_tokens=error.input_tokens if error.billed else 0,
            output_tokens=error.output_tokens if error.billed else 0,
        )

    def settle_reply(
        self, held: Reservation, version: str, reply: Reply, form: type[T]
    ) -> tuple[str, T | None, MisfitError | None]:
        """Note an answer: its text, its value where it fits, and else how it does not."""
        value: T | None = None
        misfit: MisfitError | None = None
        try:
            value = fitted(reply.text, form)
            text = value.model_dump_json()
        except MisfitError as error:
            misfit = error
            text = Redactor().text(reply.text[:_KEPT_CHARS])
        self._ledger.settle(
            held,
            prompt=version,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            text=text,
            fits=value is not None,
        )
        return text, value, misfit


class _Turn:
    """Lets one thread at a time ask one question."""

    def __init__(self, hash: str, under_way: dict[str, Event], lock: Lock) -> None:
        self._hash = hash
        self._under_way = under_way
        self._lock = lock

    def __enter__(self) -> None:
        while True:
            with self._lock:
                other = self._under_way.get(self._hash)
                if other is None:
                    self._under_way[self._hash] = Event()
                    return
            other.wait()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._under_way.pop(self._hash).set()
