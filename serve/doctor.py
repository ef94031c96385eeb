"""What is right and what is wrong with an installation, and the command that mends it."""

import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final, Literal

from ..facade import KnowledgeBase
from ..kg.errors import StepladderError
from ..kg.settings import Settings
from ..kg.stores import shown
from .hook_state import HookState
from .install.hosts import HOSTS, Wish, plugin_is_on, settings_of

Verdict = Literal["ok", "warning", "wrong"]

_LEAST_SQLITE: Final = (3, 51, 3)
"""SQLite before it can lose commits when processes write and checkpoint at once.
Source: sqlite.org/wal.html, the WAL-reset bug."""

_LITTLE_DISK: Final = 200 * 2**20
_FAILURES_SHOWN: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at; `mend` is the command that puts it right."""

    name: str
    verdict: Verdict
    said: str
    mend: str = ""


def findings(
    settings: Settings, *, home: Path, environment: Mapping[str, str]
) -> Iterator[Finding]:
    """Look at everything, one thing after the other; nothing is changed."""
    yield _versions()
    yield _sqlite()
    yield from _store(settings)
    yield _disk(settings)
    yield from _hosts(settings, home=home, environment=environment)
    yield _hook_failures(settings)


def _versions() -> Finding:
    try:
        own = version("stepladder")
    except PackageNotFoundError:
        return Finding(
            name="version",
            verdict="wrong",
            said="the package is not installed",
            mend="pip install stepladder",
        )
    python = ".".join(map(str, sys.version_info[:3]))
    return Finding(name="version", verdict="ok", said=f"stepladder {own}, Python {python}")


def _sqlite() -> Finding:
    import apsw

    said = apsw.sqlite_lib_version()
    if tuple(map(int, said.split("."))) < _LEAST_SQLITE:
        return Finding(
            name="sqlite",
            verdict="wrong",
            said=f"{said} can lose what two processes write at once",
            mend="pip install --upgrade apsw",
        )
    return Finding(name="sqlite", verdict="ok", said=said)


def _store(settings: Settings) -> Iterator[Finding]:
    if "://" not in settings.store and not Path(settings.store).exists():
        yield Finding(
            name="store",
            verdict="warning",
            said=f"{settings.store} is not there yet",
            mend="stepladder ingest",
        )
        return
    try:
        with KnowledgeBase.open(settings.store) as kb:
            counts = kb.store.counts()
            last = kb.store.setting("last_ingest")
            embedder = kb.embedder.name
    except StepladderError as error:
        yield Finding(name="store", verdict="wrong", said=str(error), mend=error.hint)
        return
    runs, insights = counts.levels.get("trace", 0), counts.levels.get("insight", 0)
    yield Finding(
        name="store",
        verdict="ok",
        said=f"{shown(settings.store)}: {runs} runs, {insights} insights",
    )
    yield Finding(name="embedder", verdict="ok", said=embedder)
    yield _last_ingest(last, runs=runs)


def _last_ingest(kept: str | None, *, runs: int) -> Finding:
    if kept is None or not runs:
        return Finding(
            name="last ingest",
            verdict="warning",
            said="no run was read yet",
            mend="stepladder ingest",
        )
    reasons: dict[str, int] = json.loads(kept)
    if not reasons:
        return Finding(name="last ingest", verdict="ok", said="everything was read")
    told = "; ".join(f"{n} {reason}" for reason, n in sorted(reasons.items()))
    return Finding(name="last ingest", verdict="ok", said=f"left out: {told}")


def _disk(settings: Settings) -> Finding:
    place = Path(settings.store if "://" not in settings.store else settings.state)
    while not place.exists() and place != place.parent:
        place = place.parent
    free = shutil.disk_usage(place).free
    said = f"{free / 2**30:.1f} GB free"
    if free < _LITTLE_DISK:
        mend = "stepladder --store PATH ingest, on a disk with more room"
        return Finding(name="disk", verdict="wrong", said=said, mend=mend)
    return Finding(name="disk", verdict="ok", said=said)


def _hosts(settings: Settings, *, home: Path, environment: Mapping[str, str]) -> Iterator[Finding]:
    found = False
    for host in HOSTS:
        finding = _host(host, home=home, environment=environment)
        if finding is not None:
            found = True
            yield finding
    if not found:
        yield Finding(
            name="agents",
            verdict="warning",
            said="installed in none",
            mend="stepladder install claude-code",
        )


def _host(host: str, *, home: Path, environment: Mapping[str, str]) -> Finding | None:
    files = settings_of(host, Wish(command=("stepladder",)), home=home, environment=environment)
    try:
        there = [bool(file.removed(None).changes) for file in files]
        commands = [word for file in files for word in file.programs()]
    except StepladderError as error:
        return Finding(name=host, verdict="wrong", said=str(error), mend="correct the file by hand")
    plugin = host == "claude-code" and plugin_is_on(home=home, environment=environment)
    if plugin and any(there):
        return Finding(
            name=host,
            verdict="warning",
            said="the plugin is on, and the settings have the server or the hooks too",
            mend="stepladder uninstall claude-code",
        )
    if plugin:
        return Finding(name=host, verdict="ok", said="as a plugin")
    if not any(there):
        return None
    gone = [c for c in commands if not (shutil.which(c) or Path(c).exists())]
    if gone:
        return Finding(
            name=host,
            verdict="wrong",
            said=f"it calls {gone[0]}, which is not there any more",
            mend=f"stepladder install {host}",
        )
    missing = [str(f.path) for f, has in zip(files, there, strict=True) if not has]
    said = "server" if missing else "server and hooks" if host == "claude-code" else "server"
    return Finding(name=host, verdict="ok", said=said)


def _hook_failures(settings: Settings) -> Finding:
    state = HookState(settings.state)
    failures = state.failures()
    if not failures:
        return Finding(name="hooks", verdict="ok", said="no silent failure")
    last = "; ".join(
        f"{f.get('time', '?')} {f.get('event', '?')}: {f.get('reason', '?')}"
        for f in failures[-_FAILURES_SHOWN:]
    )
    return Finding(
        name="hooks",
        verdict="warning",
        said=f"{len(failures)} silent failures, the last: {last}",
        mend=f"stepladder doctor --forget-failures  (the log is {state.log})",
    )
