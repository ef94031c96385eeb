"""Workflows: the procedure of each request, as step templates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ....kg.ids import content_id
from ....kg.types import Polarity, Workflow
from ...nodes import created_of, scope_of
from ...record import RunRecord, StepRecord
from ...steps.error_classes import SETUP
from .asks import Ask, ask_of, request_turns, understood
from .changes import Changes, changed_by, changes_of
from .intent import is_goal
from .templates import step_template

_MIN_TEMPLATES: Final = 3
_MAX_TEMPLATES: Final = 10
_MIN_ACTIONS: Final = 5
_KEY_STEPS: Final = 6
_LOOKS: Final = (
    "read ", "search ", "list ", "copy ", "move ", "make <", "link ", "set the mode", "`git log",
    "`git show", "`git branch", "`git status", "`git ls", "`git diff --", "`git rev-parse",
)  # fmt: skip
_KEPT_LOOKS: Final = 3
_HOSTS: Final = frozenset(
    {"gh", "glab", "docker", "kubectl", "npm", "pnpm", "bun", "yarn", "cargo"}
)
_EVERYWHERE: Final = frozenset({"python", "python3", "bash", "sh", "node", "make"})
_SHOWS: Final = " (shows the fault)"


@dataclass(frozen=True, slots=True)
class _Template:
    """A step in general words, how its check ended, and the index of the step it stands for."""

    text: str
    mark: str
    index: int

    @property
    def told(self) -> str:
        return self.text + self.mark


def workflows_of(run: RunRecord) -> Iterator[tuple[Workflow, tuple[int, ...]]]:
    """Yield the procedures of a run, each with the indexes of the steps it cites.

    One for each request with five actions or more; where none has as many, one for the run.
    """
    changes = changes_of(run)
    pieces = [piece for piece in _pieces(run) if len(piece[1]) >= _MIN_ACTIONS]
    if not pieces and len(run.steps) >= _MIN_ACTIONS:
        pieces = [(ask_of(run), run.steps)]
    for ask, steps in pieces:
        templates = _templates(run, steps, changes)
        if _is_procedure(templates):
            workflow = _workflow(run, ask, steps, [t.told for t in templates])
            yield workflow, tuple(t.index for t in templates)


def _pieces(run: RunRecord) -> Iterator[tuple[Ask, Sequence[StepRecord]]]:
    """The steps that follow each request; an answer that asks for nothing joins what it answers."""
    starts: list[tuple[int, Ask]] = [(0, ask_of(run))]
    for number, request in zip(request_turns(run)[1:], run.requests[1:], strict=True):
        if is_goal(request.text):
            starts.append((number, understood(request.text)))
    ends = [number for number, _ in starts[1:]] + [len(run.trajectory.turns)]
    for (start, ask), end in zip(starts, ends, strict=True):
        yield ask, [s for s in run.steps if start <= s.turn < end]


# --- which steps ---------------------------------------------------------------------------------


def _templates(run: RunRecord, steps: Sequence[StepRecord], changes: Changes) -> list[_Template]:
    """The first of each kind of step up to the last change; after it checks and hand-over only.

    Checks between the first change and the last are the loop of trying and are left out; what a
    check said counts only where it shows the fault before the change, or how it ended after it.
    """
    edits = [s.index for s in steps if not s.failed and changed_by(s, changes)]
    first, last = (edits[0], edits[-1]) if edits else (-1, -1)
    told = [
        _Template(text, _mark(step, before_change=step.index < first), step.index)
        for step in steps
        if not _is_noise(step) and (text := step_template(run, step, changes))
    ]
    if not edits:
        return _shortened(_first_of_each(told))
    checks = {s.index for s in steps if s.check}
    before = [t for t in told if t.index <= first]
    during = [t for t in told if first < t.index <= last and t.index not in checks]
    after = [t for t in told if t.index > last]
    acts = [t for t in after if not t.text.startswith(_LOOKS)]
    ended = _last_of_each(acts or after[-1:])
    repeated = {t.text for t in ended if t.text.startswith("remove ")}
    known = [t for t in _first_of_each([*before, *during]) if t.text not in repeated]
    return _shortened([*known, *ended])


def _is_noise(step: StepRecord) -> bool:
    """Steps that did nothing: refused, or failed without being a check."""
    if step.failure in ("rejected", "permission", "validation"):
        return True
    return step.failed and not step.check


def _mark(step: StepRecord, *, before_change: bool) -> str:
    """How a check ended. Before the change only that it showed the fault: it ran and said no."""
    if not step.check or not step.verdict:
        return ""
    broken = step.fault is not None and step.fault.error_class in SETUP
    if step.verdict == "fail" and not broken and before_change:
        return _SHOWS
    if before_change:
        return ""
    return " (passes)" if step.verdict == "pass" else " (fails)"


def _first_of_each(templates: Sequence[_Template]) -> list[_Template]:
    """Each kind of step once, where it was done first; a check where it first showed the fault."""
    found: dict[str, _Template] = {}
    for template in templates:
        known = found.setdefault(template.text, template)
        if template.mark == _SHOWS and not known.mark:
            found[template.text] = template
    return sorted(found.values(), key=lambda t: t.index)


def _last_of_each(templates: Sequence[_Template]) -> list[_Template]:
    """Each kind of step once, where it was done last."""
    last = {t.text: t for t in templates}
    return [t for t in templates if last[t.text] is t]


def _shortened(templates: list[_Template]) -> list[_Template]:
    """At most ten: what only looks goes first, then what is no change, check or hand-over."""
    kept = list(templates)
    while len(kept) > _MAX_TEMPLATES:
        ranks = [_rank(t) for t in kept]
        low = 0 if ranks.count(0) > _KEPT_LOOKS else min([r for r in ranks if r], default=0)
        kept.pop(len(ranks) - 1 - ranks[::-1].index(low))
    return kept


def _rank(template: _Template) -> int:
    """How much a step tells of a procedure: looking and file work little, changes most."""
    if template.text.startswith(_LOOKS):
        return 0
    acts = (
        "change ",
        "write ",
        "`git commit",
        "`git push",
        "`git add",
        "`gh pr create",
        "`git tag",
    )
    return 2 if template.mark or template.text.startswith(acts) else 1


def _is_procedure(templates: list[_Template]) -> bool:
    verbs = {" ".join(t.text.split()[:2]) for t in templates}
    return len(templates) >= _MIN_TEMPLATES and len(verbs) >= 2


# --- what it says --------------------------------------------------------------------------------


def _workflow(
    run: RunRecord, ask: Ask, steps: Sequence[StepRecord], texts: Sequence[str]
) -> Workflow:
    return Workflow(
        id=content_id("workflow", run.trace_id, ask.line[:500], *texts),
        created=created_of(run),
        scope=scope_of(run.project),
        title=ask.subject,
        description=f"Procedure: {' -> '.join(_telling(texts))}.",
        content="\n".join(f"{n}. {text}" for n, text in enumerate(texts, start=1)),
        task=run.task_id,
        project=run.project,
        domains=(run.domain,) if run.domain else (),
        languages=(run.language,) if run.language else (),
        polarity=_polarity(run, steps),
        steps=tuple(texts),
        preconditions=_preconditions(steps),
        outcome=run.trajectory.outcome.status,
        untrusted=False,
    )


def _telling(texts: Sequence[str]) -> Sequence[str]:
    """The steps that a workflow is found by: the last six that do more than look."""
    acts = [text for text in texts if not text.startswith(_LOOKS)]
    return (acts if len(acts) >= _MIN_TEMPLATES else texts)[-_KEY_STEPS:]


def _polarity(run: RunRecord, steps: Sequence[StepRecord]) -> Polarity:
    """To follow where it ended well; to avoid where it was judged bad and no check had passed.

    A procedure whose checks passed and whose result was rejected all the same is neither.
    """
    status = run.trajectory.outcome.status
    if status == "success":
        return "do"
    verdicts = [s.verdict for s in steps if s.check and s.verdict]
    passed = bool(verdicts) and verdicts[-1] == "pass"
    if status == "failure":
        return "" if passed else "avoid"
    return "do" if passed else ""


def _preconditions(steps: Sequence[StepRecord]) -> tuple[str, ...]:
    """The tools that did work and that not everybody has."""
    tools = dict.fromkeys(
        s.main.program
        for s in steps
        if s.main and not s.failed and "/" not in s.main.program
        and ((s.check and not s.own) or s.main.program in _HOSTS)
        and s.main.program not in _EVERYWHERE
    )  # fmt: skip
    return tuple(f"`{tool}` is available" for tool in list(tools)[:3] if tool)
