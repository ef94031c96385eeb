"""How a fact of a project becomes an insight that stays there."""

from ....kg.ids import content_id
from ....kg.types import Insight, Polarity
from ...nodes import created_of, scope_of
from ...record import RunRecord
from .card import Kind


def fact(
    run: RunRecord,
    *,
    title: str,
    description: str,
    content: str,
    kind: Kind,
    polarity: Polarity,
    untrusted: bool = False,
) -> Insight:
    """An insight of the run's project; the same words in the same project are the same fact.

    Nothing of it may differ between runs that give the same fact, or the last one would tell.
    """
    return Insight(
        id=content_id("insight", "fact", scope_of(run.project), title, content),
        created=created_of(run),
        scope=scope_of(run.project),
        title=title,
        description=description,
        content=content,
        project=run.project,
        kind=kind,
        polarity=polarity,
        applies_when="In this project.",
        untrusted=untrusted,
    )
