"""Runs of mini-swe-agent: `.traj.json` of versions 1 and 2, and their bare lists of messages."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ...kg.errors import ReadError
from ..outcome import stated_in
from ..source import Source
from ..trajectory import Observation, ToolCall, Trajectory, Turn
from .blocks import readable, said, unique_id
from .json_values import (
    arguments_of,
    instance_in,
    integer,
    iso_time,
    items,
    mapping,
    mappings,
    number,
    project_of_instance,
    run_id,
    string,
    total_usage,
    usage_of,
)
from .result_text import is_result, observation_of
from .task_text import task_in

_FENCES: Final = (
    re.compile(r"<mswea_bash_command>(.*?)</mswea_bash_command>", re.DOTALL),
    re.compile(r"```mswea_bash_command[ \t]*\n(.*?)\n[ \t]*```", re.DOTALL),
    re.compile(r"```bash[ \t]*\n(.*?)\n[ \t]*```", re.DOTALL),
)
"""How an action is marked in text, the most particular first; a prompt names the one in use."""
_FENCE_NAMES: Final = ("<mswea_bash_command>", "```mswea_bash_command", "```bash")

_SUBMIT: Final = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
_REFUSED: Final = re.compile(
    r"\ACommands? not executed\.(?:.*?rejected your commands? with the following message:)?\s*(.*)",
    re.DOTALL,
)
_INTERRUPTED: Final = re.compile(
    r"\A(?:Interrupted by user|Temporary interruption caught)[:.]\s*(.*)", re.DOTALL
)
_NEW_TASK: Final = re.compile(r"\AThe user added a new task:\s*(.*)", re.DOTALL)
_NOT_EXECUTED: Final = "action was not executed"
_PLACEHOLDER: Final = re.compile(r"\{\{-?\s*task\s*-?\}\}")
_TEMPLATE_MARK: Final = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)


class MiniSweAgentReader:
    """Reads what mini-swe-agent saves of a run."""

    format = "mini-swe-agent"

    def recognises(self, source: Source) -> bool:
        """Tell by the format's mark, by `info.mini_version`, or by the words of its prompt."""
        outline = source.outline
        if isinstance(outline, list):
            return _speaks_mini(outline)
        fields = mapping(outline)
        if "trajectory_format" in fields:
            return string(fields["trajectory_format"]).startswith("mini-swe-agent")
        info = mapping(fields.get("info"))
        if "mini_version" in info or "minisweagent" in str(mapping(info.get("config"))):
            return True
        if "info" in fields and source.path.name.endswith(".traj.json"):
            return "messages" in fields or not isinstance(fields.get("trajectory"), list)
        return _speaks_mini(items(fields.get("messages")))

    def read(self, source: Source) -> Iterator[Trajectory]:
        """Yield the run of the file, or one for each row of a file of rows.

        Raises:
            ReadError: the file holds no messages.
        """
        document = source.document
        if isinstance(document, list):
            rows: list[Mapping[str, Any]] = [{"messages": document}]
        elif document is not None:
            rows = [mapping(document)]
        else:
            rows = [mapping(r.value) for r in source.records]
        found = False
        for row in rows:
            messages = mappings(row.get("messages"))
            if messages:
                found = True
                yield _trajectory(source, row, messages)
        if not found:
            raise ReadError(f"No messages in {source.path}", hint="Is the file cut short?")


def _speaks_mini(messages: list[Any]) -> bool:
    first = [m for m in mappings(messages[:2]) if m.get("role") in ("system", "user")]
    prompt = "\n".join(said(m.get("content")) for m in first)
    return any(word in prompt for word in _SUBMIT)


def _trajectory(
    source: Source, fields: Mapping[str, Any], messages: list[Mapping[str, Any]]
) -> Trajectory:
    info = mapping(fields.get("info"))
    config = mapping(info.get("config"))
    walk = _Walk(
        fence=_fence_of(messages),
        template=string(mapping(config.get("agent")).get("instance_template")),
        submitted=info.get("exit_status") == "Submitted",
    )
    walk.all(messages)
    turns = tuple(walk.turns)
    instance = string(fields.get("instance_id") or info.get("instance_id"))
    instance = instance or instance_in(source.path.name) or instance_in(source.path.parent.name)
    times = [t.timestamp for t in turns if t.timestamp]
    replies = [mapping(mapping(m.get("extra")).get("response")) or m for m in messages]
    named = string(mapping(config.get("model")).get("model_name"))
    models = tuple(dict.fromkeys(t.model for t in turns if t.model)) or ((named,) if named else ())
    return Trajectory(
        id=run_id(instance, turns=turns),
        format=MiniSweAgentReader.format,
        format_version=string(fields.get("trajectory_format")).removeprefix("mini-swe-agent-"),
        source=source.path.as_posix(),
        agent="mini-swe-agent",
        agent_version=string(info.get("mini_version")),
        models=models,
        task=next((t.text for t in turns if t.role == "user"), ""),
        task_id=instance,
        turns=turns,
        cwd=string(mapping(config.get("environment")).get("cwd")),
        project=project_of_instance(instance),
        started=min(times, default=""),
        ended=max(times, default=""),
        usage=total_usage(usage_of(r.get("usage")) for r in replies),
        cost_usd=_cost(info, messages),
        exit_status=string(info.get("exit_status")) or _exit_of(messages[-1]),
        outcome=stated_in(fields),
        warnings=tuple(source.warnings),
    )


