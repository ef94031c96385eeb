"""From a trajectory to the record of what was done: every call that ran, understood.

Pure: nothing is looked up, expanded or executed; what a call did is told from its words and from
what came back.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ..record import Phase, RunRecord, StepRecord, Verdict
from ..shell import Command
from ..trajectory import Trajectory
from .checks import CHECKS, fault_of, is_check, says_no, verdict_of
from .drafts import Draft, drafts_of, named_paths, open_file
from .endings import Ending, ending_of
from .faults import refusal
from .noise import noise_of, without_noise
from .paths import Place, find_root
from .phases import is_test_file, phase_of
from .purposes import purpose_of, targets_of
from .repairs import repairs_of
from .tools import patched
from .workspace import Workspace, ran_scripts, runs_inline

_Files = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]

_SUBMITS = re.compile(r"\b(?:COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|MINI_SWE_AGENT_FINAL_OUTPUT)\b")
_STARTED = re.compile(r"(?:with|session|shell)[ _]ID:?\s*\"?([\w-]+)", re.IGNORECASE)
_EXISTED = re.compile(
    r"has been (?:updated|overwritten|modified)|[Oo]verwr(?:ote|itten)|replaced content"
)
_CREATED = re.compile(
    r"(?i)created (?:successfully|and wrote|file|new file)|new file (?:created|written)"
)
_THERE: Final = frozenset({"edit-unread", "edit-not-found", "edit-not-unique", "edit-changed"})
"""Refusals that show that the file was there."""

_LOOKS: Final = frozenset({"explore", "search", "vcs"})
_REMOVERS: Final = frozenset({"rm", "unlink", "rmdir", "Remove-Item", "del"})
_KEEPS_FOLDER: Final = ("claude-code", "swe-agent", "mlgym", "openhands", "copilot")
"""Formats of agents whose shell stays in the folder that a step changed to."""


def build(
    trajectory: Trajectory,
    *,
    trace_id: str,
    task_id: str,
    project: str,
    domain: str,
    language: str,
) -> RunRecord:
    """Return the record of a run: its steps, repairs, requests, and the files the agent made.

    Replies that the harness refused are no steps. The same trajectory gives the same record.
    """
    steps = tuple(_Builder(trajectory).steps())
    own = frozenset(path for step in steps for path in step.creates)
    changes = [step.index for step in steps if _changes_source(step, own)]
    return RunRecord(
        trajectory=trajectory,
        trace_id=trace_id,
        task_id=task_id,
        project=project,
        domain=domain,
        language=language,
        steps=steps,
        repairs=repairs_of(steps, own),
        requests=tuple(
            turn
            for turn in trajectory.turns
            if turn.role == "user" and not (turn.injected or turn.rejected) and turn.text.strip()
        ),
        rejected_turns=tuple(i for i, turn in enumerate(trajectory.turns) if turn.rejected),
        own_files=own,
        first_edit=changes[0] if changes else -1,
        last_edit=changes[-1] if changes else -1,
    )


def _changes_source(step: StepRecord, own: frozenset[str]) -> bool:
    """Say whether a step changed a file that is not the agent's own, other than by undoing."""
    if step.phase in ("undo", "vcs", "install"):
        return False
    return any(path not in own and not path.startswith(("/", "~", "$")) for path in step.edits)


