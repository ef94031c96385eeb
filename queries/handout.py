"""Insights for others: as skills, as a section of an agents' file, as a pack to import.

What is handed out stands in a file that an agent reads as instructions, with no fence around it.
So only insights whose words come from no tool output and from nobody else's pack are taken, each
on lines of its own, without characters that cannot be seen.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..kg.leaks import leaks
from ..kg.packs import FORM, MARK, checksum
from ..kg.protocols import GraphStore
from ..kg.types import SHARED, Insight, Scope, Support
from .level import ancestors
from .render import clean, count_tokens, key_text, one_line, support_text

BEGIN: Final = "<!-- stepladder:begin -->"
END: Final = "<!-- stepladder:end -->"
"""What a section for agents stands between."""
MADE: Final = "<!-- made by stepladder: the next export replaces this file -->"

_NAME_LENGTH: Final = 64
_DESCRIPTION_LENGTH: Final = 1024
"""Longest name and description of a skill. Source: agentskills.io, the format of SKILL.md."""
_TITLES: Final = 6
_HASHES: Final = 200
_WARNINGS: Final = ("do not", "don't", "never", "avoid", "stop")
_NO_KIND: Final = "project notes"
_OPENING: Final = (
    "Lessons from earlier runs of coding agents. The task's own requirements come first; a lesson "
    "that does not fit is to be ignored."
)


@dataclass(frozen=True, slots=True)
class Lesson:
    """An insight that may be handed out, and what stands behind it."""

    insight: Insight
    support: Support


def lessons(
    store: GraphStore, *, project: str = "", domain: str = "", least_tasks: int = 2
) -> list[Lesson]:
    """The insights to hand out: a project's own first, then those of most tasks, then by id.

    They are shared ones that at least `least_tasks` tasks bear out, and with a `project` those of
    the project, whatever stands behind them. Of insights that were merged the merged one is taken.

    Raises:
        StoreError: the store could not be read.
    """
    scope = Scope.of(project) if project else Scope.of()
    found = [
        n
        for n in store.find("Insight", scope=scope)
        if isinstance(n, Insight) and not n.untrusted and not n.pack
    ]
    here = {n.id for n in found}
    above = ancestors(store.ancestry(sorted(here), scope=scope))
    top = [n for n in found if here.isdisjoint(above.get(n.id, ()))]
    support = store.support([n.id for n in top])
    wanted = [
        Lesson(n, support.get(n.id, Support()))
        for n in top
        if not domain or domain in n.domains or domain in support.get(n.id, Support()).domains
    ]
    kept = [w for w in wanted if w.insight.scope != SHARED or w.support.tasks >= least_tasks]
    return sorted(kept, key=_rank)


def _rank(lesson: Lesson) -> tuple[bool, int, int, str]:
    shared = lesson.insight.scope == SHARED
    return shared, -lesson.support.tasks, -lesson.support.traces, lesson.insight.id


def skills(found: Iterable[Lesson]) -> dict[str, str]:
    """The text of one SKILL.md for each kind of lesson, by the name of its folder."""
    kinds: dict[str, list[Lesson]] = {}
    for lesson in found:
        kinds.setdefault(lesson.insight.kind or _NO_KIND, []).append(lesson)
    return {_skill_name(kind): _skill(kind, some) for kind, some in sorted(kinds.items())}


def agents_section(found: Sequence[Lesson], *, budget_tokens: int) -> str:
    """A section for a file such as AGENTS.md, as many of the first lessons as the budget takes."""
    lines = [BEGIN, "## Lessons from earlier runs", "", _OPENING, ""]
    for lesson in found:
        line = f"- {_told(lesson)}"
        if count_tokens("\n".join([*lines, line, END])) > budget_tokens:
            break
        lines.append(line)
    return "\n".join([*lines, END, ""])


def with_section(text: str, section: str) -> str:
    """A file's text with a section in place of the one that is there, else at its end.

    Nothing else of the text changes. An empty section takes away what is there, and leaves the
    text as it was before a section came to it, its missing last line end too.
    """
    start = text.find(BEGIN)
    end = text.find(END, start)
    if start >= 0 and end >= 0:
        before, after = text[:start], text[end + len(END) :]
        if section:
            return before + section.rstrip("\n") + after
        gap = "\n" if after else "\n\n"
        return before.removesuffix(gap) + after.removeprefix("\n")
    if not section or not text:
        return text + section
    ended = text.endswith("\n")
    return f"{text}\n{section}" if ended else f"{text}\n\n{section.rstrip(chr(10))}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """The lines of a pack, and the insights that were left out, by id, with what they would tell.

    The first line says what it is and sums up the others.
    """

    lines: tuple[str, ...]
    left_out: Mapping[str, str]


def pack(store: GraphStore, found: Iterable[Lesson], *, licence: str, time: str) -> Pack:
    """Shared lessons as a pack for others to import.

    `licence` is an SPDX name under which they are given away. Where an insight comes from is said
    by hashes of its runs' ids, which name nobody. What still holds a name, path or address stays;
    the texts of cards come with the program and hold none.

    Raises:
        StoreError: the store could not be read.
    """
    shared = [w for w in found if w.insight.scope == SHARED]
    projects = sorted({p for w in shared for p in w.support.projects})
    rows, left_out = [], {}
    for lesson in shared:
        told = (
            ()
            if lesson.insight.card
            else leaks("\n".join(_texts(lesson.insight)), projects=projects)
        )
        if told:
            left_out[lesson.insight.id] = f"{told[0].kind}: {told[0].words}"
        else:
            rows.append(json.dumps(_row(store, lesson), sort_keys=True, ensure_ascii=False))
    head = {
        MARK: FORM,
        "licence": licence,
        "made": time,
        "rows": len(rows),
        "sha256": checksum("".join(f"{row}\n" for row in rows).encode("utf-8", "surrogatepass")),
    }
    return Pack(lines=(json.dumps(head, sort_keys=True), *rows), left_out=left_out)


def _texts(insight: Insight) -> tuple[str, ...]:
    return (
        insight.title,
        insight.description,
        insight.content,
        insight.applies_when,
        insight.not_when,
    )


def _row(store: GraphStore, lesson: Lesson) -> dict[str, Any]:
    insight, support = lesson.insight, lesson.support
    row: dict[str, Any] = {
        "id": insight.id,
        "level": "insight",
        "title": insight.title,
        "description": insight.description,
        "content": insight.content,
        "kind": insight.kind,
        "polarity": insight.polarity,
        "applies_when": insight.applies_when,
        "not_when": insight.not_when,
        "domain": list(insight.domains),
        "language": list(insight.languages),
        "tools": list(insight.tools),
        "support": {
            "traces": support.traces,
            "tasks": support.tasks,
            "projects": len(support.projects),
            "outcomes": dict(support.outcomes),
        },
        "provenance": _provenance(store, insight.id),
    }
    return {name: value for name, value in row.items() if value not in ("", [])}


def _provenance(store: GraphStore, id: str) -> list[str]:
    """Hashes of what stands directly below an insight, 16 hexadecimal digits each."""
    edges = store.edges([id], types=("GENERALIZES_TO",), direction="in", most=_HASHES)
    return sorted(
        hashlib.blake2b(e.source.encode("utf-8"), digest_size=8).hexdigest() for e in edges
    )


def _skill_name(kind: str) -> str:
    return f"stepladder-{re.sub(r'[^a-z0-9]+', '-', kind.lower()).strip('-')}"[:_NAME_LENGTH]


def _skill(kind: str, found: Sequence[Lesson]) -> str:
    titles = "; ".join(one_line(w.insight.title).rstrip(".") for w in found[:_TITLES])
    description = f"Lessons from earlier runs on {kind}: {titles}. Use when the work touches these."
    lines = [
        "---",
        f"name: {_skill_name(kind)}",
        f"description: {json.dumps(description[:_DESCRIPTION_LENGTH], ensure_ascii=False)}",
        "---",
        MADE,
        "",
        f"# {kind.capitalize()}",
        "",
        _OPENING,
    ]
    for lesson in found:
        insight = lesson.insight
        lines += ["", f"## {_plain(insight.title)}", ""]
        lines += [_plain(insight.content or insight.description)]
        lines += [f"\nApplies when: {_plain(insight.applies_when)}"] if insight.applies_when else []
        lines += [f"\nNot when: {_plain(insight.not_when)}"] if insight.not_when else []
        behind = support_text(lesson.support)
        lines += [f"\nEvidence: {behind} (`stepladder why {insight.id}`)."] if behind else []
    return "\n".join([*lines, ""])


def _told(lesson: Lesson) -> str:
    title = lesson.insight.title.casefold()
    warns = lesson.insight.polarity == "avoid" and not title.startswith(_WARNINGS)
    avoid = "Avoid: " if warns else ""
    behind = support_text(lesson.support)
    return f"{avoid}{_plain(key_text(lesson.insight))}" + (f" ({behind})" if behind else "")


def _plain(text: str) -> str:
    """A text on one line that opens no comment, tag or marker of ours."""
    return one_line(clean(text)).replace("<", "‹").replace(">", "›")
