"""A run as distillers see it: every action with its phase, its verdict and its error.

This page holds the values; `steps.py` makes them from a trajectory.
"""

from dataclasses import dataclass
from typing import Literal

from .shell import Command
from .trajectory import Failure, ToolCall, Trajectory, Turn

Phase = Literal[
    "explore",
    "search",
    "read",
    "edit",
    "run",
    "test",
    "build",
    "lint",
    "install",
    "vcs",
    "undo",
    "submit",
    "think",
    "delegate",
    "other",
]
Kind = Literal[
    "shell",
    "edit",
    "write",
    "read",
    "search",
    "list",
    "fetch",
    "plan",
    "delegate",
    "think",
    "submit",
    "other",
]
Verdict = Literal["pass", "fail", "nothing-ran", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why a step failed: a class that is the same everywhere, and the message made comparable.

    `message` is the line as it stood; `signature` has paths, numbers, names and hashes replaced.
    """

    error_class: str
    signature: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecord:
    """One executed action of a run.

    `kind` says what sort of tool it was, whatever its name; `command` is the shell line, or the
    tool's name and its main argument. `main` is the part of a shell line that it is about.
    `edits` are files it changed or created, `creates` those that were not there in this run
    before, `reads` those it looked at; paths are relative to the project where that can be told.
    `own` is true where it runs or changes only files that the agent made in this run.
    `purpose` is equal for two steps that try the same thing.
    `check` is true for what can pass or fail: a test, a build, a type check, a linter, a script.
    """

    index: int
    turn: int
    call: ToolCall
    kind: Kind
    phase: Phase
    command: str
    main: Command | None = None
    commands: tuple[Command, ...] = ()
    reads: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()
    creates: tuple[str, ...] = ()
    own: bool = False
    check: bool = False
    purpose: str = ""
    observation: str = ""
    exit_code: int | None = None
    failure: Failure = ""
    failed: bool = False
    verdict: Verdict = ""
    fault: Fault | None = None
    thought: str = ""

    @property
    def program(self) -> str:
        """Program of the main command, or the native name of the tool."""
        return self.main.program if self.main else self.call.name

    @property
    def subcommand(self) -> str:
        """Sub-command of the main command, or nothing."""
        return self.main.subcommand if self.main else ""

    @property
    def files(self) -> tuple[str, ...]:
        """Every file the step touched, read or changed, in order and once."""
        return tuple(dict.fromkeys((*self.edits, *self.creates, *self.reads)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A failing step, what was tried in vain, what was changed, and the step that then worked."""

    failing: int
    passing: int
    tried: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    by: Literal[
        "other command", "own file", "source", "install", "re-run", "second try", "other"
    ] = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A trajectory with its steps understood; indexes point into `steps`.

    `requests` are the user's own turns (not injected, not rejected), the first being the task.
    `last_edit` is the index of the last change to a file that is not the agent's own, or -1.
    """

    trajectory: Trajectory
    trace_id: str
    task_id: str
    project: str
    domain: str
    language: str
    steps: tuple[StepRecord, ...] = ()
    repairs: tuple[Repair, ...] = ()
    requests: tuple[Turn, ...] = ()
    rejected_turns: tuple[int, ...] = ()
    own_files: frozenset[str] = frozenset()
    first_edit: int = -1
    last_edit: int = -1
