"""A finished run as a reader gives it: turns, tool calls and observations.

A superset of ATIF (Harbor's Agent Trajectory Interchange Format) in spirit: what a format does not
know stays empty, and nothing is guessed here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..kg.types import OutcomeSource, OutcomeStatus

Role = Literal["agent", "user", "system", "environment"]
Failure = Literal["environment", "validation", "rejected", "permission", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a run ended, and who says so. Being handed in is not success."""

    status: OutcomeStatus = "unknown"
    source: OutcomeSource = "none"
    confidence: float = 0.0
    """In [0, 1]; 1 for a verifier."""
    reward: float | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of a run; input tokens include cached ones."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What a tool call gave back.

    `failure` keeps four classes apart: the environment failed (a non-zero exit, an error), the
    call itself was not valid for the tool, a person rejected it, or permission was denied.
    `exit_code` is None where the format does not tell.
    """

    text: str = ""
    exit_code: int | None = None
    failure: Failure = ""
    truncated: bool = False
    interrupted: bool = False
    duration_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One action. `observation` is None where no result was recorded.

    `arguments` are decoded; where they could not be, `raw` holds the text as it stood.
    `uid` is the call's own id where that is unique everywhere, so that copies can be told.
    """

    id: str = ""
    uid: str = ""
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    raw: str = ""
    observation: Observation | None = None
    timestamp: str = ""
    raw_ref: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message: of the user, of the agent with its tool calls, or of its surroundings.

    `rejected` marks a reply of the agent that its harness refused: nothing of it ran.
    `injected` marks text that a harness put in the user's mouth (reminders, context dumps).
    """

    role: Role
    text: str = ""
    thought: str = ""
    calls: tuple[ToolCall, ...] = ()
    rejected: bool = False
    injected: bool = False
    timestamp: str = ""
    model: str = ""
    raw_ref: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """One run of one agent. `id` is the run's own id, or a hash of its content.

    `project` is the name of the repository where the format tells (`owner/name` of the remote);
    else it is found later from `cwd`. `parent_id` names the run that started this one as a
    sub-agent. `warnings` say what could not be read, with the line.
    """

    id: str
    format: str
    format_version: str = ""
    source: str
    agent: str
    agent_version: str = ""
    models: tuple[str, ...] = ()
    task: str = ""
    task_id: str = ""
    turns: tuple[Turn, ...] = ()
    cwd: str = ""
    project: str = ""
    repository_url: str = ""
    branch: str = ""
    commit: str = ""
    domain: str = ""
    language: str = ""
    started: str = ""
    ended: str = ""
    usage: Usage = Usage()
    cost_usd: float = 0.0
    exit_status: str = ""
    outcome: Outcome = Outcome()
    parent_id: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls of all turns that were not rejected, in order."""
        return tuple(c for t in self.turns if not t.rejected for c in t.calls)