class _Builder:
    """Goes through the calls of a run in order and keeps what is known of its files."""

    def __init__(self, trajectory: Trajectory) -> None:
        self._drafts = list(drafts_of(trajectory.turns))
        named = (path for draft in self._drafts for path in named_paths(draft))
        self._home = Place(root=find_root(trajectory.cwd, named))
        self._here = self._home
        self._stays = trajectory.format.startswith(_KEEPS_FOLDER)
        self._noise = noise_of(
            (d.call.observation, d.text) for d in self._drafts if d.call.observation
        )
        self._codes = any(
            d.call.observation is not None and d.call.observation.exit_code is not None
            for d in self._drafts
        )
        self._files = Workspace()
        self._about_to_write: set[str] = set()
        self._running: dict[str, StepRecord] = {}

    def steps(self) -> Iterator[StepRecord]:
        """Yield a step for each call."""
        for index, draft in enumerate(self._drafts):
            step = self._step(index, draft)
            self._note_running(draft, step)
            yield step

    def _step(self, index: int, draft: Draft) -> StepRecord:
        use, observation = draft.use, draft.call.observation
        self._locate(draft)
        self._resume(draft)
        before = draft.background
        phase = self._phase(draft)
        text = without_noise(draft.text, self._noise)
        ending = ending_of(
            observation,
            use=use,
            phase=phase,
            commands=draft.commands,
            main=draft.main,
            text=text,
        )
        targets = self._targets(draft, phase)
        reads, edits, creates = self._touch(draft, phase, ending=ending)
        reads = tuple(dict.fromkeys((*reads, *targets)))
        own = before.own if before else self._is_own(draft, phase, targets=targets, edits=edits)
        check = before.check if before else is_check(draft, phase)
        verdict: Verdict = ""
        if check:
            verdict = verdict_of(draft, phase, ending=ending, text=text, own=own, codes=self._codes)
        failed = ending.failed or (check and says_no(phase, text, verdict=verdict))
        purpose = purpose_of(
            kind=use.kind,
            phase=phase,
            shown=use.shown,
            main=draft.main,
            targets=targets,
            files=(*edits, *reads),
        )
        return StepRecord(
            index=index,
            turn=draft.turn,
            call=draft.call,
            kind=use.kind,
            phase=phase,
            command=use.line or use.shown,
            main=draft.main,
            commands=draft.commands,
            reads=reads,
            edits=edits,
            creates=creates,
            own=own,
            check=check,
            purpose=before.purpose if before else purpose,
            observation=draft.text,
            exit_code=observation.exit_code if observation else None,
            failure=ending.failure or ("environment" if failed else ""),
            failed=failed,
            verdict=verdict,
            fault=fault_of(draft, phase, ending=ending, text=text, verdict=verdict)
            if failed
            else None,
            thought=draft.thought,
        )

    # --- where and what -------------------------------------------------------------------------

    def _locate(self, draft: Draft) -> None:
        """Find the folder each command of a line ran in."""
        shell = draft.use.kind == "shell"
        draft.place = self._here if self._stays and shell else self._home
        if draft.use.cwd:
            draft.place = self._home.entered(draft.use.cwd)
        draft.places = draft.place.along(draft.commands)
        self._about_to_write.clear()
        for command, place in zip(draft.commands, draft.places, strict=True):
            if command.heredoc and len(command.writes) == 1 and command.program in ("cat", "tee"):
                path = place.relative(command.writes[0])
                self._files.keep(path, command.heredoc)
                self._about_to_write.add(path)
        if self._stays and shell:
            self._here = draft.place.after(draft.commands)

    def _note_running(self, draft: Draft, step: StepRecord) -> None:
        """Remember a command that may still run, by the ids a later call could ask for it with."""
        if step.kind != "shell" or draft.use.continues or step.exit_code is not None:
            return
        started = _STARTED.search(draft.text[:2_000])
        named = [str(draft.call.arguments.get(name, "")) for name in ("shellId", "session_id")]
        for name in ("", started[1] if started else "", *named):
            self._running[name] = step

    def _resume(self, draft: Draft) -> None:
        """Join a look at a background command with the command itself, by id or as the latest."""
        if not draft.use.continues:
            return
        before = self._running.get(draft.use.continues) or self._running.get("")
        if before:
            draft.background = before
            draft.commands, draft.main = before.commands, before.main
            draft.places = draft.place.along(draft.commands)

    def _phase(self, draft: Draft) -> Phase:
        if draft.background:
            return draft.background.phase
        if draft.main is None:
            return draft.use.phase
        if _SUBMITS.search(draft.use.line):
            return "submit"
        phase = phase_of(draft.main)
        return self._phase_of_script(draft.main, draft.main_place) if phase == "run" else phase

    def _phase_of_script(self, main: Command, place: Place) -> Phase:
        """Tell runs of existing tests, and of own scripts that edit the project, from others."""
        scripts = _relative(place, ran_scripts(main))
        if any(is_test_file(s) and not self._is_made_here(s) for s in scripts):
            return "test"
        written = (path for s in scripts for path in self._files.effects(s, place)[1])
        return "edit" if any(not self._files.is_new(path) for path in written) else "run"

    def _is_made_here(self, path: str) -> bool:
        """Tell whether the agent made a file, before or in the line at hand."""
        made = path in self._about_to_write and self._files.is_new(path)
        return made or path in self._files.ever_own

    def _targets(self, draft: Draft, phase: Phase) -> tuple[str, ...]:
        if draft.main is None or phase not in CHECKS | {"run"}:
            return ()
        return targets_of(draft.main, draft.main_place)

    def _is_own(
        self, draft: Draft, phase: Phase, *, targets: Sequence[str], edits: Sequence[str]
    ) -> bool:
        """Say whether a step runs or changes only files that the agent made."""
        own = self._files.ever_own
        if draft.main and phase in CHECKS | {"run"}:
            return all(path in own for path in (*targets, *edits)) and (
                bool(targets) or runs_inline(draft.main)
            )
        if draft.use.script:
            return all(path in own for path in edits)
        return bool(edits) and all(path in own for path in edits)

    # --- files ----------------------------------------------------------------------------------

    def _touch(self, draft: Draft, phase: Phase, *, ending: Ending) -> _Files:
        """Return the files that a step read, changed and made, and take note of them."""
        if draft.background:
            return (), (), ()
        if draft.use.line:
            return self._touch_by_shell(draft, phase, ending=ending)
        use, place = draft.use, draft.place
        reads = _relative(place, use.reads)
        edits = _relative(place, use.edits or open_file(draft))
        if not ending.took_effect or (ending.failed and use.script):
            if edits and (fault := refusal(draft.text)) and fault.error_class in _THERE:
                self._files.look(edits)
            return tuple(dict.fromkeys((*reads, *edits))), (), ()
        self._files.look(reads)
        if use.kind in ("list", "search"):
            self._files.listed(draft.text, at_top=use.kind == "list" and not reads)
        creates = tuple(
            path
            for path in edits
            if self._files.change(path, existed=_existed(draft, path in _relative(place, use.adds)))
        )
        for path, content in use.written:
            self._files.keep(place.relative(path), content)
        for path in edits[:1] if use.replaced else ():
            self._files.replace(path, use.replaced)
        return reads, edits, creates

    def _touch_by_shell(self, draft: Draft, phase: Phase, *, ending: Ending) -> _Files:
        reads: list[str] = []
        edits: list[str] = []
        creates: list[str] = []
        if not ending.took_effect:
            return (), (), ()
        for command, place in zip(draft.commands, draft.places, strict=True):
            stopped = ending.failed and command is draft.main
            read, written = _relative(place, command.reads), _relative(place, command.writes)
            reads += read
            if not stopped:
                self._files.look(read)
            if not (stopped and phase == "edit"):
                there = _in_place(command, place, written=written)
                creates += [
                    path
                    for path in written
                    if self._files.change(path, existed=True if path in there else None)
                ]
                edits += written
            if not stopped:
                edits += self._run_scripts(command, place, creates=creates)
                edits += self._removed(command, place)
        if phase in _LOOKS:
            self._files.listed(draft.text, at_top=_looks_at_top(draft.main))
        return _once(reads), _once(edits), _once(creates)

    def _run_scripts(self, command: Command, place: Place, *, creates: list[str]) -> list[str]:
        """Follow what the agent's own scripts write when they are run."""
        written: list[str] = []
        for script in ran_scripts(command):
            read, wrote = self._files.effects(place.relative(script), place)
            self._files.look(read)
            creates += [path for path in wrote if self._files.change(path)]
            written += wrote
        return written

    def _removed(self, command: Command, place: Place) -> tuple[str, ...]:
        """Return the files that a command removes, moves away or restores.

        A removed file that nothing had read or written is what some program left behind; of a
        removed folder the agent's own files in it are known.
        """
        words = [a for a in command.args if not a.startswith("-")]
        git = command.program == "git"
        if command.program in _REMOVERS or (git and command.subcommand == "rm"):
            paths = _relative(place, words[1:] if git else words)
        elif command.program == "mv" or (git and command.subcommand == "mv"):
            paths = _relative(place, words[:-1])
        elif git and phase_of(command) == "undo":
            return _relative(place, [w for w in words[1:] if "." in w or "/" in w])
        else:
            return ()
        inside = [own for own in sorted(self._files.own) if own.startswith(_folders(paths))]
        known = _once([*(path for path in paths if self._files.knows(path)), *inside])
        for path in (*paths, *inside):
            self._files.remove(path)
        return known


