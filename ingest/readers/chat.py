"""Runs as plain chat messages: lists, documents and data sets of them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeGuard

from ...kg.errors import ReadError
from ..outcome import stated_in
from ..source import Source
from ..trajectory import Trajectory
from .chat_turns import ROLES, ChatTurns
from .json_values import (
    decoded,
    iso_time,
    items,
    mapping,
    mappings,
    number,
    project_of_instance,
    run_id,
    string,
    usage_of,
)

_LISTS: Final = ("messages", "conversations", "traj", "trajectory", "conversation", "content")
"""Where rows of data sets keep their messages."""

_ITEMS: Final[Mapping[str, str]] = {
    "reasoning": "summary",
    "function_call": "call_id",
    "function_call_output": "call_id",
    "custom_tool_call": "call_id",
    "custom_tool_call_output": "call_id",
}
"""Items of OpenAI's Responses that have no role, and what each of them holds."""

_SAMPLE: Final = re.compile(r"_\d{1,3}\Z")
_LOG_NAME: Final = re.compile(r"(.*?)-?(\d{9,}(?:\.\d+)?)\.json")


class ChatReader:
    """Reads chat messages of OpenAI's, Anthropic's and kindred shapes; asked last of all."""

    format = "chat"

    def recognises(self, source: Source) -> bool:
        """Tell by messages: a list of them, an object or a row that holds one, or one a line."""
        outline = source.outline
        first = mapping(outline)
        if string(first.get("id")).startswith("T-") or "working_dir" in first:
            return False  # threads of Amp and sessions of Goose name results in ways of their own
        if isinstance(outline, list):
            return _are_messages(outline) or bool(_messages_in(outline[0] if outline else None))
        if any(map(_messages_in, source.samples)):
            return True
        return _mostly_messages(r.value for r in source.first_records)

    def read(self, source: Source) -> Iterator[Trajectory]:
        """Yield the run of the file, or one for each row.

        A log of one completion whose messages the next log beside it repeats gives nothing.

        Raises:
            ReadError: the file holds no messages.
        """
        found = False
        for row, messages, place in _rows(source):
            if "response" in row and _is_repeated(source.path, messages):
                return
            trajectory = _trajectory(source, row, messages, place)
            found = found or bool(trajectory.turns)
            yield trajectory
        if not found:
            raise ReadError(f"No messages in {source.path}", hint="Is the file cut short?")


def _is_message(value: Any) -> bool:
    fields = mapping(value)
    role = fields.get("role", fields.get("from"))
    if isinstance(role, str) and role in ROLES:
        return not fields.keys().isdisjoint(_SAID)
    kind = string(fields.get("type"))
    return "class_" in fields or (kind in _ITEMS and _ITEMS[kind] in fields)


def _mostly_messages(values: Iterable[Any]) -> bool:
    """Tell whether the lines of a file are messages, be some of them damaged or something else."""
    found = [_is_message(v) for v in values]
    return len(found) > 1 and 2 * sum(found) > len(found)


_SAID: Final = frozenset({"content", "value", "text", "system_prompt", "tool_calls"})


def _are_messages(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list) and bool(value) and _is_message(value[0])


def _messages_in(row: Any) -> list[Mapping[str, Any]]:
    """The messages of a row, which may stand as a string of JSON; empty where it has none."""
    fields = mapping(row)
    for key in _LISTS:
        value = fields.get(key)
        found = decoded(value) if isinstance(value, str) and value[:1] == "[" else value
        if _are_messages(found) and (key != "content" or "class_" in found[0]):
            answers = (mapping(c.get("message")) for c in _choices(fields))
            return [*mappings(found), *[a for a in answers if a][:1]]
    return []


def _choices(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return mappings(mapping(fields.get("response")).get("choices"))


def _rows(source: Source) -> Iterator[tuple[Mapping[str, Any], list[Mapping[str, Any]], str]]:
    """Each row of the file with its messages, and where it stands."""
    document = source.document
    if _are_messages(document):
        yield {}, mappings(document), ""
        return
    if isinstance(document, list):
        rows = [(f"[{i}].", r) for i, r in enumerate(document)]
    elif document is not None:
        rows = [("", document)]
    else:
        rows = [(f"line {r.line} ", r.value) for r in source.records]
        if _mostly_messages(r for _, r in rows[:8]):
            yield {}, [mapping(r) for _, r in rows], ""
            return
    for place, row in rows:
        messages = _messages_in(row)
        if messages:
            yield mapping(row), messages, place


def _is_repeated(path: Path, messages: list[Mapping[str, Any]]) -> bool:
    """Tell whether the log after this one begins with the same messages and goes on."""
    match = _LOG_NAME.fullmatch(path.name)
    if not match:
        return False
    logs = []
    for other in path.parent.iterdir():
        named = _LOG_NAME.fullmatch(other.name)
        if named and named[1] == match[1] and float(named[2]) > float(match[2]):
            logs.append((float(named[2]), other))
    if not logs:
        return False
    following = items(mapping(Source(min(logs)[1]).document).get("messages"))
    sent = messages[:-1]
    return len(following) > len(sent) and [mapping(m) for m in following[: len(sent)]] == sent


def _trajectory(
    source: Source, row: Mapping[str, Any], messages: list[Mapping[str, Any]], place: str
) -> Trajectory:
    walk = ChatTurns()
    for i, message in enumerate(messages):
        walk.add(message, f"{place}messages[{i}]")
    turns = tuple(walk.builder.turns)
    task_id = _task_id(row)
    model = string(row.get("model") or row.get("model_name")) or string(
        mapping(row.get("response")).get("model")
    )
    used = tuple(dict.fromkeys(t.model for t in turns if t.model))
    times = [t.timestamp for t in turns if t.timestamp]
    logged = iso_time(row.get("timestamp"))
    own = string(row.get("traj_id") or row.get("run_id"))
    return Trajectory(
        id=run_id(task_id, own, turns=turns),
        format=ChatReader.format,
        source=source.path.as_posix(),
        agent=_agent(row),
        models=used or ((model,) if model else ()),
        task=next((t.text for t in turns if t.role == "user" and not t.injected), ""),
        task_id=task_id,
        turns=turns,
        project=string(row.get("repo")) or project_of_instance(task_id),
        started=min(times, default="") or logged,
        ended=max(times, default="") or logged,
        usage=usage_of(row.get("usage") or mapping(row.get("response")).get("usage")),
        cost_usd=number(row.get("cost")) or 0.0,
        exit_status=string(row.get("exit_status")),
        outcome=stated_in(row),
        warnings=tuple(source.warnings),
    )


def _task_id(row: Mapping[str, Any]) -> str:
    """The task's own name; what tells samples of one task apart is taken off."""
    for key in ("instance_id", "task_id", "id"):
        value = row.get(key)
        name = str(value) if isinstance(value, int) and key == "task_id" else string(value)
        plain = _SAMPLE.sub("", name)
        if project_of_instance(plain):
            return plain
        if name and key != "id":
            return name
    return ""


def _agent(row: Mapping[str, Any]) -> str:
    named = string(row.get("agent") or row.get("scaffold"))
    return named or ("swe-agent" if "generated_patch" in row and "target" in row else "unknown")
