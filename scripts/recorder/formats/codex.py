"""Codex CLI: one rollout as JSON lines of `{timestamp, type, payload}`."""

from typing import Any

from ..recording import MODEL, Clock, Done, Ids, Played, Recording, Tokens
from . import text

_VERSION = "0.140.0"
_OUTPUT_TOKENS = 400
_WINDOW = 258_400


def write(recording: Recording) -> dict[str, str]:
    """Write `rollout-<time>-<id>.jsonl` under the scenario's name."""
    session = _Rollout(recording)
    name = f"rollout-{recording.scenario.started:%Y-%m-%dT%H-%M-%S}-{recording.scenario.name}.jsonl"
    return {name: text.lines(session.lines())}


class _Rollout:
    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._ids = Ids(recording.scenario.name)
        self._clock = Clock(recording.scenario.started)
        self._tokens = Tokens(recording.scenario.task)
        self._turn_id = self._ids.uuid()

    def _line(self, kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": self._clock.iso(), "type": kind, "payload": payload}

    def lines(self) -> list[dict[str, Any]]:
        scenario, cwd = self._recording.scenario, self._recording.cwd
        found = [
            self._line(
                "session_meta",
                id=self._ids.uuid(),
                timestamp=self._clock.iso(),
                cwd=cwd,
                originator="codex_exec",
                cli_version=_VERSION,
                source="exec",
                model_provider="example",
                git={
                    "commit_hash": self._recording.commit,
                    "branch": scenario.project.branch,
                    "repository_url": scenario.project.remote,
                },
            ),
            self._line("event_msg", type="task_started", turn_id=self._turn_id),
            self._message(
                "user",
                f"<environment_context>\n  <cwd>{cwd}</cwd>\n  <shell>bash</shell>\n"
                "</environment_context>",
            ),
            self._line(
                "turn_context",
                turn_id=self._turn_id,
                cwd=cwd,
                approval_policy="never",
                sandbox_policy={"type": "workspace-write"},
                model=MODEL,
                summary="auto",
            ),
            *self._user(scenario.task),
        ]
        for turn in self._recording.turns:
            found.extend(self._user(turn.text) if turn.by == "user" else self._agent(turn))
        found.append(
            self._line(
                "event_msg",
                type="task_complete",
                turn_id=self._turn_id,
                last_agent_message=self._recording.turns[-1].text,
            )
        )
        return found

    def _message(self, role: str, content: str) -> dict[str, Any]:
        kind = "output_text" if role == "assistant" else "input_text"
        return self._line(
            "response_item", type="message", role=role, content=[{"type": kind, "text": content}]
        )

    def _user(self, content: str) -> list[dict[str, Any]]:
        event = self._line("event_msg", type="user_message", message=content, images=[])
        return [self._message("user", content), event]

    def _agent(self, turn: Played) -> list[dict[str, Any]]:
        usage = self._usage(turn)
        found = [
            self._line("event_msg", type="agent_message", message=turn.text),
            self._message("assistant", turn.text),
        ]
        calls = [(done, self._ids.token("call_")) for done in turn.done]
        found.extend(self._call(done, call_id) for done, call_id in calls)
        for done, call_id in calls:
            found.extend(self._output(done, call_id))
        found.append(self._line("event_msg", type="token_count", info=usage, rate_limits=None))
        return found

    def _usage(self, turn: Played) -> dict[str, Any]:
        read, wrote = self._tokens.turn(turn)
        last = {"input_tokens": read, "cached_input_tokens": 0, "output_tokens": wrote}
        total = {**last, "output_tokens": self._tokens.spoken}
        return {
            "total_token_usage": total,
            "last_token_usage": last,
            "model_context_window": _WINDOW,
        }

    def _call(self, done: Done, call_id: str) -> dict[str, Any]:
        action = done.action
        if action.kind in ("run", "read"):
            command = action.command or f"sed -n '1,200p' {action.path}"
            arguments = {
                "cmd": command,
                "workdir": self._recording.cwd,
                "max_output_tokens": _OUTPUT_TOKENS,
            }
            return self._line(
                "response_item",
                type="function_call",
                name="exec_command",
                arguments=text.compact(arguments),
                call_id=call_id,
            )
        return self._line(
            "response_item",
            type="custom_tool_call",
            status="completed",
            call_id=call_id,
            name="apply_patch",
            input=_patch(done),
        )

    def _output(self, done: Done, call_id: str) -> list[dict[str, Any]]:
        result = done.result
        if done.action.kind in ("run", "read"):
            output = (
                "Wall time: 0.0000 seconds\n"
                f"Process exited with code {result.exit_code}\n"
                f"Original token count: {Tokens.count(result.text)}\n"
                f"Output:\n{_cut(result.text)}"
            )
            return [
                self._line(
                    "response_item", type="function_call_output", call_id=call_id, output=output
                )
            ]
        added = "A" if done.action.kind == "write" else "M"
        message = f"Success. Updated the following files:\n{added} {done.path}\n"
        if result.problem:
            message = (
                "apply_patch verification failed: Failed to find expected lines in "
                f"{done.path}:\n{done.action.old}"
            )
        return [
            self._line(
                "event_msg",
                type="patch_apply_end",
                call_id=call_id,
                turn_id=self._turn_id,
                stdout="" if result.problem else message,
                stderr=message if result.problem else "",
                success=not result.problem,
            ),
            self._line(
                "response_item",
                type="custom_tool_call_output",
                call_id=call_id,
                output=message
                if result.problem
                else f"Exit code: 0\nWall time: 0 seconds\nOutput:\n{message}",
            ),
        ]


def _patch(done: Done) -> str:
    """Write an edit in the patch language of `apply_patch`: whole lines only."""
    action, result = done.action, done.result
    if action.kind == "write":
        body = "".join(f"+{line}\n" for line in action.new.splitlines())
        return f"*** Begin Patch\n*** Add File: {done.path}\n{body}*** End Patch"
    if result.problem:
        body = "@@\n" + "".join(f"-{line}\n" for line in action.old.splitlines())
        body += "".join(f"+{line}\n" for line in action.new.splitlines())
    else:
        hunks = text.diff("", result.before, result.after, context=2).split("\n")[2:]
        body = "".join("@@\n" if line.startswith("@@") else line + "\n" for line in hunks)
    return f"*** Begin Patch\n*** Update File: {done.path}\n{body}*** End Patch"


def _cut(output: str) -> str:
    """Cut the middle out of a long output, as Codex does with `max_output_tokens`."""
    limit = _OUTPUT_TOKENS * 4
    if len(output) <= limit:
        return output
    left_out = (len(output) - limit) // 4
    half = limit // 2
    return (
        f"Total output lines: {len(output.splitlines())}\n\n"
        f"{output[:half]}…{left_out} tokens truncated…{output[-half:]}"
    )
