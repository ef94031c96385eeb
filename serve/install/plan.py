"""What an installation changes, before anything is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import edits
from .edits import Addition, Edit
from .hosts import Wish, settings_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Edits of settings files, and the notes by which they are taken back."""

    edits: tuple[Edit, ...]
    notes: Path
    additions: tuple[Addition, ...] = ()

    @property
    def changes(self) -> tuple[Edit, ...]:
        """The edits that change something."""
        return tuple(e for e in self.edits if e.changes)

    def apply(self) -> None:
        """Write the edits and keep the notes.

        Raises:
            OSError: a file could not be written.
        """
        for edit in self.changes:
            edit.write()
        if self.additions:
            edits.save(self.notes, self.additions)
        else:
            self.notes.unlink(missing_ok=True)


def install_plan(
    host: str, wish: Wish, *, home: Path, environment: Mapping[str, str], state: Path
) -> Plan:
    """What installing in an agent changes; nothing where it is installed as wished.

    Raises:
        UsageError: the agent is not known, or a settings file cannot be read.
    """
    notes = _notes(state, host)
    kept = {a.path: a for a in edits.load(notes)}
    made: list[Edit] = []
    additions: list[Addition] = []
    for file in settings_of(host, wish, home=home, environment=environment):
        edit, addition = file.installed(kept.get(str(file.path)))
        made.append(edit)
        additions += [addition] if addition else []
    return Plan(edits=tuple(made), notes=notes, additions=_by_path(additions))


def uninstall_plan(host: str, *, home: Path, environment: Mapping[str, str], state: Path) -> Plan:
    """What taking it out of an agent's settings changes.

    Raises:
        UsageError: the agent is not known, or a settings file cannot be read.
    """
    notes = _notes(state, host)
    kept = {a.path: a for a in edits.load(notes)}
    files = settings_of(host, Wish(command=("stepladder",)), home=home, environment=environment)
    return Plan(edits=tuple(f.removed(kept.get(str(f.path))) for f in files), notes=notes)


def _by_path(additions: Sequence[Addition]) -> tuple[Addition, ...]:
    return tuple({a.path: a for a in additions}.values())


def _notes(state: Path, host: str) -> Path:
    return state / "installed" / f"{host}.json"
