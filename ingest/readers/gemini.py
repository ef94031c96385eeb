"""Sessions of Gemini CLI: the recordings of its versions, saved chats, and `stream-json` output.

A recording in lines is a log: a message that comes again replaces itself, `$set` replaces what the
model sees, `$rewindTo` takes the conversation back. What was done is what counts here, so messages
that were compressed away or rewound stay where they first stood.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..source import Source
from ..trajectory import Observation, Role, ToolCall, Trajectory, Turn, Usage
from .blocks import readable, unique_id
from .gemini_results import observation_from, observation_of, result_text
from .json_values import (
    arguments_of,
    integer,
    iso_time,
    items,
    mapping,
    mappings,
    run_id,
    string,
    total_usage,
)
from .prompts import own_words

_MODEL: Final = frozenset({"gemini", "model", "assistant"})
_SPOKEN: Final = _MODEL | {"user"}
_REFERENCED: Final = "\n--- Content from referenced files ---"
_BARE_COMMAND: Final = re.compile(r"[/?][a-z][\w:-]*")
_CWD: Final = re.compile(
    r"(?:I'm currently working in the directory|Current (?:working )?directory|Working directory)"
    r"\W{1,4}((?:/|[A-Za-z]:\\)[^\n`*]+)"
)
_ROOT_FILE: Final = ".project_root"


class GeminiReader:
    """Reads what Gemini CLI keeps of a session."""

    format = "gemini"

    def recognises(self, source: Source) -> bool:
        """Tell by the first line, by a message of the model, or by a list of parts."""
        if any(_is_line(mapping(r.value)) for r in source.first_records):
            return True
        outline = source.outline
        return _is_session(mapping(outline)) or bool(_chat(outline))

    def read(self, source: Source) -> Iterator[Trajectory]:
        """Yield the session of the file, unless nothing was said in it."""
        log = _Log()
        if any(_is_line(mapping(r.value)) for r in source.first_records):
            for record in source.records:
                log.add(mapping(record.value), ref=f"line {record.line}")
        else:
            log.add(mapping(source.document), ref="")
            for position, content in enumerate(_chat(source.document)):
                log.say(content, ref=f"message {position + 1}")
        trajectory = log.trajectory(source)
        if trajectory.turns:
            yield trajectory


def _is_session(fields: Mapping[str, Any]) -> bool:
    if not isinstance(fields.get("sessionId"), str) or "uuid" in fields:
        return False
    return "projectHash" in fields or ("startTime" in fields and "lastUpdated" in fields)


def _is_line(fields: Mapping[str, Any]) -> bool:
    if _is_session(fields) or "$set" in fields or "$rewindTo" in fields:
        return True
    if fields.get("type") == "gemini":
        return "id" in fields
    if fields.get("type") == "init":
        return "session_id" in fields and "model" in fields
    return fields.get("type") in ("tool_use", "tool_result") and "tool_id" in fields


def _chat(document: Any) -> list[Mapping[str, Any]]:
    """The messages of a saved chat, which is a list of roles with parts."""
    held = mapping(document).get("history") if isinstance(document, dict) else document
    found = mappings(held)
    return found if found and all("role" in m and "parts" in m for m in found[:2]) else []


@dataclass(slots=True, kw_only=True)
class _Call:
    """A call, and what is known of its end."""

    call: ToolCall
    observation: Observation | None = None


@dataclass(slots=True, kw_only=True)
class _Message:
    """A message as it was last written, and where it first stood."""

    fields: Mapping[str, Any]
    ref: str
    snapshot: bool = False


@dataclass(slots=True, kw_only=True)
class _Log:
    """The state of a session while its records are read."""

    facts: dict[str, Any] = field(default_factory=dict)
    messages: dict[str, _Message] = field(default_factory=dict)
    calls: dict[str, _Call] = field(default_factory=dict)
    cwd: str = ""

    def add(self, fields: Mapping[str, Any], *, ref: str) -> None:
        """Take in a record: facts of the session, a message, or a change."""
        if "id" in fields and fields.get("type") in _SPOKEN:
            self._put(fields, ref=ref)
        elif "session_id" in fields or "tool_id" in fields or fields.get("type") == "message":
            self._stream(fields, ref=ref)
        elif "$rewindTo" not in fields:
            change = mapping(fields.get("$set")) or fields
            for position, message in enumerate(mappings(change.get("messages"))):
                place = ref or f"message {position + 1}"
                self._put(message, ref=place, snapshot="$set" in fields)
            named = {k: v for k, v in change.items() if k not in ("messages", "history")}
            self.facts.update(named)

    def say(self, fields: Mapping[str, Any], *, ref: str) -> None:
        """Take in a message that has no id of its own."""
        self.messages[ref] = _Message(fields=fields, ref=ref)

    def _put(self, fields: Mapping[str, Any], *, ref: str, snapshot: bool = False) -> None:
        id = string(fields.get("id")) or ref
        known = self.messages.get(id)
        if known is None:
            self.messages[id] = _Message(fields=fields, ref=ref, snapshot=snapshot)
        elif known.snapshot or not snapshot:
            # What the model sees later may be masked: a record of its own tells more.
            known.fields, known.snapshot = fields, snapshot

    def _stream(self, fields: Mapping[str, Any], *, ref: str) -> None:
        kind = fields.get("type")
        if kind == "init":
            self.facts.update(sessionId=fields.get("session_id"), model=fields.get("model"))
            self.facts["stream"] = True
        elif kind == "message":
            last = next(reversed(self.messages.values()), None)
            goes_on = fields.get("delta") is True and last and last.fields.get("delta") is True
            if goes_on and last and last.fields.get("role") == fields.get("role"):
                text = string(last.fields.get("content")) + string(fields.get("content"))
                last.fields = {**last.fields, "content": text}
            else:
                self.say(fields, ref=ref)
        elif kind == "tool_use":
            call = {"id": fields.get("tool_id"), "name": fields.get("tool_name")}
            call["args"] = fields.get("parameters")
            time = fields.get("timestamp")
            self.say({"role": "assistant", "toolCalls": [call], "timestamp": time}, ref=ref)
        elif kind == "tool_result":
            self.say({"role": "tool", **fields}, ref=ref)
        elif kind == "result":
            self.facts.update(stats=fields.get("stats"), status=fields.get("status"))

    def trajectory(self, source: Source) -> Trajectory:
        """What was read, as one run."""
        drafts = [t for m in self.messages.values() for t in self._turns(m)]
        turns = tuple(self._finished(t) for t in drafts if t.text or t.thought or t.calls)
        path, facts = source.path, self.facts
        times = [t.timestamp for t in turns if t.timestamp]
        parent = path.parent.name if path.parent.parent.name == "chats" else ""
        stats = mapping(facts.get("stats"))
        return Trajectory(
            id=string(facts.get("sessionId")) or run_id(turns=turns),
            format=GeminiReader.format,
            format_version="stream-json" if facts.get("stream") else "",
            source=path.as_posix(),
            agent="gemini-cli",
            models=tuple(dict.fromkeys(t.model for t in turns if t.model)),
            task=next((t.text for t in turns if t.role == "user" and not t.injected), ""),
            turns=turns,
            cwd=string(next(iter(items(facts.get("directories"))), ""))
            or _root(source)
            or self.cwd,
            started=min(times, default="") or string(facts.get("startTime")),
            ended=max(times, default=""),
            usage=_usage(
                input=stats.get("input_tokens"),
                output=stats.get("output_tokens"),
                cached=stats.get("cached"),
            )
            if stats
            else total_usage(_spent(m.fields) for m in self.messages.values()),
            exit_status=string(facts.get("status")),
            parent_id=parent if facts.get("kind") == "subagent" else "",
            warnings=tuple(source.warnings),
        )

    def _turns(self, message: _Message) -> Iterator[Turn]:
        fields = message.fields
        kind = fields.get("type")
        if kind in (None, "message", "tool_result"):
            kind = fields.get("role")
        if kind == "user":
            yield from self._user(message)
        elif kind == "tool":
            self._answer(fields)
        elif kind in _MODEL:
            yield self._reply(message)

    def _user(self, message: _Message) -> Iterator[Turn]:
        fields = message.fields
        parts = _parts(fields)
        for part in parts:
            if response := mapping(part.get("functionResponse")):
                self._respond(response, part)
        content = "\n".join(t for t in map(_part_text, parts) if t)
        if found := _CWD.search(content):
            self.cwd = self.cwd or found[1].strip()
        typed = "\n".join(t for t in map(_part_text, _as_parts(fields.get("displayContent"))) if t)
        own, beside = own_words(content)
        if typed and typed != content:
            own, beside = typed, content
        own, mark, files = own.partition(_REFERENCED)
        beside = "\n".join(t for t in (beside, (mark + files).strip()) if t)
        if _BARE_COMMAND.fullmatch(own.strip()):
            own, beside = "", "\n".join(t for t in (own, beside) if t)
        for text, injected in ((beside, True), (own.strip(), False)):
            if text:
                yield _turn("user", message, text=text, injected=injected)

    def _reply(self, message: _Message) -> Turn:
        fields = message.fields
        parts = _parts(fields)
        thoughts = [_part_text(p, thought=True) for p in parts]
        for told in mappings(fields.get("thoughts")):
            named = (string(told.get("subject")), string(told.get("description")))
            thoughts.append(readable(": ".join(n for n in named if n)))
        recorded = mappings(fields.get("toolCalls"))
        asked = [mapping(p.get("functionCall")) for p in parts if "functionCall" in p]
        calls = [self._call(c, message, position) for position, c in enumerate([*recorded, *asked])]
        return _turn(
            "agent",
            message,
            text="\n".join(t for t in map(_part_text, parts) if t),
            thought="\n".join(t for t in thoughts if t),
            calls=tuple(c for c in calls if c),
            model=string(fields.get("model")) or string(self.facts.get("model")),
        )

    def _call(self, fields: Mapping[str, Any], message: _Message, position: int) -> ToolCall | None:
        id = string(fields.get("id"))
        key = id or f"{message.ref} {position}"
        name = string(fields.get("name"))
        if not name or key in self.calls:
            return None
        arguments, raw = arguments_of(fields.get("args"))
        call = ToolCall(
            id=key,
            uid=unique_id(id),
            name=name,
            arguments=arguments,
            raw=raw,
            timestamp=iso_time(fields.get("timestamp")) or _time(message.fields),
            raw_ref=message.ref,
        )
        self.calls[key] = _Call(call=call, observation=observation_of(fields))
        return call

    def _respond(self, response: Mapping[str, Any], part: Mapping[str, Any]) -> None:
        """Give a response to its call: the one it names, or the first of that tool without one."""
        id, name = string(response.get("id")), string(response.get("name"))
        waiting = (c for c in self.calls.values() if c.call.name == name and not c.observation)
        found = self.calls.get(id) if id else next(waiting, None)
        if found is not None and found.observation is None:
            wrong = "error" in mapping(response.get("response"))
            found.observation = observation_from(
                result_text(part), tool=name, status="error" if wrong else "success"
            )

    def _answer(self, fields: Mapping[str, Any]) -> None:
        found = self.calls.get(string(fields.get("tool_id")))
        if found is not None:
            error = mapping(fields.get("error"))
            found.observation = observation_from(
                string(fields.get("output")) or string(error.get("message")),
                tool=found.call.name,
                status=string(fields.get("status")),
                reason=string(error.get("type")),
            )

    def _finished(self, turn: Turn) -> Turn:
        calls = tuple(replace(c, observation=self.calls[c.id].observation) for c in turn.calls)
        return replace(turn, calls=calls)


def _turn(role: Role, message: _Message, *, text: str, **more: Any) -> Turn:
    return Turn(role=role, text=text, timestamp=_time(message.fields), raw_ref=message.ref, **more)


def _as_parts(content: Any) -> list[Mapping[str, Any]]:
    parts = content if isinstance(content, list) else [content]
    return mappings([{"text": p} if isinstance(p, str) else p for p in parts])


def _parts(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return _as_parts(fields.get("content")) or _as_parts(fields.get("parts"))


def _part_text(part: Mapping[str, Any], *, thought: bool = False) -> str:
    if (part.get("thought") is True) is not thought:
        return ""
    media = mapping(part.get("inlineData")) or mapping(part.get("fileData"))
    if media:
        return f"[{string(media.get('mimeType')) or 'file'}]"
    return readable(string(part.get("text")))


def _time(fields: Mapping[str, Any]) -> str:
    return iso_time(fields.get("timestamp", fields.get("ts")))


def _root(source: Source) -> str:
    """The folder that the session's project folder names, where Gemini CLI wrote it down."""
    for folder in tuple(source.path.parents)[1:3]:
        try:
            return (folder / _ROOT_FILE).read_text("utf-8", errors="replace").strip()
        except OSError:
            continue
    return ""


def _spent(fields: Mapping[str, Any]) -> Usage:
    tokens = mapping(fields.get("tokens"))
    return _usage(
        input=tokens.get("input"),
        output=tokens.get("output"),
        cached=tokens.get("cached"),
        thoughts=tokens.get("thoughts"),
    )


def _usage(*, input: Any, output: Any, cached: Any, thoughts: Any = None) -> Usage:
    """Gemini counts its thoughts beside the output; here they are part of it."""
    reasoning = integer(thoughts) or 0
    return Usage(
        input_tokens=integer(input) or 0,
        output_tokens=(integer(output) or 0) + reasoning,
        cached_tokens=integer(cached) or 0,
        reasoning_tokens=reasoning,
    )
