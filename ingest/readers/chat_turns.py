"""Messages of chat interfaces as turns: OpenAI's, Anthropic's, ShareGPT's, ADP's, in one list."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..trajectory import Observation, Role, ToolCall, Turn
from .blocks import answers, calls, readable, said, thought, unique_id
from .json_values import arguments_of, decoded, iso_time, mapping, mappings, string
from .prompts import own_words
from .result_text import is_result, observation_of
from .task_text import task_in
from .text_calls import calls_in, fence_style, without_thinking
from .turn_builder import TurnBuilder

ROLES: Final[Mapping[str, str]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "agent",
    "ai": "agent",
    "gpt": "agent",
    "model": "agent",
    "function_call": "agent",
    "tool": "result",
    "function": "result",
    "observation": "result",
    "tool_result": "result",
}
"""What the names of roles mean, whoever wrote them."""

_REFUSED: Final = re.compile(
    r"Your output was not formatted correctly|Please always provide EXACTLY ONE action|"
    r"Your last output did not use any tool calls|No function call detected|"
    r"Tool call error:|Function '.{0,80}' not found"
)
_CALL_ITEMS: Final = frozenset({"function_call", "custom_tool_call", "local_shell_call"})


@dataclass(slots=True)
class ChatTurns:
    """Goes through the messages of one run."""

    builder: TurnBuilder = field(default_factory=TurnBuilder)
    style: str = ""
    in_text: bool = False
    group: int = 0
    pending_thought: str = ""

    def add(self, message: Mapping[str, Any], ref: str) -> None:
        """Take one message; what is none is left out."""
        kind = string(message.get("type"))
        role = ROLES.get(string(message.get("role") or message.get("from")), "")
        if message.get("class_"):
            self.standard(message, ref)
        elif kind in _CALL_ITEMS:
            self.item_call(message, ref)
        elif kind.endswith("_call_output"):
            self.result(message, _item_output(message.get("output")), ref)
        elif kind == "reasoning":
            parts = message.get("summary") or message.get("content")
            self.pending_thought = said(parts)
        elif role == "system":
            text = _content(message) or readable(string(message.get("system_prompt")))
            self.style = self.style or fence_style(text)
            self.builder.say("system", text, ref=ref, timestamp=_time_of(message))
        elif role == "agent":
            self.reply(message, ref)
        elif role == "result":
            self.result(message, _content(message), ref)
        elif role == "user":
            self.user(message, ref)

    def reply(self, message: Mapping[str, Any], ref: str) -> None:
        content = message.get("content")
        text, reasoning = without_thinking(_content(message))
        reasoning = (
            readable(string(message.get("reasoning_content") or message.get("reasoning")))
            or thought(content)
            or reasoning
            or self.pending_thought
        )
        self.pending_thought = ""
        time = _time_of(message)
        made = [*calls(content, timestamp=time, raw_ref=ref), *_native_calls(message, ref, time)]
        self.in_text = not made
        if not made:
            spoken, found = calls_in(text, style=self.style)
            made = [ToolCall(name=c.name, arguments=c.arguments, raw_ref=ref) for c in found]
            if made:
                text, reasoning = "", "\n".join(t for t in (reasoning, spoken) if t)
        self.group += 1
        model = string(message.get("model"))
        if not made and not (text.strip() or reasoning.strip()):
            return
        turn = Turn(
            role="agent",
            text=text,
            thought=reasoning.strip(),
            calls=tuple(made),
            timestamp=time,
            model=model,
            raw_ref=ref,
        )
        self.builder.act(turn, keys=[(c.id,) for c in made], group=f"reply {self.group}")

    def item_call(self, item: Mapping[str, Any], ref: str) -> None:
        """A call that is an item of its own, and a part of the reply before it."""
        id = string(item.get("call_id") or item.get("id"))
        given = item.get("arguments", item.get("input", item.get("action")))
        arguments, raw = arguments_of(given)
        call = ToolCall(
            id=id,
            uid=unique_id(id),
            name=string(item.get("name")) or string(item.get("type")).removesuffix("_call"),
            arguments=arguments,
            raw=raw,
            raw_ref=ref,
        )
        turn = Turn(role="agent", thought=self.pending_thought, calls=(call,), raw_ref=ref)
        self.pending_thought = ""
        self.in_text = False
        self.builder.act(turn, keys=[(id,)], group=f"reply {self.group}")

    def result(self, message: Mapping[str, Any], text: str, ref: str) -> None:
        self.group += 1
        id = string(message.get("tool_call_id") or message.get("call_id"))
        seen = observation_of(text)
        if message.get("is_error") is True and not seen.failure:
            seen = replace(seen, failure="environment")
        if self.builder.answer(seen, id) or (not id and self.builder.answer_next(seen)):
            return
        self.builder.say("environment", seen.text, ref=ref, timestamp=_time_of(message))

    def user(self, message: Mapping[str, Any], ref: str) -> None:
        self.group += 1
        for answer in answers(message.get("content")):
            seen = observation_of(answer.text)
            if answer.is_error and not seen.failure:
                seen = replace(seen, failure="environment")
            if not self.builder.answer(seen, answer.call_id):
                self.builder.say("environment", seen.text, ref=ref)
        text = _content(message)
        if not any(t.role in ("user", "agent") for t in self.builder.turns):
            self.style = self.style or fence_style(text)
            self.words(task_in(text), message, ref)
        elif _REFUSED.match(text):
            self.builder.reject("", ref=ref)
            self.builder.say("environment", text, ref=ref)
        elif (self.in_text or is_result(text)) and self.builder.answer_next(observation_of(text)):
            return
        else:
            self.words(text, message, ref)

    def words(self, text: str, message: Mapping[str, Any], ref: str) -> None:
        own, injected = own_words(text)
        time = _time_of(message)
        self.builder.say("user", injected, ref=ref, timestamp=time, injected=True)
        self.builder.say("user", own, ref=ref, timestamp=time)

    def standard(self, entry: Mapping[str, Any], ref: str) -> None:
        """An entry of the Agent Data Protocol's standard form."""
        kind = string(entry.get("class_"))
        content = readable(string(entry.get("content")))
        reasoning = readable(string(entry.get("description")))
        if kind.endswith("observation"):
            seen = observation_of(content)
            of_user = entry.get("source") == "user" and not is_result(content)
            if of_user or not self.builder.answer_next(seen):
                self.standard_text(entry, content, seen, ref)
        elif kind == "message_action":
            self.builder.say("agent", content, thought=reasoning, ref=ref)
        else:
            code = {"command" if entry.get("language") == "bash" else "code": content}
            is_code = kind == "code_action"
            call = ToolCall(
                name=string(entry.get("language") if is_code else entry.get("function")) or "code",
                arguments=code if is_code else _unquoted(mapping(entry.get("kwargs"))),
                raw_ref=ref,
            )
            turn = Turn(role="agent", thought=reasoning, calls=(call,), raw_ref=ref)
            self.builder.act(turn)

    def standard_text(
        self, entry: Mapping[str, Any], content: str, seen: Observation, ref: str
    ) -> None:
        first = not any(t.role == "user" for t in self.builder.turns)
        if entry.get("source") == "user":
            self.builder.say("user", task_in(content) if first else content, ref=ref)
        else:
            role: Role = "agent" if entry.get("source") == "agent" else "environment"
            self.builder.say(role, seen.text, ref=ref)


