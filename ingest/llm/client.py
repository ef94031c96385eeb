"""A language model behind any server that speaks OpenAI's chat API.

Needs the extra `openai`. Texts leave the machine, to the server named by `base_url`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from ...kg.endpoint import KEY_HINT, without_account
from ...kg.errors import LlmError
from .model import MAX_REPLY_BYTES, CallError, FaultKind, Prompt, Reply

if TYPE_CHECKING:
    import openai

Mode = Literal["schema", "object", "text"]
Called = TypeVar("Called")
_WEAKER: Final[Mapping[Mode, Mode]] = {"schema": "object", "object": "text"}
_LIMITS: Final = ("max_tokens", "max_completion_tokens")
"""Names of the limit of output tokens: servers know the first, OpenAI's newer models the second."""

_MAX_ERROR_BYTES: Final = 20_000
_MAX_ERROR_CHARS: Final = 300
_BUSY: Final = frozenset({408, 409, 425, 429})
_CLOSED: Final = frozenset({401, 403, 404})


class _StatusError(Exception):
    """The server answered with a status that is no success."""

    def __init__(self, status: int, retry_after: str, body: str) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.retry_after = retry_after
        self.body = body


class OpenAIModel:
    """Asks a model behind an OpenAI-compatible server.

    `base_url` ends in `/v1` as a rule; None means OPENAI_BASE_URL or OpenAI itself. `api_key`
    None means OPENAI_API_KEY; with another one nothing of OpenAI's environment is sent.
    `schema_told` says that the server counts the schema as words. What a server cannot do is
    learnt from its refusals: an answer by schema becomes one in JSON mode, then plain text.
    `clock` gives seconds since 1970.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        api_key: str | None = None,
        schema_told: bool = False,
        timeout_s: float = 120.0,
        clock: Callable[[], float] = time.time,
        max_reply_bytes: int = MAX_REPLY_BYTES,
    ) -> None:
        self.name = model
        self.schema_told = schema_told
        self._base_url = base_url
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._clock = clock
        self._max_reply_bytes = max_reply_bytes
        self._mode: Mode = "schema"
        self._limit = _LIMITS[0]

    def send(self, prompt: Prompt) -> Reply:
        """Ask once, with at most one request.

        Raises:
            CallError: there is no answer.
            LlmError: the client cannot start.
        """
        mode, limit = self._mode, self._limit
        return reply_of(self._body(prompt, mode, limit))

    def request_of(self, prompt: Prompt) -> dict[str, Any]:
        """The body of the request that asks a prompt, as far as is known of the server."""
        return self._request(prompt, self._mode, self._limit)

    def called(self, call: Callable[[openai.OpenAI], Called]) -> Called:
        """What another route of the server gives, with its faults as ours.

        Raises:
            CallError: it gives nothing.
            LlmError: the client cannot start.
        """
        client = self._client
        try:
            return call(client)
        except LlmError:
            raise
        except Exception as error:  # edge: the package reads through one of several libraries
            raise self._mapped(error, "text", _LIMITS[1]) from error

    def _body(self, prompt: Prompt, mode: Mode, limit: str) -> Any:
        """The decoded body of the server's answer."""
        create: Any = self._client.chat.completions.with_streaming_response.create
        deadline = self._clock() + self._timeout_s
        data = bytearray()
        try:
            with create(**self._request(prompt, mode, limit)) as response:
                for part in response.iter_bytes():
                    data += part
                    if len(data) > self._max_reply_bytes:
                        raise self._fault("too long", "the reply does not end", billed=True)
                    if self._clock() > deadline:
                        raise self._fault("time-out", "the reply takes too long", billed=True)
        except LlmError:
            raise
        except Exception as error:  # edge: the package reads through one of several libraries
            raise self._mapped(error, mode, limit) from error
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise self._fault("unreadable", "no JSON", again=True, billed=True) from error

    def _request(self, prompt: Prompt, mode: Mode, limit: str) -> dict[str, Any]:
        system = prompt.system
        if mode != "schema":
            system += (
                f"\n\nAnswer with one JSON object of this schema:\n{json.dumps(prompt.schema)}"
            )
        body: dict[str, Any] = {
            "model": self.name,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": prompt.user},
            ],
            limit: prompt.max_output_tokens,
        }
        if mode == "schema":
            form = {"name": prompt.form, "strict": True, "schema": prompt.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        elif mode == "object":
            body["response_format"] = {"type": "json_object"}
        return body

    def _mapped(self, error: Exception, mode: Mode, limit: str) -> CallError:
        import openai

        refusal = error if isinstance(error, _StatusError) else error.__cause__
        if isinstance(refusal, _StatusError):
            return self._refused(refusal, mode, limit)
        if isinstance(error, openai.APITimeoutError):
            return self._fault("time-out", "no reply in time", again=True, billed=True)
        if isinstance(error, openai.APIConnectionError):
            return self._unreached(error)
        if isinstance(error, openai.OpenAIError):
            return self._fault("request", _brief(str(error)), stops=True)
        return self._fault("cut off", _brief(str(error)), again=True, billed=True)

    def _refused(self, refusal: _StatusError, mode: Mode, limit: str) -> CallError:
        status, told = refusal.status, _told(refusal.body)
        message = f"status {status}: {told}" if told else f"status {status}"
        if status in (400, 422) and self._learnt(refusal.body, mode, limit):
            return self._fault("request", message, again=True, after_s=0.0)
        if status in _BUSY or status >= 500:
            kind: FaultKind = "rate limit" if status == 429 else "server"
            after_s = _seconds(refusal.retry_after, now=self._clock())
            # A model may have worked before its server broke; a rate limit comes before the work.
            billed = status >= 500 and status != 503
            return self._fault(kind, message, again=True, after_s=after_s, billed=billed)
        if status in _CLOSED:
            return self._fault("not allowed", message, stops=True, hint=_HINTS[status])
        return self._fault("request", message, stops=300 <= status < 400)

    def _learnt(self, body: str, mode: Mode, limit: str) -> bool:
        """Take note of what the server does not know; whether another try looks different."""
        if limit != _LIMITS[1] and _LIMITS[1] in body:
            self._limit = _LIMITS[1]
            return True
        if mode not in _WEAKER or not any(w in body.lower() for w in ("format", "schema", "json")):
            return False
        if self._mode == mode:
            self._mode = _WEAKER[mode]
        return True

    def _unreached(self, error: Exception) -> CallError:
        never_made = type(error.__cause__).__name__ in ("ConnectError", "ConnectTimeout")
        return self._fault(
            "connection",
            _brief(f"{error.__cause__ or error}"),
            again=True,
            billed=not never_made,  # it may have broken after the model began to work
            hint="Check that the base URL is right and the server is running.",
        )

    def _fault(self, kind: FaultKind, reason: str, **facts: Any) -> CallError:
        return CallError(f"{self.name!r} did not answer ({kind}): {reason}", kind=kind, **facts)

    @cached_property
    def _client(self) -> openai.OpenAI:
        try:
            import openai
        except ModuleNotFoundError as error:
            raise LlmError(
                f"The model {self.name!r} needs the package 'openai'.",
                hint="pip install 'stepladder[openai]'",
            ) from error
        try:
            client = openai.OpenAI(
                api_key=self._api_key,
                base_url=self._base_url,
                max_retries=0,
                http_client=openai.DefaultHttpxClient(
                    timeout=self._timeout_s,
                    follow_redirects=False,  # what is sent goes to the named server and no other
                    headers={"Accept-Encoding": "identity"},
                    event_hooks={"response": [_only_success]},
                ),
            )
        except openai.OpenAIError as error:
            raise LlmError(
                f"The model {self.name!r} cannot be asked: {_brief(str(error))}",
                hint="Set OPENAI_API_KEY, or name another key with --api-key-env.",
            ) from error
        return client if self._api_key is None else without_account(client)


_HINTS: Final[Mapping[int, str]] = {
    401: f"Check the key. OPENAI_API_KEY goes to OpenAI alone. {KEY_HINT}",
    403: "Check that the key may use this model.",
    404: "Check the model's name, and that the base URL ends in /v1.",
}


def _only_success(response: Any) -> None:
    """Stop at a status that is no success, with no more of its body than a message takes."""
    if response.status_code < 300:
        return
    body = bytearray()
    for part in response.iter_raw():
        body += part
        if len(body) > _MAX_ERROR_BYTES:
            break
    text = bytes(body[:_MAX_ERROR_BYTES]).decode("utf-8", errors="replace")
    raise _StatusError(response.status_code, response.headers.get("retry-after", ""), text)


def reply_of(body: Any) -> Reply:
    """The words in a chat completion.

    Raises:
        CallError: there are none.
    """
    usage = _dict(_dict(body).get("usage"))
    counted: dict[str, Any] = {
        "input_tokens": _count(usage.get("prompt_tokens")),
        "output_tokens": _count(usage.get("completion_tokens")),
    }
    choices = _dict(body).get("choices")
    choice = _dict(choices[0]) if isinstance(choices, list) and choices else {}
    message = _dict(choice.get("message"))
    if message.get("refusal") or choice.get("finish_reason") == "content_filter":
        raise CallError("The model refused to answer.", kind="refused", billed=True, **counted)
    text = message.get("content")
    if not isinstance(text, str) or not text.strip():
        raise CallError("The model answered with nothing.", kind="empty", billed=True, **counted)
    if choice.get("finish_reason") == "length":
        told = "The answer was cut at its limit."
        raise CallError(told, kind="cut off", billed=True, **counted)
    return Reply(text=text, **counted)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    known = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if known else None


def _seconds(retry_after: str, *, now: float) -> float | None:
    """What Retry-After says, a number or a date, in seconds from now; None where nothing."""
    text = retry_after.strip()
    try:
        if text.replace(".", "", 1).isdigit():
            return float(text)
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None


def _told(body: str) -> str:
    """The message in the body of an error."""
    try:
        error = _dict(json.loads(body)).get("error")
    except (ValueError, RecursionError):
        return _brief(body)
    message = _dict(error).get("message") or error
    return _brief(message) if isinstance(message, str) else ""


def _brief(text: str) -> str:
    return " ".join(text.split())[:_MAX_ERROR_CHARS]
