"""The changes of a run line by line, as far as its steps show them: removed and added text."""

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from ...record import RunRecord, StepRecord
from ...shell import Command
from ...steps.tools import use_of
from .patterns import in_project, worked
from .verification import is_source

MOST_LINES: Final = 6
"""Changed lines of a hunk up to which it is about one thing. Source: measured on 342 public runs,
where longer hunks held several changes."""

_MOST_CHARS: Final = 60_000
_MOST_COMPARED: Final = 400
_DIFF_FILE = re.compile(r"^\+\+\+ (?:b/)?(\S+)")
_V4A_FILE = re.compile(r"^\*\*\* (?:Update|Add) File: (.{1,300})$")
_SED_IN_PLACE = re.compile(r"-(?:[nErsuz]*i|-in-place)")
_SED_TEXT = re.compile(
    r"^(?:[\d,$]{1,20}|/[^/\n]{1,200}/) ?[aic](?:\\\n?| )(?P<text>.+)\Z", re.DOTALL
)
_PRINTS = re.compile(r"(?i)\bdebug\b|\bprint\(|console\.log\(|\bTODO\b")
"""Lines that were put in to look at something. Such a change is no repair."""

_SED_SUBSTITUTION = re.compile(r"^[\d,$ ]{0,20}s(?P<mark>[/|#@,!~%:])")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of one place in a file that a step removed and added, without their line breaks."""

    step: int
    path: str
    removed: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many lines it removes and adds."""
        return len(self.removed) + len(self.added)


def small_hunks(run: RunRecord) -> Iterator[Hunk]:
    """Yield the small changes to the project's code that stood at the end of a run.

    A diff that was looked at after the last change is believed; else the edits are, where nothing
    undid them.
    """
    shown = next((s for s in reversed(run.steps) if s.index >= run.last_edit and _shows(s)), None)
    found = _of_diff(shown.index, shown.observation) if shown else _of_edits(run)
    for hunk in found:
        small = 0 < hunk.size <= MOST_LINES and not any(map(_PRINTS.search, hunk.added))
        if small and is_source(hunk.path) and hunk.path not in run.own_files:
            yield hunk


def hunks_of(step: StepRecord) -> Iterator[Hunk]:
    """Yield what one step changed, as far as its words tell."""
    if step.phase in ("undo", "vcs", "install") or not worked(step):
        return
    use = use_of(step.call)
    if use.replaced and use.edits:
        for old, new in use.replaced:
            yield from _compared(step, (step.edits or use.edits)[0], old, new)
    elif step.main is None:
        patch = next((v for v in step.call.arguments.values() if _is_patch(v)), step.call.raw)
        yield from _named_as_in(step, _of_diff(step.index, str(patch)))
    for command in step.commands:
        if _is_patch(command.heredoc):
            yield from _named_as_in(step, _of_diff(step.index, command.heredoc))
        elif command.program in ("sed", "gsed") and command.writes:
            yield from _of_sed(step, command)


def _named_as_in(step: StepRecord, hunks: Iterable[Hunk]) -> Iterator[Hunk]:
    """Give each hunk the path by which the step's record knows its file."""
    for hunk in hunks:
        path = next((p for p in step.edits if hunk.path.endswith(p)), hunk.path)
        yield replace(hunk, path=path)


def joined(lines: Iterable[str]) -> str:
    """Return lines as one text without their indentation."""
    return "\n".join(line.strip() for line in lines)


def text_of(step: StepRecord) -> str:
    """Return what a step runs or writes: its command and the texts it was called with."""
    texts = (value for value in step.call.arguments.values() if isinstance(value, str))
    return " ".join((step.command, *texts))[:_MOST_CHARS]


# --- where changes stand ------------------------------------------------------------------------


def _shows(step: StepRecord) -> bool:
    return "\n@@ " in step.observation and "+++ " in step.observation and worked(step)


