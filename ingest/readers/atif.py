"""Runs in Harbor's Agent Trajectory Interchange Format, ATIF-v1.0 to v1.8, read leniently."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from ...kg.errors import ReadError
from ..source import Source
from ..trajectory import Observation, ToolCall, Trajectory, Turn, Usage
from .blocks import readable, said, unique_id
from .json_values import (
    arguments_of,
    integer,
    mapping,
    mappings,
    number,
    project_of_instance,
    run_id,
    string,
)
from .result_text import observation_of
from .task_text import task_in
from .turn_builder import TurnBuilder

_SCREEN: Final = re.compile(r"\A(?:Current terminal state:\s*)?New Terminal Output:\s*")
_BLANK: Final = re.compile(r"\n{4,}")
"""The rest of a screen that nothing was written on."""
_PROMPT: Final = re.compile(r"^Task Description:[ ]*\n", re.MULTILINE)
_COPIED: Final = re.compile(r"Copied from|already recorded")
_HANDOVER: Final = re.compile(
    r"\s*(?:Here are the answers the other agent provided|"
    r"You are picking up work from a previous AI agent|"
    r"You are about to hand off your work|The next agent has a few questions)"
)
_CONTINUATION: Final = re.compile(r"\.cont-\d+(?=\.json\Z)")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f]|\A(?:C-|M-|\^)\S\s*\Z")
_DONE: Final = "task_complete"


class AtifReader:
    """Reads ATIF documents, with the sub-agents in them and the files that continue them."""

    format = "atif"

    def recognises(self, source: Source) -> bool:
        """Tell by `schema_version`."""
        return _is_atif(source.outline)

    def read(self, source: Source) -> Iterator[Trajectory]:
        """Yield the run, then the runs of its embedded sub-agents.

        A file that continues another one beside it gives nothing: its run is read with that one.

        Raises:
            ReadError: the file holds no steps.
        """
        base = _CONTINUATION.sub("", source.path.name)
        if base != source.path.name and (source.path.parent / base).is_file():
            return
        document = source.document
        roots = [document] if _is_atif(document) else [r.value for r in source.records]
        found = False
        for root in filter(_is_atif, roots):
            for trajectory in _runs(source, mapping(root), parent=""):
                found = found or bool(trajectory.turns)
                yield trajectory
        if not found:
            raise ReadError(f"No steps in {source.path}", hint="Is the file cut short?")


def _is_atif(value: Any) -> bool:
    return string(mapping(value).get("schema_version")).startswith("ATIF-v")


def _runs(source: Source, root: Mapping[str, Any], *, parent: str) -> Iterator[Trajectory]:
    parts = _with_continuations(source, root)
    trajectory = _trajectory(source, parts, parent=parent)
    yield trajectory
    for part in parts:
        for sub in mappings(part.get("subagent_trajectories")):
            version = {"schema_version": root.get("schema_version")}
            yield from _runs(source, {**version, **sub}, parent=trajectory.id)


def _with_continuations(source: Source, root: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The document and those that continue it, which lie in the same folder."""
    parts, seen = [root], {source.path.name}
    while True:
        name = Path(string(parts[-1].get("continued_trajectory_ref"))).name
        path = source.path.parent / name
        if not name or name in seen or not path.is_file():
            return parts
        seen.add(name)
        following = Source(path).document
        if not _is_atif(following):
            return parts
        parts.append(mapping(following))


