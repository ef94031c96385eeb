"""The sessions that agents keep on this machine, found by name."""

from pathlib import Path

from stepladder.ingest.discover import FoundSessions, own_sessions

ID = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f"


def touch(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def found(home: Path, **environment: str) -> dict[str, list[str]]:
    return {
        f"{f.agent} {f.folder.relative_to(home).as_posix()}": [
            p.relative_to(f.folder).as_posix() for p in f.files
        ]
        for f in own_sessions(home, environment)
    }


def test_a_home_without_sessions_has_none(tmp_path: Path) -> None:
    (tmp_path / ".claude" / "projects").mkdir(parents=True)
    assert own_sessions(tmp_path, {}) == []


def test_the_sessions_of_every_agent_are_found_in_their_default_places(tmp_path: Path) -> None:
    touch(
        tmp_path,
        f".claude/projects/-home-ada-shop/{ID}.jsonl",
        f".claude/projects/-home-ada-shop/{ID}/subagents/agent-a21e2f5.jsonl",
        f".claude/projects/-home-ada-shop/{ID}/tool-results/x.jsonl",
        ".claude/projects/-home-ada-shop/notes.md",
        ".claude/history.jsonl",
        f".codex/sessions/2026/06/17/rollout-2026-06-17T10-06-46-{ID}.jsonl",
        f".codex/archived_sessions/rollout-2025-06-17T10-06-46-{ID}.jsonl.zst",
        ".codex/history.jsonl",
        ".gemini/tmp/shop/chats/session-2026-01-15T20-51-f7633853.json",
        ".gemini/tmp/shop/chats/session-2026-04-15T20-51-0a1b2c3d.jsonl",
        f".gemini/tmp/shop/chats/{ID}/{ID}.jsonl",
        ".gemini/tmp/shop/checkpoint-before.json",
        ".gemini/tmp/shop/checkpoints/2026-a.json",
        ".gemini/tmp/shop/logs.json",
        ".local/share/opencode/opencode.db",
        ".local/share/opencode/opencode.db-wal",
        ".local/share/opencode/storage/session/e636/ses_30bf.json",
        ".local/share/opencode/storage/message/ses_30bf/msg_1.json",
        ".local/share/opencode/storage/part/msg_1/prt_1.json",
        ".openhands/sessions/ab/events/10.json",
        ".openhands/sessions/ab/events/9.json",
        ".openhands/sessions/ab/event_cache/0-25.json",
        ".openhands/conversations/cd/events/event-00001-aa.json",
        ".openhands/conversations/cd/events/event-00000-bb.json",
        ".openhands/settings.json",
        ".config/mini-swe-agent/last_mini_run.traj.json",
        ".config/mini-swe-agent/.env",
    )
    assert found(tmp_path) == {
        "claude-code .claude/projects": [
            f"-home-ada-shop/{ID}/subagents/agent-a21e2f5.jsonl",
            f"-home-ada-shop/{ID}.jsonl",
        ],
        "codex .codex/sessions": [f"2026/06/17/rollout-2026-06-17T10-06-46-{ID}.jsonl"],
        "codex .codex/archived_sessions": [f"rollout-2025-06-17T10-06-46-{ID}.jsonl.zst"],
        "gemini-cli .gemini/tmp": [
            f"shop/chats/{ID}/{ID}.jsonl",
            "shop/chats/session-2026-01-15T20-51-f7633853.json",
            "shop/chats/session-2026-04-15T20-51-0a1b2c3d.jsonl",
            "shop/checkpoint-before.json",
        ],
        "opencode .local/share/opencode": ["opencode.db", "storage/session/e636/ses_30bf.json"],
        "openhands .openhands": [
            "conversations/cd/events/event-00000-bb.json",
            "sessions/ab/events/9.json",
        ],
        "mini-swe-agent .config/mini-swe-agent": ["last_mini_run.traj.json"],
    }


def test_the_places_of_macos_and_windows_are_known(tmp_path: Path) -> None:
    touch(
        tmp_path,
        "Library/Application Support/mini-swe-agent/last_mini_run.traj.json",
        "AppData/Local/opencode/opencode.db",
        "AppData/Local/mini-swe-agent/mini-swe-agent/last_mini_run.traj.json",
        ".config/claude/projects/p/a.jsonl",
    )
    assert list(found(tmp_path)) == [
        "claude-code .config/claude/projects",
        "opencode AppData/Local/opencode",
        "mini-swe-agent Library/Application Support/mini-swe-agent",
        "mini-swe-agent AppData/Local/mini-swe-agent/mini-swe-agent",
    ]


def test_the_agents_own_variables_are_honoured(tmp_path: Path) -> None:
    touch(
        tmp_path,
        ".claude/projects/p/default.jsonl",
        "elsewhere/claude/projects/p/a.jsonl",
        "elsewhere/codex/sessions/rollout-a.jsonl",
        "elsewhere/gemini/.gemini/tmp/p/chats/session-a.jsonl",
        "elsewhere/data/opencode/opencode.db",
        "elsewhere/mini/last_mini_run.traj.json",
    )
    place = tmp_path / "elsewhere"
    assert found(
        tmp_path,
        CLAUDE_CONFIG_DIR=str(place / "claude"),
        CODEX_HOME=str(place / "codex"),
        GEMINI_CLI_HOME=str(place / "gemini"),
        XDG_DATA_HOME=str(place / "data"),
        MSWEA_GLOBAL_CONFIG_DIR=str(place / "mini"),
    ) == {
        "claude-code elsewhere/claude/projects": ["p/a.jsonl"],
        "codex elsewhere/codex/sessions": ["rollout-a.jsonl"],
        "gemini-cli elsewhere/gemini/.gemini/tmp": ["p/chats/session-a.jsonl"],
        "opencode elsewhere/data/opencode": ["opencode.db"],
        "mini-swe-agent elsewhere/mini": ["last_mini_run.traj.json"],
    }


def test_what_is_found_names_agent_folder_and_files(tmp_path: Path) -> None:
    touch(tmp_path, ".claude/projects/p/a.jsonl")
    folder = tmp_path / ".claude" / "projects"
    assert own_sessions(tmp_path, {"CLAUDE_CONFIG_DIR": "  "}) == [
        FoundSessions(agent="claude-code", folder=folder, files=(folder / "p" / "a.jsonl",))
    ]
