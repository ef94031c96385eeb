"""Code in one quoted line cannot be parsed; spread over lines or in a file it runs."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import after, fault_class
from ..verification import passes

_WITHIN: Final = 4
"""Steps to look ahead. Chosen by us."""

_UNPARSED: Final = frozenset({"syntax-error", "shell-syntax", "indentation-error"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the line that could not be parsed, and the code in several lines that ran."""
    for failing in run.steps:
        if fault_class(failing) not in _UNPARSED or not _is_line(failing):
            continue
        if '"<string>"' not in failing.observation and fault_class(failing) != "shell-syntax":
            continue
        written: set[str] = set()
        for step in after(run, failing.index, _WITHIN):
            written.update(step.creates)
            in_file = bool(written & {*step.reads})
            if step.own and passes(step) and (in_file or _is_block(step)):
                yield Hit(steps=(failing.index, step.index))
                return


def _inline(step: StepRecord) -> str:
    args = step.main.args if step.main else ()
    return next((args[i + 1] for i, a in enumerate(args[:-1]) if a in ("-c", "-e")), "")


def _is_line(step: StepRecord) -> bool:
    return bool(_inline(step)) and "\n" not in _inline(step).strip()


def _is_block(step: StepRecord) -> bool:
    heredoc = step.main is not None and bool(step.main.heredoc)
    return heredoc or "\n" in _inline(step).strip()


CARD = Card(
    name="one-liner-to-script",
    title="Write code of several statements over several lines or to a file",
    situation="Several statements are handed to an interpreter in one quoted line.",
    seen=(
        "Code in one quoted line could not be parsed. Code that was spread over several "
        "lines or written to a file then ran."
    ),
    advice=(
        "Use a file, or a here-document with a quoted delimiter, as soon as the code holds "
        "a block, quotes, a dollar sign or a backslash."
    ),
    applies_when="Code is run from the command line.",
    not_when="The code is a single plain expression.",
    kind="file and syntax management",
    polarity="do",
    detect=detect,
)
