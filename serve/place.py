"""Where an agent works: which project's memories it may read."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..ingest.project import project_of
from ..kg.types import UNASSIGNED, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The project that an agent works in, and what is known of its work."""

    project: str = ""
    domain: str = ""
    language: str = ""

    @property
    def scope(self) -> Scope:
        """Shared memories and those of the project; without one, those of no project."""
        return Scope.of(self.project or UNASSIGNED)


def place_of(
    folder: Path,
    *,
    environment: Mapping[str, str],
    project: str = "",
    domain: str = "",
    language: str = "",
) -> Place:
    """The place of a folder, or of the one that the agent names in `CLAUDE_PROJECT_DIR`."""
    root = environment.get("CLAUDE_PROJECT_DIR", "").strip() or str(folder)
    return Place(project=project or project_of(root, ""), domain=domain, language=language)
