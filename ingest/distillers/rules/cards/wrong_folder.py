"""A command fails in one folder; the same command works from another."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, fault_class, worked

_WITHIN: Final = 5
"""Steps to look ahead. Chosen by us."""

_CLASSES: Final = frozenset(
    {
        "no-such-file",
        "not-a-repository",
        "unknown-target",
        "script-not-there",
        "pathspec",
        "other",
        "no-tests",
        "test-not-found",
        "no-such-module",
    }
)
_FOLDER_OPTIONS: Final = frozenset({"-C", "--prefix", "--cwd", "--dir", "--directory", "--root"})
_FOLDER_ARGUMENTS: Final = ("workdir", "cwd", "dir_path", "directory", "working_directory")


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the command that failed and the same one that worked in another folder."""
    for failed in run.steps:
        if failed.main is None or fault_class(failed) not in _CLASSES:
            continue
        for step in after(run, failed.index, _WITHIN):
            if worked(step) and _same(failed, step) and _folder(failed) != _folder(step):
                yield Hit(steps=(failed.index, step.index))
                return


def _same(failed: StepRecord, step: StepRecord) -> bool:
    if failed.main is None or step.main is None:
        return False
    return _bare(failed) == _bare(step)


def _bare(step: StepRecord) -> tuple[str, ...]:
    """Return the words of the main command without the options that name a folder."""
    words, skip = [], False
    for word in (step.program, *(step.main.args if step.main else ())):
        if not skip and word not in _FOLDER_OPTIONS:
            words.append(word)
        skip = word in _FOLDER_OPTIONS
    return tuple(words)


def _folder(step: StepRecord) -> tuple[str, ...]:
    """Return what a step says of the folder that its command runs in."""
    entered = [arg for c in step.commands if c.program == "cd" for arg in c.args]
    args = step.main.args if step.main else ()
    named = [args[i + 1] for i, a in enumerate(args[:-1]) if a in _FOLDER_OPTIONS]
    given = [str(step.call.arguments.get(name, "")) for name in _FOLDER_ARGUMENTS]
    return tuple(filter(None, [*entered, *named, *given]))


CARD = Card(
    name="wrong-folder",
    title="When a command that should work fails, check the folder it is started in",
    situation=(
        "A command cannot find its file, project or repository because it runs in another "
        "folder than intended."
    ),
    seen="A command failed. The very same command, started in another folder, worked.",
    advice=(
        "Give the folder in the command itself by an absolute path or the tool's own option, "
        "and do not rely on where an earlier step ended."
    ),
    applies_when="The repository has several packages, or the folder changes between calls.",
    not_when="The file is missing everywhere.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
