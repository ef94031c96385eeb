"""Embeddings from any server that speaks OpenAI's embeddings API.

Needs the extra `openai`. Texts leave the machine, to the server named by `base_url`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..endpoint import key_for, without_account
from ..errors import EmbeddingError

if TYPE_CHECKING:
    import openai

_MAX_TEXTS = 128  # in one request
_MAX_REQUEST_CHARS = 200_000  # the API takes 300,000 tokens; a character is at most about one
_MAX_TEXT_CHARS = 16_000  # the API takes 8,192 tokens; two characters a token is dense code
_MAX_ERROR_CHARS = 300
_PROBE = "dimension"
_KEYS = "OPENAI_API_KEY goes to OpenAI alone, STEPLADDER_API_KEY to any server."


class OpenAIEmbedder:
    """Embeds texts with a model behind an OpenAI-compatible server.

    `base_url` ends in `/v1` as a rule; None means OPENAI_BASE_URL or OpenAI itself. `api_key`
    None means what `kg.endpoint.key_for` says of the server. `dim` is asked of the server and
    checked in its answers; None means the model's own, found with one request of one word at the
    first use. A request is tried three times.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        dim: int | None = None,
        api_key: str | None = None,
        timeout_s: float = 60.0,
    ) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._base_url = base_url
        self._wanted_dim = dim
        self._api_key = api_key
        self._timeout_s = timeout_s

    @cached_property
    def dim(self) -> int:
        """Numbers in a vector.

        Raises:
            EmbeddingError: `dim` was not given and the server did not answer.
        """
        return self._wanted_dim or self._request([_PROBE]).shape[1]

    @cached_property
    def centre(self) -> NDArray[np.float32]:
        """Zeros, shape (dim,): where the model's vectors gather is not known."""
        return np.zeros(self.dim, dtype=np.float32)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit rows, shape (len(texts), dim); a blank text gets a row of zeros and is not sent.

        Only the first 16,000 characters of a text are read.

        Raises:
            EmbeddingError: the server cannot be reached, refused, or answered something else
                than one vector of `dim` numbers for each text.
        """
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for batch in _batches(texts):
            answer = self._request([texts[row][:_MAX_TEXT_CHARS] for row in batch])
            if answer.shape != (len(batch), self.dim):
                raise self._unusable(
                    f"{len(batch)} x {self.dim} numbers expected, got "
                    + " x ".join(map(str, answer.shape))
                )
            lengths = np.linalg.norm(answer, axis=1, keepdims=True)
            np.divide(answer, lengths, out=answer, where=lengths > 0)
            rows[batch] = answer
        return rows

    def _request(self, texts: list[str]) -> NDArray[np.float32]:
        """The server's vectors in the order of the texts, as they came; shape (n, dim)."""
        client = self._client
        import openai

        try:
            reply = client.embeddings.create(
                model=self._model,
                input=texts,
                encoding_format="float",
                extra_body={"dimensions": self._wanted_dim} if self._wanted_dim else None,
            )
            items = sorted(reply.data, key=lambda item: item.index)
            vectors = np.array([item.embedding for item in items], dtype=np.float32)
        except openai.OpenAIError as error:
            raise self._failed(error) from error
        except (AttributeError, TypeError, ValueError) as error:
            raise self._unusable(str(error)) from error
        if vectors.ndim != 2 or not np.isfinite(vectors).all():
            raise self._unusable("some numbers are missing or not finite")
        return vectors

    @cached_property
    def _client(self) -> openai.OpenAI:
        try:
            import openai
        except ModuleNotFoundError as error:
            raise EmbeddingError(
                f"The embedder {self.name!r} needs the package 'openai'.",
                hint="pip install 'stepladder[openai]'",
            ) from error
        try:
            key = self._api_key or key_for(self._base_url or "", os.environ)
            client = openai.OpenAI(api_key=key, base_url=self._base_url, timeout=self._timeout_s)
        except openai.OpenAIError as error:
            raise EmbeddingError(
                f"The embedder {self.name!r} cannot start: {_brief(error)}",
                hint="Set OPENAI_API_KEY, or STEPLADDER_API_KEY for another server.",
            ) from error
        return client if key is None else without_account(client)

    def _failed(self, error: openai.OpenAIError) -> EmbeddingError:
        return EmbeddingError(
            f"{self._client.base_url} did not embed with {self._model!r}: {_brief(error)}",
            hint=self._hint(error),
        )

    def _hint(self, error: openai.OpenAIError) -> str:
        import openai

        match error:
            case openai.AuthenticationError() | openai.PermissionDeniedError():
                return f"Check the key, and that it may use this model. {_KEYS}"
            case openai.NotFoundError():
                return "Check the model's name, and that base_url ends in /v1."
            case openai.RateLimitError():
                return "Wait and run the command again, or check the account's quota."
            case openai.APIConnectionError():
                return "Check that base_url is right and the server is running."
            case openai.BadRequestError() if self._wanted_dim:
                return "The model may have one dimension only: leave dim out."
        return "Run the command again later, or look at the server's log."

    def _unusable(self, reason: str) -> EmbeddingError:
        return EmbeddingError(
            f"{self._client.base_url} gave no usable vectors of {self._model!r}: {reason}",
            hint="Check that the model is one for embeddings, and dim; leave dim out for its own.",
        )


def _batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """The places of the texts that are not blank, in as many lists as there are requests."""
    batch: list[int] = []
    size_chars = 0
    for row, text in enumerate(texts):
        if not text.strip():
            continue
        chars = min(len(text), _MAX_TEXT_CHARS)
        if batch and (len(batch) == _MAX_TEXTS or size_chars + chars > _MAX_REQUEST_CHARS):
            yield batch
            batch, size_chars = [], 0
        batch.append(row)
        size_chars += chars
    if batch:
        yield batch


def _brief(error: Exception) -> str:
    return " ".join(str(error).split())[:_MAX_ERROR_CHARS]
