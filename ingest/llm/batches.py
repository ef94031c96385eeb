"""Questions handed in together, to be answered within a day at half the price.

A batch is noted in the ledger before it is made and found again by its id, so that whoever comes
later fetches the answers, and none is paid for twice. Of several processes one at a time does so,
so that the next sees what is handed in. Its calls stay reserved at the full price
until they are fetched.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from ...kg.errors import LlmError
from .asker import Asker
from .client import OpenAIModel, reply_of
from .ledger import CapError, Reservation
from .model import CallError, Prompt

_ROUTE: Final = "/v1/chat/completions"
_FILE: Final = "file:"
"""What the note of a call begins with whose batch is not made yet."""

_MOST: Final = 50_000
"""Questions in one batch. Source: OpenAI's guide to the Batch API."""

_MOST_BYTES: Final = 190 * 10**6
"""Bytes of its file. Source: the same, which says 200 MB."""

_MAX_ANSWER_BYTES: Final = 2**30
_LISTED: Final = 100
_ENDED: Final = frozenset({"completed", "failed", "expired", "cancelled"})


class BatchWaiting(LlmError):
    """Questions are handed in, and their answers are not there yet."""

    def __init__(self, batches: Mapping[str, str], *, calls: int) -> None:
        told = ", ".join(f"{id} ({status})" for id, status in batches.items())
        super().__init__(
            f"{calls:,} questions are handed in: {told}.",
            hint="Run the same command again later to fetch the answers and go on.",
        )
        self.batches = batches
        self.calls = calls


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    """What a server says of a batch; `files` hold its answers and its errors."""

    status: str
    files: tuple[str, ...] = ()


