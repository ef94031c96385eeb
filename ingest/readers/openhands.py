"""Runs of OpenHands: lists and folders of events, rows of evaluations and of the resolver."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from ...kg.errors import ReadError
from ..outcome import CONFIDENCE, stated_in
from ..source import Source
from ..trajectory import Outcome, Trajectory, Turn
from .json_values import (
    instance_in,
    mapping,
    number,
    project_of_instance,
    run_id,
    string,
    usage_of,
)
from .openhands_v0 import V0Events, flattened
from .openhands_v1 import V1Events, is_event
from .task_text import task_in

_EVENT_FILE: Final = re.compile(r"(?:event-)?(\d+)(?:-[0-9A-Za-z-]+)?\.json")
_CONVERSATION: Final = re.compile(r"[0-9A-Za-z_-]{8,64}")
_CACHE: Final = "event_cache"
Events = V0Events | V1Events


class OpenHandsReader:
    """Reads what OpenHands saves of its conversations, whatever its version.

    A conversation that is a folder of event files is read whole from the first of them; the
    others are recognised too, and give nothing.
    """

    format = "openhands"

    def recognises(self, source: Source) -> bool:
        """Tell by the shape of the first event or row."""
        if isinstance(source.outline, list):
            first = source.outline[0] if source.outline else None
            return _is_v0(first) or is_event(first)
        return any(
            _is_row(v) or _is_v0(v) or is_event(v) or _is_state(source, v) for v in source.samples
        )

    def read(self, source: Source) -> Iterator[Trajectory]:
        """Yield the run of a list or folder of events, or one for each row.

        Raises:
            ReadError: the file holds no events.
        """
        if source.path.parent.name == _CACHE or _is_state(source, source.outline):
            return
        if isinstance(source.outline, dict) and _is_event_file(source):
            yield from _folder(source)
            return
        found = False
        for trajectory in _runs(source):
            found = found or bool(trajectory.turns)
            yield trajectory
        if not found:
            raise ReadError(f"No events in {source.path}", hint="Is the file cut short?")


def _is_v0(value: Any) -> bool:
    fields = mapping(value)
    return "source" in fields and ("action" in fields or "observation" in fields)


def _is_row(value: Any) -> bool:
    fields = mapping(value)
    if "git_patch" in fields and "issue" in fields:
        return True
    if "instance_id" not in fields:
        return False
    history = fields.get("history")
    if isinstance(history, list) and history:
        first = flattened(history[:1])
        return bool(first) and (_is_v0(first[0]) or is_event(first[0]) or "role" not in first[0])
    return "test_result" in fields and "instruction" in fields


def _is_state(source: Source, value: Any) -> bool:
    return source.path.name == "base_state.json" and "agent" in mapping(value)


def _is_event_file(source: Source) -> bool:
    name = source.path.name
    return bool(_EVENT_FILE.fullmatch(name)) and len(source.first_records) <= 1


def _folder(source: Source) -> Iterator[Trajectory]:
    """The conversation of a folder, if this is the first of its event files."""
    siblings = ((_EVENT_FILE.fullmatch(p.name), p) for p in source.path.parent.iterdir())
    numbered = sorted((int(match[1]), path) for match, path in siblings if match)
    files = [path for _, path in numbered]
    if not files or files[0].name != source.path.name:
        return
    warnings: list[str] = []
    events: list[tuple[str, Mapping[str, Any]]] = []
    for path in files:
        part = Source(path)
        value = part.document
        warnings += [f"{path.name}: {w}" for w in part.warnings]
        events.append((path.name, mapping(value)))
    home = source.path.parent.parent if source.path.parent.name == "events" else source.path.parent
    state = mapping(Source(home / "base_state.json").document) if _has_state(home) else {}
    walked = _walk(events)
    if walked.builder.turns:
        trajectory = _trajectory(source, {}, walked, state=state)
        id = home.name if _CONVERSATION.fullmatch(home.name) else trajectory.id
        yield replace(trajectory, id=id, warnings=tuple(warnings))


def _has_state(home: Path) -> bool:
    return (home / "base_state.json").is_file()


def _runs(source: Source) -> Iterator[Trajectory]:
    document = source.document
    if isinstance(document, list):
        events = [(f"[{i}]", mapping(e)) for i, e in enumerate(document)]
        yield _trajectory(source, {}, _walk(events))
        return
    records = source.records
    rows = [r for r in records if _is_row(r.value)]
    if not rows and _is_row(document):
        yield _of_row(source, mapping(document), "")
    for row in rows:
        yield _of_row(source, mapping(row.value), f"line {row.line} ")
    if not rows:
        events = [(f"line {r.line}", mapping(r.value)) for r in records]
        yield _trajectory(source, {}, _walk(events))


def _of_row(source: Source, row: Mapping[str, Any], prefix: str) -> Trajectory:
    history = flattened(row.get("history"))
    return _trajectory(
        source, row, _walk([(f"{prefix}history[{i}]", e) for i, e in enumerate(history)])
    )


def _walk(events: list[tuple[str, Mapping[str, Any]]]) -> Events:
    walked: Events = V1Events() if any(is_event(e) for _, e in events) else V0Events()
    seen: dict[str, Mapping[str, Any]] = {}
    for ref, event in events:
        id = string(event.get("id"))
        if id and seen.get(id) == event:
            continue  # written twice
        seen[id] = event
        walked.add(event, ref)
    return walked


def _trajectory(
    source: Source,
    row: Mapping[str, Any],
    walked: Events,
    *,
    state: Mapping[str, Any] = MappingProxyType({}),
) -> Trajectory:
    metadata, metrics = mapping(row.get("metadata")), mapping(row.get("metrics"))
    instance, issue = mapping(row.get("instance")), mapping(row.get("issue"))
    task = _task(row, walked.builder.turns)
    turns = tuple(_with_task(walked.builder.turns, task))
    id = string(row.get("instance_id")) or instance_in(source.path.name)
    times = [t.timestamp for t in turns if t.timestamp]
    total = usage_of(metrics.get("accumulated_token_usage"))
    used = total if total.input_tokens else walked.usage
    cost = number(metrics.get("accumulated_cost"))
    base = mapping(state.get("agent"))
    return Trajectory(
        id=run_id(id, turns=turns),
        format=OpenHandsReader.format,
        format_version="1" if isinstance(walked, V1Events) else "0",
        source=source.path.as_posix(),
        agent="openhands",
        agent_version=string(metadata.get("agent_version")),
        models=_models(turns, walked, metadata, base),
        task=task,
        task_id=id,
        turns=turns,
        cwd=walked.cwd or string(mapping(state.get("workspace")).get("working_dir")),
        project=_project(id, instance, issue),
        commit=string(instance.get("base_commit") or row.get("base_commit")),
        started=min(times, default=""),
        ended=max(times, default=""),
        usage=used,
        cost_usd=cost if cost is not None else getattr(walked, "cost_usd", 0.0),
        exit_status=(string(row.get("error")) or walked.state).split("\n")[0][:200],
        outcome=_outcome(row),
        warnings=tuple(source.warnings),
    )


def _task(row: Mapping[str, Any], turns: list[Turn]) -> str:
    issue = mapping(row.get("issue"))
    if issue:
        parts = (string(issue.get("title")), string(issue.get("body")))
        return "\n\n".join(p for p in parts if p).strip()
    stated = string(mapping(row.get("instance")).get("problem_statement")).strip()
    first = next((t.text for t in turns if t.role == "user"), "")
    return stated or task_in(string(row.get("instruction")) or first)


def _with_task(turns: list[Turn], task: str) -> Iterator[Turn]:
    """The turns, the user's first one saying the task alone."""
    told = False
    for turn in turns:
        if turn.role == "user" and not told and not turn.calls:
            told = True
            yield replace(turn, text=task or turn.text)
        else:
            yield turn


def _models(
    turns: tuple[Turn, ...], walked: Events, metadata: Mapping[str, Any], base: Mapping[str, Any]
) -> tuple[str, ...]:
    used = tuple(dict.fromkeys(t.model for t in turns if t.model))
    named = (
        walked.model if isinstance(walked, V1Events) else "",
        string(mapping(base.get("llm")).get("model")),
        string(mapping(metadata.get("llm_config") or metadata.get("llm")).get("model")),
    )
    return used or tuple([n for n in named if n][:1])


def _project(id: str, instance: Mapping[str, Any], issue: Mapping[str, Any]) -> str:
    if issue.get("owner") and issue.get("repo"):
        return f"{issue['owner']}/{issue['repo']}"
    return string(instance.get("repo")) or project_of_instance(id)


def _outcome(row: Mapping[str, Any]) -> Outcome:
    """What the row says of success: a verifier's report, or the guess of the resolver's model."""
    guess = row.get("success")
    if "git_patch" in row and isinstance(guess, bool):
        return Outcome(
            status="success" if guess else "failure",
            source="judge",
            confidence=CONFIDENCE["judge"],
            detail=string(row.get("result_explanation")),
        )
    return stated_in(row)
