"""The coding agents that Stepladder can be installed in, and what each needs in its settings."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ...kg.errors import UsageError
from .settings_file import Item, Member, SettingsFile, Table

NAME: Final = "stepladder"
HOOK_SECONDS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is to be installed: how the program is called, and what its hooks may do."""

    command: tuple[str, ...]
    hooks: bool = True
    reflect: bool = False
    holdout: float = 0.0


def own_command(store: str, *, default_store: str) -> tuple[str, ...]:
    """How this installation is called from anywhere; the store is named where it is another."""
    script = Path(sys.executable).with_name(f"{NAME}.exe" if os.name == "nt" else NAME)
    found = str(script) if script.exists() else shutil.which(NAME)
    # -P: the folder the agent works in is no place to import modules from.
    program = (found,) if found else (sys.executable, "-P", "-m", "stepladder.cli")
    if store == default_store:
        return program
    named = store if "://" in store else str(Path(store).expanduser().resolve())
    return (*program, "--store", named)


def settings_of(
    host: str, wish: Wish, *, home: Path, environment: Mapping[str, str]
) -> list[SettingsFile]:
    """The settings files of an agent with what is to stand in them.

    Raises:
        UsageError: no such agent is known.
    """
    if host not in HOSTS:
        raise UsageError(f"Unknown agent {host!r}. Known: {', '.join(HOSTS)}.")

    def named(variable: str, default: Path) -> Path:
        value = environment.get(variable, "").strip()
        return Path(value) if value else default

    return HOSTS[host](wish, home, named)


_Named = Callable[[str, Path], Path]


def _claude_code(wish: Wish, home: Path, named: _Named) -> list[SettingsFile]:
    folder = named("CLAUDE_CONFIG_DIR", home / ".claude")
    state = folder / ".claude.json" if folder != home / ".claude" else home / ".claude.json"
    server = Member(("mcpServers", NAME), {"type": "stdio", **_server(wish)})
    hooks = tuple(_hooks(wish)) if wish.hooks else ()
    return [
        SettingsFile(state, members=(server,)),
        SettingsFile(folder / "settings.json", items=hooks, ours=_is_our_hook, lists=_HOOK_LISTS),
    ]


_EVENTS: Final[Mapping[str, str]] = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "Stop": "stop",
    "SessionEnd": "stop",
}
_HOOK_LISTS: Final = tuple(("hooks", event) for event in _EVENTS)


def _hooks(wish: Wish) -> list[Item]:
    return [
        Item(("hooks", event), hook_entry(wish.command, event=event, wish=wish))
        for event in _EVENTS
        if event != "Stop" or wish.reflect
    ]


def hook_entry(command: tuple[str, ...], *, event: str, wish: Wish) -> dict[str, Any]:
    """One entry of Claude Code's hooks."""
    words = [*command, "hook", _EVENTS[event]]
    if event == "Stop":
        words.append("--reflect")
    if event == "UserPromptSubmit" and wish.holdout:
        words.append(f"--holdout={wish.holdout:g}")
    line = subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)
    return {"hooks": [{"type": "command", "command": line, "timeout": HOOK_SECONDS}]}


def _is_our_hook(entry: Any) -> bool:
    hooks = entry.get("hooks", []) if isinstance(entry, dict) else []
    commands = [h.get("command", "") for h in hooks if isinstance(h, dict)]
    return bool(commands) and all(NAME in str(c) and " hook " in f"{c} " for c in commands)


def _codex(wish: Wish, home: Path, named: _Named) -> list[SettingsFile]:
    first, *rest = wish.command
    lines = (
        f"[mcp_servers.{NAME}]",
        f"command = {json.dumps(first)}",
        f"args = {json.dumps([*rest, 'mcp'])}",
    )
    table = Table(("mcp_servers", NAME), lines)
    return [SettingsFile(named("CODEX_HOME", home / ".codex") / "config.toml", table=table)]


def _cursor(wish: Wish, home: Path, named: _Named) -> list[SettingsFile]:
    member = Member(("mcpServers", NAME), _server(wish))
    return [SettingsFile(home / ".cursor" / "mcp.json", members=(member,))]


def _gemini(wish: Wish, home: Path, named: _Named) -> list[SettingsFile]:
    folder = named("GEMINI_CLI_HOME", home) / ".gemini"
    return [
        SettingsFile(
            folder / "settings.json", members=(Member(("mcpServers", NAME), _server(wish)),)
        )
    ]


def _opencode(wish: Wish, home: Path, named: _Named) -> list[SettingsFile]:
    folder = named("XDG_CONFIG_HOME", home / ".config") / "opencode"
    commented = folder / "opencode.jsonc"
    file = named("OPENCODE_CONFIG", commented if commented.exists() else folder / "opencode.json")
    value = {"type": "local", "command": [*wish.command, "mcp"], "enabled": True}
    return [SettingsFile(file, members=(Member(("mcp", NAME), value),))]


def _server(wish: Wish) -> dict[str, Any]:
    first, *rest = wish.command
    return {"command": first, "args": [*rest, "mcp"]}


HOSTS: Final[Mapping[str, Callable[[Wish, Path, _Named], list[SettingsFile]]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "cursor": _cursor,
    "gemini": _gemini,
    "opencode": _opencode,
}


def plugin_is_on(*, home: Path, environment: Mapping[str, str]) -> bool:
    """Tell whether Claude Code runs our plugin, which brings server and hooks itself."""
    folder = Path(environment.get("CLAUDE_CONFIG_DIR", "").strip() or home / ".claude")
    try:
        settings = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
        enabled = settings.get("enabledPlugins", {})
        return any(str(k).startswith(f"{NAME}@") and v is True for k, v in enabled.items())
    except (OSError, ValueError, AttributeError):
        return False
