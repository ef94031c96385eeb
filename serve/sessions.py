"""Which session file an agent means: by the id of its run, its own id, its path, or the newest."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..facade import KnowledgeBase
from ..ingest.discover import own_sessions
from ..kg.errors import UsageError
from ..kg.types import Trace
from .place import Place

_NEWEST = 8
"""Newest sessions looked at to find one of the project. Chosen by us."""


def run_of(
    kb: KnowledgeBase, session: str, *, place: Place, home: Path, environment: Mapping[str, str]
) -> tuple[str, Path | None]:
    """The trace of a session and its file, read into the store where it was not yet.

    `session` is the id of a trace, the session's own id, or the path of one of the agents' own
    session files; empty is the newest one of this project. No other file is opened.

    Raises:
        UsageError: there is no such session in the place's scope.
    """
    if session.startswith("trace-"):
        return kb.resolve(session, scope=place.scope), None
    for file in _candidates(session, home=home, environment=environment):
        report = kb.ingest([file])
        ids = report.traces or _known(kb, file)
        for id, node in kb.store.get(ids, scope=place.scope).items():
            if isinstance(node, Trace):
                return id, file
    if session:
        for node in kb.store.find("Trace", where={"session": session}, scope=place.scope):
            return node.id, None
    raise UsageError(
        "There is no session of this project to learn from.",
        hint="Name it by its session id, its trace id or the path of its file.",
    )


def _candidates(session: str, *, home: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    files = [f for found in own_sessions(home, environment) for f in found.files]
    if session:
        wanted = os.path.normcase(os.path.abspath(session))
        yield from (
            f
            for f in files
            if os.path.normcase(os.path.abspath(f)) == wanted
            or session in (f.stem, f.parent.name)
            or (len(session) >= 8 and f.stem.endswith(session))
        )
        return
    times = sorted(((_changed(f), str(f)) for f in files), reverse=True)[:_NEWEST]
    yield from (Path(name) for _, name in times)


def _changed(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _known(kb: KnowledgeBase, file: Path) -> list[str]:
    """The traces of a file that brought nothing new."""
    return list(kb.turning_points(file))
