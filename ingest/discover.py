"""Which sessions of coding agents this machine keeps, by the places their makers chose.

Folders are walked and names looked at; no file is opened.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SESSION: Final[Mapping[str, re.Pattern[str]]] = {
    "claude-code": re.compile(r".+\.jsonl"),
    "codex": re.compile(r"rollout-.+\.jsonl(?:\.zst)?"),
    "gemini-cli": re.compile(r"session-.+\.jsonl?|checkpoint-.+\.json|[0-9a-f-]{36}\.jsonl"),
    "opencode": re.compile(r"opencode[\w.-]*\.db|ses_.+\.json"),
    "openhands": re.compile(r"(?:event-)?\d+(?:-[\w-]+)?\.json|.*trajectory.*\.json"),
    "mini-swe-agent": re.compile(r".+\.traj\.json"),
}
"""How the file of a session is called, for each agent."""

_ASIDE: Final[Mapping[str, frozenset[str]]] = {
    "claude-code": frozenset({"tool-results", "memory"}),
    "gemini-cli": frozenset({"checkpoints", "tool-outputs", "plans"}),
    "opencode": frozenset({"message", "part", "session_diff", "snapshot", "log", "bin", "repos"}),
    "openhands": frozenset({"event_cache", "cache", "skills", "microagents"}),
}
"""Folders that hold pieces of a session, or something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSessions:
    """The sessions of one agent below one folder, ordered by path."""

    agent: str
    folder: Path
    files: tuple[Path, ...]


def own_sessions(home: Path, environment: Mapping[str, str]) -> list[FoundSessions]:
    """Find the sessions that agents keep for the user with this home folder.

    Looks in the default places of Linux, macOS and Windows alike, and where the agents' own
    variables point (`CLAUDE_CONFIG_DIR`, `CODEX_HOME`, `GEMINI_CLI_HOME`, `XDG_DATA_HOME`,
    `XDG_CONFIG_HOME`, `MSWEA_GLOBAL_CONFIG_DIR`). Agents without a session are left out.
    """
    found: list[FoundSessions] = []
    seen: set[Path] = set()
    for agent, folder in _places(home, environment):
        if folder in seen or not folder.is_dir():
            continue
        seen.add(folder)
        files = (
            _first_events(_files(agent, folder)) if agent == "openhands" else _files(agent, folder)
        )
        if kept := tuple(sorted(files)):
            found.append(FoundSessions(agent=agent, folder=folder, files=kept))
    return found


def _places(home: Path, environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    def named(variable: str, *default: str) -> Path:
        value = environment.get(variable, "").strip()
        return Path(value) if value else home.joinpath(*default)

    claude = environment.get("CLAUDE_CONFIG_DIR", "").strip()
    config = named("XDG_CONFIG_HOME", ".config")
    for folder in (Path(claude),) if claude else (home / ".claude", config / "claude"):
        yield "claude-code", folder / "projects"
    codex = named("CODEX_HOME", ".codex")
    yield "codex", codex / "sessions"
    yield "codex", codex / "archived_sessions"
    yield "gemini-cli", named("GEMINI_CLI_HOME") / ".gemini" / "tmp"
    for data in (
        named("XDG_DATA_HOME", ".local", "share"),
        home / "Library" / "Application Support",
        named("LOCALAPPDATA", "AppData", "Local"),
    ):
        yield "opencode", data / "opencode"
    yield "openhands", home / ".openhands"
    if "MSWEA_GLOBAL_CONFIG_DIR" in environment:
        yield "mini-swe-agent", Path(environment["MSWEA_GLOBAL_CONFIG_DIR"])
    for folder in (
        config,
        home / "Library" / "Application Support",
        named("LOCALAPPDATA", "AppData", "Local") / "mini-swe-agent",
    ):
        yield "mini-swe-agent", folder / "mini-swe-agent"


def _files(agent: str, folder: Path) -> Iterator[Path]:
    aside = _ASIDE.get(agent, frozenset())
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in aside)
        for name in sorted(names):
            if _SESSION[agent].fullmatch(name):
                yield Path(place, name)


def _first_events(files: Iterator[Path]) -> Iterator[Path]:
    """Of a conversation, which is a folder of events, the first one: it stands for the whole."""
    first: dict[Path, Path] = {}
    for file in files:
        if not file.name.removeprefix("event-")[:1].isdigit():
            yield file
        elif (known := first.get(file.parent)) is None or _number(file) < _number(known):
            first[file.parent] = file
    yield from first.values()


def _number(file: Path) -> tuple[int, str]:
    match = re.match(r"(?:event-)?(\d+)", file.name)
    return (int(match[1]) if match else 0, file.name)
