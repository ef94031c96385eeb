"""Workflows: the procedure of each request as step templates, and short repair chains."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final

from ....kg.ids import content_id
from ....kg.types import Polarity, Workflow
from ...nodes import created_of, scope_of
from ...record import RunRecord, StepRecord
from .language import plain, title_of
from .situation import intent_of, setting_of

_MIN_TEMPLATES: Final = 3
_MAX_TEMPLATES: Final = 10
_MIN_ACTIONS: Final = 5
_MIN_GOAL_WORDS: Final = 4
_CONFIG: Final = frozenset({".toml", ".cfg", ".ini", ".json", ".yaml", ".yml", ".lock", ".env"})
_DOCS: Final = frozenset({".md", ".rst", ".txt", ".adoc"})
_TEST_NAME: Final = re.compile(r"(^|[/_.-])(tests?|specs?|conftest)([/_.-]|$)", re.IGNORECASE)
_LOOKING: Final = frozenset({"explore", "search", "read"})
_SILENT: Final = frozenset({"think", "submit", "other"})
_WORD: Final = re.compile(r"[a-z][a-z0-9-]{0,24}\Z")
_OPTION: Final = re.compile(r"--?[a-zA-Z][\w-]{0,30}\Z")
_MAX_WORDS: Final = 5


@dataclass(frozen=True, slots=True)
class _Template:
    """A step in general words, and the index of the step it stands for."""

    text: str
    index: int


def workflows_of(run: RunRecord) -> Iterator[tuple[Workflow, tuple[int, ...]]]:
    """Yield the procedures of a run, each with the indexes of the steps it cites."""
    for goal, steps in _pieces(run):
        if len(steps) < _MIN_ACTIONS:
            continue
        templates = _templates(run, steps)
        if _is_procedure(templates):
            yield _workflow(run, goal, steps, templates), tuple(t.index for t in templates)


def _pieces(run: RunRecord) -> Iterator[tuple[str, Sequence[StepRecord]]]:
    """The steps that follow each request; a request that asks for nothing joins the one before."""
    starts: list[tuple[int, str]] = []
    turn_numbers = {id(t): n for n, t in enumerate(run.trajectory.turns)}
    for request in run.requests:
        if not starts or _is_goal(request.text):
            starts.append((turn_numbers[id(request)], request.text))
    if not starts:
        yield run.trajectory.task, run.steps
        return
    ends = [turn for turn, _ in starts[1:]] + [len(run.trajectory.turns)]
    first = True
    for (start, text), end in zip(starts, ends, strict=True):
        low = 0 if first else start
        yield (
            (run.trajectory.task if first else text),
            [s for s in run.steps if low <= s.turn < end],
        )
        first = False


def _is_goal(text: str) -> bool:
    words = plain(text).split()
    return len(words) >= _MIN_GOAL_WORDS and not plain(text).rstrip().endswith("?")


def _templates(run: RunRecord, steps: Sequence[StepRecord]) -> list[_Template]:
    """The first of each kind of step up to the last change; after it checks and hand-over too."""
    last_edit = max((s.index for s in steps if s.phase == "edit" and not s.failed), default=-1)
    found: list[_Template] = []
    seen: set[str] = set()
    for step in steps:
        text = _template(run, step)
        if not text or _is_noise(step):
            continue
        mark = _mark(step)
        after = step.index > last_edit
        if text in seen and not (after and step.check):
            continue
        if step.check and not after and last_edit >= 0 and mark == " (passes)":
            continue
        seen.add(text)
        entry = _Template(text + mark, step.index)
        found = [t for t in found if t.text != entry.text]
        found.append(entry)
    return _shortened(found)


def _is_noise(step: StepRecord) -> bool:
    if step.phase in _SILENT or step.failure in ("rejected", "permission", "validation"):
        return True
    return step.failed and not step.check


def _mark(step: StepRecord) -> str:
    if not step.check:
        return ""
    return {"fail": " (shows the fault)", "pass": " (passes)"}.get(step.verdict, "")


def _shortened(templates: list[_Template]) -> list[_Template]:
    """At most ten: what only looks goes first, from the end of the list."""
    while len(templates) > _MAX_TEMPLATES:
        looking = [t for t in templates if t.text.startswith(("read ", "search ", "list "))]
        templates.remove(looking[-1] if len(looking) > 2 else templates[len(templates) // 2])
    return templates


def _is_procedure(templates: list[_Template]) -> bool:
    verbs = {t.text.split()[0] for t in templates}
    return len(templates) >= _MIN_TEMPLATES and len(verbs) >= 2


def _template(run: RunRecord, step: StepRecord) -> str:
    own = step.own or (bool(step.edits or step.creates) and not _project_files(run, step))
    if step.phase == "edit":
        if own:
            return "write <check script>"
        return f"change {_slot(_project_files(run, step) or step.edits or step.creates)}"
    if step.phase == "read":
        return f"read {_slot(step.reads)}"
    if step.phase == "search":
        return "search the code for <name>"
    if step.phase == "explore":
        return "list <folder>"
    if step.phase == "delegate":
        return "hand a part to a sub-agent"
    if step.phase == "run" and step.own:
        return "run <check script>"
    return _command(run, step)


def _project_files(run: RunRecord, step: StepRecord) -> tuple[str, ...]:
    return tuple(f for f in (*step.edits, *step.creates) if f not in run.own_files)


def _slot(files: Sequence[str]) -> str:
    if not files:
        return "<file>"
    path = PurePosixPath(files[0].replace("\\", "/"))
    if _TEST_NAME.search(str(path)):
        return "<test file>"
    if path.suffix in _CONFIG:
        return "<config file>"
    if path.suffix in _DOCS:
        return "<document>"
    return "<source file>"


def _command(run: RunRecord, step: StepRecord) -> str:
    """A command with names of this project replaced by slots; nothing where it has no program."""
    if step.main is None or not step.main.program:
        return ""
    words = [step.main.program if "/" not in step.main.program else "<project's own runner>"]
    if step.main.subcommand:
        words.append(step.main.subcommand)
    skipped = set(step.main.subcommand.split())
    for word in step.main.args:
        if word in skipped or len(words) >= _MAX_WORDS:
            continue
        if _OPTION.match(word) and "=" not in word:
            words.append(word)
        elif "/" in word or "." in word:
            words.append(_slot([word]))
        elif not _WORD.match(word):
            words.append("<argument>")
    deduplicated = [w for n, w in enumerate(words) if n == 0 or w != words[n - 1]]
    return f"`{' '.join(deduplicated)}`"


def _workflow(
    run: RunRecord, goal: str, steps: Sequence[StepRecord], templates: list[_Template]
) -> Workflow:
    texts = tuple(t.text for t in templates)
    piece = replace(run, steps=tuple(steps))
    title = title_of(goal) or intent_of(run)
    return Workflow(
        id=content_id("workflow", run.trace_id, goal[:500], *texts),
        created=created_of(run),
        scope=scope_of(run.project),
        title=f"{intent_of(run)} {setting_of(run)}: {title}",
        description=f"Procedure: {' -> '.join(texts)}.",
        content="\n".join(f"{n}. {text}" for n, text in enumerate(texts, start=1)),
        task=run.task_id,
        project=run.project,
        domains=(run.domain,) if run.domain else (),
        languages=(run.language,) if run.language else (),
        polarity=_polarity(piece),
        steps=texts,
        preconditions=_preconditions(piece),
        outcome=run.trajectory.outcome.status,
    )


def _polarity(run: RunRecord) -> Polarity:
    """To follow where it ended well, to avoid where the verdict was bad, open otherwise."""
    if run.trajectory.outcome.status == "failure":
        return "avoid"
    if run.trajectory.outcome.status == "success":
        return "do"
    checks = [s for s in run.steps if s.check and s.verdict in ("pass", "fail")]
    return "do" if checks and checks[-1].verdict == "pass" else ""


def _preconditions(run: RunRecord) -> tuple[str, ...]:
    tools = dict.fromkeys(
        s.main.program for s in run.steps if s.main and s.check and "/" not in s.main.program
    )
    return tuple(f"{tool} is available" for tool in list(tools)[:3] if tool)
