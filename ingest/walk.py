"""Which files a list of paths means."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from ..kg.errors import UsageError

_LEFT_OUT = frozenset({".git", "node_modules", "__pycache__", ".venv", ".tox", ".mypy_cache"})


def files_under(paths: Iterable[Path], *, since: datetime | None = None) -> Iterator[Path]:
    """Yield the files named by `paths`, those of a folder in order of their names, each once.

    `since` leaves out files that were last changed before it.

    Raises:
        UsageError: a path does not exist.
    """
    seen: set[Path] = set()
    for path in paths:
        if not path.exists():
            raise UsageError(f"No such file or folder: {path}", hint="Check the path.")
        for file in _walk(path):
            if file in seen or (since and _changed(file) < since):
                continue
            seen.add(file)
            yield file


def _walk(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for entry in sorted(path.iterdir()):
        if entry.is_dir():
            if entry.name not in _LEFT_OUT and not entry.is_symlink():
                yield from _walk(entry)
        elif entry.is_file():
            yield entry


def _changed(file: Path) -> datetime:
    return datetime.fromtimestamp(file.stat().st_mtime).astimezone()
