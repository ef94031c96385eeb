"""Events of OpenHands from version 1 on (its SDK) as turns; each event names its `kind`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..trajectory import Observation, ToolCall, Turn, Usage
from .blocks import readable, said, unique_id
from .json_values import (
    arguments_of,
    integer,
    mapping,
    mappings,
    number,
    string,
    total_usage,
    usage_of,
)
from .result_text import observation_of
from .text_calls import without_thinking
from .turn_builder import TurnBuilder


def is_event(value: Any) -> bool:
    """Tell whether a JSON value is an event of the SDK."""
    fields = mapping(value)
    kind = string(fields.get("kind"))
    return "id" in fields and "source" in fields and (kind.endswith("Event") or kind in _OTHERS)


_OTHERS: Final = frozenset({"UserRejectObservation", "Condensation", "CondensationRequest"})


@dataclass(slots=True)
class V1Events:
    """What a list of events amounts to."""

    builder: TurnBuilder = field(default_factory=TurnBuilder)
    cwd: str = ""
    state: str = ""
    model: str = ""
    cost_usd: float = 0.0
    usage: Usage = field(default_factory=Usage)

    def add(self, event: Mapping[str, Any], ref: str) -> None:
        """Take one event; what is neither said, done nor seen is left out."""
        kind = string(event.get("kind"))
        time = string(event.get("timestamp"))
        if kind == "SystemPromptEvent":
            self.builder.say("system", said(event.get("system_prompt")), ref=ref, timestamp=time)
        elif kind == "MessageEvent":
            self.message(event, ref)
        elif kind == "ActionEvent":
            self.action(event, ref)
        elif kind == "ACPToolCallEvent":
            self.outer_call(event, ref)
        elif kind == "ObservationEvent":
            seen = self.result(mapping(event.get("observation")))
            if not self.answer(event, seen):
                self.builder.say("environment", seen.text, ref=ref, timestamp=time)
        elif kind == "UserRejectObservation":
            said_no = string(event.get("rejection_reason"))
            by_hook = event.get("rejection_source") == "hook"
            seen = Observation(text=said_no, failure="permission" if by_hook else "rejected")
            self.answer(event, seen)
        elif kind == "AgentErrorEvent":
            error = readable(string(event.get("error")))
            if not self.answer(event, Observation(text=error, failure="validation")):
                self.builder.say("environment", error, ref=ref, timestamp=time)
        elif kind == "ConversationErrorEvent":
            detail = f"{string(event.get('code'))}: {string(event.get('detail'))}"
            self.builder.say("environment", detail, ref=ref, timestamp=time)
        elif kind == "ConversationStateUpdateEvent":
            self.update(string(event.get("key")), event.get("value"))

    def message(self, event: Mapping[str, Any], ref: str) -> None:
        message = mapping(event.get("llm_message"))
        self.builder.say(
            "user" if event.get("source") == "user" else "agent",
            without_thinking(said(message.get("content")))[0],
            thought=readable(string(message.get("reasoning_content"))),
            ref=ref,
            timestamp=string(event.get("timestamp")),
        )

    def action(self, event: Mapping[str, Any], ref: str) -> None:
        given = mapping(event.get("tool_call"))
        id = string(event.get("tool_call_id") or given.get("id"))
        action = mapping(event.get("action"))
        arguments, raw = arguments_of(given.get("arguments"))
        arguments = {k: v for k, v in arguments.items() if k not in ("security_risk", "summary")}
        call = ToolCall(
            id=id,
            uid=unique_id(id),
            name=string(event.get("tool_name") or given.get("name")) or "unknown",
            arguments=arguments or {k: v for k, v in action.items() if k != "kind"},
            raw=raw,
            timestamp=string(event.get("timestamp")),
            raw_ref=ref,
        )
        spoken = without_thinking(said(event.get("thought")))[0].strip()
        turn = Turn(
            role="agent",
            thought=spoken or readable(string(event.get("reasoning_content"))).strip(),
            calls=(call,),
            timestamp=call.timestamp,
            raw_ref=ref,
        )
        keys = [(string(event.get("id")), id)]
        self.builder.act(turn, keys=keys, group=string(event.get("llm_response_id")))

    def outer_call(self, event: Mapping[str, Any], ref: str) -> None:
        """A call of another agent inside the conversation; its last event holds the result."""
        id = string(event.get("tool_call_id"))
        arguments, raw = arguments_of(event.get("raw_input"))
        output = event.get("raw_output")
        text = said(output) if isinstance(output, str | list) else said(event.get("content"))
        seen = observation_of(text)
        if event.get("is_error") is True and not seen.failure:
            seen = replace(seen, failure="environment")
        ended = string(event.get("status")) in ("completed", "failed", "error") or bool(text)
        if not ended:
            return
        call = ToolCall(
            id=id,
            uid=unique_id(id),
            name=string(event.get("tool_kind")) or string(event.get("title")) or "unknown",
            arguments=arguments,
            raw=raw or string(event.get("title")),
            timestamp=string(event.get("timestamp")),
            raw_ref=ref,
        )
        if not self.builder.answer(seen, id):
            turn = Turn(role="agent", calls=(call,), timestamp=call.timestamp, raw_ref=ref)
            self.builder.act(turn, keys=[(id,)], group=f"acp {id}")
            self.builder.answer(seen, id)

    def answer(self, event: Mapping[str, Any], seen: Observation) -> bool:
        return self.builder.answer(
            seen, string(event.get("action_id")), string(event.get("tool_call_id"))
        )

    def result(self, fields: Mapping[str, Any]) -> Observation:
        details = mapping(fields.get("metadata"))
        self.cwd = self.cwd or string(details.get("working_dir"))
        code = integer(fields.get("exit_code"))
        code = integer(details.get("exit_code")) if code is None else code
        text = said(fields.get("content")) or string(fields.get("output"))
        error = string(fields.get("error"))
        seen = observation_of("\n".join(t for t in (text, error) if t), exit_code=code)
        if fields.get("timeout") is True:
            return replace(seen, interrupted=True, exit_code=None, failure="environment")
        if (fields.get("is_error") is True or error) and not seen.failure:
            return replace(seen, failure="environment")
        return seen

    def update(self, key: str, value: Any) -> None:
        """Take a change of the conversation's state: its totals so far, or how it stands."""
        whole = mapping(value)
        if key == "full_state":
            self.update("stats", whole.get("stats"))
            self.update("execution_status", whole.get("execution_status"))
        elif key in ("execution_status", "agent_status") and isinstance(value, str):
            self.state = value
        elif key == "stats":
            metrics = [m for m in mapping(whole.get("usage_to_metrics")).values() if m]
            if metrics:
                rows = mappings(metrics)
                self.usage = total_usage(usage_of(m.get("accumulated_token_usage")) for m in rows)
                self.cost_usd = sum(number(m.get("accumulated_cost")) or 0.0 for m in rows)
                self.model = self.model or string(rows[0].get("model_name")) if rows else ""
