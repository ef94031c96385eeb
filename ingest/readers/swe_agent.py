"""Runs of SWE-agent and of MLGym, its kin: `.traj` files of versions 0.x and 1.x."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ...kg.errors import ReadError
from ..source import Source
from ..trajectory import Outcome, ToolCall, Trajectory, Turn, Usage
from .blocks import readable, said, unique_id
from .json_values import (
    arguments_of,
    decoded,
    instance_in,
    integer,
    items,
    mapping,
    mappings,
    number,
    project_of_instance,
    run_id,
    string,
)
from .result_text import observation_of, unframed
from .swe_agent_actions import call_of, with_open_file
from .task_text import task_in

_REFUSED: Final = re.compile(r"Your output was not formatted correctly|Your command was blocked")
_RUN_KEYS: Final = frozenset({"environment", "replay_config", "info"})
_STEP_KEYS: Final = frozenset({"response", "state", "execution_time"})
_HISTORY_KEYS: Final = frozenset({"agent", "message_type", "is_demo"})
_EXITS: Final = re.compile(r"exit_(?!forfeit)\w+|skip")
_NO_MODELS: Final = frozenset({"replay", "human", "human_thought", "instant_empty_submit"})
_ROOT: Final = re.compile(r"/([A-Za-z0-9](?:(?!__)[\w.-])*)__((?:(?!__)[\w.-])+)(?:/|\Z)")
"""Where versions 0.x put a repository: `/owner__name`."""

_COMMIT: Final = re.compile(r"[0-9a-f]{40}")


class SweAgentReader:
    """Reads `.traj` files, whole or with a history alone, and runs of several attempts."""

    format = "swe-agent"

    def recognises(self, source: Source) -> bool:
        """Tell by steps with `action` and `observation`, or by a history with agents' names."""
        outline = source.outline
        if isinstance(outline, list):
            row = mapping(outline[0]) if outline else {}
            return "instance_id" in row and _is_history(row.get("history"))
        fields = mapping(outline)
        return _is_run(fields) or any(_is_run(a) for a in mappings(fields.get("attempts"))[:1])

    def read(self, source: Source) -> Iterator[Trajectory]:
        """Yield the run of the file, or each of its attempts.

        Raises:
            ReadError: the file holds no steps.
        """
        document = source.document
        bundle = mappings(document) if isinstance(document, list) else [mapping(document)]
        found = False
        for fields in bundle:
            attempts = mappings(fields.get("attempts"))
            for i, attempt in enumerate(attempts or [fields]):
                environment = attempt.get("environment") or fields.get("environment")
                run = {**attempt, "environment": environment}
                prefix = f"attempts[{i}]." if attempts else ""
                trajectory = _Run(run, prefix).trajectory(source)
                if trajectory.turns:
                    found = True
                    yield trajectory
        if not found:
            raise ReadError(f"No steps in {source.path}", hint="Is the file cut short?")


def _is_run(fields: Mapping[str, Any]) -> bool:
    steps = fields.get("trajectory")
    if not isinstance(steps, list):
        return _is_history(fields.get("history"))
    first = mapping(steps[0]) if steps else {}
    if steps and "action" not in first:
        return False
    return not (_STEP_KEYS.isdisjoint(first) and _RUN_KEYS.isdisjoint(fields))


def _is_history(value: Any) -> bool:
    first = mappings(value)[:2]
    return any("role" in m and not m.keys().isdisjoint(_HISTORY_KEYS) for m in first)