class Batches:
    """Hands questions in and fetches their answers."""

    def __init__(self, model: OpenAIModel, asker: Asker) -> None:
        self._model = model
        self._asker = asker
        self._ledger = asker.ledger

    def answer(self, wanted: Mapping[str, Prompt], form: type[BaseModel]) -> None:
        """Fetch what is there, and hand in what nobody asked yet; prompts by their hash.

        Raises:
            BatchWaiting: answers are still to come.
            CapError: nothing more fits under the cap, and nothing is under way.
            LlmError: the server takes no batches, or cannot be reached.
        """
        with self._ledger.turn():
            self._answer(wanted, form)

    def _answer(self, wanted: Mapping[str, Prompt], form: type[BaseModel]) -> None:
        waiting: dict[str, str] = {}
        calls = 0
        tried: set[str] = set()
        for noted, held in self._ledger.take_over(wanted).items():
            id = self._made(noted, held)
            batch = self._asked_for(id)
            tried |= {h.hash for h in held}
            if batch.status in _ENDED:
                self._fetch(batch, held, wanted, form)
            else:
                waiting[id] = batch.status
                calls += len(held)
        fresh = {h: p for h, p in wanted.items() if h not in tried and not self._asker.is_kept(p)}
        for part in self._parts(fresh):
            waiting[self._handed_in(part)] = "handed in"
            calls += len(part)
        if waiting:
            raise BatchWaiting(waiting, calls=calls)
        self._asker.only_kept = True

    def _parts(self, fresh: Mapping[str, Prompt]) -> Iterator[list[tuple[Reservation, bytes]]]:
        """Questions that fit under the cap, as lines of files that a server takes."""
        part: list[tuple[Reservation, bytes]] = []
        size = 0
        for hash, prompt in fresh.items():
            try:
                held = self._asker.reserved(prompt, hash, wait=False)
            except CapError as error:
                self._asker.stopped = self._asker.stopped or error
                break
            line = self._line(hash, prompt)
            if part and (len(part) == _MOST or size + len(line) > _MOST_BYTES):
                yield part
                part, size = [], 0
            part.append((held, line))
            size += len(line)
        if part:
            yield part

    def _line(self, hash: str, prompt: Prompt) -> bytes:
        row = {
            "custom_id": hash, "method": "POST", "url": _ROUTE,
            "body": self._model.request_of(prompt),
        }  # fmt: skip
        return json.dumps(row).encode() + b"\n"

    def _handed_in(self, part: Sequence[tuple[Reservation, bytes]]) -> str:
        held = [reservation for reservation, _ in part]
        body = b"".join(line for _, line in part)
        try:
            file = self._model.called(
                lambda client: (
                    client.files.create(file=("questions.jsonl", body), purpose="batch").id
                )
            )
        except CallError as error:
            for reservation in held:
                self._ledger.settle(reservation, prompt="", input_tokens=0, output_tokens=0)
            raise _no_batches(error) from error
        self._ledger.note_batch((h.call for h in held), f"{_FILE}{file}")
        return self._made(f"{_FILE}{file}", held)

    def _made(self, noted: str, held: Sequence[Reservation]) -> str:
        """The batch of a note; where only its file was noted it is looked for, and else made."""
        if not noted.startswith(_FILE):
            return noted
        file = noted.removeprefix(_FILE)
        try:
            found = self._model.called(lambda client: client.batches.list(limit=_LISTED))
            id = next((b.id for b in found if b.input_file_id == file), "")
            id = id or self._model.called(
                lambda client: (
                    client.batches.create(
                        input_file_id=file, endpoint=_ROUTE, completion_window="24h"
                    ).id
                )
            )
        except CallError as error:
            raise _no_batches(error) from error
        self._ledger.note_batch((h.call for h in held), id)
        return id

    def _asked_for(self, id: str) -> _Batch:
        found = self._model.called(lambda client: client.batches.retrieve(id))
        files = (found.output_file_id, found.error_file_id)
        return _Batch(status=found.status, files=tuple(f for f in files if f))

    def _fetch(
        self,
        batch: _Batch,
        held: Sequence[Reservation],
        wanted: Mapping[str, Prompt],
        form: type[BaseModel],
    ) -> None:
        """Settle every call of a batch that ended; those without a line were not worked on."""
        answers = {k: v for file in batch.files for k, v in self._rows(file)}
        for reservation in held:
            prompt = wanted.get(reservation.hash)
            version = prompt.version if prompt else ""
            try:
                reply = reply_of(_body(answers.get(reservation.hash)))
            except CallError as error:
                self._asker.settle_failure(reservation, version, error)
                self._asker.endings["failed"] += 1
                continue
            if prompt is None:
                self._ledger.settle(
                    reservation,
                    prompt=version,
                    input_tokens=reply.input_tokens,
                    output_tokens=reply.output_tokens,
                )
                continue
            _, value, _ = self._asker.settle_reply(reservation, version, reply, form)
            self._asker.endings["misfit" if value is None else "answered"] += 1

    def _rows(self, file: str) -> Iterator[tuple[str, Any]]:
        data = self._model.called(lambda client: _content(client, file))
        for line in data.splitlines():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(row, dict) and isinstance(row.get("custom_id"), str):
                yield row["custom_id"], row


def _content(client: Any, file: str) -> bytes:
    data = bytearray()
    with client.files.with_streaming_response.content(file) as response:
        for part in response.iter_bytes():
            data += part
            if len(data) > _MAX_ANSWER_BYTES:
                raise CallError("The file of answers does not end.", kind="too long", stops=True)
    return bytes(data)


def _body(row: Any) -> Any:
    """The chat completion in a line of answers.

    Raises:
        CallError: there is none; the call was not worked on.
    """
    response = row.get("response") if isinstance(row, dict) else None
    if not isinstance(response, dict) or response.get("status_code") != 200:
        raise CallError("The batch gave no answer.", kind="empty")
    return response.get("body")


def _no_batches(error: CallError) -> LlmError:
    if error.kind != "not allowed":
        return error
    return LlmError(f"The server takes no batch: {error}", hint="Leave --batch out.")
