"""What a step tries, as a key that is equal for two steps that try the same thing."""

import re
from collections.abc import Sequence
from typing import Final

from ..record import Kind, Phase
from ..shell import Command
from .paths import Place
from .phases import is_test_file
from .workspace import ran_scripts, runs_inline

_VERSIONED = re.compile(r"(python|pypy|pip|node|ruby|pytest|clang|gcc|g\+\+)[-\d.]+\Z")
_CODE_FILE = re.compile(
    r"\.(?:py|pyi|js|mjs|cjs|jsx|ts|tsx|rb|go|rs|java|kt|c|cc|cpp|h|php|cs|swift|scala|ex|exs|sh"
    r"|lua|pl|R|jl|hs|ml|dart|vue|svelte|rst|txt|toml|cfg|json)\Z"
)
_CHECKS: Final = frozenset({"test", "build", "lint", "run"})
_TARGETS: Final = 3


def targets_of(command: Command, place: Place) -> tuple[str, ...]:
    """Return the files and test modules that a check is about, without the ids of single tests."""
    scripts = ran_scripts(command)
    if scripts:
        return tuple(filter(None, (place.relative(script) for script in scripts)))
    found: list[str] = []
    for arg in command.args:
        path = re.split(r"::|:\d+\Z", arg)[0]
        if path.startswith("-") or "=" in path or path in (command.subcommand, command.task):
            continue
        if _CODE_FILE.search(path) or is_test_file(path) or path.startswith(("./", "tests/")):
            found.append(place.relative(path.removesuffix("/...")))
    return tuple(dict.fromkeys(filter(None, found)))


def purpose_of(
    *,
    kind: Kind,
    phase: Phase,
    shown: str,
    main: Command | None,
    targets: Sequence[str] = (),
    files: Sequence[str] = (),
) -> str:
    """Return the key of a step, or nothing where it has none of its own.

    A check is its phase, program, sub-command and the script or test files it names; an edit or a
    read is the file; anything else in a shell is program, sub-command and first file.
    """
    if main is None:
        if kind in ("edit", "write") and files:
            return f"edit {files[0]}"
        if kind in ("read", "list") and files:
            return f"{kind} {files[0]}"
        return f"{kind} {shown}" if kind in ("search", "fetch", "list") else ""
    if phase == "edit" and files:
        return f"edit {files[0]}"
    words = [phase, plain_program(main), main.subcommand, main.task]
    if phase in _CHECKS:
        if phase == "run" and runs_inline(main):
            return ""
        named = list(targets[:_TARGETS]) or _plain_words(main)
        return " ".join(filter(None, [*words, *named]))
    if phase in ("install", "vcs", "undo"):
        return " ".join(filter(None, [*words, *_plain_words(main)]))
    return " ".join(filter(None, [*words, *(files[:1] or _plain_words(main))]))


def plain_program(command: Command) -> str:
    """Return the program without its folder and version: `python3.9` is `python`."""
    base = command.program.rpartition("/")[2]
    return _VERSIONED.sub(r"\1", base) if base else command.program


def _plain_words(command: Command) -> list[str]:
    """Return the first words that are no options: dotted test names, packages, refs."""
    words = [a for a in command.args if not a.startswith("-") and len(a) < 80 and "\n" not in a]
    return [w for w in words if w not in (command.subcommand, command.task)][:2]
