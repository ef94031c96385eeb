"""Paths of a run made comparable: relative to the project where that can be told."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from posixpath import commonpath, normpath
from typing import Final

from ..shell import Command

_DRIVE = re.compile(r"^/?([A-Za-z]):/")
_SANDBOX = re.compile(
    r"^(/testbed|/repo|/app|/code|/src|/project|/root/repo|/workspaces?/[\w.@-]+|/home/\w+/[\w.@-]+"
    r"|/tmp/repo|/[\w.-]+__[\w.-]+)(?:/|$)"
)
_NO_PATH = re.compile(r"^(?:https?|ftp|file|git|ssh)://|[\n\0|<>*?{}]|^[\s-]|^\d+$")
_OWN_FILE = re.compile(r"^/(?!tmp/|etc/|usr/|var/|dev/|bin/|opt/|proc/|sys/|nix/).+/.+")
_HOMES: Final = {"/home", "/Users", "/root", "/mnt", "/workspace", "/workspaces", "/Volumes"}
_MIN_PATHS: Final = 3
_MIN_DEPTH: Final = 3
_MAX_CHARS: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The root of the project, and the folder inside it that relative paths start from."""

    root: str = ""
    folder: str = ""

    def relative(self, path: str) -> str:
        """Return a path as seen from the root; absolute where it lies outside, empty for none."""
        text = path.strip().strip("'\"")
        if not text or len(text) > _MAX_CHARS or _NO_PATH.search(text):
            return ""
        text = _plain(text)
        if text.startswith("$PWD/"):
            text = text.removeprefix("$PWD/")
        if text.startswith(("~", "$", "%")):
            return text
        if not text.startswith("/"):
            text = f"{self.folder}/{text}" if self.folder else text
        text = normpath(text)
        if self.root and (text == self.root or text.startswith(self.root + "/")):
            text = text[len(self.root) + 1 :] or "."
        return text

    def entered(self, target: str) -> "Place":
        """Return the place after `cd target`."""
        if not target or target == "-" or target.startswith(("$", "~")):
            return self if target.startswith(("$", "~")) and "/" in target else self.at_root()
        folder = self.relative(target)
        return Place(root=self.root, folder="" if folder == "." else folder)

    def at_root(self) -> "Place":
        """Return the place at the root of the project."""
        return Place(root=self.root)

    def along(self, commands: Iterable[Command]) -> list["Place"]:
        """Return the place of each command of a line, `cd` taking effect for those after it."""
        places: list[Place] = []
        here = self
        for command in commands:
            places.append(here)
            here = here.after([command])
        return places

    def after(self, commands: Iterable[Command]) -> "Place":
        """Return the place at the end of a line."""
        here = self
        for command in commands:
            if command.program in ("cd", "pushd", "Set-Location"):
                here = here.entered(next((a for a in command.args if not a.startswith("-")), ""))
        return here


def _plain(path: str) -> str:
    text = path.replace("\\", "/") if re.match(r"[A-Za-z]:\\|\\\\|[\w.-]+\\[\w.-]", path) else path
    return _DRIVE.sub(lambda m: f"/{m[1].lower()}:/", text)


def find_root(cwd: str, paths: Iterable[str]) -> str:
    """Return the root of the project: the run's own folder, else what its absolute paths share.

    Where the format tells no folder, the usual places of sandboxes are known, such as `/testbed`
    and `/workspace/<name>`; the one that most paths lie in wins.
    """
    own = normpath(_plain(cwd.strip())) if cwd.strip() else ""
    if own and own not in ("/", ".", "/workspace", "/workspaces", "/root", "/home"):
        return own
    paths = list(paths)
    counts = Counter(m[1] for path in paths if (m := _SANDBOX.match(path)))
    if counts:
        return max(counts, key=lambda root: (counts[root], root))
    if own not in ("", ".", "/"):
        return own
    return _shared_folder([path for path in map(_plain, paths) if _OWN_FILE.match(path)])


def _shared_folder(paths: list[str]) -> str:
    tops = {f"/{path.split('/')[1]}" for path in paths}
    if len(tops) == 1 and not tops & _HOMES:
        return tops.pop()
    folders = sorted({path.rpartition("/")[0] for path in paths})
    shared = commonpath(folders) if len(paths) >= _MIN_PATHS else ""
    return shared if shared.count("/") >= _MIN_DEPTH else ""
