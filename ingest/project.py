"""Which project a run belongs to, and in which language it was about: from what the run names.

Git is never run: of a repository on this machine the text of its `config` is read.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^/@]*@)?([^/]*)(/.*)?")
_SSH: Final = re.compile(r"(?:[\w.-]+@)?([\w.-]{2,}):(?!//)(.+)")
_REMOTE: Final = re.compile(r'\[remote "([^"]*)"\]')
_URL: Final = re.compile(r"\s*url\s*=\s*(\S+)")
_DRIVE: Final = re.compile(r"[A-Za-z]:\Z")

_WINDOWS: Final = re.compile(r"[A-Za-z]:[/\\]?|\\\\")
_POSIX: Final = re.compile(r"/(?:mnt/[a-z]/)?")
"""On Linux in Windows the drives stand below `/mnt`."""

_WORKTREES: Final = frozenset({".worktrees", "worktrees", ".git-worktrees"})
_BELOW_WORKTREES: Final[Mapping[str, int]] = {".cursor": 1, ".codex": 2}
"""Tools that keep worktrees in the home folder, and how deep below the repository's name is."""

_HOMES: Final = frozenset({"home", "Users"})
_TEMPORARY: Final = re.compile(r"(?:private/)?(?:var/)?(?:tmp|folders/[^/]+/[^/]+/T)(?:/|\Z)")
_RANDOM: Final = re.compile(r"tmp[\w.-]*|[0-9a-f-]{12,}|.*[._-](?=[^._-]*\d)[A-Za-z0-9]{6,}")
_MOUNTS: Final = frozenset(
    {"app", "code", "data", "mnt", "opt", "project", "repo", "root", "src", "srv", "testbed", "usr"}
    | {"var", "work", "workdir", "workspace", "workspaces"}
)
"""Folders at the top of a container's file system: they tell nothing of what is in them."""

_SHELVES: Final = frozenset(
    {"code", "desktop", "dev", "develop", "developer", "development", "documents", "downloads"}
    | {"git", "github", "gitlab", "projects", "repo", "repos", "repositories", "source", "src"}
    | {"wks", "work", "workspace", "workspaces", "worktrees"}
)
"""Folders in which people keep their repositories side by side."""

_INNER: Final = frozenset(
    {"bin", "build", "cmd", "components", "dist", "docs", "internal", "lib", "pkg", "public"}
    | {"scripts", "src", "test", "tests", "types"}
)
_GROUPS: Final = frozenset({"apps", "crates", "libs", "modules", "packages", "plugins", "services"})
"""Folders of a repository that hold its packages side by side."""


def project_of(cwd: str, repository_url: str) -> str:
    """The name of the project that a run in this folder, of this repository, belongs to.

    `owner/name` of the remote where one is known: given, or found in the repository on this
    machine that holds the folder. Else the name of the folder, with that of the folder around it
    unless people keep repositories side by side there. A worktree belongs to its repository.
    Empty where nothing tells: home folders, temporary ones, and a container's mount points.
    """
    if name := name_of_remote(repository_url):
        return name
    root, parts = _split(cwd)
    owner = _without_worktree(parts)
    for folders in (parts, owner) if owner != parts else (parts,):
        if name := _name_on_disk(root + "/".join(folders)):
            return name
    return _name_in_path(owner)


def name_of_remote(url: str) -> str:
    """The path of a repository at its host, without `.git`; empty where the address has none."""
    url = url.strip()
    if match := _SCHEME.fullmatch(url):
        host, path = match[1], match[2] or ""
    elif (match := _SSH.fullmatch(url)) and not _DRIVE.match(url[:2]):
        host, path = match[1], match[2]
    else:
        host, path = "", url
    path = re.split(r"[?#]", path)[0].rstrip("/\\").removesuffix(".git")
    parts = [p for p in re.split(r"[/\\]", path) if p and p not in ("_git", "v3", "scm")]
    if not host:
        return parts[-1] if parts else ""
    return "/".join(parts)


def _split(path: str) -> tuple[str, list[str]]:
    """The root of an absolute path of any system, and the folders below it."""
    path = path.strip()
    if match := _WINDOWS.match(path):
        names = re.split(r"[/\\]", path[match.end() :])
    elif match := _POSIX.match(path):
        names = path[match.end() :].split("/")
    else:
        return "", []
    return match[0], [n for n in names if n not in ("", ".")]


def _without_worktree(parts: list[str]) -> list[str]:
    """The folders of the repository that a worktree among them belongs to."""
    for i, part in enumerate(parts):
        before = parts[i - 1] if i else ""
        if part in _WORKTREES and before in _BELOW_WORKTREES and _is_home(parts[: i - 1]):
            named = parts[i + _BELOW_WORKTREES[before] :][:1]
            return [*parts[: i - 1], *named]
        if part in _WORKTREES and i + 1 < len(parts) and not _is_home(parts[:i]):
            return parts[: i - 1] if before.startswith(".") else parts[:i]
        if part.startswith("worktree-") and i:
            return parts[:i]
        for suffix in (".worktrees", "-worktrees"):
            if part.endswith(suffix) and part != suffix and i + 1 < len(parts):
                return [*parts[:i], part.removesuffix(suffix)]
    return parts


