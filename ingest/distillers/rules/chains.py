"""Short workflows out of repairs: what failed, what was done, what worked then."""

from collections.abc import Iterator
from typing import Final

from ....kg.ids import content_id
from ....kg.types import Workflow
from ...nodes import created_of, scope_of
from ...record import Repair, RunRecord, StepRecord
from .changes import Changes, changes_of
from .templates import step_template
from .wording import error_words

_KINDS: Final = frozenset({"other command", "install", "second try"})
_MOST: Final = 3
"""Chains of one run; more of them are variations. Chosen by us."""


def chains_of(run: RunRecord) -> Iterator[tuple[Workflow, tuple[int, ...]]]:
    """Yield the repairs of a run as workflows of three steps, each with the steps it cites.

    Only where something was done between the failure and what worked, and where the two differ.
    """
    changes = changes_of(run)
    seen: set[tuple[str, ...]] = set()
    for repair in run.repairs:
        told = _steps(run, repair, changes)
        if told and told[0] not in seen and len(seen) < _MOST:
            seen.add(told[0])
            yield _workflow(run, repair, *told)


def _steps(
    run: RunRecord, repair: Repair, changes: Changes
) -> tuple[tuple[str, ...], tuple[int, ...]] | None:
    failing, passing = run.steps[repair.failing], run.steps[repair.passing]
    if repair.by not in _KINDS or failing.fault is None or failing.fault.error_class == "other":
        return None
    failed = step_template(run, failing, changes) or _tried_edit(failing)
    worked = step_template(run, passing, changes)
    middle = _between(run, repair, changes, {failed, worked})
    same = failed == worked and repair.by == "other command"
    if not (failed and worked and middle) or same:
        return None
    texts = (f"{failed} (fails: {error_words(failing.fault)})", middle[0], f"{worked} (works)")
    return texts, (failing.index, middle[1], passing.index)


def _tried_edit(step: StepRecord) -> str:
    return "change <file>" if step.kind in ("edit", "write") else ""


def _between(
    run: RunRecord, repair: Repair, changes: Changes, ends: set[str]
) -> tuple[str, int] | None:
    """The step that made the difference: an installation or a change, else the last look."""
    changed = [run.steps[i] for i in repair.changed]
    looked = [
        s
        for s in run.steps[repair.failing + 1 : repair.passing]
        if not s.failed and s.phase in ("explore", "search", "read", "install")
    ]
    wanted = [s for s in changed if s.phase == "install"] if repair.by == "install" else []
    for step in (*wanted, *reversed(looked), *reversed(changed)):
        text = step_template(run, step, changes)
        if text and text not in ends:
            return text, step.index
    return None


def _workflow(
    run: RunRecord, repair: Repair, texts: tuple[str, ...], cited: tuple[int, ...]
) -> tuple[Workflow, tuple[int, ...]]:
    failing = run.steps[repair.failing]
    error = error_words(failing.fault) if failing.fault else ""
    failed, worked = texts[0].partition(" (fails")[0], texts[2].removesuffix(" (works)")
    title = {
        "install": f"When {failed} fails with {error}: install what is missing, run it again",
        "second try": f"When an edit is refused because of {error}: look again, then repeat it",
    }.get(repair.by, f"When {failed} fails with {error}: go over to {worked}")
    workflow = Workflow(
        id=content_id("workflow", run.trace_id, "repair", *texts),
        created=created_of(run),
        scope=scope_of(run.project),
        title=title,
        description=f"Repair of a failing step: {' -> '.join(texts)}.",
        content="\n".join(f"{n}. {text}" for n, text in enumerate(texts, start=1)),
        task=run.task_id,
        project=run.project,
        domains=(run.domain,) if run.domain else (),
        languages=(run.language,) if run.language else (),
        polarity="do",
        steps=texts,
        outcome=run.trajectory.outcome.status,
    )
    return workflow, cited