def _fence_of(messages: list[Mapping[str, Any]]) -> re.Pattern[str]:
    prompt = "\n".join(said(m.get("content")) for m in messages[:2])
    named = (f for f, name in zip(_FENCES, _FENCE_NAMES, strict=True) if name in prompt)
    return next(named, _FENCES[-1])


def _cost(info: Mapping[str, Any], messages: list[Mapping[str, Any]]) -> float:
    total = number(mapping(info.get("model_stats")).get("instance_cost"))
    if total is not None:
        return total
    return sum(number(mapping(m.get("extra")).get("cost")) or 0.0 for m in messages)


def _exit_of(message: Mapping[str, Any]) -> str:
    return string(mapping(message.get("extra")).get("exit_status"))


@dataclass(slots=True)
class _Walk:
    """Goes through the messages; `waiting` are the calls of the last turn without a result."""

    fence: re.Pattern[str]
    template: str
    submitted: bool
    turns: list[Turn] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)

    def all(self, messages: list[Mapping[str, Any]]) -> None:
        for i, message in enumerate(messages):
            self.message(message, f"messages[{i}]", last=i == len(messages) - 1)

    def message(self, message: Mapping[str, Any], ref: str, *, last: bool) -> None:
        role = message.get("role") or message.get("object") or message.get("type")
        if role in ("assistant", "response"):
            self.agent(message, ref)
        elif role in ("tool", "function_call_output"):
            self.result(
                message, call_id=string(message.get("tool_call_id", message.get("call_id")))
            )
        elif role in ("system", "developer"):
            self.add("system", said(message.get("content")), ref, message)
        elif role == "user":
            self.user(message, ref, last=last)

    def add(self, role: Any, text: str, ref: str, message: Mapping[str, Any], **more: Any) -> None:
        if text or more.get("rejected"):
            self.turns.append(
                Turn(role=role, text=text, timestamp=_time_of(message), raw_ref=ref, **more)
            )

    def agent(self, message: Mapping[str, Any], ref: str) -> None:
        extra = mapping(message.get("extra"))
        content = said(message.get("content")) or _said_in(message.get("output"))
        calls, in_text = self.actions(message, content, ref)
        text, thought = content, string(message.get("reasoning_content"))
        if calls and (in_text or content.lstrip().startswith("THOUGHT")):
            text, thought = "", _without_action(content, self.fence if in_text else None)
        model = mapping(extra.get("response")).get("model") or message.get("model")
        self.turns.append(
            Turn(
                role="agent",
                text=text,
                thought=thought,
                calls=calls,
                timestamp=_time_of(message),
                model=string(model),
                raw_ref=ref,
            )
        )
        self.waiting = list(range(len(calls)))

    def actions(
        self, message: Mapping[str, Any], content: str, ref: str
    ) -> tuple[tuple[ToolCall, ...], bool]:
        """The commands of a reply, and whether they stood in its text.

        Two actions in a text are none: the harness refuses such a reply.
        """
        extra = mapping(message.get("extra"))
        given = mappings(extra.get("actions")) or _native_calls(message)
        if given:
            in_text = not any(a.get("tool_call_id") for a in given)
            return tuple(_call(a, ref) for a in given), in_text
        found = self.fence.findall(content)
        calls = tuple(_call({"command": c.strip()}, ref) for c in found)
        return (calls if len(calls) == 1 else ()), True

    def result(self, message: Mapping[str, Any], *, call_id: str = "") -> None:
        """Attach an observation to the call it names, else to the first that waits."""
        extra = mapping(message.get("extra"))
        if _NOT_EXECUTED in string(extra.get("exception_info")) or not self.waiting:
            return
        calls = self.turns[-1].calls
        named = [i for i in self.waiting if call_id and calls[i].id == call_id]
        content = said(message.get("content", message.get("output")))
        at = (named or self.waiting)[0]
        self.waiting.remove(at)
        self.attach([at], _observation(content, extra))

    def attach(self, at: list[int], observation: Observation) -> None:
        turn = self.turns[-1]
        calls = list(turn.calls)
        for i in at:
            calls[i] = replace(calls[i], observation=observation)
        self.turns[-1] = replace(turn, calls=tuple(calls))

    def user(self, message: Mapping[str, Any], ref: str, *, last: bool) -> None:
        content = said(message.get("content"))
        extra = mapping(message.get("extra"))
        kind = string(extra.get("interrupt_type"))
        after_agent = bool(self.turns) and self.turns[-1].role == "agent"
        if not any(t.role in ("agent", "user") for t in self.turns):
            self.add("user", _task_in(content, self.template), ref, message)
        elif extra.get("actions"):
            calls = tuple(_call(a, ref) for a in mappings(extra["actions"]))
            self.turns.append(
                Turn(role="user", calls=calls, timestamp=_time_of(message), raw_ref=ref)
            )
            self.waiting = list(range(len(calls)))
        elif kind == "FormatError" or (after_agent and self.refused(content, extra)):
            self.reject(string(extra.get("model_response")), message, ref)
            self.add("environment", content, ref, message)
        elif self.spoken(content, message, ref):
            return
        elif self.waiting and not (last and self.ends_with_submission(content, extra)):
            self.result(message)
        elif not last or not self.submitted:
            self.add("environment" if kind else "user", content, ref, message)

    def refused(self, content: str, extra: Mapping[str, Any]) -> bool:
        turn = self.turns[-1]
        return not (turn.calls or turn.rejected or _is_observation(content, extra))

    def reject(self, reply: str, message: Mapping[str, Any], ref: str) -> None:
        turn = self.turns[-1] if self.turns else None
        fresh = turn and turn.role == "agent" and len(self.waiting) == len(turn.calls)
        if turn and fresh and not turn.rejected:
            reply = turn.text or turn.thought
            self.turns[-1] = replace(turn, text=reply, thought="", calls=(), rejected=True)
        else:
            self.add("agent", reply, ref, message, rejected=True)
        self.waiting = []

    def spoken(self, content: str, message: Mapping[str, Any], ref: str) -> bool:
        """Take a person's words that the harness wrapped; False where it is nothing of the kind."""
        for pattern, shown in (
            (_REFUSED, Observation(text=content, failure="rejected")),
            (_INTERRUPTED, Observation(text=content, interrupted=True)),
            (_NEW_TASK, None),
        ):
            match = pattern.match(content)
            if match:
                if shown and self.waiting:
                    self.attach(self.waiting, shown)
                self.waiting = []
                self.add("user", _own_words(match[1]), ref, message)
                return True
        return False

    def ends_with_submission(self, content: str, extra: Mapping[str, Any]) -> bool:
        if _is_observation(content, extra):
            return False
        command = string(self.turns[-1].calls[self.waiting[0]].arguments.get("command"))
        return self.submitted or any(word in command for word in _SUBMIT)


