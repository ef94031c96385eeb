"""A scenario: a project, a task, and what the agent thinks and does, turn by turn."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

HERE = Path(__file__).parent
SCENARIOS = HERE / "scenarios"
PROJECTS = HERE / "projects"

ActionKind = Literal["run", "read", "edit", "write"]
_ACTION_KINDS: tuple[ActionKind, ...] = ("run", "read", "edit", "write")


class ScenarioError(Exception):
    """A scenario that cannot be played; the message names the file and the place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing the agent does.

    `run` has a `command`; `read` a `path`; `edit` replaces the one place where `old` stands in
    `path` by `new`; `write` makes `path` with the text `new`. Paths count from the project folder.
    """

    kind: ActionKind
    command: str = ""
    path: str = ""
    old: str = ""
    new: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message: of the agent, with what it does, or of the user."""

    by: Literal["agent", "user"]
    text: str
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """The folder a scenario starts in. `prepare` runs before the first commit."""

    name: str
    remote: str
    branch: str
    files: Mapping[str, str]
    executable: tuple[str, ...]
    prepare: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifier:
    """What decides the outcome: files the agent never saw, and a command that must exit with 0."""

    run: str
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A run to record.

    `needs` are programs that must be there, with the start of their version where the output
    depends on it ("python 3.11"). `setup` runs after the first commit and is not recorded.
    `outcome` is what the verifier must find; without a verifier it is unknown.
    """

    name: str
    domain: str
    format: str
    started: datetime
    needs: tuple[str, ...]
    outcome: Literal["success", "failure", "unknown"]
    shows: str
    task: str
    project: Project
    setup: tuple[str, ...]
    live_remote: bool
    turns: tuple[Turn, ...]
    verifier: Verifier | None


def scenario_paths() -> list[Path]:
    """List the scenario files in the order of their names."""
    return sorted(SCENARIOS.glob("*.toml"))


def load_scenario(path: Path) -> Scenario:
    """Read a scenario and the project it names.

    Raises:
        ScenarioError: a key is missing, or a turn holds neither text nor an action.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        verifier = raw.get("verifier")
        return Scenario(
            name=path.stem,
            domain=raw["domain"],
            format=raw["format"],
            started=raw["started"],
            needs=("bash", "git", *raw.get("needs", ())),
            outcome=raw["outcome"],
            shows=raw["shows"],
            task=raw["task"].strip(),
            project=_project(PROJECTS / f"{raw['project']}.toml", extra=raw.get("files", {})),
            setup=tuple(raw.get("setup", ())),
            live_remote=raw.get("live_remote", False),
            turns=tuple(_turn(turn) for turn in raw["turns"]),
            verifier=Verifier(run=verifier["run"], files=verifier.get("files", {}))
            if verifier
            else None,
        )
    except KeyError as error:
        raise ScenarioError(f"{path}: the key {error} is missing") from error
    except (tomllib.TOMLDecodeError, ScenarioError) as error:
        raise ScenarioError(f"{path}: {error}") from error


def _project(path: Path, *, extra: Mapping[str, str]) -> Project:
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    return Project(
        name=path.stem,
        remote=raw["remote"],
        branch=raw.get("branch", "main"),
        files={**raw["files"], **extra},
        executable=tuple(raw.get("executable", ())),
        prepare=tuple(raw.get("prepare", ())),
    )


def _turn(raw: Mapping[str, Any]) -> Turn:
    if "user" in raw:
        return Turn(by="user", text=raw["user"].strip())
    actions = tuple(a for kind in _ACTION_KINDS if kind in raw for a in _actions(kind, raw[kind]))
    text = raw.get("say", "").strip()
    if not text:
        raise ScenarioError(f"a turn of the agent says nothing: {dict(raw)}")
    return Turn(by="agent", text=text, actions=actions)


def _actions(kind: ActionKind, raw: Any) -> list[Action]:
    """Make the actions of a turn; several commands of one turn are parallel calls."""
    if kind == "run":
        commands = [raw] if isinstance(raw, str) else raw
        return [Action(kind=kind, command=c.strip("\n")) for c in commands]
    if kind == "read":
        return [Action(kind=kind, path=raw)]
    if kind == "write":
        return [Action(kind=kind, path=raw["path"], new=raw["text"])]
    return [Action(kind=kind, path=raw["path"], old=raw["old"], new=raw["new"])]
