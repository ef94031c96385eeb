"""Rollouts of Codex: the JSON lines of its sessions, of its current and its first versions.

What the model was sent and answered (`response_item`) is the truth; events repeat it, and are read
for the user's own words, for exit codes, for what a call gave back where its answer is missing,
and for the token count, which is cumulative.
"""

import importlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from ...kg.errors import ReadError
from ..source import Record, Source
from ..trajectory import Observation, Role, ToolCall, Trajectory, Turn, Usage
from . import blocks
from .codex_results import observation_of
from .json_values import arguments_of, integer, items, mapping, mappings, run_id, string
from .prompts import own_words

_KINDS: Final = frozenset(
    {"session_meta", "turn_context", "event_msg", "response_item", "compacted"}
)
_CALLS: Final = frozenset(
    {"function_call", "custom_tool_call", "local_shell_call", "web_search_call"}
)
_OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_ENDS: Final = frozenset({"exec_command_end", "patch_apply_end", "mcp_tool_call_end"})
_ITEMS: Final = frozenset({"CommandExecution", "FileChange", "McpToolCall"})
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_NAME: Final = re.compile(r"rollout-.*?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")
_CWD: Final = re.compile(r"<cwd>(.*?)</cwd>|Current working directory: ([^\n]+)")
_PICTURE: Final = re.compile(r"\s*</?image\b[^>]*>\s*")


class CodexReader:
    """Reads the rollouts of Codex."""

    format = "codex"

    def recognises(self, source: Source) -> bool:
        """Tell by the envelope of a line, or by the bare first line of the first versions."""
        if source.head.startswith(_ZSTD):
            return source.path.name.endswith(".jsonl.zst")
        head = [r.value for r in source.first_records] or [source.outline]
        return any(_is_ours(value) for value in head)

    def read(self, source: Source) -> Iterator[Trajectory]:
        """Yield the session of the file.

        Raises:
            ReadError: the file is compressed and this Python cannot decompress it.
        """
        if source.head.startswith(_ZSTD):
            source = _Decompressed(source.path)
        rollout = _Rollout(source)
        for record in source.records:
            rollout.add(record)
        yield from rollout.trajectories()


def _is_ours(value: Any) -> bool:
    fields = mapping(value)
    if fields.get("type") in _KINDS:
        return isinstance(fields.get("payload"), dict)
    if fields.get("record_type") == "state" or _is_first_line(fields):
        return True
    return fields.get("type") in _CALLS | _OUTPUTS and "call_id" in fields


def _is_first_line(fields: Mapping[str, Any]) -> bool:
    return "type" not in fields and {"id", "timestamp", "instructions"} <= fields.keys()


class _Decompressed(Source):
    """A rollout that Codex has compressed since."""

    @cached_property
    def data(self) -> bytes:
        try:
            zstd = importlib.import_module("compression.zstd")
        except ImportError as error:
            raise ReadError(
                f"{self.path} is compressed with Zstandard",
                hint="Read it with Python 3.14 or newer, or unpack it first: zstd -d FILE",
            ) from error
        try:
            return bytes(zstd.decompress(self.path.read_bytes()))
        except zstd.ZstdError as error:
            raise ReadError(f"{self.path} cannot be decompressed: {error}") from error


@dataclass(slots=True, kw_only=True)
class _Call:
    """A call while its output is awaited."""

    call: ToolCall
    output: Any = None
    aborted: bool = False


@dataclass(slots=True, kw_only=True)
class _Message:
    """A turn that is being put together."""

    role: Role
    record: Record
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[_Call] = field(default_factory=list)
    model: str = ""
    injected: bool = False


