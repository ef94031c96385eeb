"""Events of OpenHands up to version 0.x as turns: actions, and observations that name their cause.

Also the flat events of the old resolver, which have neither ids nor causes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..trajectory import Observation, Role, ToolCall, Turn, Usage
from .blocks import readable, unique_id
from .json_values import (
    arguments_of,
    integer,
    items,
    mapping,
    mappings,
    string,
    total_usage,
    usage_of,
)
from .result_text import observation_of
from .turn_builder import TurnBuilder

_NO_CALL: Final = frozenset(
    {
        "message", "system", "start", "null", "change_agent_state", "pause", "resume", "stop",
        "recall", "condensation", "condensation_request", "loop_recovery", "",
    }
)  # fmt: skip
_NO_RESULT: Final = frozenset({"null", "agent_state_changed", "recall", "condense", "chat", ""})
_TOOLS: Final[Mapping[str, str]] = {
    "run": "execute_bash",
    "run_ipython": "execute_ipython_cell",
    "browse_interactive": "browser",
    "task_tracking": "task_tracker",
}
"""The names of tools that make the actions of these names."""

_NOT_ARGUMENTS: Final = frozenset(
    {
        "thought", "is_input", "blocking", "hidden", "is_static", "is_confirmed", "keep_prompt",
        "confirmation_state", "security_risk", "action_risk", "impl_source", "kernel_init_code",
        "translated_ipython_code", "include_extra", "timeout", "action", "id", "source",
        "timestamp", "message", "cause", "tool_call_metadata", "llm_metrics", "cwd",
    }
)  # fmt: skip
_MISUSE: Final = ("Parameter '", "Missing required", "Failed to parse tool call", "Invalid JSON")


@dataclass(slots=True)
class V0Events:
    """What a list of events amounts to."""

    builder: TurnBuilder = field(default_factory=TurnBuilder)
    cwd: str = ""
    state: str = ""
    usages: dict[str, Usage] = field(default_factory=dict)

    @property
    def usage(self) -> Usage:
        """Tokens of all replies, each counted once."""
        return total_usage(self.usages.values())

    def add(self, event: Mapping[str, Any], ref: str) -> None:
        """Take one event; what is neither said, done nor seen is left out."""
        if "observation" in event:
            self.observation(event, ref)
        elif "action" in event:
            self.action(event, ref)

    def action(self, event: Mapping[str, Any], ref: str) -> None:
        kind = string(event.get("action"))
        arguments = mapping(event.get("args")) or event
        source = string(event.get("source")) or ("user" if not self.builder.turns else "agent")
        time = string(event.get("timestamp"))
        if kind == "system":
            self.builder.say("system", string(arguments.get("content")), ref=ref, timestamp=time)
        elif kind == "message":
            role: Role = "user" if source == "user" else "agent"
            content = readable(string(arguments.get("content")))
            self.builder.say(role, content, ref=ref, timestamp=time)
        elif kind not in _NO_CALL and source in ("agent", "user"):
            self.call(event, kind, arguments, ref)

    def call(
        self, event: Mapping[str, Any], kind: str, arguments: Mapping[str, Any], ref: str
    ) -> None:
        data = mapping(event.get("tool_call_metadata"))
        response = mapping(data.get("model_response"))
        group = string(response.get("id"))
        if group:
            self.usages[group] = usage_of(response.get("usage"))
        id = string(data.get("tool_call_id"))
        given, raw = _native_arguments(response, id)
        name = string(data.get("function_name")) or _TOOLS.get(kind, kind)
        if kind == "call_tool_mcp":
            name = string(arguments.get("name")) or name
            given = given or mapping(arguments.get("arguments"))
        call = ToolCall(
            id=id,
            uid=unique_id(id),
            name=name,
            arguments=given or {k: v for k, v in arguments.items() if k not in _NOT_ARGUMENTS},
            raw=raw,
            timestamp=string(event.get("timestamp")),
            raw_ref=ref,
        )
        turn = Turn(
            role="user" if event.get("source") == "user" else "agent",
            thought=readable(string(arguments.get("thought"))),
            calls=(call,),
            timestamp=string(event.get("timestamp")),
            model=string(response.get("model")),
            raw_ref=ref,
        )
        number = integer(event.get("id"))
        own = f"event {number}" if number is not None and number >= 0 else ""
        self.builder.act(turn, keys=[(own, id)], group=group)

    def observation(self, event: Mapping[str, Any], ref: str) -> None:
        kind = string(event.get("observation"))
        extras = mapping(event.get("extras")) or event
        if kind == "agent_state_changed":
            self.state = string(extras.get("agent_state")) or self.state
        if kind in _NO_RESULT:
            return
        details = mapping(extras.get("metadata"))
        self.cwd = self.cwd or string(details.get("working_dir"))
        seen = _result(event, kind, extras, details)
        cause = integer(event.get("cause"))
        id = string(mapping(event.get("tool_call_metadata")).get("tool_call_id"))
        keys = [id] if cause is None else [f"event {cause}", id]
        if self.builder.answer(seen, *keys):
            return
        if cause is None and kind != "error" and self.builder.answer_next(seen):
            return
        if cause is None and seen.text.startswith(_MISUSE):
            self.builder.turns.append(Turn(role="agent", rejected=True, raw_ref=ref))
        time = string(event.get("timestamp"))
        self.builder.say("environment", seen.text, ref=ref, timestamp=time)


def _native_arguments(response: Mapping[str, Any], id: str) -> tuple[Mapping[str, Any], str]:
    """The arguments as the model wrote them: an event's own `args` leave out what was edited."""
    for choice in mappings(response.get("choices")):
        for call in mappings(mapping(choice.get("message")).get("tool_calls")):
            if call.get("id") == id:
                return arguments_of(mapping(call.get("function")).get("arguments"))
    return {}, ""


def _result(
    event: Mapping[str, Any], kind: str, extras: Mapping[str, Any], details: Mapping[str, Any]
) -> Observation:
    text = string(event.get("content"))
    code = integer(details.get("exit_code", extras.get("exit_code")))
    ending = string(details.get("suffix"))
    seen = observation_of(text + ending, exit_code=code)
    if kind == "user_rejected":
        return replace(seen, failure="rejected")
    if kind == "error" and not seen.failure:
        return replace(seen, failure="validation" if text.startswith(_MISUSE) else "environment")
    return seen


def flattened(history: Any) -> list[Mapping[str, Any]]:
    """The events of a history, which may stand in pairs of an action and its observation."""
    found: list[Mapping[str, Any]] = []
    for entry in items(history):
        found += [entry] if isinstance(entry, dict) else mappings(entry)
    return found
