"""Runs for tests of cards, written as short as they can be told."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import pytest

from stepladder.ingest.distillers.rules.card import Card, Hit
from stepladder.ingest.distillers.rules.cards import catalogue
from stepladder.ingest.record import RunRecord
from stepladder.ingest.steps.build import build
from stepladder.ingest.trajectory import Observation, ToolCall, Trajectory, Turn

Action: TypeAlias = ToolCall | tuple[Any, ...]
Told: TypeAlias = str | Turn | Action | Sequence[Action]


class MakeRun(Protocol):
    """Builds a run; see `make_run`."""

    def __call__(
        self, *steps: Told, task: str = ..., format: str = ..., end: str = ..., **facts: Any
    ) -> RunRecord: ...


@pytest.fixture(scope="session")
def make_run() -> MakeRun:
    """Return the builder of runs.

    A step is one of:
    `("ls", "a.py")` or `("ls x", "no such file", 2)`, a shell line with its output and exit code
    (0 unless said, None where the format does not tell);
    `("Read", {"file_path": "a.py"}, "text")`, another tool with its arguments and its answer, and
    as fourth the failure that the reader found;
    a `ToolCall`; a list of these, made in one turn;
    a text, which is what the user says next; or a whole `Turn`.
    `end` is what the agent says last. Other keywords are fields of the `Trajectory`.
    """
    return _make_run


@pytest.fixture(scope="session")
def hits() -> Callable[[str, RunRecord], list[Hit]]:
    """Return what finds all hits of the card of a name in a run."""

    def find(name: str, run: RunRecord) -> list[Hit]:
        return list(_card(name).detect(run))

    return find


def _card(name: str) -> Card:
    return next(card for card in catalogue() if card.name == name)


def _make_run(
    *steps: Told,
    task: str = "Fix the fault described below.",
    format: str = "claude-code",
    end: str = "",
    **facts: Any,
) -> RunRecord:
    turns = [Turn(role="user", text=task), *(_turn(step) for step in steps)]
    if end:
        turns.append(Turn(role="agent", text=end))
    trajectory = Trajectory(
        **{
            "id": "run-1",
            "format": format,
            "source": "run-1.jsonl",
            "agent": format,
            "task": task,
            "cwd": "/repo",
            "turns": tuple(turns),
            **facts,
        }
    )
    return build(
        trajectory,
        trace_id="trace-1",
        task_id="task-1",
        project="acme/api",
        domain="repo-bugfix",
        language="python",
    )


def _turn(step: Told) -> Turn:
    if isinstance(step, Turn):
        return step
    if isinstance(step, str):
        return Turn(role="user", text=step)
    actions = step if isinstance(step, list) else [step]
    return Turn(role="agent", calls=tuple(_call(action) for action in actions))


def _call(action: Action) -> ToolCall:
    if isinstance(action, ToolCall):
        return action
    if len(action) > 1 and isinstance(action[1], Mapping):
        name, arguments, text, failure = (*action, "", "")[:4]
        return ToolCall(
            name=name,
            arguments=arguments,
            observation=Observation(text=text, failure=failure),
        )
    line, text, code = (*action, 0)[:3] if len(action) > 1 else (action[0], "", 0)
    return ToolCall(
        name="Bash",
        arguments={"command": line},
        observation=Observation(text=text, exit_code=code, failure="environment" if code else ""),
    )
