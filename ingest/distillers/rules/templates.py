"""A step in general words: what was done, with slots for what belongs to one task."""

import re
from pathlib import PurePosixPath
from typing import Final

from ...record import RunRecord, StepRecord
from ...shell import Command
from ...shell.programs import names
from ...steps.phases import is_test_file
from .changes import Changes, as_made, changed_by
from .slots import OWN_WORDS, runner_name, words_of

_CONFIG: Final = names(
    ".toml .cfg .ini .json .jsonc .yaml .yml .lock .env .conf .properties .xml .plist"
)
_DOCS: Final = names(".md .mdx .rst .txt .adoc .tex .org")
_DATA: Final = names(".csv .tsv .parquet .xlsx .db .sqlite .jsonl .ndjson .log .npz .pkl")
_BARE_DOCS: Final = names("LICENSE README CHANGELOG NOTICE AUTHORS CONTRIBUTING COPYING")
_BARE_CONFIG: Final = names("Makefile Dockerfile Containerfile Procfile Justfile justfile")
_SAYS_NOTHING: Final = names(
    "echo printf true false : exit sleep wait cd export set clear source read test lint [ "
    "finish submit"
)
"""Programs that do nothing worth telling, and calls that only end a run."""

_MAX_CHAIN: Final = 3
_MAX_WORDS: Final = 6
FILE_WORK: Final = {
    "rm": "remove <file>", "unlink": "remove <file>", "del": "remove <file>",
    "mkdir": "make <folder>", "rmdir": "remove <folder>", "mv": "move <file>",
    "cp": "copy <file>", "touch": "make <file>", "ln": "link <file>",
    "chmod": "set the mode of <file>", "tar": "pack or unpack <archive>",
    "unzip": "unpack <archive>", "zip": "pack <archive>", "gunzip": "unpack <archive>",
    "7z": "pack or unpack <archive>",
}  # fmt: skip
"""Programs that move files about, and what they do."""


def step_template(run: RunRecord, step: StepRecord, changes: Changes) -> str:
    """The step in general words; empty where there is nothing to tell."""
    if step.phase in ("think", "submit"):
        return ""
    if step.edits or step.creates:
        written = _writing(step, changes)
        if written:
            return written
    told = {
        "search": "search the code for <name>",
        "explore": _listing(step),
        "delegate": "hand a part to a sub-agent",
    }.get(step.phase, "")
    if told:
        return told
    if step.phase == "read" or step.kind == "read":
        return _reading(step)
    if step.kind == "fetch":
        return "read <web page>"
    if step.kind != "shell":
        return ""
    return _shell(run, step, changes)


def _writing(step: StepRecord, changes: Changes) -> str:
    """What a step wrote: part of the change before anything made to check it."""
    part = changed_by(step, changes)
    if part:
        fresh = part[0] in changes.added and part[0] in step.creates
        with_script = " with a script" if step.phase == "edit" and step.check and step.own else ""
        return f"{'write a new' if fresh else 'change'} {file_slot(part[0])}{with_script}"
    made = tuple(as_made(f, changes.helpers) for f in (*step.edits, *step.creates))
    if step.phase == "edit" and any(f in changes.helpers for f in made):
        return "write <check script>" if is_code(made[0]) else "write <scratch file>"
    if step.phase == "edit":
        return f"change {file_slot(made[0])}"
    removed = step.main is not None and FILE_WORK.get(step.main.program) == "remove <file>"
    return "remove <check script>" if removed and any(f in changes.helpers for f in made) else ""


def is_code(path: str) -> bool:
    """Say whether a file is source code or a test, by its name."""
    return file_slot(path) in ("<source file>", "<test file>")


def file_slot(path: str) -> str:
    """The sort of a file, by its name: `<source file>`, `<test file>`, `<config file>`..."""
    posix = PurePosixPath(path.replace("\\", "/"))
    if is_test_file(str(posix)) and posix.suffix not in _DOCS:
        return "<test file>"
    if posix.suffix in _CONFIG or posix.name in _BARE_CONFIG or posix.name.startswith("."):
        return "<config file>"
    if posix.suffix in _DOCS or posix.stem in _BARE_DOCS:
        return "<document>"
    if posix.suffix in _DATA:
        return "<data file>"
    return "<source file>" if posix.suffix else "<file>"


def _listing(step: StepRecord) -> str:
    if step.main and step.main.program in OWN_WORDS:
        return command_template(step.main)
    return "list <folder>" if step.kind in ("list", "shell", "search") else ""


def _reading(step: StepRecord) -> str:
    if step.main and step.main.program in ("jq", "yq", "curl"):
        return command_template(step.main)
    files = [f for f in step.reads if re.search(r"\w", f)]
    return f"read {file_slot(files[0])}" if files else ""


def _shell(run: RunRecord, step: StepRecord, changes: Changes) -> str:
    main = step.main
    if main is None:
        return "run a piece of code" if step.call.arguments else ""
    if main.program in _SAYS_NOTHING:
        return ""
    if main.program in FILE_WORK:
        return FILE_WORK[main.program]
    if step.phase in ("vcs", "undo"):
        parts = [c for c in step.commands if c.program == main.program and c.program != ""]
        told = list(dict.fromkeys(f"{command_template(c)[1:-1]}" for c in parts))
        return f"`{' && '.join(told[:_MAX_CHAIN])}`"
    if step.check and step.own and step.phase in ("run", "test"):
        inline = not any(f in run.own_files for f in step.reads)
        if inline:
            return "run a piece of code"
        kept = any(f in changes.files for f in step.reads)
        return f"`{main.program} {'<new file>' if kept else '<check script>'}`"
    return command_template(main)


def command_template(command: Command) -> str:
    """A command in back-ticks with what belongs to one task replaced by slots.

    The order of the words stays, since `pnpm --filter x test` is not `pnpm test --filter x`.
    """
    words = [w.text for w in words_of(command)][:_MAX_WORDS]
    return f"`{' '.join(filter(None, [command.wrapper, _program(command.program), *words]))}`"


def core_template(command: Command) -> str:
    """The part of a command that stays the same: options before the task, the task, one slot.

    >>> from stepladder.ingest.shell import parse
    >>> core_template(parse("pnpm --filter @acme/web test -- --run a.test.ts")[0])
    '`pnpm --filter <package> test`'
    >>> core_template(parse("python -m pytest -x -q tests/test_a.py tests/test_b.py")[0])
    '`python -m pytest <test file>`'
    """
    words = words_of(command)
    last = max((n for n, word in enumerate(words) if word.own), default=-1)
    slots = [w for w in words[last + 1 :] if w.text.startswith("<")][:1]
    if command.task or command.subcommand in ("test", "build"):
        slots = []
    kept = [w.text for w in (*words[: last + 1], *slots)]
    return f"`{' '.join(filter(None, [command.wrapper, _program(command.program), *kept]))}`"


def _program(program: str) -> str:
    """A program's name; a runner of the repository keeps its path."""
    return runner_name(program) if re.search(r"[/\\]", program) else program
