"""It is checked that a program is there before it is used."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, asks_help, base_name, worked

_WITHIN: Final = 20
"""Steps to look ahead. Chosen by us."""

_FINDERS: Final = frozenset({"which", "command", "type", "whereis", "where", "hash"})
_VERSIONS: Final = frozenset({"--version", "-V", "version", "-version"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the first probe of a program that is used later and was not before."""
    used: set[str] = set()
    for probe in run.steps:
        name = _probed(probe)
        if name and name not in used and worked(probe) and probe.observation.strip():
            for step in after(run, probe.index, _WITHIN):
                used_now = step.program == name and worked(step) and not asks_help(step)
                if used_now and _probed(step) != name:
                    yield Hit(steps=(probe.index, step.index))
                    return
        used.add(probe.program)


def _probed(step: StepRecord) -> str:
    """Return the program whose presence or version a step asks for."""
    for command in step.commands:
        plain = [arg for arg in command.args if not arg.startswith("-")]
        if command.program in _FINDERS and plain:
            return base_name(plain[0])
        if len(command.args) == 1 and command.args[0] in _VERSIONS:
            return base_name(command.program)
    return ""


CARD = Card(
    name="probe-tool",
    title="Check that a program is installed, and which version, before you build on it",
    situation=(
        "The next steps depend on a command line program that may be missing or of another version."
    ),
    seen=(
        "It was checked that a program is there, or which version it is, before it was used. "
        "Later it was used and worked."
    ),
    advice=(
        "Ask for its path or version first, and have a second way ready if it is not there. "
        "Do not install anything the task does not call for."
    ),
    applies_when="The environment is not known.",
    not_when="The project's own scripts bring the program along.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