class _Rollout:
    """One session while its lines are read."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._messages: list[_Message] = []
        self._open: _Message | None = None
        self._calls: dict[str, list[_Call]] = {}
        self._running: list[_Call] = []
        self._ends: dict[str, Mapping[str, Any]] = {}
        self._meta: Mapping[str, Any] = {}
        self._cwd = ""
        self._model = ""
        self._tokens: Mapping[str, Any] = {}
        self._exit_status = ""
        self._seen: set[int] = set()
        self._awaited: dict[str, Counter[str]] = {"item": Counter(), "event": Counter()}
        self._warnings: list[str] = []

    def add(self, record: Record) -> None:
        """Take in one line; a line that stands there twice counts once."""
        fields = mapping(record.value)
        if "timestamp" in fields:
            mark = hash(repr(fields))
            if mark in self._seen:
                return
            self._seen.add(mark)
        kind, payload = string(fields.get("type")), mapping(fields.get("payload"))
        if kind == "session_meta" or _is_first_line(fields):
            self._meta = self._meta or payload or fields
        elif kind == "turn_context":
            self._model = string(payload.get("model")) or self._model
            self._cwd = self._cwd or string(payload.get("cwd"))
        elif kind == "event_msg":
            self._event(record, payload)
        elif kind == "compacted":
            self._say("user", record, [string(payload.get("message"))], injected=True)
        elif kind == "response_item" or "payload" not in fields:
            self._item(record, payload or fields)

    def _item(self, record: Record, item: Mapping[str, Any]) -> None:
        kind = item.get("type")
        if kind == "message" or (kind is None and "role" in item):
            self._speech(record, item)
        elif kind == "reasoning":
            told = [*mappings(item.get("summary")), *mappings(item.get("content"))]
            self._reply(record).thoughts += [t for t in map(blocks.said, told) if t.strip()]
        elif kind in _CALLS:
            self._call(record, item)
        elif kind in _OUTPUTS:
            self._output(record, item)
        elif kind == "agent_message":
            # The order of the agent that started this one, or what another agent reports.
            ordered = bool(self._parent()) and not any(
                m.role == "user" and not m.injected for m in self._messages
            )
            role: Role = "user" if ordered else "environment"
            self._say(role, record, [blocks.said(_unencrypted(item.get("content")))])

    def _speech(self, record: Record, item: Mapping[str, Any]) -> None:
        role, content = item.get("role"), item.get("content")
        if role == "assistant":
            if text := blocks.said(content):
                self._reply(record).texts.append(text)
        elif role == "user":
            self._user(record, content)
        elif role in ("developer", "system"):
            self._say("system", record, [blocks.said(content)], injected=True)

    def _user(self, record: Record, content: Any) -> None:
        own, beside, pictures = [], [], []
        for part in items(content) if isinstance(content, list) else [content]:
            text = blocks.said(part)
            if mapping(part).get("type") not in (None, "input_text"):
                pictures.append(text)
            elif not _PICTURE.fullmatch(text):
                words, rest = own_words(text)
                own.append(words)
                beside.append(rest)
        self._say("user", record, beside, injected=True)
        place = next((m for t in beside if (m := _CWD.search(t))), None)
        if place:
            self._cwd = self._cwd or (place[1] or place[2]).strip()
        self._request(record, own, pictures, told_by="item")

    def _request(
        self, record: Record, own: list[str], pictures: list[str], *, told_by: str
    ) -> None:
        """Add what the user asked, once: it stands as an item and as an event, in either order."""
        text = "\n".join(t for t in own if t)
        other = self._awaited["event" if told_by == "item" else "item"]
        if other[text]:
            other[text] -= 1
            return
        if text or pictures:
            self._awaited[told_by][text] += 1
            self._say("user", record, [text, *pictures])

    def _reply(self, record: Record) -> _Message:
        """The reply of the model that is under way; it ends where something answers it."""
        if self._open is None:
            self._open = _Message(role="agent", record=record, model=self._model)
            self._messages.append(self._open)
        return self._open

    def _say(self, role: Role, record: Record, texts: list[str], *, injected: bool = False) -> None:
        texts = [t for t in texts if t.strip()]
        if texts:
            self._open = None
            self._messages.append(
                _Message(role=role, record=record, texts=texts, injected=injected)
            )

    def _call(self, record: Record, item: Mapping[str, Any]) -> None:
        call = _tool_call(record, item)
        same = self._calls.setdefault(call.id, [])
        copies = [c for c in same if (c.call.name, c.call.arguments) == (call.name, call.arguments)]
        if call.id and any(call.uid or c.output is None for c in copies):
            return
        found = _Call(call=call)
        same.append(found)
        if item.get("type") != "web_search_call":
            self._running.append(found)
        self._reply(record).calls.append(found)

    def _output(self, record: Record, item: Mapping[str, Any]) -> None:
        self._open = None
        id, output = string(item.get("call_id")), item.get("output")
        calls = self._calls.get(id, [])
        waiting = next((c for c in calls if c.output is None), None)
        if waiting is not None:
            waiting.output = output if output is not None else ""
        elif not calls:
            self._warnings.append(f"{_ref(record)}: answer to a call that is not in the file")
            seen = observation_of(output, {})
            self._say("environment", record, [seen.text if seen else ""])

    def _event(self, record: Record, event: Mapping[str, Any]) -> None:
        kind = string(event.get("type"))
        item = mapping(event.get("item"))
        if kind == "user_message":
            self._request(record, [own_words(string(event.get("message")))[0]], [], told_by="event")
        elif kind in _ENDS:
            self._ends[string(event.get("call_id"))] = event
        elif kind == "item_completed" and item.get("type") in _ITEMS:
            self._ends.setdefault(string(item.get("id")), item)
        elif kind == "token_count":
            total = mapping(event.get("info")).get("total_token_usage")
            self._tokens = mapping(total) or self._tokens
        elif kind in ("task_started", "turn_started"):
            self._exit_status = ""
            self._running.clear()
        elif kind in ("task_complete", "turn_complete", "turn_aborted"):
            self._exit_status = kind
            if kind == "turn_aborted":
                for call in self._running:
                    call.aborted = True

    def _parent(self) -> str:
        spawn = mapping(
            mapping(mapping(self._meta.get("source")).get("subagent")).get("thread_spawn")
        )
        return string(self._meta.get("parent_thread_id")) or string(spawn.get("parent_thread_id"))

    def trajectories(self) -> Iterator[Trajectory]:
        """Yield the run, unless nothing was said in it."""
        turns = tuple(t for t in map(self._turn, self._messages) if t.text or t.thought or t.calls)
        if not turns:
            return
        git = mapping(self._meta.get("git"))
        times = [t.timestamp for t in turns if t.timestamp]
        named = _NAME.match(self._source.path.name)
        yield Trajectory(
            id=string(self._meta.get("id")) or (named[1] if named else run_id(turns=turns)),
            format=CodexReader.format,
            source=self._source.path.as_posix(),
            agent=CodexReader.format,
            agent_version=string(self._meta.get("cli_version")),
            models=tuple(dict.fromkeys(t.model for t in turns if t.model)),
            task=next((t.text for t in turns if t.role == "user" and not t.injected), ""),
            turns=turns,
            cwd=string(self._meta.get("cwd")) or self._cwd,
            repository_url=string(git.get("repository_url")),
            branch=string(git.get("branch")),
            commit=string(git.get("commit_hash")),
            started=min(times, default="") or string(self._meta.get("timestamp")),
            ended=max(times, default=""),
            usage=_usage(self._tokens),
            exit_status=self._exit_status,
            parent_id=self._parent(),
            warnings=(*self._source.warnings, *self._warnings),
        )

    def _turn(self, message: _Message) -> Turn:
        return Turn(
            role=message.role,
            text="\n".join(message.texts),
            thought="\n".join(message.thoughts),
            calls=tuple(self._finished(c) for c in message.calls),
            injected=message.injected,
            timestamp=_time(message.record),
            model=message.model,
            raw_ref=_ref(message.record),
        )

    def _finished(self, found: _Call) -> ToolCall:
        call = found.call
        observation = observation_of(found.output, self._ends.get(call.id, {}))
        if observation is None and found.aborted:
            observation = Observation(failure="rejected", interrupted=True)
        return replace(call, observation=observation)


def _tool_call(record: Record, item: Mapping[str, Any]) -> ToolCall:
    kind = item.get("type")
    name, raw = string(item.get("name")), ""
    arguments: Mapping[str, Any]
    if kind == "custom_tool_call":
        arguments, raw = arguments_of(item.get("input"))
        arguments, raw = ({"input": raw}, "") if raw else (arguments, "")
    elif kind == "function_call":
        arguments, raw = arguments_of(item.get("arguments"))
        if string(item.get("namespace")).startswith("mcp"):
            name = f"{item['namespace']}{name}"
    else:
        name = "web_search" if kind == "web_search_call" else "local_shell"
        action = mapping(item.get("action"))
        arguments = {k: v for k, v in action.items() if k not in ("type", "env") and v is not None}
    id = string(item.get("call_id")) or string(item.get("id"))
    return ToolCall(
        id=id,
        uid=blocks.unique_id(id),
        name=name or "unknown",
        arguments=arguments,
        raw=raw,
        timestamp=_time(record),
        raw_ref=_ref(record),
    )


def _unencrypted(content: Any) -> list[Any]:
    return [b for b in items(content) if mapping(b).get("type") != "encrypted_content"]


def _time(record: Record) -> str:
    return string(mapping(record.value).get("timestamp"))


def _ref(record: Record) -> str:
    return f"line {record.line}"


def _usage(total: Mapping[str, Any]) -> Usage:
    def count(name: str) -> int:
        return integer(total.get(name)) or 0

    return Usage(
        input_tokens=count("input_tokens"),
        output_tokens=count("output_tokens"),
        cached_tokens=count("cached_input_tokens"),
        reasoning_tokens=count("reasoning_output_tokens"),
    )
