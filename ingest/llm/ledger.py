"""The account of every call: a hard cap, and the answers kept so that none is paid for twice.

A file of its own beside the store holds it. Only redacted text is in it, and no key or address of
a server.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Condition
from types import TracebackType
from typing import Any, Final, Literal

import apsw

from ...kg.errors import LlmError, StoreError
from ...kg.settings import default_store
from .ledger_file import open_ledger_file, turn
from .prices import NANO, Price

State = Literal["open", "answered", "failed", "cached"]

_ADD_CALL: Final = """
    INSERT INTO calls (
        hash, model, prompt, state, input_tokens, output_tokens, usd_nano, counted, estimated
    ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_LAST_COUNTED: Final = """
    SELECT prompt, estimated, input_tokens, output_tokens FROM calls
    WHERE model = ? AND counted AND estimated > 0 AND input_tokens > 0
    ORDER BY id DESC LIMIT 200
"""
_HANDED_IN: Final = """
    SELECT batch, id, hash, input_tokens, output_tokens, usd_nano FROM calls
    WHERE model = ? AND state = 'open' AND batch <> '' ORDER BY id
"""
_OF_BATCHES: Final = """
    SELECT id, hash, usd_nano FROM calls WHERE model = ? AND state <> 'open' AND batch <> ''
"""
_ENOUGH_CALLS: Final = 3
"""Calls from which what they took says more than an estimate. Chosen by us."""


class CapError(LlmError):
    """A call would not fit under the cap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """Money set aside for one call: all it can cost."""

    call: int
    hash: str
    input_tokens: int
    output_tokens: int
    usd_nano: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Usual:
    """What calls to a model took so far: tokens in for each one estimated, and tokens out.

    `output_tokens` is by the version of the instructions.
    """

    input_ratio: float
    output_tokens: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One call. `counted` is true where the server counted the tokens.

    `estimated` are the input tokens that a plan says where nothing is known of the model.
    A call that is `open` was begun and its end is not known; it stands with all it can cost.
    """

    hash: str
    model: str
    prompt: str
    state: State
    input_tokens: int
    output_tokens: int
    usd_nano: int
    counted: bool
    estimated: int = 0


class Ledger:
    """Reserves before a call and settles after it; safe for several threads and processes.

    The cap holds for the calls made through this object. It can be relied on as far as a call
    costs no more than was reserved for it.
    """

    def __init__(self, path: Path, *, model: str, price: Price, cap_nano: int | None) -> None:
        """Open the file or make it.

        Raises:
            StoreError: it cannot be opened.
        """
        self._path = path
        self._model = model
        self._price = price
        self._cap_nano = cap_nano
        self._spent_nano = 0
        self._reserved_nano = 0
        self._open: set[int] = set()
        self._made: list[int] = []
        self._settled = Condition()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = open_ledger_file(path)
        except (apsw.Error, OSError) as error:
            raise StoreError(f"The ledger {str(path)!r} cannot be opened: {error}") from error

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; a call that is still open stays noted as such."""
        with self._settled:
            self._file.close()

    @property
    def spent_nano(self) -> int:
        """Nano-dollars of the calls settled through this object."""
        return self._spent_nano

    def answer(self, hash: str, *, prompt: str) -> str | None:
        """The kept answer to a call, noted as used, or None."""
        found = self.kept(hash)
        if found is not None:
            with self._settled, _translated():
                self._insert(hash, prompt, "cached", 0, 0, 0, counted=True)
        return found

    def kept(self, hash: str) -> str | None:
        """The kept answer to a call, or None; nothing is noted."""
        with self._settled, _translated():
            sql = "SELECT text FROM answers WHERE hash = ? AND fits"
            rows = self._file.execute(sql, (hash,)).fetchall()
        return str(rows[0][0]) if rows else None

    def reserve(
        self,
        hash: str,
        *,
        prompt: str,
        input_tokens: int,
        output_tokens: int,
        estimated: int = 0,
        wait: bool = True,
    ) -> Reservation:
        """Set aside all that a call can cost; waits where calls in flight may leave enough.

        `estimated` are the input tokens that a plan would say.

        Raises:
            CapError: it does not fit under the cap.
        """
        usd_nano = self._price.of(input_tokens=input_tokens, output_tokens=output_tokens)
        with self._settled, _translated():
            if wait:
                self._settled.wait_for(lambda: self._fits(usd_nano) or not self._open)
            if not self._fits(usd_nano):
                cap = (self._cap_nano or 0) / NANO
                raise CapError(
                    f"The cap of ${cap:g} leaves no room for another call.",
                    hint="What is done is kept. Run it again with a higher --max-usd.",
                )
            call = self._insert(
                hash,
                prompt,
                "open",
                input_tokens,
                output_tokens,
                usd_nano,
                counted=False,
                estimated=estimated,
            )
            self._reserved_nano += usd_nano
            self._open.add(call)
            self._made.append(call)
        return Reservation(
            call=call,
            hash=hash,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            usd_nano=usd_nano,
        )

    def _fits(self, usd_nano: int) -> bool:
        if self._cap_nano is None:
            return True
        return self._spent_nano + self._reserved_nano + usd_nano <= self._cap_nano

    def settle(
        self,
        held: Reservation,
        *,
        prompt: str,
        input_tokens: int | None,
        output_tokens: int | None,
        text: str | None = None,
        fits: bool = False,
    ) -> None:
        """Put what a call took in place of what was reserved, and keep its answer.

        Tokens that are None count with all they could be. `text` is None where there is no
        answer; one that does not fit is kept to be looked at, and never used.
        """
        counted = input_tokens is not None and output_tokens is not None
        tokens_in = held.input_tokens if input_tokens is None else input_tokens
        tokens_out = held.output_tokens if output_tokens is None else output_tokens
        usd_nano = self._price.of(input_tokens=tokens_in, output_tokens=tokens_out)
        state = "answered" if fits else "failed"
        with self._settled, _translated():
            self._reserved_nano -= held.usd_nano
            self._spent_nano += usd_nano
            self._open.discard(held.call)
            self._settled.notify_all()
            # Both or neither: a call that is noted as answered must never be made again.
            with self._file:
                self._file.execute(
                    "UPDATE calls SET state = ?, input_tokens = ?, output_tokens = ?,"
                    " usd_nano = ?, counted = ? WHERE id = ?",
                    (state, tokens_in, tokens_out, usd_nano, counted, held.call),
                )
                if text is not None:
                    self._file.execute(
                        "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)",
                        (held.hash, self._model, prompt, fits, text),
                    )

    def usual(self) -> Usual | None:
        """What the last calls to this model took that were counted; None where few were."""
        with self._settled, _translated():
            rows: list[Any] = self._file.execute(_LAST_COUNTED, (self._model,)).fetchall()
        if len(rows) < _ENOUGH_CALLS:
            return None
        written: dict[str, list[int]] = {}
        for prompt, _, _, tokens_out in rows:
            written.setdefault(prompt, []).append(tokens_out)
        return Usual(
            input_ratio=sum(r[2] for r in rows) / sum(r[1] for r in rows),
            output_tokens={p: sum(n) / len(n) for p, n in written.items()},
        )

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Be the only one, of all processes, that hands questions in and fetches answers.

        Raises:
            LlmError: somebody else does so all the time.
        """
        with _translated(), turn(self._path):
            yield

    def note_batch(self, calls: Iterable[int], batch: str) -> None:
        """Note that calls are part of a batch, or of the file of one to come."""
        with self._settled, _translated(), self._file:
            rows = ((batch, call) for call in calls)
            self._file.executemany("UPDATE calls SET batch = ? WHERE id = ?", rows)

    def handed_in(self, hashes: Collection[str]) -> dict[str, list[Reservation]]:
        """The open calls of batches that hold any of these, by batch; nothing is taken over."""
        with self._settled, _translated():
            rows: list[Any] = self._file.execute(_HANDED_IN, (self._model,)).fetchall()
        batches: dict[str, list[Reservation]] = {}
        for batch, call, hash, tokens_in, tokens_out, usd_nano in rows:
            held = Reservation(
                call=call,
                hash=hash,
                input_tokens=tokens_in,
                output_tokens=tokens_out,
                usd_nano=usd_nano,
            )
            batches.setdefault(batch, []).append(held)
        return {b: held for b, held in batches.items() if any(h.hash in hashes for h in held)}

    def take_over(self, hashes: Collection[str]) -> dict[str, list[Reservation]]:
        """What `handed_in` gives, as calls of this object; earlier batches count under its cap."""
        batches = self.handed_in(hashes)
        with self._settled, _translated():
            for held in (h for batch in batches.values() for h in batch):
                if held.call not in self._open:
                    self._reserved_nano += held.usd_nano
                    self._open.add(held.call)
                    self._made.append(held.call)
            made = set(self._made)
            rows: list[Any] = self._file.execute(_OF_BATCHES, (self._model,)).fetchall()
            self._spent_nano += sum(
                nano for call, hash, nano in rows if hash in hashes and call not in made
            )
        return batches

    def made(self) -> list[Entry]:
        """The calls made through this object, oldest first."""
        known = dict(self._rows())
        return [known[call] for call in self._made]

    def entries(self) -> list[Entry]:
        """Every call of the file, oldest first."""
        return [entry for _, entry in self._rows()]

    def _rows(self) -> list[tuple[int, Entry]]:
        with self._settled, _translated():
            rows: list[Any] = self._file.execute(
                "SELECT id, hash, model, prompt, state, input_tokens, output_tokens, usd_nano,"
                " counted, estimated FROM calls ORDER BY id"
            ).fetchall()
        return [
            (
                id,
                Entry(
                    hash=hash,
                    model=model,
                    prompt=prompt,
                    state=state,
                    input_tokens=tokens_in,
                    output_tokens=tokens_out,
                    usd_nano=usd_nano,
                    counted=bool(counted),
                    estimated=estimated,
                ),
            )
            for (
                id,
                hash,
                model,
                prompt,
                state,
                tokens_in,
                tokens_out,
                usd_nano,
                counted,
                estimated,
            ) in rows
        ]

    def _insert(
        self,
        hash: str,
        prompt: str,
        state: State,
        input_tokens: int,
        output_tokens: int,
        usd_nano: int,
        *,
        counted: bool,
        estimated: int = 0,
    ) -> int:
        row = (
            hash, self._model, prompt, state, input_tokens, output_tokens, usd_nano, counted,
            estimated,
        )  # fmt: skip
        self._file.execute(_ADD_CALL, row)
        return int(self._file.last_insert_rowid())


def beside(address: str) -> Path:
    """The ledger's file for a store: beside it, or in the user's data where it is a server."""
    scheme, separator, rest = address.partition("://")
    if separator and scheme != "sqlite":
        return default_store().with_name("llm.db")
    path = Path(rest if separator else address)
    return path.with_name(f"{path.stem}.llm.db")


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise StoreError(f"The ledger cannot be read or written: {error}") from error