def _trajectory(source: Source, parts: list[Mapping[str, Any]], *, parent: str) -> Trajectory:
    root, last = parts[0], parts[-1]
    agent = mapping(root.get("agent"))
    extra = mapping(agent.get("extra"))
    name = string(agent.get("name"))
    turns = tuple(_turns(parts, terminus=name.startswith("terminus")))
    totals = mapping(last.get("final_metrics"))
    session = string(root.get("trajectory_id")) or string(root.get("session_id"))
    trial = _trial(source.path) if not parent else {}
    times = [t.timestamp for t in turns if t.timestamp]
    model = string(agent.get("model_name"))
    used = tuple(dict.fromkeys(t.model for t in turns if t.model))
    return Trajectory(
        id=unique_id(session) or run_id(session, name, turns=turns),
        format=AtifReader.format,
        format_version=string(root.get("schema_version")).removeprefix("ATIF-v"),
        source=source.path.as_posix(),
        agent=name or "unknown",
        agent_version=string(agent.get("version")),
        models=used or ((model,) if model else ()),
        task=next((t.text for t in turns if t.role == "user"), ""),
        task_id=string(trial.get("task_name")),
        turns=turns,
        project=project_of_instance(string(trial.get("task_name"))),
        started=min(times, default="") or string(trial.get("started_at")),
        ended=max(times, default="") or string(trial.get("finished_at")),
        usage=Usage(
            input_tokens=integer(totals.get("total_prompt_tokens")) or 0,
            output_tokens=integer(totals.get("total_completion_tokens")) or 0,
            cached_tokens=integer(totals.get("total_cached_tokens")) or 0,
        ),
        cost_usd=number(totals.get("total_cost_usd")) or 0.0,
        parent_id=parent or string(extra.get("parent_session_id")),
        warnings=tuple(source.warnings),
    )


def _trial(path: Path) -> Mapping[str, Any]:
    """What Harbor's trial folder says beside `agent/trajectory.json`: above all the task's name."""
    if path.parent.name != "agent":
        return {}
    home = path.parent.parent
    found = [
        mapping(Source(home / name).document)
        for name in ("result.json", "config.json")
        if (home / name).is_file()
    ]
    for fields in found:
        if string(fields.get("task_name")):
            return fields
        stated = string(mapping(fields.get("task")).get("path") or fields.get("task_path"))
        if stated:
            return {**fields, "task_name": Path(stated.replace("\\", "/")).name}
    return {}


def _turns(parts: list[Mapping[str, Any]], *, terminus: bool) -> list[Turn]:
    builder = TurnBuilder()
    for n, part in enumerate(parts):
        for i, step in enumerate(mappings(part.get("steps"))):
            ref = f"{'continuation ' if n else ''}steps[{i}]"
            if not _is_copy(step):
                _step(builder, step, ref, terminus=terminus)
            elif not n and step.get("source") == "user":
                _said_by_user(builder, step, ref)
    return builder.turns


def _is_copy(step: Mapping[str, Any]) -> bool:
    if step.get("is_copied_context") is True:
        return True
    return bool(_COPIED.search(string(mapping(step.get("extra")).get("note"))))


def _step(builder: TurnBuilder, step: Mapping[str, Any], ref: str, *, terminus: bool) -> None:
    source, text = step.get("source"), said(step.get("message"))
    if source == "agent":
        _agent_step(builder, step, text, ref, terminus=terminus)
    elif source == "user" or (not builder.turns and _PROMPT.search(text)):
        _said_by_user(builder, step, ref)
    else:
        time = string(step.get("timestamp"))
        builder.say("system", text, ref=ref, timestamp=time)
        for seen, _ in _results(step):
            builder.say("environment", seen.text, ref=ref, timestamp=time)


def _said_by_user(builder: TurnBuilder, step: Mapping[str, Any], ref: str) -> None:
    text = said(step.get("message"))
    first = not any(t.role == "user" for t in builder.turns)
    builder.say(
        "user",
        task_in(text) if first else text,
        ref=ref,
        timestamp=string(step.get("timestamp")),
        injected=bool(_HANDOVER.match(text)),
    )


