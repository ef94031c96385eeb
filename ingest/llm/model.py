"""What a language model is asked and what it answers, whichever way leads to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from ...kg.errors import LlmError

MAX_REPLY_BYTES: Final = 10 * 2**20
"""Bytes of a reply that are read at most. Chosen by us: a thousand times what is asked for."""

FaultKind = Literal[
    "rate limit", "server", "connection", "time-out", "cut off", "refused", "empty", "unreadable",
    "too long", "request", "not allowed",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One question: instructions, data, and the form of the answer as a JSON schema.

    `version` names the instructions; the same version and the same text give the same answer from
    the cache. `usual_tokens` is what an answer has as a rule, for plans.
    """

    version: str
    system: str
    user: str
    form: str
    schema: Mapping[str, Any]
    max_output_tokens: int
    usual_tokens: int = 900


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The words of an answer and what it took; None where the model does not count tokens."""

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None


class CallError(LlmError):
    """One call gave no answer.

    `again` says that another try may help, `after_s` how long the server asks to wait (None where
    it does not say), `billed` that the model may have worked and the call may be charged (for the
    tokens, or for all it could take where they are None), and `stops` that every other call would
    fail for the same reason.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: FaultKind,
        again: bool = False,
        after_s: float | None = None,
        billed: bool = False,
        stops: bool = False,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.kind: FaultKind = kind
        self.again = again
        self.after_s = after_s
        self.billed = billed
        self.stops = stops
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens


class Model(Protocol):
    """A way to a language model. `name` says which; calls may come from several threads.

    `schema_told` says that the model reads the schema of its answer as words.
    """

    name: str
    schema_told: bool

    def send(self, prompt: Prompt) -> Reply:
        """Ask once, without trying again.

        Raises:
            CallError: there is no answer.
        """
        ...
