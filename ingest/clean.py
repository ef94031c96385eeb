"""A trajectory with every secret removed, before anything else looks at its text."""

import re
from collections.abc import Iterator
from dataclasses import replace

from .redact import Redactor
from .trajectory import Observation, ToolCall, Trajectory, Turn

_TIME = re.compile(r"[\d:.TZ+ -]{0,40}")


def redacted(trajectory: Trajectory, redactor: Redactor) -> Trajectory:
    """Return the trajectory with all that a person or a program wrote passed through `redactor`.

    The names of home folders are learned from the whole run first, so that a name that shows
    only at its end is taken out of its beginning too.
    """
    for said in _texts(trajectory):
        redactor.learn(said)
    text = redactor.text
    return replace(
        trajectory,
        id=text(trajectory.id),
        agent=text(trajectory.agent),
        agent_version=text(trajectory.agent_version),
        models=tuple(text(m) for m in trajectory.models),
        source=text(trajectory.source),
        task=text(trajectory.task),
        task_id=text(trajectory.task_id),
        turns=tuple(_turn(t, redactor) for t in trajectory.turns),
        cwd=text(trajectory.cwd),
        project=text(trajectory.project),
        repository_url=text(trajectory.repository_url),
        branch=text(trajectory.branch),
        domain=text(trajectory.domain),
        language=text(trajectory.language),
        started=_time(trajectory.started, redactor),
        ended=_time(trajectory.ended, redactor),
        exit_status=text(trajectory.exit_status),
        outcome=replace(trajectory.outcome, detail=text(trajectory.outcome.detail)),
        warnings=tuple(text(w) for w in trajectory.warnings),
    )


def _texts(trajectory: Trajectory) -> Iterator[str]:
    yield from (trajectory.source, trajectory.cwd, trajectory.task)
    for turn in trajectory.turns:
        yield from (turn.text, turn.thought)
        for call in turn.calls:
            yield from (call.raw, *(v for v in call.arguments.values() if isinstance(v, str)))
            if call.observation:
                yield call.observation.text


def _turn(turn: Turn, redactor: Redactor) -> Turn:
    return replace(
        turn,
        text=redactor.text(turn.text),
        thought=redactor.text(turn.thought),
        timestamp=_time(turn.timestamp, redactor),
        calls=tuple(_call(c, redactor) for c in turn.calls),
    )


def _call(call: ToolCall, redactor: Redactor) -> ToolCall:
    return replace(
        call,
        name=redactor.text(call.name),
        arguments=redactor.value(call.arguments),
        raw=redactor.text(call.raw),
        timestamp=_time(call.timestamp, redactor),
        observation=_observation(call.observation, redactor),
    )


def _time(text: str, redactor: Redactor) -> str:
    """A time as it stands; what only stands in its place is text like any other."""
    return text if _TIME.fullmatch(text) else redactor.text(text)


def _observation(observation: Observation | None, redactor: Redactor) -> Observation | None:
    if observation is None:
        return None
    return replace(observation, text=redactor.text(observation.text))
