"""Lessons that an agent writes at the end of a run: what they must be to become candidates.

The agent has read the turning points of its run; it is the abstracter. What it writes is checked
as anything else that comes from a run: it cites steps, names nothing of its own project, and is
short and general. It stays in the project, marked as not to be trusted.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ..kg.ids import content_id
from ..kg.protocols import GraphStore
from ..kg.types import KINDS, Edge, Insight, Memory, Node, Polarity, Step, Trace
from .redact import redact

MOST: Final = 3
"""Lessons taken from one run. Chosen by us: more are seldom worth their place."""

SAME: Final = 0.88
"""Cosine of keys from which a lesson of the same polarity repeats a known one. Source: of pairs
above .90 nine in ten say the same (measured on public lessons, static table); chosen a little
lower, as a refused lesson costs little."""

_TITLE_WORDS: Final = (4, 22)
_DESCRIPTION_WORDS: Final = (5, 60)
_CONTENT_WORDS: Final = (8, 120)
_MAX_NAMES: Final = 3

_LINE_NUMBER: Final = re.compile(r"(?i)\blines? \d{2,}|:\d{2,}\b|#\d{2,}\b|\bstep \d+")
_NAME: Final = re.compile(r"\b(?:[a-z]+_[a-z0-9_]+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+|\w+\(\))")
_COMMON: Final = frozenset(
    {"api", "app", "cli", "client", "code", "core", "data", "demo", "deploy", "docs", "home", "lib"}
    | {"main", "project", "repo", "server", "service", "site", "src", "test", "tests", "tool"}
    | {"tools", "web", "work", "worker", "workspace", "package", "build", "python", "queue"}
    | {"reports", "gateway"}
)
"""Names of projects and folders that are common words."""

_PUBLIC: Final = re.compile(
    r"(?i)(?:readme|changelog|license|contributing|makefile|dockerfile|conftest|setup|package"
    r"|package-lock|pyproject|tox|requirements|cargo|go|main|index|__init__|__main__|app|config"
    r"|settings|tsconfig|pnpm-lock|poetry|uv|justfile|agents|claude)(?:\.\w+)*"
)
"""File names that every other project has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A lesson as its author gives it; `cites` are step ids, or numbers of steps of the run."""

    title: str
    description: str
    content: str
    kind: str
    polarity: Polarity
    applies_when: str = ""
    not_when: str = ""
    cites: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Everything it says."""
        parts = (self.title, self.description, self.content, self.applies_when, self.not_when)
        return "\n".join(p for p in parts if p)


def cited_steps(lesson: Lesson, steps: Sequence[Step]) -> list[Step]:
    """The steps of its run that a lesson cites, in order; what is unknown is left out."""
    wanted = {c.strip().removeprefix("step ").strip() for c in lesson.cites} - {""}
    return [s for s in steps if str(s.index) in wanted or _named(s, wanted)]


def _named(step: Step, wanted: Collection[str]) -> bool:
    return any(w.startswith("step-") and len(w) >= 9 and step.id.startswith(w) for w in wanted)


def refusal(lesson: Lesson, *, trace: Trace, steps: Sequence[Step]) -> str:
    """Why a lesson is not taken, in words for its author; empty where nothing speaks against it."""
    return next((reason for reason in _reasons(lesson, trace, steps) if reason), "")


def refusal_of_words(lesson: Lesson) -> str:
    """Why the words alone of a lesson are not taken, whatever bears it out; empty as above."""
    reasons = (_of_situation(lesson), *_of_lengths(lesson), _of_detail(lesson.text))
    return next((reason for reason in reasons if reason), "")


def _reasons(lesson: Lesson, trace: Trace, steps: Sequence[Step]) -> Iterator[str]:
    yield _of_shape(lesson)
    yield _of_situation(lesson)
    yield _of_evidence(lesson, steps)
    yield from _of_lengths(lesson)
    yield leak(insight_of(lesson, trace), trace=trace, files=_files(steps))
    yield _of_detail(lesson.text)


def _of_shape(lesson: Lesson) -> str:
    if lesson.kind not in KINDS:
        return f"Unknown kind {lesson.kind!r}. It is one of: {', '.join(KINDS)}."
    if lesson.polarity not in ("do", "avoid"):
        return "polarity is 'do' or 'avoid'."
    return ""


def _of_situation(lesson: Lesson) -> str:
    if not lesson.applies_when.strip():
        return "applies_when is missing: say in which situation it holds."
    return ""


