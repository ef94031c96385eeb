"""Plays a scenario: every command runs, every edit is applied, the verifier decides."""

import tempfile
from pathlib import Path

from .recording import Done, Played, Recording, Result, Verdict
from .sandbox import Sandbox
from .scenario import Action, Scenario, Turn, Verifier

KEEP_CWD = frozenset({"claude-code", "openhands", "swe-agent", "openai-chat"})
"""Formats of agents with one shell for the whole run; the others start a new one each time."""


def play(scenario: Scenario) -> Recording:
    """Play a scenario in a temporary folder.

    Raises:
        SandboxError: the set-up failed, a command hung, or output names this machine.
    """
    with tempfile.TemporaryDirectory(prefix="stepladder-example-") as folder:
        sandbox = Sandbox(Path(folder), scenario.project, needs=scenario.needs)
        commit = sandbox.set_up(live_remote=scenario.live_remote, setup=scenario.setup)
        keep_cwd = scenario.format in KEEP_CWD
        turns = tuple(_turn(sandbox, turn, keep_cwd=keep_cwd) for turn in scenario.turns)
        patch = sandbox.patch(commit)
        verdict = _verify(sandbox, scenario.verifier) if scenario.verifier else None
        return Recording(
            scenario=scenario,
            cwd=sandbox.seen_home,
            commit=commit,
            turns=turns,
            patch=patch,
            verdict=verdict,
        )


def _turn(sandbox: Sandbox, turn: Turn, *, keep_cwd: bool) -> Played:
    done = []
    for action in turn.actions:
        cwd = sandbox.seen_cwd()
        result = _act(sandbox, action, keep_cwd=keep_cwd)
        path = f"{sandbox.seen_home}/{action.path}" if action.path else ""
        done.append(Done(action=action, result=result, path=path, cwd=cwd))
    return Played(by=turn.by, text=turn.text, done=tuple(done))


def _act(sandbox: Sandbox, action: Action, *, keep_cwd: bool) -> Result:
    if action.kind == "run":
        text, exit_code = sandbox.run(action.command, keep_cwd=keep_cwd)
        return Result(text=text, exit_code=exit_code)
    before = sandbox.read(action.path)
    if action.kind == "write":
        sandbox.write(action.path, action.new)
        return Result(before=before or "", after=action.new)
    if before is None:
        return Result(problem="no file")
    if action.kind == "read":
        return Result(text=before)
    found = before.count(action.old)
    if found != 1:
        return Result(before=before, after=before, problem="not unique" if found else "not found")
    after = before.replace(action.old, action.new)
    sandbox.write(action.path, after)
    return Result(before=before, after=after)


def _verify(sandbox: Sandbox, verifier: Verifier) -> Verdict:
    for name, text in verifier.files.items():
        sandbox.write(name, text)
    output, exit_code = sandbox.run(verifier.run)
    return Verdict(
        resolved=exit_code == 0, command=verifier.run, exit_code=exit_code, output=output
    )
