"""What holds in one project only: its commands, its errors and repairs, its user's wishes."""

import re
from collections.abc import Iterator
from typing import Final

from ....kg.ids import content_id
from ....kg.types import Insight, Polarity
from ...nodes import created_of, scope_of
from ...record import Repair, RunRecord, StepRecord
from .card import Hit, Kind
from .language import sentences_of

_PURPOSES: Final = {
    "test": ("Run the tests of this project with", "How the tests of this project are run."),
    "lint": ("Check the style of this project with", "How this project is linted."),
    "build": ("Build this project with", "How this project is built."),
}
_NOT_THERE: Final = frozenset({"command-not-found", "missing-module"})
_TASK_RUNNERS: Final = frozenset({"make", "just", "mise", "task", "npm", "pnpm", "yarn", "bun"})
_WISH: Final = re.compile(
    r"\b(never|always|must|make sure|explicitly|no longer|rather than|instead of|let'?s use"
    r"|do(?:n't| not)|stop|prefer|please use|use \w+, no[t]?)\b",
    re.IGNORECASE,
)
_AVOID: Final = re.compile(r"\b(never|do(?:n't| not)|stop|no longer|avoid)\b|^no\b", re.IGNORECASE)
_HEDGE: Final = re.compile(
    r"\b(i don'?t know|kind of|maybe|perhaps|i think|not sure|i guess|doesn'?t|didn'?t|isn'?t)\b",
    re.IGNORECASE,
)
_PASTED: Final = re.compile(
    r"[/\\]\w+[/\\]|0x[0-9a-f]+|\b[0-9a-f]{7,}\b|\w+_\w+_\w+|[{}<>|;]|\d{2}:\d{2}|^\W|\bError:",
    re.IGNORECASE,
)
_MIN_WORDS: Final = 4
_MAX_WORDS: Final = 35


def facts_of(run: RunRecord) -> Iterator[tuple[Insight, Hit]]:
    """Yield the project's facts that a run bears out, each once, with the steps that do."""
    seen: set[str] = set()
    for insight, hit in (*_commands(run), *_repairs(run), *_wishes(run)):
        if insight.id not in seen:
            seen.add(insight.id)
            yield insight, hit


def _fact(
    run: RunRecord, *, title: str, description: str, content: str, kind: Kind, polarity: Polarity
) -> Insight:
    return Insight(
        id=content_id("insight", "fact", scope_of(run.project), title),
        created=created_of(run),
        scope=scope_of(run.project),
        title=title,
        description=description,
        content=content,
        project=run.project,
        languages=(run.language,) if run.language else (),
        kind=kind,
        polarity=polarity,
        applies_when="In this project.",
        untrusted=True,
    )


def _commands(run: RunRecord) -> Iterator[tuple[Insight, Hit]]:
    for step in run.steps:
        if step.phase not in _PURPOSES or step.own or step.main is None:
            continue
        command = command_template(step)
        lead, description = _PURPOSES[step.phase]
        if step.verdict in ("pass", "fail"):
            yield (
                _fact(
                    run,
                    title=f"{lead} `{command}`",
                    description=description,
                    content=f"`{command}` ran and gave a verdict.",
                    kind="environmental adaptation",
                    polarity="do",
                ),
                Hit(steps=(step.index,)),
            )
        elif step.fault and step.fault.error_class in _NOT_THERE:
            yield (
                _fact(
                    run,
                    title=f"`{command.split(' <')[0]}` is not available in this project",
                    description=description,
                    content=f"`{command}` ended with: {step.fault.signature}",
                    kind="environmental adaptation",
                    polarity="avoid",
                ),
                Hit(steps=(step.index,)),
            )


def command_template(step: StepRecord) -> str:
    """The main command with paths and test names replaced: `bin/test <path>`.

    The order of the words stays, since `pnpm --filter x test` is not `pnpm test --filter x`.
    """
    if step.main is None:
        return step.command.split(" ")[0]
    words = [step.main.wrapper, step.main.program] if step.main.wrapper else [step.main.program]
    first_word_kept = step.main.program in _TASK_RUNNERS
    for word in step.main.args:
        if "::" in word:
            words.append("<test id>")
        elif "/" in word or re.search(r"\.\w{1,5}$", word):
            words.append("<path>")
        elif word.startswith("-") or word in step.main.subcommand.split() or first_word_kept:
            words.append(word.split("=")[0])
            first_word_kept = first_word_kept and word.startswith("-")
        else:
            words.append("<argument>")
    return " ".join(w for n, w in enumerate(words) if not n or w != words[n - 1])


def _repairs(run: RunRecord) -> Iterator[tuple[Insight, Hit]]:
    for repair in run.repairs:
        failing, passing = run.steps[repair.failing], run.steps[repair.passing]
        if failing.fault is None or repair.by in ("re-run", "own file", "source"):
            continue
        yield _repair_fact(run, repair, failing, passing)


def _repair_fact(
    run: RunRecord, repair: Repair, failing: StepRecord, passing: StepRecord
) -> tuple[Insight, Hit]:
    failed, worked = command_template(failing), command_template(passing)
    error = failing.fault.error_class.replace("-", " ") if failing.fault else ""
    tried = dict.fromkeys(command_template(run.steps[i]) for i in repair.tried)
    changed = dict.fromkeys(command_template(run.steps[i]) for i in repair.changed)
    lines = [f"`{failed}` failed: {failing.fault.signature if failing.fault else ''}."]
    if tried:
        lines.append(f"Did not help: {', '.join(f'`{t}`' for t in list(tried)[:3])}.")
    if changed and repair.by == "install":
        lines.append(f"Helped: {', '.join(f'`{c}`' for c in list(changed)[:3])}.")
    lines.append(f"Worked then: `{worked}`.")
    by = f"after {list(changed)[0]}" if changed and repair.by == "install" else f"use `{worked}`"
    insight = _fact(
        run,
        title=f"When `{failed}` fails with {error}, {by}",
        description=f"Error and repair: {error}.",
        content=" ".join(lines),
        kind="environmental adaptation",
        polarity="do",
    )
    return insight, Hit(steps=(repair.failing, *repair.changed[:2], repair.passing))


def _wishes(run: RunRecord) -> Iterator[tuple[Insight, Hit]]:
    """Corrections and standing wishes of the user, in the user's own words."""
    for request in run.requests[1:]:
        for sentence in sentences_of(request.text):
            if not _is_wish(sentence):
                continue
            insight = _fact(
                run,
                title=sentence.rstrip("."),
                description="A wish of the user for this project.",
                content=sentence,
                kind="interaction protocol adherence",
                polarity="avoid" if _AVOID.search(sentence) else "do",
            )
            yield insight, Hit(steps=_steps_after(run, request.raw_ref), quote=sentence)


def _is_wish(sentence: str) -> bool:
    words = sentence.split()
    return (
        _MIN_WORDS <= len(words) <= _MAX_WORDS
        and not sentence.rstrip().endswith(("?", ":"))
        and bool(_WISH.search(sentence))
        and not _HEDGE.search(sentence)
        and not _PASTED.search(sentence)
    )


def _steps_after(run: RunRecord, raw_ref: str) -> tuple[int, ...]:
    """The first step after a request, the one that follows the user's words."""
    turn = next((n for n, t in enumerate(run.trajectory.turns) if t.raw_ref == raw_ref), 0)
    return tuple(s.index for s in run.steps if s.turn > turn)[:1]
