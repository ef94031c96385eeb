"""Which memories a task may be given: by where it runs, and by what the memories are about."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from ..kg.types import LevelName, Memory, level_name
from .level import Votes
from .search import Hit

Relation = Literal["project", "environment", "domain", "other"]
Reason = Literal[
    "floor",
    "language",
    "tools",
    "level",
    "project",
    "more abstract",
    "repeated",
    "limit",
    "budget",
    "use",
    "holdout",
]

REASONS: Final[dict[Reason, str]] = {
    "floor": "did not fit the task well enough",
    "language": "are about another language",
    "tools": "are about other tools",
    "level": "are too concrete for a task from elsewhere",
    "project": "belong to another project",
    "more abstract": "are said more generally by another item",
    "repeated": "say the same as another item",
    "limit": "ranked below the number asked for",
    "budget": "did not fit the budget",
    "use": "went with failures when shown for such work",
    "holdout": "were held out at random, to learn what showing them does",
}
"""Why a memory was withheld, in words that follow a count."""

_LEVELS: Final[dict[Relation, frozenset[LevelName]]] = {
    "project": frozenset({"trace", "workflow", "summary", "insight"}),
    "environment": frozenset({"trace", "workflow", "summary", "insight"}),
    "domain": frozenset({"summary", "insight"}),
    "other": frozenset({"insight"}),
}
_RAW: Final = frozenset({"trace", "workflow"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Where the task runs; what is empty is not known."""

    project: str = ""
    domain: str = ""
    language: str = ""
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Nominee:
    """A memory that may be shown, the votes of the leaves below it where there were any, and how
    many runs it stands above in all."""

    hit: Hit
    votes: Votes | None = None
    runs: int = 0


def relation(memory: Memory, situation: Situation) -> Relation:
    """How near the evidence of a memory is to the task.

    The same environment is the same language and the same kind of work, and a common tool where
    both name tools. A memory without domains restricts itself to none.
    """
    if situation.project and memory.project == situation.project:
        return "project"
    same_domain = _among(situation.domain, memory.domains)
    same_language = _among(situation.language, memory.languages)
    if same_domain and same_language and not _tools_differ(memory, situation):
        return "environment"
    return "domain" if same_domain or not memory.domains else "other"


def refusal(memory: Memory, situation: Situation) -> Reason | None:
    """Why a memory must not be given to the task, or None.

    Raw levels that belong to a project stay there whatever the caller may read. The nearer the
    task is to the evidence, the more concrete a memory may be.
    Source: in one study (arXiv 2604.14004) insights helped across domains and traces hurt, while
    inside one domain traces helped most.
    """
    level = level_name(memory.level)
    if level in _RAW and memory.project and memory.project != situation.project:
        return "project"
    if situation.language and memory.languages and not _among(situation.language, memory.languages):
        return "language"
    if _tools_differ(memory, situation):
        return "tools"
    if level not in _LEVELS[relation(memory, situation)]:
        return "level"
    return None


def may_stand_beneath(memory: Memory, situation: Situation) -> bool:
    """Tell whether a memory is near enough to the task to be shown below a more abstract one."""
    return relation(memory, situation) in ("project", "environment")


def _tools_differ(memory: Memory, situation: Situation) -> bool:
    """Both name tools, and no tool is the same."""
    wanted, used = _folded(situation.tools), _folded(memory.tools)
    return bool(wanted and used) and not wanted & used


def _among(name: str, names: Iterable[str]) -> bool:
    return bool(name) and name.casefold() in _folded(names)


def _folded(names: Iterable[str]) -> set[str]:
    return {name.casefold() for name in names}
