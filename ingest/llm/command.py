"""A language model behind a program that reads a prompt and writes an answer."""

import json
import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from threading import Thread
from typing import IO, Final

from ...kg.errors import UsageError
from ...kg.ids import content_id
from .model import MAX_REPLY_BYTES, CallError, Prompt, Reply

_READ_BYTES: Final = 2**16


class CommandModel:
    """Asks a program: the prompt goes to its standard input, the answer comes from its output.

    `command` is split into words as a shell would, and no shell runs. What the program writes to
    standard error is not looked at.
    """

    schema_told = True

    def __init__(
        self,
        command: str,
        *,
        timeout_s: float = 300.0,
        max_reply_bytes: int = MAX_REPLY_BYTES,
    ) -> None:
        self._words = shlex.split(command, posix=os.name != "nt")
        if not self._words:
            raise UsageError(
                "The command is empty.", hint="Give one such as: --command 'claude -p'"
            )
        # The words after the program may hold a key, and a name is written down.
        self.name = f"{Path(self._words[0]).name}:{content_id('command', command)[-8:]}"
        self._timeout_s = timeout_s
        self._max_reply_bytes = max_reply_bytes

    def send(self, prompt: Prompt) -> Reply:
        """Run the program once.

        Raises:
            CallError: it cannot be run, takes too long, fails, or answers nothing.
        """
        with tempfile.TemporaryFile() as told:
            told.write(_text(prompt).encode("utf-8", errors="replace"))
            told.seek(0)
            answer = self._answer(told)
        text = answer.decode("utf-8", errors="replace")
        if not text.strip():
            raise CallError(f"{self._words[0]!r} answered nothing.", kind="empty", billed=True)
        return Reply(text=text)

    def _answer(self, told: IO[bytes]) -> bytes:
        program = self._words[0]
        try:
            process = subprocess.Popen(
                self._words, stdin=told, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            raise CallError(
                f"{program!r} cannot be run: {error.strerror}",
                kind="not allowed",
                stops=True,
                hint="Check the command; no shell runs it, so aliases are not known.",
            ) from error
        data = bytearray()
        # A thread reads, so that a child that outlives the program cannot hold us up.
        reader = Thread(target=self._read, args=(process, data), daemon=True)
        reader.start()
        reader.join(self._timeout_s)
        in_time = not reader.is_alive()
        if in_time and len(data) <= self._max_reply_bytes:
            return self._finished(process, data)
        process.kill()
        process.wait()
        if in_time:
            raise CallError(f"{program!r} does not end.", kind="too long", billed=True)
        raise CallError(f"{program!r} took too long.", kind="time-out", again=True, billed=True)

    def _finished(self, process: subprocess.Popen[bytes], data: bytearray) -> bytes:
        try:
            code = process.wait(self._timeout_s)
        except subprocess.TimeoutExpired as error:
            process.kill()
            process.wait()
            told = f"{self._words[0]!r} took too long."
            raise CallError(told, kind="time-out", again=True, billed=True) from error
        if code:
            told = f"{self._words[0]!r} ended with exit code {code}."
            raise CallError(told, kind="server", again=True, billed=True)
        return bytes(data)

    def _read(self, process: subprocess.Popen[bytes], data: bytearray) -> None:
        assert process.stdout is not None
        with process.stdout as stream:
            while part := stream.read(_READ_BYTES):
                data += part
                if len(data) > self._max_reply_bytes:
                    return


def _text(prompt: Prompt) -> str:
    schema = json.dumps(prompt.schema)
    form = f"Answer with one JSON object of this schema and nothing else:\n{schema}"
    return f"{prompt.system}\n\n{prompt.user}\n\n{form}\n"