@dataclass(slots=True)
class _Run:
    """One run: what a `.traj` holds, or one of its attempts."""

    fields: Mapping[str, Any]
    prefix: str

    @property
    def history(self) -> list[Mapping[str, Any]]:
        """The messages, without those of demonstrations: they are other tasks' steps."""
        return [m for m in mappings(self.fields.get("history")) if not m.get("is_demo")]

    def trajectory(self, source: Source) -> Trajectory:
        info = mapping(self.fields.get("info"))
        config = mapping(decoded(self.fields.get("replay_config")))
        problem = mapping(config.get("problem_statement"))
        repository = mapping(mapping(config.get("env")).get("repo"))
        submission = string(info.get("submission")).strip()
        steps = mappings(self.fields.get("trajectory"))
        body = self.steps(steps, submission) if steps else self.messages(submission)
        task = string(problem.get("text")).strip() or self.task()
        turns = (*self.opening(task), *body) if body else ()
        instance = self.instance(source, string(problem.get("id")))
        model = string(mapping(mapping(config.get("agent")).get("model")).get("name"))
        stats = mapping(info.get("model_stats"))
        scores = items(info.get("score"))
        cwd = next((_state(s)[1] for s in steps if _state(s)[1]), "")
        commit = string(repository.get("base_commit"))
        return Trajectory(
            id=run_id(instance, self.prefix, turns=turns),
            format=SweAgentReader.format,
            format_version=string(info.get("swe_agent_version")),
            source=source.path.as_posix(),
            agent="mlgym" if scores else "swe-agent",
            agent_version=string(info.get("swe_agent_version")),
            models=(model,) if model and model not in _NO_MODELS else (),
            task=task,
            task_id=instance,
            turns=turns,
            cwd=cwd,
            project=project_of_instance(instance) or _project_at(cwd),
            repository_url=string(repository.get("github_url")),
            commit=commit if _COMMIT.fullmatch(commit) else "",
            usage=Usage(
                input_tokens=integer(stats.get("tokens_sent")) or 0,
                output_tokens=integer(stats.get("tokens_received")) or 0,
            ),
            cost_usd=number(stats.get("instance_cost") or stats.get("total_cost")) or 0.0,
            exit_status=string(info.get("exit_status")),
            outcome=_outcome(info, scores),
            warnings=tuple(source.warnings),
        )

    def instance(self, source: Source, problem: str) -> str:
        named = (
            string(self.fields.get("instance_id")),
            string(self.fields.get("environment")),
            problem,
            instance_in(source.path.name),
            instance_in(source.path.parent.name),
        )
        return next((n for n in named if project_of_instance(n)), named[0])

    def task(self) -> str:
        """The task of the first message of the user, without the instructions around it."""
        first = [m for m in self.history if m.get("role") == "user"]
        if not first:
            step = mapping((mappings(self.fields.get("trajectory")) or [{}])[0])
            prompt = mappings(step.get("query") or step.get("messages"))
            first = [m for m in prompt if m.get("role") == "user" and not m.get("is_demo")]
        text = said(first[0].get("content")) if first else ""
        return task_in(unframed(text)[0])

    def opening(self, task: str) -> tuple[Turn, ...]:
        turns = []
        for i, message in enumerate(self.history[:2]):
            text = said(message.get("content"))
            if message.get("role") == "system" and text:
                turns.append(Turn(role="system", text=text, raw_ref=f"{self.prefix}history[{i}]"))
        if task:
            turns.append(Turn(role="user", text=task, raw_ref=f"{self.prefix}history"))
        return tuple(turns)

    def steps(self, steps: list[Mapping[str, Any]], submission: str) -> list[Turn]:
        """One turn for each step; the tool call is taken from the history where it stands there."""
        native: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for message in self.history:
            native[string(message.get("action"))] += mappings(message.get("tool_calls"))[:1]
        turns: list[Turn] = []
        open_file = ""
        for i, step in enumerate(steps):
            ref = f"{self.prefix}trajectory[{i}]"
            action = string(step.get("action"))
            before = _state(step)[0] if isinstance(step.get("state"), str) else open_file
            thought = readable(string(step.get("thought")) or string(step.get("response"))).strip()
            result = string(step.get("observation"))
            if not action.strip() or _EXITS.fullmatch(action.strip()):
                turns += _without_call(thought, result, ref, by_agent=not action.strip())
                continue
            call = _call(action, native[action], open_file=before, ref=ref)
            if submission and result.strip() == submission:
                seen = None
            else:
                seen = observation_of(result, duration_s=number(step.get("execution_time")))
            call = replace(call, observation=seen)
            turns.append(Turn(role="agent", thought=thought, calls=(call,), raw_ref=ref))
            open_file = _state(step)[0] or open_file
        return turns

    def messages(self, submission: str) -> list[Turn]:
        """The turns of a history without steps."""
        turns: list[Turn] = []
        for i, message in enumerate(self.history):
            ref = f"{self.prefix}history[{i}]"
            content = said(message.get("content"))
            role = message.get("role")
            if role == "assistant":
                turns.append(_reply(message, content, ref))
            elif role in ("user", "tool") and turns:
                last = turns[-1]
                if _REFUSED.match(content):
                    turns[-1] = replace(
                        last, text=last.text or last.thought, thought="", calls=(), rejected=True
                    )
                    turns.append(Turn(role="environment", text=content, raw_ref=ref))
                elif last.calls and last.calls[0].observation is None:
                    seen = observation_of(content)
                    if not submission or seen.text.strip() != submission:
                        turns[-1] = replace(last, calls=(replace(last.calls[0], observation=seen),))
                elif content:
                    turns.append(Turn(role="user", text=content, raw_ref=ref))
        return turns


