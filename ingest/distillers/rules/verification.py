"""Predicates over the checks of a run: what failed and why, what passed, and what was left over."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Final

from ...record import RunRecord, StepRecord
from ...steps.error_classes import SETUP
from ...steps.phases import is_test_file
from ...steps.verdict import printed_verdict
from .patterns import answered, base_name, fault_class, worked

MISSING: Final = frozenset({"command-not-found", "no-such-module"})
"""Classes of errors of a program or a runner that is not there."""

_FRAME = re.compile(r'^ *File "([^"\n]{1,300})", line \d+', re.MULTILINE)
_CHANGING = re.compile(
    r"0x[0-9a-f]+|\b\d+[.,]\d+ ?(?:ms|s|sec|seconds)?\b|\b\d\d:\d\d:\d\d\b|\bpid[ =]\d+"
    r"|\b\d+ ?(?:ms|s|sec|seconds)\b",
    re.IGNORECASE,
)
_MOST_CHARS: Final = 20_000
_SOURCE: Final = frozenset(
    {".py", ".js", ".ts", ".jsx", ".tsx", ".mjs", ".cjs", ".go", ".rs", ".java", ".kt", ".rb",
     ".php", ".c", ".cc", ".cpp", ".h", ".hpp", ".cs", ".swift", ".scala", ".ex", ".lua", ".sh",
     ".pyx", ".vue", ".svelte", ".sql", ".pl"}
)  # fmt: skip
_REMOVERS: Final = frozenset({"rm", "unlink", "rmdir", "trash"})


# --- checks -------------------------------------------------------------------------------------


def key_of(step: StepRecord) -> str:
    """Return what is equal for two checks of the same thing: its purpose and what it selects."""
    if step.main is None or not step.purpose:
        return step.purpose or step.command
    return " ".join((step.purpose, *(a for a in step.main.args if not a.startswith("-"))))


def passes(step: StepRecord) -> bool:
    """Tell whether a check ran to its end and was content."""
    content = step.check and step.verdict == "pass" and not step.failed and answered(step)
    return content and not _prints_no(step)


def says_no(step: StepRecord) -> bool:
    """Tell whether a check failed or said so in words, for whatever reason."""
    if not step.check or not answered(step) or step.failure in ("rejected", "permission"):
        return False
    return step.failed or step.verdict == "fail" or _prints_no(step)


def _prints_no(step: StepRecord) -> bool:
    """Tell whether a script whose exit code is not known says in words that it failed."""
    if step.exit_code is not None or step.phase != "run":
        return False
    return printed_verdict(step.observation[-_MOST_CHARS:]) == "fail"


def shows_fault(step: StepRecord) -> bool:
    """Tell whether a check failed because of what it checks, not because of its surroundings."""
    return says_no(step) and fault_class(step) not in SETUP


def tests_project(run: RunRecord, step: StepRecord) -> bool:
    """Tell whether a step runs tests that were there before the run."""
    if step.phase != "test" or not step.check or step.own:
        return False
    named = [*step.reads, *(step.main.args if step.main else ())]
    return not any(_names_own(word, path) for word in named for path in run.own_files)


def _names_own(word: str, path: str) -> bool:
    """Tell whether an argument of a runner names a file of the agent, or the folder it is in."""
    if word.startswith("-") or not is_test_file(path):
        return path == word
    name = base_name(path).partition(".")[0]
    return path.startswith(f"{word.rstrip('/')}/") or name in re.split(r"[./:]", word)


def breaks_at(step: StepRecord, path: str) -> bool:
    """Tell whether a traceback in the output of a step names a file by its last part."""
    name = re.escape(base_name(path))
    return (
        re.search(rf'(?:[/"]|^){name}(?:", line |:)\d', step.observation[-_MOST_CHARS:]) is not None
    )


def raised_in_own(run: RunRecord, step: StepRecord) -> bool:
    """Tell whether the last frame of a traceback lies in a file that the agent made."""
    frames = _FRAME.findall(step.observation[-_MOST_CHARS:])
    if not frames:
        return False
    last = base_name(frames[-1])
    return last in ("<string>", "<stdin>") or last in {base_name(p) for p in run.own_files}


def outcome_text(step: StepRecord) -> str:
    """Return a step's output without what differs from run to run: times, addresses."""
    return _CHANGING.sub("#", step.observation[-_MOST_CHARS:]).strip()


# --- changes ------------------------------------------------------------------------------------


def is_source(path: str) -> bool:
    """Tell whether a path is named as program code is, and not as a test."""
    return PurePosixPath(path).suffix in _SOURCE and not is_test_file(path)


def edits_between(run: RunRecord, first: int, last: int) -> tuple[StepRecord, ...]:
    """Return the steps between two indexes that change files which are not the agent's own."""
    return tuple(
        step
        for step in run.steps[first + 1 : last]
        if step.phase not in ("undo", "vcs", "install")
        and worked(step)
        and any(path not in run.own_files and not path.startswith("/") for path in step.edits)
    )


def restored(run: RunRecord, first: int, last: int) -> bool:
    """Tell whether something was undone or set aside between two steps."""
    return any(s.phase == "undo" and not s.failed for s in run.steps[first + 1 : last])


# --- files of the agent -------------------------------------------------------------------------


def made_files(run: RunRecord) -> dict[str, int]:
    """Return the files that the agent made, each with the index of the step that made it first."""
    made: dict[str, int] = {}
    for step in run.steps:
        for path in step.creates:
            made.setdefault(path, step.index)
    return made


def removals(step: StepRecord) -> Iterator[str]:
    """Yield the words that a step's commands remove: names, folders or wildcards."""
    for command in step.commands:
        cleans = command.program == "git" and command.subcommand in ("clean", "rm")
        if command.program in _REMOVERS or cleans:
            yield from (a for a in command.args if not a.startswith("-") and a not in ("rm",))
            if cleans and command.subcommand == "clean":
                yield "*"


def removes(step: StepRecord, path: str) -> bool:
    """Tell whether a step removes a file, by its name, its folder or a wildcard."""
    return any(_covers(word.rstrip("/"), path) for word in removals(step))


def _covers(word: str, path: str) -> bool:
    word = word.removeprefix("./")
    if word == path or path.startswith(f"{word}/") or fnmatchcase(path, word):
        return True
    return base_name(word) == base_name(path) or fnmatchcase(base_name(path), base_name(word))


def hands_over(run: RunRecord) -> bool:
    """Tell whether the agent itself ended the run: it submitted, or had the last word."""
    if any(step.phase == "submit" for step in run.steps[-3:]):
        return True
    spoken = [turn for turn in run.trajectory.turns if turn.role == "agent" and not turn.rejected]
    return bool(spoken) and not spoken[-1].calls and bool(spoken[-1].text.strip())
