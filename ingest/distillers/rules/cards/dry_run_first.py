"""A command with effects is rehearsed before it is run."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ....shell import Command
from ..card import Card, Hit
from ..patterns import after, base_name, command_of, worked

_WITHIN: Final = 20
"""Steps to look ahead. Chosen by us."""

_REHEARSALS: Final = frozenset({"--dry-run", "--dryrun", "--just-print", "--simulate", "--no-act"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the rehearsal and the same command without it."""
    for trial in run.steps:
        command = next((c for c in trial.commands if _rehearsed(c)), None)
        if command is None or not worked(trial):
            continue
        for step in after(run, trial.index, _WITHIN):
            real = command_of(step, base_name(command.program), command.subcommand)
            if real and _words(real) == _words(command) and not _rehearsed(real) and worked(step):
                yield Hit(steps=(trial.index, step.index))
                return


def _rehearsed(command: Command) -> bool:
    return any(arg.partition("=")[0] in _REHEARSALS for arg in command.args)


def _words(command: Command) -> list[str]:
    """Return the words of a command without the option that makes it a rehearsal."""
    return [arg for arg in command.args if arg.partition("=")[0] not in _REHEARSALS]


CARD = Card(
    name="dry-run-first",
    title="Rehearse a command with lasting effects before you run it",
    situation="A push, release, deletion, migration or bulk change is about to be made.",
    seen=(
        "A command was first run as a rehearsal that changes nothing. After that the same "
        "command was run for real."
    ),
    advice=(
        "Use the program's dry-run option where there is one, and read what it says it would "
        "do. Run it for real only if that is what was asked for."
    ),
    applies_when="The command changes something outside the working copy or many files at once.",
    not_when="The effect is easily undone.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
)