def _relative(place: Place, paths: Sequence[str]) -> tuple[str, ...]:
    return _once([path for path in (place.relative(p) for p in paths) if path])


def _folders(paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{path}/" for path in paths)


def _once(paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paths))


def _in_place(command: Command, place: Place, *, written: Sequence[str]) -> Sequence[str]:
    """Return those of the written files that must have been there for the command to work."""
    tool = command.program.rpartition("/")[2]
    if tool in ("apply_patch", "applypatch", "patch") or (
        tool == "git" and command.subcommand in ("apply", "am")
    ):
        added = _relative(place, patched(command.heredoc or "\n".join(command.args))[1])
        return [path for path in written if path not in added]
    return written if tool in ("sed", "gsed", "perl", "ed", "ex") else ()


def _existed(draft: Draft, added: bool) -> bool | None:
    """Tell from tool and answer whether a changed file was there before; None where unsaid.

    `added` says that the tool was asked to make it.
    """
    use, head = draft.use, draft.text[:400]
    if use.kind == "edit":
        return not added if added or not use.makes else None
    if use.script or not added:
        return None
    if _EXISTED.search(head):
        return True
    return False if _CREATED.search(head) else None


def _looks_at_top(main: Command | None) -> bool:
    """Say whether a listing shows the top of the project, where names stand without a folder."""
    if main is None:
        return False
    if main.program == "git":
        return main.subcommand in ("status", "ls-files")
    words = [a for a in main.args if not a.startswith("-")]
    return main.program in ("ls", "dir", "tree") and words in ([], ["."])
