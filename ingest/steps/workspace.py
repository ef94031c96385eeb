"""What is known of the files of a run while its steps go by, and which of them the agent made."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from ..shell import Command, parse
from ..shell.files import script_files
from .paths import Place

_SCRIPT = re.compile(r"\.(?:py|js|mjs|cjs|ts|rb|pl|sh|bash|php|lua|R|jl)\Z")
_SHELL_SCRIPT = re.compile(r"\.(?:sh|bash)\Z")
_INNER: Final = ("_", "-", ".")
_SOURCE_CHARS: Final = 200_000
_LISTING_CHARS: Final = 60_000


@dataclass(slots=True)
class Workspace:
    """Files seen, files made by the agent, and the text of those whose text is known.

    A file is the agent's own when it was made in this run and had not been seen before: read,
    changed, or named by a listing.
    """

    seen: set[str] = field(default_factory=set)
    own: set[str] = field(default_factory=set)
    ever_own: set[str] = field(default_factory=set)
    sources: dict[str, str] = field(default_factory=dict)
    listings: list[str] = field(default_factory=list)
    top_listings: list[str] = field(default_factory=list)

    def look(self, paths: Iterable[str]) -> None:
        """Take note of files that were read or searched."""
        self.seen.update(path for path in paths if path not in self.own)

    def listed(self, text: str, *, at_top: bool) -> None:
        """Take note of names in the output of a listing; `at_top` of the root itself."""
        self.listings.append(text[:_LISTING_CHARS])
        if at_top:
            self.top_listings.append(text[:_LISTING_CHARS])

    def change(self, path: str, *, existed: bool | None = None) -> bool:
        """Note a written file and tell whether it is new; `existed` where a tool says so."""
        if path in self.own:
            return False
        new = self.is_new(path) if existed is None else not existed
        if new:
            self.own.add(path)
            self.ever_own.add(path)
        self.seen.add(path)
        return new

    def is_new(self, path: str) -> bool:
        """Tell whether a file that is about to be written was not there before."""
        return path in self.ever_own or not (path in self.seen or self._was_listed(path))

    def knows(self, path: str) -> bool:
        """Tell whether a step read, changed or made this file."""
        return path in self.own or path in self.ever_own or path in self.seen

    def remove(self, path: str) -> None:
        """Take note of a deleted file."""
        self.own.discard(path)
        self.sources.pop(path, None)

    def keep(self, path: str, text: str) -> None:
        """Remember the text of a script, to know later what running it writes."""
        if _SCRIPT.search(path) and len(text) <= _SOURCE_CHARS:
            self.sources[path] = text

    def replace(self, path: str, pairs: Iterable[tuple[str, str]]) -> None:
        """Follow an edit in a remembered script."""
        text = self.sources.get(path)
        if text is None:
            return
        for old, new in pairs:
            text = text.replace(old, new, 1)
        self.keep(path, text)

    def effects(self, script: str, place: Place) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what running one of the agent's own scripts reads and writes, by its text."""
        source = self.sources.get(script)
        if source is None:
            return (), ()
        if _SHELL_SCRIPT.search(script):
            commands = parse(source)
            places = place.along(commands)
            pairs = list(zip(commands, places, strict=True))
            reads = [p.relative(r) for c, p in pairs for r in c.reads]
            writes = [p.relative(w) for c, p in pairs for w in c.writes]
        else:
            read, written = script_files(source)
            reads = [place.relative(path) for path in read]
            writes = [place.relative(path) for path in written]
        return tuple(filter(None, reads)), tuple(filter(None, writes))

    def _was_listed(self, path: str) -> bool:
        texts = self.listings if "/" in path else self.top_listings
        return any(_names(text, path) for text in texts)


def _names(text: str, path: str) -> bool:
    """Tell whether a text names a path, whole or as the end of a longer one."""
    at = text.find(path)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(path) : at + len(path) + 1]
        if not (before.isalnum() or before in _INNER) and not (
            after.isalnum() or after in _INNER or after == "/"
        ):
            return True
        at = text.find(path, at + 1)
    return False


def ran_scripts(command: Command) -> tuple[str, ...]:
    """Return the script files that a command runs, as it names them."""
    base = command.program.rpartition("/")[2]
    if _INTERPRETER.fullmatch(base):
        if command.subcommand in ("-c",) or command.subcommand.startswith("-m "):
            return ()
        for arg in command.args:
            if arg in ("-", "-s") or (arg.startswith("-") and arg in ("-e", "-p", "-c", "--eval")):
                return ()
            if not arg.startswith("-"):
                known = base in ("go", "deno", "bun") and arg in ("run", "test")
                if not known:
                    return (arg,) if _SCRIPT.search(arg) or "/" in arg else ()
        return ()
    if command.program.startswith(("./", "../")) or (
        "/" in command.program and _SCRIPT.search(base)
    ):
        return (command.program,)
    return (command.program,) if _SCRIPT.search(base) else ()


_INTERPRETER = re.compile(
    r"(?:python|pypy)[\d.]*|ipython3?|node|nodejs|ruby|perl|php|lua|Rscript|julia|bash|sh|zsh|dash"
    r"|tsx|ts-node|deno|bun|py|source|\."
)


def runs_inline(command: Command) -> bool:
    """Tell whether a command runs code that stands in the line itself."""
    base = command.program.rpartition("/")[2]
    if not _INTERPRETER.fullmatch(base) or base in ("source", "."):
        return False
    inline = any(arg in ("-c", "-e", "-p", "--eval") for arg in command.args)
    return inline or bool(command.heredoc) or (command.piped and command.args in ((), ("-",)))
