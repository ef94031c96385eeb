"""What was recorded, and the clock, ids and token counts that every format writes down."""

import hashlib
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from .scenario import Action, Scenario

Problem = Literal["", "no file", "not found", "not unique"]
MODEL = "example-model"
AGENT = "example-agent"
_STEP_SECONDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What an action gave.

    `text` is the output of a command or the content of a file; `before` and `after` are the
    file's text around an edit; `problem` says why a file tool refused.
    """

    text: str = ""
    exit_code: int = 0
    before: str = ""
    after: str = ""
    problem: Problem = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """An action with its result. `path` is the action's file, absolute; `cwd` where it ran."""

    action: Action
    result: Result
    path: str
    cwd: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A turn after it was played."""

    by: Literal["agent", "user"]
    text: str
    done: tuple[Done, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the verifier said; `output` is its whole output."""

    resolved: bool
    command: str
    exit_code: int
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A played scenario. `commit` is the first commit, `patch` all changes since then."""

    scenario: Scenario
    cwd: str
    commit: str
    turns: tuple[Played, ...]
    patch: str
    verdict: Verdict | None


class Clock:
    """Made-up time: each reading is four seconds after the one before."""

    def __init__(self, start: datetime) -> None:
        self._now = start - timedelta(seconds=_STEP_SECONDS)

    def tick(self) -> datetime:
        """Move on and return the time."""
        self._now += timedelta(seconds=_STEP_SECONDS)
        return self._now

    def iso(self) -> str:
        """Move on and return the time as `2026-01-12T09:00:04.000Z`."""
        return zulu(self.tick())


def zulu(moment: datetime) -> str:
    """Write a time in UTC with milliseconds and a `Z`."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


class Ids:
    """Made-up ids that depend on nothing but the scenario's name and their order."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._count = 0

    def uuid(self) -> str:
        """Return the next id as a UUID."""
        self._count += 1
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self._name}/{self._count}"))

    def token(self, prefix: str, *, length: int = 24) -> str:
        """Return the next id as a prefix and hexadecimal digits."""
        self._count += 1
        digest = hashlib.sha256(f"{self._name}/{self._count}".encode()).hexdigest()
        return prefix + digest[:length]


class Tokens:
    """Token counts as characters / 4: no model ran, the formats only want a number."""

    def __init__(self, task: str) -> None:
        self.context = self.count(task)
        self.spoken = 0

    @staticmethod
    def count(text: str) -> int:
        """Estimate the tokens of a text."""
        return len(text) // 4 + 1

    def turn(self, played: Played) -> tuple[int, int]:
        """Return what the turn read and what it wrote, and add both to the context."""
        read = self.context
        wrote = self.count(
            played.text
            + "".join(d.action.command + d.action.old + d.action.new for d in played.done)
        )
        self.spoken += wrote
        self.context += wrote + sum(self.count(d.result.text) for d in played.done)
        return read, wrote
