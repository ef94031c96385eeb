"""Sessions of OpenCode: exports, its database, and the folder of files that it kept before."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ...kg.errors import ReadError
from ..source import Source
from ..trajectory import Failure, Observation, Role, ToolCall, Trajectory, Turn, Usage
from . import opencode_files as files
from .blocks import readable, unique_id
from .json_values import arguments_of, integer, iso_time, mapping, number, string, total_usage
from .opencode_files import Message, Session
from .prompts import own_words

_REJECTED: Final = re.compile(r"(?:Error: )?The user (?:rejected|dismissed|declined)")
_DENIED: Final = re.compile(
    r"(?:Error: )?(?:The user has specified a rule|Rule prevents|Permission denied by ruleset"
    r"|.{0,200}which prevents you from using this specific tool call)",
    re.DOTALL,
)
_INVALID: Final = re.compile(
    r"(?:Error: )?(?:The .{0,80} tool was called with invalid arguments|The arguments provided"
    r"|oldString (?:not found|found multiple)|oldString and newString must|Invalid (?:tool|input)"
    r"|apply_patch verification failed|Could not find oldString|Found multiple matches"
    r"|No changes to apply|Model tried to call unavailable tool"
    r"|You must read the file|File .{0,500} has been modified since)",
    re.DOTALL,
)
_ABORTED: Final = re.compile(r"(?:Error: )?(?:Tool execution aborted|Tool call aborted)")
_STOPPED: Final = re.compile(
    r"<bash_metadata>.{0,200}?(?:terminated command after exceeding timeout|aborted the command)",
    re.DOTALL,
)


class OpenCodeReader:
    """Reads sessions of OpenCode, whichever way they are kept."""

    format = "opencode"

    def recognises(self, source: Source) -> bool:
        """Tell by the tables of the database, or by the fields of a session or a piece of one."""
        if source.head.startswith(files.SQLITE):
            return files.is_database(source)
        fields = mapping(source.outline)
        return (
            files.is_export(fields)
            or files.is_stored_session(fields)
            or files.is_stored_piece(fields)
        )

    def read(self, source: Source) -> Iterator[Trajectory]:
        """Yield the sessions of the file in which something was said.

        The file of a stored message or part yields nothing: it is read with its session.

        Raises:
            ReadError: the file is damaged beyond use, or the database cannot be read.
        """
        if source.head.startswith(files.SQLITE):
            sessions = files.in_database(source)
        else:
            fields = mapping(source.document)
            if not fields:
                raise ReadError(f"Nothing could be read of {source.path}", hint="Is it damaged?")
            if files.is_stored_piece(fields):
                return
            whole = "info" in fields or "messages" in fields
            sessions = files.exported(source) if whole else files.stored(source)
        for session in sessions:
            trajectory = _trajectory(source, session)
            if trajectory.turns:
                yield trajectory


def _trajectory(source: Source, session: Session) -> Trajectory:
    info = session.info
    turns = tuple(t for m in session.messages for t in _turns(m))
    replies = [m.info for m in session.messages if m.info.get("role") == "assistant"]
    places = [string(mapping(r.get("path")).get("cwd")) for r in replies]
    times = [t.timestamp for t in turns if t.timestamp]
    return Trajectory(
        id=string(info.get("id")) or source.path.stem,
        format=OpenCodeReader.format,
        source=source.path.as_posix(),
        agent=OpenCodeReader.format,
        agent_version=string(info.get("version")),
        models=tuple(dict.fromkeys(t.model for t in turns if t.model)),
        task=next((t.text for t in turns if t.role == "user" and not t.injected), ""),
        turns=turns,
        cwd=string(info.get("directory")) or next((p for p in places if p), ""),
        started=min(times, default="") or iso_time(mapping(info.get("time")).get("created")),
        ended=max(times, default=""),
        usage=total_usage(_usage(mapping(r.get("tokens"))) for r in replies),
        cost_usd=sum(number(r.get("cost")) or 0.0 for r in replies),
        exit_status=_exit_of(replies[-1]) if replies else "",
        parent_id=string(info.get("parentID")),
        warnings=tuple(session.warnings),
    )


def _exit_of(reply: Mapping[str, Any]) -> str:
    return string(mapping(reply.get("error")).get("name")) or string(reply.get("finish"))


def _turns(message: Message) -> Iterator[Turn]:
    role = message.info.get("role")
    if role == "user":
        yield from _asked(message)
    elif role == "assistant" and message.info.get("summary") is True:
        # What a compaction leaves of the session is given to the model as if it had been asked.
        text = "\n".join(_texts(message, "text"))
        if text:
            yield _turn("user", message, text=text, injected=True)
    elif role == "assistant":
        yield from _replies(message)


def _asked(message: Message) -> Iterator[Turn]:
    own, beside = [], []
    for part in message.parts:
        kind, text = part.get("type"), readable(string(part.get("text")))
        if kind == "text" and part.get("synthetic") is not True:
            words, rest = own_words(text)
            own.append(words)
            beside.append(rest)
        elif kind == "text":
            beside.append(text)
        elif kind == "subtask":
            beside.append(readable(string(part.get("prompt"))))
        elif kind == "file" and part.get("synthetic") is not True:
            own.append(f"[{string(part.get('filename')) or string(part.get('mime')) or 'file'}]")
    for texts, injected in ((beside, True), (own, False)):
        if said := "\n".join(t for t in texts if t.strip()):
            yield _turn("user", message, text=said, injected=injected)


@dataclass(slots=True, kw_only=True)
class _Step:
    """What one answer of the model brings: a message may hold several."""

    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)


def _replies(message: Message) -> Iterator[Turn]:
    steps = [_Step()]
    for part in message.parts:
        kind, text = part.get("type"), readable(string(part.get("text")))
        if kind == "step-start":
            steps.append(_Step())
        elif kind == "text" and text.strip():
            steps[-1].texts.append(text)
        elif kind == "reasoning" and text.strip():
            steps[-1].thoughts.append(text)
        elif kind == "tool":
            steps[-1].calls.append(_call(part, message))
    for step in steps:
        if step.texts or step.thoughts or step.calls:
            yield _turn(
                "agent",
                message,
                text="\n".join(step.texts),
                thought="\n".join(step.thoughts),
                calls=tuple(step.calls),
                model=string(message.info.get("modelID")),
            )


def _turn(role: Role, message: Message, *, text: str, **more: Any) -> Turn:
    time = iso_time(mapping(message.info.get("time")).get("created"))
    return Turn(role=role, text=text, timestamp=time, raw_ref=message.ref, **more)


def _texts(message: Message, kind: str) -> list[str]:
    found = (readable(string(p.get("text"))) for p in message.parts if p.get("type") == kind)
    return [t for t in found if t.strip()]


def _call(part: Mapping[str, Any], message: Message) -> ToolCall:
    state = mapping(part.get("state"))
    arguments, raw = arguments_of(state.get("input"))
    id = string(part.get("callID"))
    name = string(part.get("tool")) or "unknown"
    return ToolCall(
        id=id,
        uid=unique_id(id),
        name=name,
        arguments=arguments,
        raw=raw or string(state.get("raw")),
        observation=_observation(state, tool=name),
        timestamp=iso_time(mapping(state.get("time")).get("start")),
        raw_ref=message.ref,
    )


def _observation(state: Mapping[str, Any], *, tool: str) -> Observation | None:
    status = string(state.get("status"))
    if status not in ("completed", "success", "error"):
        return None
    metadata = mapping(state.get("metadata"))
    error, output = string(state.get("error")), string(state.get("output"))
    text = (error or output) if status == "error" else output
    code = integer(metadata.get("exit"))
    time = mapping(state.get("time"))
    start, end = number(time.get("start")), number(time.get("end"))
    return Observation(
        text=readable(text),
        exit_code=code,
        failure=_failure(text, wrong=status == "error", code=code, tool=tool),
        truncated=metadata.get("truncated") is True,
        interrupted=bool(_ABORTED.match(text) or _STOPPED.search(text)),
        duration_s=(end - start) / 1e3 if start is not None and end is not None else None,
    )


def _failure(text: str, *, wrong: bool, code: int | None, tool: str) -> Failure:
    if tool == "invalid":
        return "validation"
    if not wrong:
        return "environment" if code or _STOPPED.search(text) else ""
    if _REJECTED.match(text) or _ABORTED.match(text):
        return "rejected"
    if _DENIED.match(text):
        return "permission"
    return "validation" if _INVALID.match(text) else "environment"


def _usage(tokens: Mapping[str, Any]) -> Usage:
    cache = mapping(tokens.get("cache"))
    read, write = integer(cache.get("read")) or 0, integer(cache.get("write")) or 0
    return Usage(
        input_tokens=(integer(tokens.get("input")) or 0) + read + write,
        output_tokens=integer(tokens.get("output")) or 0,
        cached_tokens=read,
        reasoning_tokens=integer(tokens.get("reasoning")) or 0,
    )
