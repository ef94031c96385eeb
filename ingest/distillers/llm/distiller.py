"""The distiller with a language model: the rules' result, and the model's words beside it."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from ....kg.errors import UsageError
from ....kg.ids import content_id
from ....kg.types import (
    LEVELS,
    Edge,
    Insight,
    LevelName,
    Memory,
    Node,
    OutcomeStatus,
    Polarity,
    Step,
    Summary,
    Trace,
    Workflow,
)
from ...lessons import Lesson, refusal
from ...llm.asker import Asker
from ...nodes import created_of, level_zero, scope_of, step_id, trace_of
from ...protocols import Distillate
from ...record import RunRecord
from ..rules.distiller import RulesDistiller
from .forms import Evidence, InsightForm, RunForm, SummaryForm, WorkflowForm
from .grounding import grounded
from .prompting import DEFAULT_LIMITS, Limits, prompt_of

NAME: Final = "llm"
_POLARITIES: Final[Mapping[OutcomeStatus, Polarity]] = {
    "success": "do",
    "failure": "avoid",
    "unknown": "",
}
_MIN_STEPS: Final = 3
_REASON_WORDS: Final = 3


class LlmDistiller:
    """Asks a model once about each run that did something, and checks what it says.

    What is not borne out by the steps it quotes is dropped, as is an insight that names its source
    or is too specific; `dropped` counts why. Where there is no answer, the rules' result stands.
    Everything of the model's stays in the run's project and is marked as not to be trusted.
    """

    name = NAME

    def __init__(self, asker: Asker | None = None, *, limits: Limits = DEFAULT_LIMITS) -> None:
        if asker is None:
            raise UsageError(
                "The distiller 'llm' needs a model.",
                hint="Say which: --model gpt-5-mini, or --command 'claude -p'",
            )
        self.dropped: Counter[str] = Counter()
        self._asker = asker
        self._limits = limits
        self._rules = RulesDistiller()

    def distill(self, run: RunRecord) -> Distillate:
        """Return the memories of a run, linked upward; the rules' own first."""
        ruled = self._rules.distill(run)
        below = next((n.id for n in ruled.nodes if isinstance(n, Summary)), "")
        told = self.told(run, below=below) if run.steps else None
        if told is None:
            return ruled
        nodes = {n.id: n for n in (*ruled.nodes, *told.nodes)}
        edges = dict.fromkeys((*ruled.edges, *told.edges))
        return Distillate(nodes=tuple(nodes.values()), edges=tuple(edges))

    def told(
        self, run: RunRecord, *, below: str, levels: Collection[LevelName] = LEVELS
    ) -> Distillate | None:
        """Return what the model writes about a run at some levels; None where it gives no answer.

        Insights stand above its summary, or above the memory `below` where there is none.
        """
        form = self._asker.ask(prompt_of(run, limits=self._limits), RunForm)
        if form is None:
            return None
        parts = tuple(self._parts(run, form, below, levels))
        return Distillate(
            nodes=tuple(p for p in parts if isinstance(p, Node)),
            edges=tuple(dict.fromkeys(p for p in parts if isinstance(p, Edge))),
        )

    def _parts(
        self, run: RunRecord, form: RunForm, below: str, levels: Collection[LevelName]
    ) -> Iterator[Node | Edge]:
        if "summary" in levels and (
            evidence := self._evidence("summary", run, form.summary.evidence)
        ):
            summary = _summary(run, form.summary)
            yield from _resting(run, run.trace_id, summary, evidence)
            below = summary.id
        if (
            "workflow" in levels
            and len(form.workflow.steps) >= _MIN_STEPS
            and (evidence := self._evidence("workflow", run, form.workflow.evidence))
        ):
            yield from _resting(run, run.trace_id, _workflow(run, form.workflow), evidence)
        if "insight" not in levels:
            return
        trace = trace_of(run, content_hash="")
        steps = [n for n in level_zero(run, trace)[0] if isinstance(n, Step)]
        for told in form.insights:
            evidence = self._evidence("insight", run, told.evidence)
            if evidence and self._is_general(told, evidence, trace, steps):
                yield from _resting(run, below or run.trace_id, _insight(run, told), evidence)

    def _evidence(self, what: str, run: RunRecord, evidence: Iterable[Evidence]) -> list[Evidence]:
        found = grounded(evidence, run.steps)
        if not found:
            self.dropped[f"{what}: not borne out by the steps"] += 1
        return found

    def _is_general(
        self, told: InsightForm, evidence: list[Evidence], trace: Trace, steps: list[Step]
    ) -> bool:
        lesson = Lesson(
            title=told.title,
            description=told.description,
            content=told.content,
            kind=told.kind,
            polarity=told.polarity,
            applies_when=told.applies_when,
            not_when=told.not_when,
            cites=tuple(str(e.step) for e in evidence),
        )
        reason = refusal(lesson, trace=trace, steps=steps)
        if reason:
            # The reason may name what must not be named, so only its kind is counted.
            self.dropped[f"insight: {' '.join(reason.split()[:_REASON_WORDS])}"] += 1
        return not reason


