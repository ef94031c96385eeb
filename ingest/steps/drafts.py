"""The calls of a run before they are judged: what each is, where it ran, what it printed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..record import Phase, StepRecord
from ..shell import Command, main_command, parse
from ..trajectory import ToolCall, Turn
from .noise import clean
from .paths import Place
from .tools import ToolUse, use_of

_OPEN_FILE = re.compile(r"^\[File: (\S.{0,300}?) \(\d+ lines total\)\]", re.MULTILINE)


@dataclass(slots=True, kw_only=True)
class Draft:
    """A call while it is being understood.

    `place` is the folder it started in, `places` those of its commands. `background` is the step
    whose command still ran when this call asked for its output.
    """

    turn: int
    call: ToolCall
    use: ToolUse
    text: str
    thought: str
    commands: tuple[Command, ...] = ()
    main: Command | None = None
    phase: Phase = "other"
    place: Place = field(default_factory=Place)
    places: list[Place] = field(default_factory=list)
    background: StepRecord | None = None

    @property
    def main_place(self) -> Place:
        """The folder that the main command ran in."""
        for command, place in zip(self.commands, self.places, strict=True):
            if command is self.main:
                return place
        return self.place


def drafts_of(turns: Sequence[Turn]) -> Iterator[Draft]:
    """Yield the calls of all turns that the harness did not refuse, in order."""
    for number, turn in enumerate(turns):
        if turn.rejected:
            continue
        for call in turn.calls:
            use = use_of(call)
            commands = parse(use.line) if use.line else ()
            yield Draft(
                turn=number,
                call=call,
                use=use,
                text=clean(call.observation.text) if call.observation else "",
                thought=turn.thought or turn.text,
                commands=commands,
                main=main_command(commands),
            )


def named_paths(draft: Draft) -> Iterator[str]:
    """Yield the paths that a call names, as they stand."""
    yield from draft.use.reads
    yield from draft.use.edits
    yield from open_file(draft)
    for command in draft.commands:
        yield from command.reads
        yield from command.writes
        if command.program == "cd":
            yield from command.args


def open_file(draft: Draft) -> tuple[str, ...]:
    """Return the file that a windowed editor shows after an edit that names none."""
    if draft.use.kind not in ("edit", "write") or draft.use.edits:
        return ()
    match = _OPEN_FILE.search(draft.text[:2_000])
    return (match[1],) if match else ()
