"""What hooks note down between calls: failures, what a session was shown, what was taken in."""

import json
import os
import re
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

_LOG_BYTES: Final = 256 * 1024
_KEPT: Final = 400
"""Notes kept of each kind; older ones are of sessions long over."""


class HookState:
    """A folder of small files. Losing it costs a repetition at most."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def log(self) -> Path:
        """One JSON object a line for each failure."""
        return self.folder / "hooks.log"

    def failed(self, event: str, reason: str) -> None:
        """Note a failure down; a log that grew long is begun anew, the old one kept beside it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.log.exists() and self.log.stat().st_size > _LOG_BYTES:
            self.log.replace(self.log.with_suffix(".old"))
        now = datetime.now(UTC).isoformat(timespec="seconds")
        line = json.dumps({"time": now, "event": event, "reason": reason[:500]})
        with self.log.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    def failures(self) -> list[dict[str, str]]:
        """The failures noted down, oldest first."""
        try:
            lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return []
        found = []
        for line in lines:
            try:
                value = json.loads(line)
            except json.JSONDecodeError:
                continue
            if isinstance(value, dict):
                found.append({str(k): str(v) for k, v in value.items()})
        return found

    def shown(self, session: str) -> frozenset[str]:
        """Ids of the memories that a session was shown."""
        try:
            text = self._note("shown", session).read_text(encoding="utf-8")
        except OSError:
            return frozenset()
        return frozenset(text.split())

    def add_shown(self, session: str, ids: Collection[str]) -> None:
        """Note down what a session was shown."""
        note = self._note("shown", session)
        self._make(note.parent)
        with note.open("a", encoding="utf-8") as file:
            file.write("".join(f"{id}\n" for id in ids))

    def forget_shown(self, session: str) -> None:
        """Let a session be shown everything again, as its context was cut."""
        self._note("shown", session).unlink(missing_ok=True)

    def first(self, kind: str, name: str) -> bool:
        """Tell whether this is the first time, on this machine, that something is done."""
        note = self._note(kind, name)
        self._make(note.parent)
        try:
            os.close(os.open(note, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            return False
        return True

    def _note(self, kind: str, name: str) -> Path:
        return self.folder / kind / re.sub(r"[^\w.-]", "_", name)[:120]

    def _make(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        notes = sorted(folder.iterdir(), key=lambda f: f.name)
        if len(notes) > _KEPT:
            for note in sorted(notes, key=_changed)[: len(notes) - _KEPT // 2]:
                note.unlink(missing_ok=True)


def _changed(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0
