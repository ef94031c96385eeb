"""Edits of settings files: shown as a difference, written, and taken back exactly."""

import difflib
import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A file before and after; `before` is None where there was none."""

    path: Path
    before: str | None
    after: str | None

    @property
    def changes(self) -> bool:
        """Tell whether anything changes."""
        return self.before != self.after

    def diff(self) -> str:
        """The change as a unified difference."""
        old, new = (self.before or "").splitlines(True), (self.after or "").splitlines(True)
        lines = difflib.unified_diff(old, new, fromfile=str(self.path), tofile=str(self.path))
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def write(self) -> None:
        """Put the new text in the file's place at once; a file without text is removed."""
        if self.after is None:
            self.path.unlink(missing_ok=True)
            return
        target = Path(os.path.realpath(self.path))
        target.parent.mkdir(parents=True, exist_ok=True)
        new = target.with_name(f"{target.name}.stepladder-new")
        new.write_bytes(self.after.encode("utf-8", errors="surrogateescape"))
        if target.exists():
            os.chmod(new, target.stat().st_mode)
        os.replace(new, target)


def text_of(path: Path) -> str | None:
    """A file's text, its line ends and odd bytes kept; None where there is none."""
    try:
        return path.read_bytes().decode("utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """What was added to a file, piece by piece with their places, in the order of adding."""

    path: str
    created: bool
    before_hash: str
    pieces: tuple[tuple[int, str], ...]


def addition(path: Path, before: str | None, stages: Sequence[str]) -> Addition:
    """What must be taken out again of a file that grew from stage to stage."""
    texts = [before or "", *stages]
    return Addition(
        path=str(path),
        created=before is None,
        before_hash=_hash(texts[0]),
        pieces=tuple(_inserted(one, other) for one, other in pairwise(texts)),
    )


def taken_back(text: str, added: Addition) -> str | None:
    """The text without what was added; None where that cannot be found in it any more.

    Where the rest is as it was, the result is what was there before, to the byte.
    """
    left = text
    for at, piece in reversed(added.pieces):
        if left[at : at + len(piece)] != piece:
            break
        left = left[:at] + left[at + len(piece) :]
    else:
        if _hash(left) == added.before_hash:
            return left
    left = text
    for _, piece in reversed(added.pieces):
        if left.count(piece) != 1:
            return None
        left = left.replace(piece, "")
    return left


def _inserted(before: str, after: str) -> tuple[int, str]:
    """The one piece that makes the second text out of the first, and its place."""
    head = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), None)
    at = min(len(before), len(after)) if head is None else head
    return at, after[at : at + len(after) - len(before)]


def save(file: Path, additions: Iterable[Addition]) -> None:
    """Keep what was added, so that it can be taken back exactly."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps([asdict(a) for a in additions]), encoding="utf-8")


def load(file: Path) -> list[Addition]:
    """What was kept of an installation; nothing where that is lost."""
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
        return [
            Addition(
                path=row["path"],
                created=row["created"],
                before_hash=row["before_hash"],
                pieces=tuple((int(at), str(piece)) for at, piece in row["pieces"]),
            )
            for row in rows
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", errors="surrogateescape")).hexdigest()
