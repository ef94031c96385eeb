"""OpenHands V0: the event list that `--save-trajectory-path` writes."""

from typing import Any

from ..recording import MODEL, Clock, Done, Ids, Played, Recording, Tokens
from . import editor, text


def write(recording: Recording) -> dict[str, str]:
    """Write `<name>.json`."""
    return {f"{recording.scenario.name}.json": text.document(_Events(recording).all())}


class _Events:
    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._ids = Ids(recording.scenario.name)
        self._clock = Clock(recording.scenario.started)
        self._tokens = Tokens(recording.scenario.task)
        self._events: list[dict[str, Any]] = []

    def all(self) -> list[dict[str, Any]]:
        self._say("user", self._recording.scenario.task)
        *turns, last = self._recording.turns
        for turn in turns:
            if turn.by == "user":
                self._say("user", turn.text)
            else:
                self._agent(turn)
        self._finish(last)
        return self._events

    def _add(self, source: str, message: str, **more: Any) -> int:
        number = len(self._events)
        self._events.append(
            {
                "id": number,
                "timestamp": self._clock.tick().strftime("%Y-%m-%dT%H:%M:%S.000000"),
                "source": source,
                "message": message,
                **more,
            }
        )
        return number

    def _say(self, source: str, content: str) -> None:
        arguments = {"content": content, "image_urls": None, "wait_for_response": False}
        self._add(source, content, action="message", args=arguments)

    def _metadata(self, turn: Played, tool: str) -> dict[str, Any]:
        read, wrote = self._tokens.turn(turn)
        usage = {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}
        return {
            "function_name": tool,
            "tool_call_id": self._ids.token("toolu_01", length=22),
            "model_response": {
                "id": self._ids.token("chatcmpl-"),
                "model": MODEL,
                "object": "chat.completion",
                "usage": usage,
            },
            "total_calls_in_response": 1,
        }

    def _agent(self, turn: Played) -> None:
        (done,) = turn.done
        run = done.action.kind == "run"
        metadata = self._metadata(turn, "execute_bash" if run else "str_replace_editor")
        if run:
            self._run(done, turn.text, metadata)
        else:
            self._file(done, turn.text, metadata)

    def _run(self, done: Done, thought: str, metadata: dict[str, Any]) -> None:
        command, exit_code = done.action.command, done.result.exit_code
        cause = self._add(
            "agent",
            f"Running command: {command}",
            action="run",
            tool_call_metadata=metadata,
            args={
                "command": command,
                "is_input": False,
                "thought": thought,
                "blocking": False,
                "hidden": False,
                "confirmation_state": "confirmed",
            },
        )
        extras = {
            "command": command,
            "metadata": {
                "exit_code": exit_code,
                "pid": -1,
                "username": "openhands",
                "hostname": "sandbox",
                "working_dir": done.cwd,
                "py_interpreter_path": "/usr/local/bin/python",
                "prefix": "",
                "suffix": f"\n[The command completed with exit code {exit_code}.]",
            },
            "hidden": False,
        }
        self._add(
            "agent",
            f"Command `{command}` executed with exit code {exit_code}.",
            cause=cause,
            observation="run",
            content=done.result.text.rstrip("\n"),
            extras=extras,
            success=exit_code == 0,
        )

    def _file(self, done: Done, thought: str, metadata: dict[str, Any]) -> None:
        kind = "read" if done.action.kind == "read" else "edit"
        values = editor.arguments(done)
        cause = self._add(
            "agent",
            f"Reading file: {done.path}" if kind == "read" else "",
            action=kind,
            tool_call_metadata=metadata,
            args={**values, "thought": thought, "impl_source": "oh_aci"},
        )
        shown = editor.observation(done)
        extras: dict[str, Any] = {"path": done.path, "impl_source": "oh_aci"}
        if kind == "edit":
            changed = not done.result.problem
            extras["prev_exist"] = done.action.kind == "edit" and changed
            extras["old_content"] = done.action.old or None
            extras["new_content"] = done.action.new
            extras["diff"] = text.diff(done.path, done.result.before, done.result.after, context=0)
        self._add(
            "agent",
            f"I {kind if kind == 'read' else 'edited'} the file {done.path}.",
            cause=cause,
            observation=kind,
            content=f"ERROR:\n{shown}" if done.result.problem else shown,
            extras=extras,
        )

    def _finish(self, turn: Played) -> None:
        self._add(
            "agent",
            turn.text,
            action="finish",
            tool_call_metadata=self._metadata(turn, "finish"),
            args={"final_thought": turn.text, "task_completed": "true", "outputs": {}},
        )
