"""What Claude Code's hooks do: give an agent what applies, and take its session in at the end.

A hook never breaks a session. On any error it says nothing, ends well within two seconds, and
leaves a line for `stepladder doctor`.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TextIO

from .hook_state import HookState

LIMIT_S: Final = 1.8
"""After this a hook ends with nothing said; the promise is two seconds."""

PROMPT_TOKENS: Final = 600
START_TOKENS: Final = 400
_FEWEST_WORDS: Final = 4
_TASK_CHARS: Final = 8_000

EVENTS: Final = ("session-start", "prompt", "stop", "ingest")


@dataclass(frozen=True, slots=True, kw_only=True)
class HookOptions:
    """How a hook was called. `plugin` is true for the plugin's own hooks, which keep silent where
    the user's settings have them too; `reflect` lets the stop hook ask for lessons."""

    store: str
    reflect: bool = False
    plugin: bool = False
    holdout: float = 0.0


def guarded(
    event: str,
    arguments: tuple[str, ...],
    *,
    options: HookOptions,
    state: HookState,
    environment: Mapping[str, str],
    stdin: TextIO,
) -> str:
    """The answer to a hook, or nothing; no error leaves it, and no call outlasts `LIMIT_S`."""
    watch = threading.Timer(LIMIT_S, _give_up, (event, state))
    watch.daemon = True
    if event != "ingest":
        watch.start()
    try:
        if event == "ingest":
            _ingest(arguments, options=options)
            return ""
        payload = json.loads(stdin.read() or "{}")
        if not isinstance(payload, dict):
            raise ValueError("the hook's input is no JSON object")
        if options.plugin and _in_settings(environment):
            return ""
        return _answer(event, payload, options=options, state=state, environment=environment)
    except BaseException as error:
        _note(state, event, f"{type(error).__name__}: {error}")
        return ""
    finally:
        watch.cancel()


def _answer(
    event: str,
    payload: Mapping[str, Any],
    *,
    options: HookOptions,
    state: HookState,
    environment: Mapping[str, str],
) -> str:
    if event == "session-start":
        return _start(payload, options=options, state=state, environment=environment)
    if event == "prompt":
        return _prompt(payload, options=options, state=state, environment=environment)
    if event == "stop":
        return _stop(payload, options=options, state=state)
    raise ValueError(f"unknown hook {event!r}")


def _start(
    payload: Mapping[str, Any],
    *,
    options: HookOptions,
    state: HookState,
    environment: Mapping[str, str],
) -> str:
    """The project's facts at the start of a session."""
    session, source = _text(payload, "session_id"), _text(payload, "source")
    if source == "resume":
        return ""
    if source in ("compact", "clear"):
        state.forget_shown(session)
    project = _project(payload, environment)
    if not project or not _is_there(options.store):
        return ""
    from ..facade import KnowledgeBase

    with KnowledgeBase.open(options.store) as kb:
        answer = kb.briefing(project, budget_tokens=START_TOKENS)
    return _context("SessionStart", answer, session=session, state=state)


def _prompt(
    payload: Mapping[str, Any],
    *,
    options: HookOptions,
    state: HookState,
    environment: Mapping[str, str],
) -> str:
    """What applies to a prompt and was not shown to the session yet."""
    task, session = _text(payload, "prompt").strip(), _text(payload, "session_id")
    if task.startswith(("/", "!", "#")) or len(task.split()) < _FEWEST_WORDS:
        return ""
    if not _is_there(options.store):
        return ""
    from ..facade import KnowledgeBase

    with KnowledgeBase.open(options.store) as kb:
        answer = kb.retrieve(
            task[:_TASK_CHARS],
            project=_project(payload, environment),
            budget_tokens=PROMPT_TOKENS,
            k=3,
            strict=True,
            exclude=state.shown(session),
            holdout=options.holdout,
        )
    return _context("UserPromptSubmit", answer, session=session, state=state)


def _context(event: str, answer: Any, *, session: str, state: HookState) -> str:
    from ..queries.render import prompt_text

    text = prompt_text(answer)
    if not text:
        return ""
    seen = [*(item.memory.id for item in answer.shown()), *(id for id, _ in answer.held_out)]
    state.add_shown(session, seen)
    said = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
    return json.dumps(said)


def _stop(payload: Mapping[str, Any], *, options: HookOptions, state: HookState) -> str:
    """Take a session in once it ended; at a stop, on request, ask for lessons once."""
    transcript, session = _text(payload, "transcript_path"), _text(payload, "session_id")
    file = Path(transcript).expanduser()
    if not transcript or not file.is_file():
        return ""
    if _text(payload, "hook_event_name") == "Stop" and options.reflect:
        if payload.get("stop_hook_active") is True:
            return ""
        return _reflect(file, session=session, options=options, state=state)
    if state.first("ingested", f"{session}-{file.stat().st_size}"):
        _ingest_in_background(file, options=options)
    return ""


def _reflect(file: Path, *, session: str, options: HookOptions, state: HookState) -> str:
    from ..facade import KnowledgeBase
    from .reflect import reflection

    with KnowledgeBase.open(options.store) as kb:
        turned = {id: points for id, points in kb.turning_points(file).items() if points}
    worth = next(((id, p) for id, p in turned.items() if _worth_it(p)), None)
    if worth is None or not state.first("reflected", session):
        return ""
    _ingest_in_background(file, options=options)
    return json.dumps({"decision": "block", "reason": reflection(*worth)})


def _worth_it(points: Any) -> bool:
    """Tell whether a run holds more than repairs at the first try."""
    return any(
        p.turn != "repaired failure" or any("did not help" in line for line in p.lines)
        for p in points
    )


def _ingest_in_background(file: Path, *, options: HookOptions) -> None:
    """Start a process that outlives the hook, and do not wait for it."""
    # -P: the folder the agent works in is no place to import modules from.
    command = [sys.executable, "-P", "-m", "stepladder.cli", "--store", options.store]
    detached: dict[str, Any] = {"start_new_session": True}
    if os.name == "nt":
        detached = {"creationflags": 0x00000008 | 0x00000200}
    subprocess.Popen(
        [*command, "hook", "ingest", str(file)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        close_fds=True,
        **detached,
    )


def _ingest(arguments: tuple[str, ...], *, options: HookOptions) -> None:
    from ..facade import KnowledgeBase

    with KnowledgeBase.open(options.store) as kb:
        report = kb.ingest(arguments)
    if report.failed:
        raise ValueError("; ".join(n.reason for n in report.failed))


def _project(payload: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    from .place import place_of

    return place_of(Path(_text(payload, "cwd") or "."), environment=environment).project


def _text(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def _is_there(store: str) -> bool:
    """Tell whether there is a store to ask: a hook makes none."""
    return "://" in store or Path(store).exists()


def _in_settings(environment: Mapping[str, str]) -> bool:
    """Tell whether the user's settings run the hooks themselves."""
    folder = environment.get("CLAUDE_CONFIG_DIR", "").strip() or str(Path.home() / ".claude")
    try:
        text = (Path(folder) / "settings.json").read_text(encoding="utf-8")
    except OSError:
        return False
    return "stepladder" in text and " hook prompt" in text


def _give_up(event: str, state: HookState) -> None:
    _note(state, event, f"took longer than {LIMIT_S} s")
    os._exit(0)


def _note(state: HookState, event: str, reason: str) -> None:
    try:
        state.failed(event, reason)
    except OSError:
        return