def _is_home(parts: list[str]) -> bool:
    return (len(parts) == 2 and parts[0] in _HOMES) or parts in (["root"], [])


def _name_in_path(parts: list[str]) -> str:
    if temporary := _TEMPORARY.match("/".join(parts)):
        parts = "/".join(parts)[temporary.end() :].split("/")
        if _RANDOM.fullmatch(parts[-1]):
            return ""
    if _is_home(parts) or (len(parts) == 1 and parts[0] in {*_MOUNTS, *_HOMES, ""}):
        return ""
    top = 2 if parts[0] in _HOMES else 1 if parts[0] == "root" else 0
    inner = parts[top:]
    while len(inner) > 1 and not _is_shelf(inner[-2]):
        if inner[-1].lower() in _INNER:
            inner = inner[:-1]
        elif len(inner) > 2 and inner[-2].lower() in _GROUPS:
            inner = inner[:-2]
        else:
            break
    if len(inner) > 1 and not _is_shelf(inner[-2]):
        return "/".join(inner[-2:])
    return inner[-1]


def _is_shelf(name: str) -> bool:
    return name.lower() in _SHELVES or name in _MOUNTS


def _name_on_disk(path: str) -> str:
    """The name of the repository on this machine that holds the folder; else empty."""
    try:
        folder = Path(path)
        if not path or not folder.is_absolute() or not folder.is_dir():
            return ""
        for parent in (folder, *folder.parents):
            entry = parent / ".git"
            if entry.exists():
                common = entry if entry.is_dir() else _common_folder(entry)
                return _remote_in(common) or (common.parent.name if common.name == ".git" else "")
    except (OSError, ValueError):
        return ""
    return ""


def _common_folder(entry: Path) -> Path:
    """The folder with the `config` that the `.git` file of a worktree or submodule leads to."""
    target = entry.read_text("utf-8", errors="replace").partition("gitdir:")[2].strip()
    folder = (entry.parent / target).resolve()
    common = folder / "commondir"
    if not common.is_file():
        return folder
    return (folder / common.read_text("utf-8", errors="replace").strip()).resolve()


def _remote_in(folder: Path) -> str:
    """The name of the remote `origin`, or of the first one, in a repository's `config`."""
    config = folder / "config"
    if not config.is_file():
        return ""
    found: dict[str, str] = {}
    remote = ""
    for line in config.read_text("utf-8", errors="replace").split("\n"):
        if line.lstrip().startswith("["):
            section = _REMOTE.match(line.strip())
            remote = section[1] if section else ""
        elif remote and (url := _URL.match(line)):
            found.setdefault(remote, name_of_remote(url[1]))
    return found.get("origin") or next(iter(found.values()), "")


_CODE: Final[Mapping[str, str]] = {
    "py": "python", "pyi": "python", "pyx": "python", "ipynb": "python",
    "ts": "typescript", "tsx": "typescript", "mts": "typescript", "cts": "typescript",
    "js": "javascript", "jsx": "javascript", "mjs": "javascript", "cjs": "javascript",
    "vue": "javascript", "svelte": "javascript",
    "go": "go", "rs": "rust", "c": "c", "h": "c",
    "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "hpp": "cpp", "hh": "cpp", "hxx": "cpp",
    "java": "java", "kt": "kotlin", "kts": "kotlin", "scala": "scala", "clj": "clojure",
    "rb": "ruby", "php": "php", "cs": "csharp", "fs": "fsharp", "swift": "swift", "dart": "dart",
    "sh": "bash", "bash": "bash", "zsh": "bash", "ps1": "powershell", "sql": "sql",
    "lua": "lua", "pl": "perl", "pm": "perl", "r": "r", "jl": "julia", "ex": "elixir",
    "exs": "elixir", "erl": "erlang", "hs": "haskell", "ml": "ocaml", "zig": "zig", "nim": "nim",
    "sol": "solidity", "tf": "terraform", "v": "verilog", "sv": "verilog", "m": "objective-c",
}  # fmt: skip
_BESIDE: Final[Mapping[str, str]] = {
    "html": "html", "htm": "html", "css": "css", "scss": "css", "less": "css",
    "md": "markdown", "mdx": "markdown", "rst": "markdown", "tex": "latex",
    "yaml": "yaml", "yml": "yaml", "toml": "toml", "json": "json", "jsonc": "json", "xml": "xml",
}  # fmt: skip
"""What nearly every project has beside its code."""


def language_of(paths: Iterable[str]) -> str:
    """The language most of these files are in, each as often as it is named; empty if unknown.

    Pages, documents and settings count only where there is no code.
    """
    endings = [p.rpartition(".")[2].lower() for p in paths if "." in re.split(r"[/\\]", p)[-1]]
    for known in (_CODE, _BESIDE):
        counts = Counter(known[e] for e in endings if e in known)
        if known is _CODE and counts["cpp"]:
            counts["cpp"] += counts.pop("c", 0)
        if counts:
            return counts.most_common(1)[0][0]
    return ""
