"""Which files of a run are its change, and which the agent only made to check something."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import PurePosixPath
from typing import Final

from ...record import RunRecord, StepRecord
from ...steps.tool_names import OLD_ARGUMENTS
from .patterns import base_name

_REMOVERS: Final = frozenset({"rm", "unlink", "del", "Remove-Item"})
_CHECKING = re.compile(
    r"(?i)(?:\A|[_.-])(?:repro\w*|debug\w*|check\w*|verif\w*|demo|tmp|temp|scratch|try|poc|minimal"
    r"|validate|investigat\w*|bug|issue|edge|final|simple|comprehensive|quick)(?:[_.-]|\Z)"
)
"""Words in the names of files that are made to look at something and then forgotten."""

CHECKING_FOLDER = re.compile(
    r"(?i)\A(?:repro\w*|debug\w*|scratch\w*|tmp\w*|temp\w*|(?:my_?)?(?:test|demo)_?(?:app|proj\w*))/"
)
"""Folders that are made for the same."""

_TRIAL = re.compile(r"(?i)(?:tests?|foo|bar|baz|example|sample|hello)[._]")
"""Names at the top of a project that are no tests of its own where other files were changed."""

_NAMELESS = re.compile(r"(?i)(?:foo|bar|baz|qux)\d*\.")
"""Names that stand for any name, wherever they lie."""

_TEMPORARY = re.compile(
    r"(?i)\A(?:/tmp|/var|/private|/dev|/proc|\$)|[/\\](?:te?mp|scratchpad)[/\\]|\A~[/\\]\.(?!github)"
)
_FILE = re.compile(r"\.\w{1,8}\Z|(?:\A|/)[A-Z][A-Za-z]{3,}\Z|(?:\A|/)\.\w+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The files a run changed, in order: `changed` were there before, `added` are new and stay.

    `helpers` are files that the agent made to check or to try something.
    """

    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    helpers: frozenset[str] = frozenset()

    @property
    def files(self) -> frozenset[str]:
        """All files that are part of the change."""
        return frozenset((*self.changed, *self.added))


def changes_of(run: RunRecord) -> Changes:
    """Tell the change of a run from what was only made on the way.

    A file that the agent made is a helper where it is removed again, lies outside the project, or
    is run as a script and neither asked for nor stands among the project's own files.
    """
    edited = [s for s in run.steps if s.phase not in ("undo", "vcs", "install")]
    touched = dict.fromkeys(f for s in edited for f in (*s.edits, *s.creates))
    gone = set(_removed(run))
    started = {f for s in run.steps if s.check and s.own for f in s.reads}
    touched = dict.fromkeys(as_made(f, run.own_files) for f in touched)
    files = [f for f in touched if _FILE.search(f) and not f.startswith(".git/")]
    made = run.own_files - {f for s in edited for f in s.creates if _replaces(s)}
    changed = tuple(f for f in files if f not in made and not _TEMPORARY.search(f))
    own = [f for f in files if f in made]
    helpers = frozenset(
        f
        for f in own
        if f in gone or _TEMPORARY.search(f) or _is_helper(run, f, f in started, bool(changed))
    )
    added = tuple(f for f in own if f not in helpers)
    return Changes(changed=changed, added=added, helpers=helpers)


def as_made(path: str, own: frozenset[str]) -> str:
    """A path by the name under which the agent made the file, where it was given in full later."""
    if not path.startswith("/"):
        return path
    known = (o for o in own if not o.startswith("/") and path.endswith(f"/{o}"))
    return max(known, key=len, default=path)


def _is_helper(run: RunRecord, path: str, started: bool, beside_changes: bool) -> bool:
    name = base_name(path)
    if name and name in run.trajectory.task:
        return False
    if CHECKING_FOLDER.match(path) or _NAMELESS.match(name):
        return True
    at_top = path.removeprefix("/workspace/").lstrip("/").count("/") == 0
    if at_top and beside_changes and _TRIAL.match(name):
        return True
    if at_top and _CHECKING.search(name.rpartition(".")[0] or name):
        return True
    return at_top and started and beside_changes


def _replaces(step: StepRecord) -> bool:
    """Say whether an edit names the text it replaces, so that the file must have been there."""
    return any(
        isinstance(value, str) and bool(value)
        for name, value in step.call.arguments.items()
        if name in OLD_ARGUMENTS
    )


def _removed(run: RunRecord) -> Iterator[str]:
    """Files that a step removed from the disk, by their names or with their folder."""
    below: dict[str, list[str]] = {}
    for path in run.own_files:
        for folder in PurePosixPath(path).parents:
            below.setdefault(str(folder), []).append(path)
    for step in run.steps:
        for command in step.commands:
            if command.program not in _REMOVERS:
                continue
            for word in (a.removeprefix("./").rstrip("/") for a in command.args if a[:1] != "-"):
                name = base_name(word)
                yield from (f for f in step.edits if name and fnmatch(base_name(f), name))
                yield from below.get(word, ())
                if word in run.own_files:
                    yield word
                elif any(sign in word for sign in "*?["):
                    yield from (f for f in run.own_files if fnmatch(f, word))


def changed_by(step: StepRecord, changes: Changes) -> tuple[str, ...]:
    """The files of the change that a step wrote, in order."""
    written = dict.fromkeys((*step.edits, *step.creates))
    return tuple(f for f in written if as_made(f, changes.helpers) in changes.files)
