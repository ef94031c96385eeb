"""Installing in a coding agent's settings and taking it out again, to the byte."""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from stepladder.cli import main
from stepladder.serve.install import jsonc

HOSTS = ("claude-code", "codex", "cursor", "gemini", "opencode")
FILES = {
    "claude-code": (".claude.json", ".claude/settings.json"),
    "codex": (".codex/config.toml",),
    "cursor": (".cursor/mcp.json",),
    "gemini": (".gemini/settings.json",),
    "opencode": (".config/opencode/opencode.json",),
}
COMMENTED = """\
// my settings
{
    "theme": "dark", // at night
    /* other servers */
    "mcpServers": {
        "files": { "command": "files", "args": [] }, // keep
    },
    "mcp": {},
    "hooks": {
        "UserPromptSubmit": [
            { "hooks": [ { "type": "command", "command": "date" } ] },
        ],
        "SessionStart": [],
    },
}
"""
JSONS = {
    "commented": COMMENTED,
    "plain": '{\n  "theme": "dark",\n  "mcpServers": {}\n}\n',
    "one line": '{"theme": "dark", "mcpServers": {"files": {"command": "files"}}}',
    "no newline at the end": '{\n\t"theme": "dark"\n}',
    "empty object": "{}\n",
    "spaces": "{ }",
    "empty": "",
    "windows": '{\r\n  "theme": "dark"\r\n}\r\n',
    "mark": '\ufeff{\n  "theme": "dark"\n}\n',
    "odd words": '{\n  "name": "Zo\\u00eb caf\u00e9 \\ud83d\\ude00"\n}\n',
}
TOMLS = {
    "commented": '# mine\nmodel = "x"\n\n[mcp_servers.files]\ncommand = "files" # keep\n',
    "no newline at the end": 'model = "x"',
    "empty": "",
    "windows": 'model = "x"\r\n',
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "GEMINI_CLI_HOME",
        "XDG_CONFIG_HOME",
        "OPENCODE_CONFIG",
        "STEPLADDER_STORE",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    monkeypatch.setenv("STEPLADDER_STATE", str(tmp_path / "state"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def run(*arguments: str, ok: bool = True) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert (result.exit_code == 0) is ok, result.output
    return result


def everything(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


def put(home: Path, host: str, text: str) -> None:
    for name in FILES[host]:
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8"))


def contents(host: str) -> dict[str, str]:
    return TOMLS if host == "codex" else JSONS


def cases() -> list[tuple[str, str]]:
    return [(host, name) for host in HOSTS for name in contents(host)]


@pytest.mark.parametrize(("host", "name"), cases())
def test_taking_it_out_leaves_every_file_as_it_was(home: Path, host: str, name: str) -> None:
    put(home, host, contents(host)[name])
    before = everything(home)
    run("install", host, "--yes")
    assert everything(home) != before
    run("uninstall", host, "--yes")
    assert everything(home) == before


@pytest.mark.parametrize(("host", "name"), cases())
def test_installing_twice_changes_nothing(home: Path, host: str, name: str) -> None:
    put(home, host, contents(host)[name])
    run("install", host, "--yes")
    after = everything(home)
    assert "Nothing to change." in run("install", host, "--yes").output
    assert everything(home) == after


@pytest.mark.parametrize("host", HOSTS)
def test_files_that_were_not_there_are_gone_again(home: Path, host: str) -> None:
    run("install", host, "--yes")
    assert sorted(everything(home)) == sorted(FILES[host])
    run("uninstall", host, "--yes")
    assert everything(home) == {}


@pytest.mark.parametrize("name", [n for n in JSONS if n != "spaces"])
def test_without_its_notes_it_is_taken_out_all_the_same(
    home: Path, tmp_path: Path, name: str
) -> None:
    put(home, "cursor", JSONS[name])
    run("install", "cursor", "--yes")
    (tmp_path / "state" / "installed" / "cursor.json").unlink()
    run("uninstall", "cursor", "--yes")
    left = (home / ".cursor" / "mcp.json").read_text("utf-8")
    assert "stepladder" not in left
    if "theme" in left:
        assert jsonc.parse(left).value["theme"] == "dark"


def test_what_the_user_changed_meanwhile_stays(home: Path) -> None:
    put(home, "claude-code", COMMENTED)
    run("install", "claude-code", "--yes")
    file = home / ".claude" / "settings.json"
    file.write_text(file.read_text("utf-8").replace('"dark"', '"light"'), "utf-8")
    run("uninstall", "claude-code", "--yes")
    assert file.read_text("utf-8") == COMMENTED.replace('"dark"', '"light"')


def test_the_settings_are_what_each_agent_reads(home: Path) -> None:
    for host in HOSTS:
        put(home, host, TOMLS["commented"] if host == "codex" else JSONS["plain"])
        run("install", host, "--yes")

    def read(name: str) -> Any:
        return jsonc.parse((home / name).read_text("utf-8")).value

    server = read(".cursor/mcp.json")["mcpServers"]["stepladder"]
    assert server["args"][-1] == "mcp"
    assert Path(server["command"]).is_absolute()
    assert read(".gemini/settings.json")["mcpServers"]["stepladder"] == server
    assert read(".claude.json")["mcpServers"]["stepladder"] == {"type": "stdio", **server}
    opencode = read(".config/opencode/opencode.json")["mcp"]["stepladder"]
    assert opencode == {
        "type": "local",
        "command": [server["command"], *server["args"]],
        "enabled": True,
    }
    codex = tomllib.loads((home / ".codex" / "config.toml").read_text("utf-8"))
    assert codex["mcp_servers"]["stepladder"] == server
    assert codex["mcp_servers"]["files"] == {"command": "files"}
    hooks = read(".claude/settings.json")["hooks"]
    assert sorted(hooks) == ["SessionEnd", "SessionStart", "UserPromptSubmit"]
    (entry,) = hooks["UserPromptSubmit"]
    assert entry["hooks"][0]["command"].endswith(" hook prompt")


def test_the_change_is_shown_and_asked_for_first(home: Path) -> None:
    put(home, "cursor", JSONS["plain"])
    before = everything(home)
    shown = run("install", "cursor", "--dry-run").output
    assert '+    "stepladder": {' in shown
    assert everything(home) == before
    refused = CliRunner().invoke(main, ["install", "cursor"], input="n\n")
    assert refused.exit_code == 1
    assert everything(home) == before
    assert CliRunner().invoke(main, ["install", "cursor"], input="y\n").exit_code == 0
    assert everything(home) != before


def test_another_wish_replaces_the_one_before(home: Path, tmp_path: Path) -> None:
    put(home, "claude-code", COMMENTED)
    before = everything(home)
    run("install", "claude-code", "--yes", "--reflect")
    settings = home / ".claude" / "settings.json"
    assert "Stop" in jsonc.parse(settings.read_text("utf-8")).value["hooks"]
    run("--store", str(tmp_path / "other.db"), "install", "claude-code", "--yes")
    value = jsonc.parse(settings.read_text("utf-8")).value
    assert "Stop" not in value["hooks"]
    assert len(value["hooks"]["UserPromptSubmit"]) == 2
    assert "other.db" in value["hooks"]["UserPromptSubmit"][1]["hooks"][0]["command"]
    run("uninstall", "claude-code", "--yes")
    assert everything(home) == before


def test_folders_named_in_the_environment_are_used(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, folder in (("CLAUDE_CONFIG_DIR", "c"), ("CODEX_HOME", "x")):
        monkeypatch.setenv(variable, str(tmp_path / folder))
    run("install", "claude-code", "--yes")
    run("install", "codex", "--yes")
    assert sorted(everything(tmp_path / "c")) == [".claude.json", "settings.json"]
    assert sorted(everything(tmp_path / "x")) == ["config.toml"]
    assert everything(home) == {}


def test_settings_that_cannot_be_read_are_left_alone(home: Path) -> None:
    put(home, "cursor", '{"mcpServers": {')
    before = everything(home)
    assert "no JSON that can be read: line 1" in run("install", "cursor", "--yes", ok=False).output
    assert everything(home) == before
    put(home, "codex", "model = ")
    assert "no TOML" in run("install", "codex", "--yes", ok=False).output


def test_with_the_plugin_on_nothing_is_installed_beside_it(home: Path) -> None:
    put(home, "claude-code", json.dumps({"enabledPlugins": {"stepladder@stepladder": True}}))
    before = everything(home)
    assert "plugin is on" in run("install", "claude-code", "--yes", ok=False).output
    assert everything(home) == before


@pytest.mark.skipif(os.name == "nt", reason="needs symbolic links without a privilege")
def test_a_link_to_settings_kept_elsewhere_stays_a_link(home: Path, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.json"
    kept.write_text(JSONS["plain"], "utf-8")
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").symlink_to(kept)
    run("install", "cursor", "--yes")
    assert (home / ".cursor" / "mcp.json").is_symlink()
    assert "stepladder" in kept.read_text("utf-8")
    run("uninstall", "cursor", "--yes")
    assert kept.read_text("utf-8") == JSONS["plain"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=10,
)


@settings(deadline=None)
@given(
    st.dictionaries(st.text(max_size=6).filter(lambda n: n != "mcpServers"), VALUES, max_size=4),
    st.sampled_from([None, 1, 2, "\t"]),
)
def test_a_member_is_added_to_any_object_and_nothing_else_changes(
    value: dict[str, Any], indent: int | str | None
) -> None:
    text = json.dumps(value, indent=indent)
    added = jsonc.with_member(text, ("mcpServers", "x"), {"command": "y"})
    assert json.loads(added) == {**value, "mcpServers": {"x": {"command": "y"}}}
    found = jsonc.at_path(jsonc.parse(added), ("mcpServers",))
    assert found is not None
    assert json.loads(jsonc.without(added, found)) == value
