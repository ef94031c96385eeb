"""Sessions of Claude Code: its JSON lines, those of its sub-agents, and its `stream-json` output.

One message stands on many lines, a content block each, and its calls are answered in lines of the
user. The file is read in its own order: branches that were left by going back stay, for what was
done in them was done; copies of what is there already are left out.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..source import Record, Source
from ..trajectory import Role, ToolCall, Trajectory, Turn, Usage
from . import blocks
from .claude_results import observation_of
from .json_values import integer, items, mapping, number, run_id, string, total_usage
from .prompts import own_words

_SIDE_FILE: Final = re.compile(r"agent-([\w-]+)\.jsonl")
_HOUSEKEEPING: Final = ("acompact-", "aprompt_suggestion-")
"""Sub-agents that repeat the session to sum it up or to guess the next request: no runs."""
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SYNTHETIC: Final = "<synthetic>"
_OWN_TYPES: Final = frozenset(
    {"file-history-snapshot", "permission-mode", "queue-operation", "last-prompt", "custom-title"}
)
"""Records that may stand before the first message; each names the session or the message."""


class ClaudeCodeReader:
    """Reads what Claude Code writes of a session."""

    format = "claude-code"

    def recognises(self, source: Source) -> bool:
        """Tell by a message with its session, or by the first record of `stream-json`."""
        head = [r.value for r in source.first_records] or [source.outline]
        return any(_is_ours(value) for value in head)

    def read(self, source: Source) -> Iterator[Trajectory]:
        """Yield the session of the file, then the sub-agents whose messages stand in it.

        A file without a message, which Claude Code leaves of a session that was only opened,
        yields nothing.
        """
        side_file = _SIDE_FILE.fullmatch(source.path.name)
        if side_file and side_file[1].startswith(_HOUSEKEEPING):
            return
        session = _Session(source, agent=side_file[1] if side_file else "")
        for record in source.records:
            session.add(record)
        yield from session.trajectories()


def _is_ours(value: Any) -> bool:
    fields = mapping(value)
    if fields.get("type") == "system" and fields.get("subtype") == "init":
        return "session_id" in fields and isinstance(fields.get("tools"), list)
    if fields.get("type") in _OWN_TYPES:
        return "sessionId" in fields or "messageId" in fields
    if fields.get("type") == "summary":
        return "leafUuid" in fields
    message = mapping(fields.get("message"))
    if "parts" in message:
        return False
    if "parentUuid" in fields:
        return True
    spoken = fields.get("type") in ("user", "assistant") and "content" in message
    return spoken and any(k in fields for k in ("sessionId", "timestamp", "parent_tool_use_id"))


@dataclass(slots=True, kw_only=True)
class _Message:
    """A turn that is being put together from the lines that bring parts of it."""

    role: Role
    record: Record
    timestamp: str
    texts: dict[str, None] = field(default_factory=dict)
    thoughts: dict[str, None] = field(default_factory=dict)
    calls: list[tuple[ToolCall, int]] = field(default_factory=list)
    """Each with the number of calls before it that bear the same id."""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    injected: bool = False
    answer: blocks.Answer | None = None
    """What a tool gave back, where the message is that."""


@dataclass(slots=True, kw_only=True)
class _Thread:
    """The messages of the session itself, or of one sub-agent, in the order of their lines."""

    agent: str = ""
    messages: dict[str, _Message] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)

    def note(self, fields: Mapping[str, Any]) -> None:
        """Keep where the run took place; the first word counts, of the version the last."""
        for name in ("cwd", "gitBranch"):
            if value := string(fields.get(name)):
                self.facts.setdefault(name, value)
        if version := string(fields.get("version") or fields.get("claude_code_version")):
            self.facts["version"] = version


class _Session:
    """All threads of one file while it is read."""

    def __init__(self, source: Source, *, agent: str) -> None:
        self._source = source
        self._main = agent
        self._threads = {self._main: _Thread(agent=self._main)}
        self._thread_of: dict[str, str] = {}
        self._last_side = self._main
        self._seen: set[str] = set()
        self._thread_of_call: dict[str, str] = {}
        self._calls: Counter[str] = Counter()
        self._answers: dict[str, list[_Message]] = {}
        self._session_ids: dict[str, None] = {}
        self._result: Mapping[str, Any] = {}
        self._streamed = False

    def add(self, record: Record) -> None:
        """Take in one record of the file."""
        fields = mapping(record.value)
        kind = fields.get("type")
        if kind in ("assistant", "user"):
            self._message(record, fields, string(kind))
        elif kind == "attachment":
            self._attachment(record, fields)
        elif kind == "system" and fields.get("subtype") == "init":
            self._streamed = True
            self._threads[self._main].note(fields)
            self._session_ids[string(fields.get("session_id"))] = None
        elif kind == "result" and "session_id" in fields:
            self._result = fields

    def _message(self, record: Record, fields: Mapping[str, Any], kind: str) -> None:
        uuid = string(fields.get("uuid"))
        if uuid and uuid in self._seen:
            return
        self._seen.add(uuid)
        message = mapping(fields.get("message"))
        key = self._route(fields, message)
        thread = self._thread(key)
        if uuid:
            self._thread_of[uuid] = key
        if session := string(fields.get("sessionId") or fields.get("session_id")):
            self._session_ids.pop(session, None)
            self._session_ids[session] = None
        thread.note(fields)
        if kind == "assistant":
            self._reply(thread, record, message)
        else:
            self._user(thread, record, message)

    def _thread(self, key: str) -> _Thread:
        return self._threads.setdefault(key, _Thread(agent=key))

    def _route(self, fields: Mapping[str, Any], message: Mapping[str, Any]) -> str:
        """Which thread a message belongs to: the session's own, or a sub-agent's."""
        if self._main:
            return self._main
        if parent_call := string(fields.get("parent_tool_use_id")):
            return parent_call
        if fields.get("isSidechain") is not True:
            return ""
        parent = string(fields.get("parentUuid"))
        key = string(fields.get("agentId")) or self._thread_of.get(parent, "")
        for answer in blocks.answers(message.get("content")):
            key = key or self._thread_of_call.get(answer.call_id, "")
        if not key and (not parent or parent in self._thread_of):
            key = string(fields.get("uuid"))
        self._last_side = key or self._last_side or string(fields.get("uuid")) or "sidechain"
        return self._last_side

    def _reply(self, thread: _Thread, record: Record, message: Mapping[str, Any]) -> None:
        model = string(message.get("model"))
        if model == _SYNTHETIC:
            return
        fields = mapping(record.value)
        # Some gateways give every message the same id; the request's then tells them apart.
        id = string(message.get("id"))
        key = f"{id} {string(fields.get('requestId'))}" if id else f"{record.line} reply"
        time = string(fields.get("timestamp"))
        found = thread.messages.setdefault(
            key, _Message(role="agent", record=record, timestamp=time, model=model)
        )
        content = message.get("content")
        _add(found.texts, blocks.said(content))
        _add(found.thoughts, blocks.thought(content))
        for call in blocks.calls(content, timestamp=time, raw_ref=_ref(record)):
            same = [c for c, _ in found.calls if c.id == call.id]
            if (call.uid and self._calls[call.id]) or any(_alike(c, call) for c in same):
                continue
            found.calls.append((call, self._calls[call.id]))
            self._calls[call.id] += 1
            self._thread_of_call[call.id] = thread.agent
        for answer in blocks.answers(content):
            self._answer(thread, record, answer)
        usage = _usage(mapping(message.get("usage")))
        if usage.output_tokens >= found.usage.output_tokens:
            found.usage = usage

    def _user(self, thread: _Thread, record: Record, message: Mapping[str, Any]) -> None:
        fields = mapping(record.value)
        content = message.get("content")
        for answer in blocks.answers(content):
            self._answer(thread, record, answer)
        origin = string(mapping(fields.get("origin")).get("kind"))
        injected = any(
            fields.get(f) is True for f in ("isMeta", "isCompactSummary", "isSynthetic")
        ) or origin not in ("", "human")
        self._speech(thread, record, content, injected=injected)

    def _attachment(self, record: Record, fields: Mapping[str, Any]) -> None:
        """Take in what a person typed while the agent was at work, and what hooks told it."""
        attachment = mapping(fields.get("attachment"))
        if attachment.get("type") == "hook_additional_context":
            told = attachment.get("content")
            self._speech(self._thread(self._route(fields, {})), record, told, injected=True)
        if attachment.get("type") != "queued_command":
            return
        origin = string(mapping(attachment.get("origin")).get("kind"))
        injected = attachment.get("isMeta") is True or origin not in ("", "human")
        self._speech(
            self._thread(self._route(fields, {})),
            record,
            attachment.get("prompt"),
            injected=injected,
        )

    def _speech(self, thread: _Thread, record: Record, content: Any, *, injected: bool) -> None:
        parts = items(content) if isinstance(content, list) else [content]
        own, beside = [], []
        for text in map(blocks.said, parts):
            words, rest = ("", text.strip()) if injected else own_words(text)
            own.append(words)
            beside.append(rest)
        time = string(mapping(record.value).get("timestamp"))
        for texts, put in ((beside, True), (own, False)):
            said = "\n".join(t for t in texts if t)
            copy = f"{thread.agent} {time} {put} {said}"
            if not said or (time and copy in self._seen):
                continue
            self._seen.add(copy)
            thread.messages[f"{record.line} {len(thread.messages)}"] = _Message(
                role="user", record=record, timestamp=time, texts={said: None}, injected=put
            )

    def _answer(self, thread: _Thread, record: Record, answer: blocks.Answer) -> None:
        earlier = self._answers.setdefault(answer.call_id, [])
        if earlier and blocks.unique_id(answer.call_id):
            return
        message = _Message(
            role="environment",
            record=record,
            timestamp=string(mapping(record.value).get("timestamp")),
            texts={answer.text: None},
            answer=answer,
        )
        thread.messages[f"{record.line} answer {answer.call_id}"] = message
        earlier.append(message)

    def trajectories(self) -> Iterator[Trajectory]:
        """Yield a trajectory for each thread that says anything, the session's own first."""
        session = self._session_id()
        of_file = self._source.warnings
        for thread in self._threads.values():
            warnings: list[str] = []
            turns = tuple(self._turns(thread, warnings))
            if turns:
                warnings, of_file = [*of_file, *warnings], []
                yield self._trajectory(thread, turns, session=session, warnings=tuple(warnings))

    def _session_id(self) -> str:
        stem = self._source.path.stem
        if stem in self._session_ids or (not self._session_ids and _UUID.fullmatch(stem)):
            return stem
        return next(reversed(self._session_ids), "")

    def _turns(self, thread: _Thread, warnings: list[str]) -> Iterator[Turn]:
        for message in thread.messages.values():
            if message.answer and self._calls[message.answer.call_id]:
                continue
            if message.role == "environment":
                warnings.append(f"{_ref(message.record)}: answer to a call that is not in the file")
            turn = Turn(
                role=message.role,
                text="\n".join(message.texts),
                thought="\n".join(message.thoughts),
                calls=tuple(self._finished(c, position) for c, position in message.calls),
                injected=message.injected,
                timestamp=message.timestamp,
                model=message.model,
                raw_ref=_ref(message.record),
            )
            if turn.text or turn.thought or turn.calls:
                yield turn

    def _finished(self, call: ToolCall, position: int) -> ToolCall:
        """The call with its answer: of calls that share an id, each has the one in its place."""
        found = self._answers.get(call.id, [])[position : position + 1]
        if not found or found[0].answer is None:
            return call
        fields = mapping(found[0].record.value)
        answer = found[0].answer
        return replace(call, observation=observation_of(answer, record=fields, tool=call.name))

    def _trajectory(
        self, thread: _Thread, turns: tuple[Turn, ...], *, session: str, warnings: tuple[str, ...]
    ) -> Trajectory:
        times = [t.timestamp for t in turns if t.timestamp]
        whole = not thread.agent
        usage = total_usage(m.usage for m in thread.messages.values())
        id = "/".join(p for p in (session, thread.agent) if p) or run_id(turns=turns)
        facts = {**thread.facts, **self._threads[self._main].facts}
        return Trajectory(
            id=id,
            format=ClaudeCodeReader.format,
            format_version="stream-json" if self._streamed else "",
            source=self._source.path.as_posix(),
            agent=ClaudeCodeReader.format,
            agent_version=facts.get("version", ""),
            models=tuple(dict.fromkeys(t.model for t in turns if t.model)),
            task=next((t.text for t in turns if t.role == "user" and not t.injected), ""),
            turns=turns,
            cwd=facts.get("cwd", ""),
            branch=facts.get("gitBranch", ""),
            started=min(times, default=""),
            ended=max(times, default=""),
            usage=_usage(mapping(self._result.get("usage"))) if whole and self._result else usage,
            cost_usd=(number(self._result.get("total_cost_usd")) or 0.0) if whole else 0.0,
            exit_status=string(self._result.get("subtype")) if whole else "",
            parent_id=session if thread.agent else "",
            warnings=warnings,
        )


def _alike(one: ToolCall, other: ToolCall) -> bool:
    return (one.name, one.arguments, one.raw) == (other.name, other.arguments, other.raw)


def _ref(record: Record) -> str:
    return f"line {record.line}"


def _add(parts: dict[str, None], text: str) -> None:
    if text.strip():
        parts[text] = None


def _usage(fields: Mapping[str, Any]) -> Usage:
    def count(name: str) -> int:
        return integer(fields.get(name)) or 0

    cached = count("cache_read_input_tokens")
    return Usage(
        input_tokens=count("input_tokens") + count("cache_creation_input_tokens") + cached,
        output_tokens=count("output_tokens"),
        cached_tokens=cached,
    )