def _reply(message: Mapping[str, Any], content: str, ref: str) -> Turn:
    action = string(message.get("action"))
    thought = readable(string(message.get("thought"))).strip()
    native = mappings(message.get("tool_calls"))[:1]
    if not action.strip() and not native:
        return Turn(role="agent", text=content, raw_ref=ref)
    call = _call(action, native, open_file="", ref=ref)
    return Turn(role="agent", thought=thought or content.strip(), calls=(call,), raw_ref=ref)


def _without_call(thought: str, result: str, ref: str, *, by_agent: bool) -> list[Turn]:
    """Turns of a step that ran nothing: a reply without action, or the harness's own end."""
    by_agent = by_agent and not thought.startswith("Exit due to ")
    spoken = Turn(role="agent" if by_agent else "environment", text=thought, raw_ref=ref)
    answer = Turn(role="environment", text=readable(result), raw_ref=ref)
    return [t for t in (spoken, answer) if t.text]


def _call(action: str, native: list[Mapping[str, Any]], *, open_file: str, ref: str) -> ToolCall:
    """The call of an action line, taken from the recorded tool call where that is whole."""
    given = native.pop(0) if native else {}
    function = mapping(given.get("function"))
    name = string(function.get("name"))
    arguments, broken = arguments_of(function.get("arguments"))
    if name and not broken:
        arguments = with_open_file(name, arguments, open_file)
    else:
        name, arguments = call_of(action, open_file=open_file)
    id = string(given.get("id"))
    return ToolCall(
        id=id,
        uid=unique_id(id),
        name=name,
        arguments=arguments,
        raw=action.strip(),
        raw_ref=ref,
    )


def _state(step: Mapping[str, Any]) -> tuple[str, str]:
    """The open file and the working directory that a step's state tells.

    Versions 0.x write the state before the action, as a string of JSON; 1.x the one after it.
    """
    state = mapping(decoded(step.get("state")))
    return string(state.get("open_file")), string(state.get("working_dir"))


def _project_at(cwd: str) -> str:
    match = _ROOT.match(cwd)
    return f"{match[1]}/{match[2]}" if match else ""


def _outcome(info: Mapping[str, Any], scores: list[Any]) -> Outcome:
    """MLGym's scores are numbers without a verdict; anything else says nothing of success."""
    if not scores:
        return Outcome()
    last = mapping(scores[-1])
    values = [n for n in map(number, last.values()) if n is not None]
    return Outcome(reward=values[0] if values else None, detail=json.dumps(last, sort_keys=True))