def _summary(run: RunRecord, told: SummaryForm) -> Summary:
    return Summary(
        id=content_id("summary", NAME, run.trace_id),
        created=created_of(run),
        scope=scope_of(run.project),
        title=told.title.strip(),
        description=told.situation.strip(),
        content=told.content.strip(),
        task=run.task_id,
        project=run.project,
        domains=(run.domain,) if run.domain else (),
        languages=(run.language,) if run.language else (),
        origin=NAME,
        untrusted=True,
        outcome=run.trajectory.outcome.status,
    )


def _workflow(run: RunRecord, told: WorkflowForm) -> Workflow:
    outcome = run.trajectory.outcome.status
    steps = tuple(s.strip() for s in told.steps)
    return Workflow(
        id=content_id("workflow", NAME, run.trace_id),
        created=created_of(run),
        scope=scope_of(run.project),
        title=told.title.strip(),
        description=f"Procedure: {' -> '.join(steps)}",
        content="\n".join(f"{n}. {text}" for n, text in enumerate(steps, start=1)),
        task=run.task_id,
        project=run.project,
        domains=(run.domain,) if run.domain else (),
        languages=(run.language,) if run.language else (),
        polarity=_POLARITIES[outcome],
        origin=NAME,
        untrusted=True,
        steps=steps,
        preconditions=told.preconditions,
        outcome=outcome,
    )


def _insight(run: RunRecord, told: InsightForm) -> Insight:
    scope = scope_of(run.project)
    return Insight(
        id=content_id("insight", NAME, scope, told.title, told.content),
        created=created_of(run),
        scope=scope,
        title=told.title.strip(),
        description=told.description.strip(),
        content=told.content.strip(),
        project=run.project,
        domains=(run.domain,) if run.domain else (),
        languages=(run.language,) if run.language else (),
        polarity=told.polarity,
        origin=NAME,
        untrusted=True,
        kind=told.kind,
        applies_when=told.applies_when.strip(),
        not_when=told.not_when.strip(),
    )


def _resting(
    run: RunRecord, below: str, memory: Memory, evidence: Iterable[Evidence]
) -> Iterator[Node | Edge]:
    """A memory with what it stands on and the steps that bear it out."""
    yield memory
    yield Edge(source=below, type="GENERALIZES_TO", target=memory.id)
    yield from _citations(run, memory.id, evidence)


def _citations(run: RunRecord, source: str, evidence: Iterable[Evidence]) -> Iterator[Edge]:
    quotes: dict[int, str] = {}
    for item in evidence:
        quotes.setdefault(item.step, item.quote)
    for index, quote in quotes.items():
        yield Edge(source=source, type="CITES", target=step_id(run, index), quote=quote)