def _of_edits(run: RunRecord) -> Iterator[Hunk]:
    """Yield the changes of edits to files that were not restored afterwards."""
    last_undo: dict[str, int] = {}
    for step in run.steps:
        if step.phase == "undo" and not step.failed:
            last_undo.update(dict.fromkeys(step.edits or ("",), step.index))
    everywhere = last_undo.get("", last_undo.get(".", -1))
    made = [hunk for step in run.steps for hunk in hunks_of(step)]
    sides = {(hunk.path, hunk.removed, hunk.added) for hunk in made}
    for hunk in made:
        taken_back = (hunk.path, hunk.added, hunk.removed) in sides
        if not taken_back and hunk.step > max(last_undo.get(hunk.path, -1), everywhere):
            yield hunk


def _is_patch(text: object) -> bool:
    return isinstance(text, str) and ("\n@@" in text or text.startswith("*** Begin Patch"))


def _of_diff(index: int, text: str) -> Iterator[Hunk]:
    """Read a unified diff or an `apply_patch` envelope; each run of changed lines is a hunk."""
    path, removed, added = "", list[str](), list[str]()
    for line in [*text[:_MOST_CHARS].split("\n"), ""]:
        named = _DIFF_FILE.match(line) or _V4A_FILE.match(line)
        if named or line[:1] not in ("+", "-") or line.startswith("--- "):
            if path and (removed or added):
                yield Hunk(index, path, tuple(removed), tuple(added))
            removed, added = [], []
            path = named[1] if named else path
        elif line[0] == "-":
            removed.append(line[1:])
        else:
            added.append(line[1:])


def _compared(step: StepRecord, path: str, old: str, new: str) -> Iterator[Hunk]:
    before, after = old.split("\n"), new.split("\n")
    if len(before) + len(after) > _MOST_COMPARED:
        return
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag != "equal":
            yield Hunk(step.index, path, tuple(before[i:j]), tuple(after[k:m]))


# --- sed ----------------------------------------------------------------------------------------


def _of_sed(step: StepRecord, command: Command) -> Iterator[Hunk]:
    for expression in sed_expressions(command):
        for path in step.edits:
            if in_project(path) and any(word.endswith(path) for word in command.writes):
                yield from _of_expression(step.index, path, expression)


def _of_expression(index: int, path: str, expression: str) -> Iterator[Hunk]:
    pair = substitution(expression)
    if pair:
        yield Hunk(index, path, (pair[0],), tuple(pair[1].split("\n")))
    elif match := _SED_TEXT.match(expression):
        text = match["text"].replace("\\\n", "\n").replace("\\n", "\n")
        yield Hunk(index, path, (), tuple(line.removeprefix("\\") for line in text.split("\n")))


def sed_expressions(command: Command) -> Iterator[str]:
    """Yield the expressions of a sed command that changes files in place."""
    if command.program not in ("sed", "gsed"):
        return
    if not any(_SED_IN_PLACE.match(arg) for arg in command.args):
        return
    named = [command.args[i + 1] for i, a in enumerate(command.args[:-1]) if a == "-e"]
    plain = (a for a in command.args if not a.startswith("-") and a)
    yield from named or list(plain)[:1]


def substitution(expression: str) -> tuple[str, str] | None:
    """Return the two sides of a `s/old/new/` with their escapes taken off, or None."""
    match = _SED_SUBSTITUTION.match(expression)
    if match is None:
        return None
    parts = _split(expression[match.end() :], match["mark"])
    if len(parts) < 3:
        return None
    old, new = (re.sub(r"\\([^\w\n])", r"\1", part) for part in parts[:2])
    return old.lstrip("^").replace("\\n", "\n"), new.replace("\\n", "\n").replace("\\t", "\t")


def _split(text: str, mark: str) -> list[str]:
    """Split a text at a mark that is not escaped."""
    parts, start, at = [], 0, 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        if text[at] == mark:
            parts.append(text[start:at])
            start = at + 1
        at += 1
    return [*parts, text[start:]]
