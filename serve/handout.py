"""Insights as files for others: which files change, and how."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ..kg.errors import UsageError
from ..queries.handout import MADE, Pack, with_section
from .install.edits import Edit, text_of

SKILL: Final = "SKILL.md"
_OURS = re.compile(r"stepladder-[a-z0-9-]+")


def skill_edits(folder: Path, skills: Mapping[str, str]) -> list[Edit]:
    """The files of some skills, and those of ours that are no longer among them, which go.

    Raises:
        UsageError: a file to be written was not made by an earlier export.
    """
    edits = [
        Edit(path=folder / name / SKILL, before=text_of(folder / name / SKILL), after=text)
        for name, text in skills.items()
    ]
    for edit in edits:
        if edit.before is not None and MADE not in edit.before:
            raise UsageError(
                f"The file {edit.path} was not made by this command.",
                hint="Move it away, or give another folder.",
            )
    for old in sorted(folder.glob(f"stepladder-*/{SKILL}")):
        text = text_of(old)
        mine = _OURS.fullmatch(old.parent.name) and text is not None and MADE in text
        if mine and old.parent.name not in skills:
            edits.append(Edit(path=old, before=text, after=None))
    return edits


def section_edit(file: Path, section: str) -> Edit:
    """A file with a section put in, replaced, or with an empty one taken out."""
    before = text_of(file)
    after = with_section(before or "", section)
    return Edit(path=file, before=before, after=after if after or before else None)


def write_skills(edits: list[Edit]) -> None:
    """Make the changes; a folder that is left empty goes too."""
    for edit in edits:
        edit.write()
        if edit.after is None and not any(edit.path.parent.iterdir()):
            edit.path.parent.rmdir()


def edits_json(edits: list[Edit], *, insights: int, dry_run: bool) -> dict[str, Any]:
    """Which files an export changes."""
    return {
        "insights": insights,
        "written": [str(e.path) for e in edits if e.changes and e.after is not None],
        "removed": [str(e.path) for e in edits if e.changes and e.after is None],
        "unchanged": [str(e.path) for e in edits if not e.changes],
        "dry_run": dry_run,
    }


def pack_json(pack: Pack, *, file: Path, dry_run: bool) -> dict[str, Any]:
    """What a pack holds and what was left out of it."""
    return {
        "file": str(file),
        "insights": len(pack.lines) - 1,
        "left_out": [{"id": id, "reason": why} for id, why in pack.left_out.items()],
        "dry_run": dry_run,
    }
