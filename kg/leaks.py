"""What in a text would tell another project something of this one.

Secrets and people were taken out when the text came in. This looks for what is left and is
nobody else's business: names of projects, paths, hosts, identifiers, and words such as "this
project" that mean nothing elsewhere.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_KINDS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("address", re.compile(r"\b[\w.+-]+@[\w-]+\.[\w.-]+\b")),
    ("link", re.compile(r"\b(?:https?|ssh|git|ftp|file)://\S+|\bgit@\S+", re.IGNORECASE)),
    ("host", re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}\b|\blocalhost:\d+")),
    ("host", re.compile(r"\b[\w-]+\.(?:internal|local|corp|lan|intranet)\b")),
    (
        "path",
        re.compile(r"(?:^|[\s\"'`(=])(?:~|\.{1,2}|[A-Za-z]:)?[/\\](?:[\w.@+-]+[/\\])*[\w.@+-]+"),
    ),
    ("path", re.compile(r"\b[\w.@+-]+(?:/[\w.@+-]+){2,}")),
    ("path", re.compile(r"\b[\w-]+/[\w-]+\.\w{1,5}\b")),
    ("hash", re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b")),
    ("ticket", re.compile(r"\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b|(?<![\w&])#\d{2,}\b")),
    ("identifier", re.compile(r"\b[a-z]\w*_\w*_\w+\b|\b[a-z]+(?:[A-Z][a-z0-9]+){2,}\b")),
    ("environment", re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")),
    (
        "reference",
        re.compile(
            r"\b(?:this|the|our|your)\s+(?:project|repo|repository|codebase|code\s+base|monorepo"
            r"|team|company|organi[sz]ation|service|customer|client)\b",
            re.IGNORECASE,
        ),
    ),
    ("removed", re.compile(r"\[[A-Z][A-Z _-]+\]|<[A-Z][A-Z_]+>")),
    ("removed", re.compile(r"\[(?:redacted|removed)[^\]]*\]", re.IGNORECASE)),
)
_PUBLIC: Final = re.compile(
    r"^\W*(?:(?:/(?:etc|usr|bin|dev|tmp|var|proc|opt|sys)(?:/[\w.+-]+){0,3})|UTF-8|ISO-\d+|SHA-\d+"
    r"|RFC-\d+|CVE-\d+|SIGTERM|I/O|TCP/IP|CI/CD|client/server)\W*$",
    re.IGNORECASE,
)
_SHORTEST_NAME: Final = 3


@dataclass(frozen=True, slots=True)
class Leak:
    """A kind of thing that must stay in a project, and the words that are one."""

    kind: str
    words: str


def leaks(text: str, *, projects: Iterable[str] = ()) -> tuple[Leak, ...]:
    """What in a text must not leave its project, in order of kind.

    `projects` are names such as `acme/api`; the owner and the repository count each by itself.
    """
    found = [
        Leak(kind, match.strip(" \"'`(="))
        for kind, pattern in _KINDS
        for match in pattern.findall(text)
        if not _PUBLIC.match(match)
    ]
    for name in sorted(set(_names(projects))):
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE):
            found.append(Leak("project", name))
    return tuple(dict.fromkeys(found))


def _names(projects: Iterable[str]) -> Iterable[str]:
    """Whole names and their parts, without parts that are words of everybody's."""
    for project in projects:
        yield project
        for part in re.split(r"[/\\]", project):
            if len(part) >= _SHORTEST_NAME and not _EVERYBODYS.fullmatch(part):
                yield part


_EVERYBODYS: Final = re.compile(
    r"(?:api|app|apps|backend|bench|bot|build|cli|client|code|common|config"
    r"|core|data|demo|deploy|dev|docs|engine|example|examples|frontend"
    r"|github|gitlab|home|infra|lib|library|main|mobile|model|models"
    r"|notebook|notebooks|plugin|project|python|repo|sandbox|scripts|sdk"
    r"|server|service|services|shared|site|src|test|tests|testbed|tmp|tool"
    r"|tools|ui|unassigned|utils|web|website|work|workspace)",
    re.IGNORECASE,
)
"""Parts of project names that tell nobody which project it is."""
