"""What the forms of the pages do. Each is one call of the knowledge base, one after the other."""

from collections.abc import Mapping
from typing import Final, cast

from ...ingest.editing import EDITABLE
from ...kg.consolidation.review import VERDICTS
from ...kg.errors import UsageError
from ...kg.types import OutcomeStatus
from .node_page import found
from .showing import node_address
from .site import Asked, Deed, Done, Site

_OUTCOMES: Final = ("success", "failure", "unknown")


def decide(site: Site, asked: Asked) -> Done:
    """Keep a verdict on two insights."""
    verdict = asked.form.get("verdict", "")
    if verdict not in VERDICTS:
        raise UsageError(f"Unknown verdict {verdict!r}. Available: {', '.join(VERDICTS)}.")
    a, b = found(site, asked.form.get("a", "")), found(site, asked.form.get("b", ""))
    done = site.kb.decide(a, b, verdict)
    said = {
        "same": "They are the same.",
        "broader": "The left one is the broader.",
        "narrower": "The left one is the narrower.",
        "opposite": "They contradict each other.",
        "apart": "They are kept apart.",
    }[verdict]
    if done.merged:
        said += f" Merged: {', '.join(m.insight.title for m in done.merged)}."
    for kept in done.withheld:
        said += f" They were not merged: {kept.reason}."
    return Done(to="/review", said=said)


def undo(site: Site, asked: Asked) -> Done:
    """Take back a merge or a consolidation."""
    id = found(site, asked.form.get("id", ""))
    undone = site.kb.unmerge(id, remember="again" not in asked.form)
    parts = [f"{_counted(len(undone.insights), 'merged insight')} taken back"]
    if undone.restored:
        parts.append(f"{len(undone.restored)} restored")
    return Done(to="/merges", said=f"{', '.join(parts)}.")


def edit(site: Site, asked: Asked) -> Done:
    """Put an insight into other words."""
    id = found(site, asked.form.get("id", ""))
    insight = site.kb.edit(id, {n: asked.form[n] for n in EDITABLE if n in asked.form})
    return Done(to=node_address(insight.id), said="Saved.")


def forget(site: Site, asked: Asked) -> Done:
    """Take a memory out of the store."""
    id = found(site, asked.form.get("id", ""))
    removed = site.kb.forget([id])
    return Done(to="/", said=f"Taken out: {_counted(removed, 'node')}.")


def feedback(site: Site, asked: Asked) -> Done:
    """Say how the work went that an answer was given for."""
    id = found(site, asked.form.get("id", ""))
    outcome = asked.form.get("outcome", "")
    if outcome not in _OUTCOMES:
        raise UsageError(f"Unknown outcome {outcome!r}. Available: {', '.join(_OUTCOMES)}.")
    credited = site.kb.feedback(id, outcome=cast(OutcomeStatus, outcome))
    said = f"Kept: {outcome}. Credited to {_counted(len(credited), 'memory')}."
    return Done(to=node_address(id), said=said.replace("memorys", "memories"))


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


WRITING: Final[Mapping[str, Deed]] = {
    "/review": decide,
    "/undo": undo,
    "/edit": edit,
    "/forget": forget,
    "/feedback": feedback,
}
"""Where each form is sent."""