def _of_evidence(lesson: Lesson, steps: Sequence[Step]) -> str:
    if not lesson.cites:
        return "It cites no step. Give the numbers of the steps that bear it out."
    if not cited_steps(lesson, steps):
        last = max((s.index for s in steps), default=-1)
        return f"The steps it cites are not in this run, which has steps 0 to {last}."
    return ""


def _of_lengths(lesson: Lesson) -> Iterator[str]:
    yield _of_length("title", lesson.title, _TITLE_WORDS)
    yield _of_length("description", lesson.description, _DESCRIPTION_WORDS)
    yield _of_length("content", lesson.content, _CONTENT_WORDS)


def _of_length(name: str, text: str, bounds: tuple[int, int]) -> str:
    words = len(text.split())
    low, high = bounds
    if words < low:
        return f"The {name} is too short: {words} words, at least {low}."
    if words > high:
        return f"The {name} is too long: {words} words, at most {high}."
    return ""


def _of_detail(text: str) -> str:
    if match := _LINE_NUMBER.search(text):
        return f"Too specific: {match[0]!r} says nothing in another run."
    names = sorted(set(_NAME.findall(text)))
    if len(names) > _MAX_NAMES:
        return f"Too specific: it names {', '.join(names[:5])}. Say what they stand for instead."
    return ""


def leak(insight: Insight, *, trace: Trace, files: Collection[str] = ()) -> str:
    """What of its own project an insight names, as a reason to refuse it; empty where nothing.

    Looks for secrets and people, addresses, paths, hashes, the names of the project and of the
    session, and those of the run's own files unless every other project has such a file.
    """
    # Late: it knows the catalogue, which takes a while to import.
    from .distillers.rules.leaks import leaks_in

    text = insight.full + "\n" + insight.applies_when + "\n" + insight.not_when
    if removed := redact(text)[1]:
        return f"It holds what must not be kept: {', '.join(sorted(removed))}."
    names = {n for n in (*re.split(r"[/\\]", trace.project), trace.session) if len(n) > 2}
    unowned = replace(insight, project="", task="")
    for found in leaks_in(unowned, {n for n in names if n.lower() not in _COMMON}):
        article = "an" if found.kind[0] in "ae" else "a"
        return f"It names {article} {found.kind}: {found.found!r}. Say it without."
    for path in sorted(files):
        name = path.replace("\\", "/").rpartition("/")[2]
        if len(name) >= 5 and "." in name and not _PUBLIC.fullmatch(name) and _holds(text, name):
            return f"It names a file of its own project: {name!r}. Say what the file is instead."
    return ""


def _holds(text: str, name: str) -> bool:
    return bool(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE))


def _files(steps: Sequence[Step]) -> frozenset[str]:
    return frozenset(f for s in steps for f in s.files)


def insight_of(lesson: Lesson, trace: Trace) -> Insight:
    """The candidate that a lesson becomes: of its run's project, and not to be trusted."""
    return Insight(
        id=content_id("insight", "agent", trace.scope, lesson.title, lesson.content),
        created=trace.created,
        scope=trace.scope,
        title=lesson.title.strip(),
        description=lesson.description.strip(),
        content=lesson.content.strip(),
        project=trace.project,
        domains=trace.domains,
        languages=trace.languages,
        polarity=lesson.polarity,
        kind=lesson.kind,
        applies_when=lesson.applies_when.strip(),
        not_when=lesson.not_when.strip(),
        origin="agent",
        untrusted=True,
    )


def evidence_edges(insight: Insight, cited: Sequence[Step], *, below: str) -> tuple[Edge, ...]:
    """Edges from the memory below a lesson up to it, and from it to the steps it cites."""
    return (
        Edge(source=below, type="GENERALIZES_TO", target=insight.id),
        *(Edge(source=insight.id, type="CITES", target=step.id) for step in cited),
    )


def lessons_on(store: GraphStore, trace: str) -> tuple[tuple[Node, ...], tuple[Edge, ...]]:
    """The agent's lessons on a run with what links them to it, so that a new reading keeps them."""
    upward = store.ancestry([trace])
    nodes: Mapping[str, Node] = store.get(sorted({e.target for e in upward}))
    lessons = {id: n for id, n in nodes.items() if isinstance(n, Memory) and n.origin == "agent"}
    if not lessons:
        return (), ()
    cites = store.edges(list(lessons), types=("CITES",), direction="out")
    raised = [e for e in upward if e.target in lessons]
    return tuple(lessons.values()), (*raised, *cites)
