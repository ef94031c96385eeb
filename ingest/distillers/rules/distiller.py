"""The distiller without a language model: a catalogue of cards, and facts of the project."""

from collections.abc import Iterator

from ....kg.types import SHARED, Domain, Edge, Insight, Node
from ...nodes import domain_id, step_id
from ...protocols import Distillate
from ...record import RunRecord
from .card import EPOCH, Card, Hit
from .cards import catalogue
from .chains import chains_of
from .facts import facts_of
from .summary import summary_of
from .workflow import workflows_of

_CITED_HITS = 3


class RulesDistiller:
    """Detects what an agent did; never quotes what it says as a lesson.

    The same run gives the same memories. Cards are shared between projects; facts, corrections,
    workflows and the summary stay in the project of the run.
    """

    name = "rules"

    def distill(self, run: RunRecord) -> Distillate:
        """Return the workflows, the summary and the insights of a run, linked upward."""
        parts = tuple(self._parts(run))
        nodes = {p.id: p for p in parts if isinstance(p, Node)}
        edges = dict.fromkeys(p for p in parts if isinstance(p, Edge))
        return Distillate(nodes=tuple(nodes.values()), edges=tuple(edges))

    def _parts(self, run: RunRecord) -> Iterator[Node | Edge]:
        if not run.steps:
            return
        summary = summary_of(run)
        yield summary
        yield Edge(source=run.trace_id, type="GENERALIZES_TO", target=summary.id)
        for workflow, cited in (*workflows_of(run), *chains_of(run)):
            yield workflow
            yield Edge(source=run.trace_id, type="GENERALIZES_TO", target=workflow.id)
            yield from _citations(run, workflow.id, cited, quote="")
        for card in catalogue():
            yield from _card_parts(run, card, summary_id=summary.id)
        for insight, hit in facts_of(run):
            yield insight
            yield from _evidence(run, insight, hit, summary_id=summary.id)


def _card_parts(run: RunRecord, card: Card, *, summary_id: str) -> Iterator[Node | Edge]:
    hits = list(card.detect(run))[:_CITED_HITS]
    if not hits:
        return
    insight = card.insight()
    yield insight
    for hit in hits:
        yield from _evidence(run, insight, hit, summary_id=summary_id)
    if run.domain:
        domain = Domain(id=domain_id(run.domain), created=EPOCH, scope=SHARED, name=run.domain)
        yield domain
        yield Edge(source=insight.id, type="APPLIES_TO", target=domain.id)


def _evidence(
    run: RunRecord, insight: Insight, hit: Hit, *, summary_id: str
) -> Iterator[Node | Edge]:
    yield Edge(source=summary_id, type="GENERALIZES_TO", target=insight.id)
    yield from _citations(run, insight.id, hit.steps, quote=hit.quote)


def _citations(
    run: RunRecord, source: str, steps: tuple[int, ...], *, quote: str
) -> Iterator[Edge]:
    for index in steps:
        yield Edge(source=source, type="CITES", target=step_id(run, index), quote=quote)