def _agent_step(
    builder: TurnBuilder, step: Mapping[str, Any], text: str, ref: str, *, terminus: bool
) -> None:
    time = string(step.get("timestamp"))
    thought = readable(string(step.get("reasoning_content"))).strip()
    calls = [_call(c, ref, time) for c in mappings(step.get("tool_calls"))]
    if terminus:
        spoken, raw_calls = _plan_in(text, ref, time)
        calls = calls or raw_calls
        text, thought = "", "\n".join(t for t in (thought, spoken) if t)
    results = _results(step)
    if not calls:
        refused = any(seen.text.startswith("ERROR:") for seen, _ in results)
        if refused:
            builder.reject(text or thought, ref=ref, timestamp=time)
        else:
            model = string(step.get("model_name"))
            builder.say("agent", text, thought=thought, ref=ref, timestamp=time, model=model)
        for seen, _ in results:
            builder.say("environment", seen.text, ref=ref, timestamp=time)
        return
    turn = Turn(
        role="agent",
        text=text,
        thought=thought,
        calls=tuple(calls),
        timestamp=time,
        model=string(step.get("model_name")),
        raw_ref=ref,
    )
    builder.act(turn, keys=[(f"{ref} {i}", c.id) for i, c in enumerate(calls)])
    _attach(builder, results, calls=len(calls), ref=ref, time=time)


def _attach(
    builder: TurnBuilder,
    results: Sequence[tuple[Observation, str]],
    *,
    calls: int,
    ref: str,
    time: str,
) -> None:
    """Give results to the calls they name; without names by place, a single one to the last call.

    A terminal's screen shows what all keystrokes of a step did.
    """
    start = calls - len(results) if len(results) < calls else 0
    for i, (seen, id) in enumerate(results):
        keys = [id] if id else [f"{ref} {start + i}"]
        if not builder.answer(seen, *keys):
            builder.say("environment", seen.text, ref=ref, timestamp=time)


def _call(call: Mapping[str, Any], ref: str, time: str) -> ToolCall:
    arguments, raw = arguments_of(call.get("arguments"))
    id = string(call.get("tool_call_id"))
    return ToolCall(
        id=id,
        uid=unique_id(id) if "_task_complete" not in id else "",
        name=string(call.get("function_name")) or "unknown",
        arguments=_with_command(arguments),
        raw=raw,
        timestamp=time,
        raw_ref=ref,
    )


def _with_command(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Keystrokes that are a whole shell line are a command too; key presses are not."""
    keys = arguments.get("keystrokes")
    if not isinstance(keys, str) or not keys.endswith("\n") or _CONTROL.search(keys):
        return arguments
    return {"command": keys.strip("\n"), **arguments} if keys.strip() else arguments


def _plan_in(text: str, ref: str, time: str) -> tuple[str, list[ToolCall]]:
    """What a reply of Terminus says, and its commands where it stands as the JSON it was."""
    try:
        plan = mapping(json.loads(text)) if text.lstrip().startswith("{") else {}
    except (ValueError, RecursionError):
        plan = {}
    if not isinstance(plan.get("commands"), list):
        return text, []
    calls = [
        _call({"function_name": "bash_command", "arguments": dict(c)}, ref, time)
        for c in mappings(plan["commands"])
    ]
    if plan.get(_DONE) is True:
        calls.append(_call({"function_name": "mark_task_complete"}, ref, time))
    spoken = (string(plan.get("analysis")), string(plan.get("plan")))
    return "\n".join(t for t in spoken if t), calls


def _results(step: Mapping[str, Any]) -> list[tuple[Observation, str]]:
    """The observations of a step, each with the id of the call it answers."""
    found = []
    for result in mappings(mapping(step.get("observation")).get("results")):
        content = result.get("content")
        if content is None:
            continue
        extra = mapping(result.get("extra"))
        text = _SCREEN.sub("", said(content)).rstrip()
        text = _BLANK.sub("\n\n", text)
        seen = observation_of(text, exit_code=integer(extra.get("exit_code")))
        if extra.get("is_error") is True and not seen.failure:
            seen = replace(seen, failure="environment")
        found.append((seen, string(result.get("source_call_id"))))
    return found