def _unquoted(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments without the quotation marks that some data sets leave around strings."""
    found = dict(arguments)
    for key, value in arguments.items():
        if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
            plain = decoded(value)
            found[key] = plain if isinstance(plain, str) else value[1:-1]
    return found


def _content(message: Mapping[str, Any]) -> str:
    for key in ("content", "value", "text"):
        if message.get(key) is not None:
            return said(message[key])
    return said(message.get("refusal"))


def _time_of(message: Mapping[str, Any]) -> str:
    return iso_time(message.get("timestamp") or message.get("created_at") or message.get("ts"))


def _native_calls(message: Mapping[str, Any], ref: str, time: str) -> list[ToolCall]:
    """Calls in `tool_calls`, or the one in the older `function_call`."""
    given = mappings(decoded(message.get("tool_calls")))
    legacy = message.get("function_call")
    if not given and isinstance(legacy, dict):
        given = [{"function": legacy}]
    found = []
    for call in given:
        function = mapping(call.get("function")) or call
        arguments, raw = arguments_of(function.get("arguments", function.get("input")))
        id = string(call.get("id"))
        found.append(
            ToolCall(
                id=id,
                uid=unique_id(id),
                name=string(function.get("name")) or "unknown",
                arguments=arguments,
                raw=raw,
                timestamp=time,
                raw_ref=ref,
            )
        )
    return found


def _item_output(output: Any) -> str:
    """The text of a call's output item, which may be JSON with the text in it."""
    inner = mapping(decoded(output)) if isinstance(output, str) else mapping(output)
    return said(inner["output"]) if isinstance(inner.get("output"), str | list) else said(output)
