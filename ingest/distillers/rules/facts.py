"""What holds in one project only: its commands, its errors and repairs, its user's wishes."""

from collections.abc import Iterator

from ....kg.types import Insight
from ...record import RunRecord
from .card import Hit
from .commands import commands_of
from .known_repairs import repair_facts_of
from .wishes import wishes_of


def facts_of(run: RunRecord) -> Iterator[tuple[Insight, Hit]]:
    """Yield the project's facts that a run bears out, each once, with the steps that do."""
    seen: set[str] = set()
    for insight, hit in (*commands_of(run), *repair_facts_of(run), *wishes_of(run)):
        if insight.id not in seen:
            seen.add(insight.id)
            yield insight, hit