def _own_words(text: str) -> str:
    """What a person typed; nothing where the harness only says that it changed its mode."""
    return "" if text.startswith("Switch") else text.strip()


def _said_in(output: Any) -> str:
    spoken = (m for m in mappings(output) if m.get("type") == "message")
    return "\n".join(said(m.get("content")) for m in spoken)


def _native_calls(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Tool calls as actions, for messages without `extra`; broken arguments stay as text."""
    found: list[Mapping[str, Any]] = []
    flat = [m for m in mappings(message.get("output")) if m.get("type") == "function_call"]
    for call in mappings(message.get("tool_calls")) or flat:
        function = mapping(call.get("function")) or call
        arguments, raw = arguments_of(function.get("arguments"))
        found.append(
            {
                "tool_call_id": string(call.get("call_id") or call.get("id")),
                "name": string(function.get("name")),
                "raw": raw,
                **arguments,
            }
        )
    return found


def _call(action: Mapping[str, Any], ref: str) -> ToolCall:
    command = action.get("command", action.get("action"))
    return ToolCall(
        id=string(action.get("tool_call_id")),
        uid=unique_id(string(action.get("tool_call_id"))),
        name=string(action.get("name")) or "bash",
        arguments={"command": command} if isinstance(command, str) else {},
        raw=string(action.get("raw")),
        raw_ref=ref,
    )


def _without_action(content: str, fence: re.Pattern[str] | None) -> str:
    spoken = fence.sub("", content) if fence else content
    return re.sub(r"\A\s*THOUGHTS?:\s*", "", spoken).strip()


def _time_of(message: Mapping[str, Any]) -> str:
    extra = mapping(message.get("extra"))
    response = mapping(extra.get("response"))
    return iso_time(extra.get("timestamp") or response.get("created") or message.get("created_at"))


def _is_observation(content: str, extra: Mapping[str, Any]) -> bool:
    return "returncode" in extra or is_result(content)


def _observation(content: str, extra: Mapping[str, Any]) -> Observation:
    """What came back: the whole output where `extra` keeps it, else what the template shows."""
    shown = observation_of(content, exit_code=integer(extra.get("returncode")))
    raw, error = extra.get("raw_output"), string(extra.get("exception_info"))
    if isinstance(raw, str):
        shown = replace(shown, text=readable(raw.rstrip("\n")), truncated=False)
    if not error:
        return shown
    return replace(
        shown,
        text="\n".join(t for t in (shown.text, error) if t),
        exit_code=None,
        failure="environment",
        interrupted="timed out" in error,
    )


def _task_in(content: str, template: str) -> str:
    """The task without the instructions around it."""
    parts = _PLACEHOLDER.split(template, maxsplit=1)
    if len(parts) == 2:
        before = _TEMPLATE_MARK.split(parts[0])[-1].lstrip()
        after = _TEMPLATE_MARK.split(parts[1])[0].rstrip()
        start = content.find(before) + len(before)
        end = content.rfind(after) if after.strip() else len(content)
        if content.find(before) >= 0 and end >= start:
            return content[start:end].strip()
    return task_in(content)
