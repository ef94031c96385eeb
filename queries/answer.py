"""The answer to a task: the most abstract memories that apply to it, or none."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..kg.ids import content_id
from ..kg.protocols import Embedder, GraphStore
from ..kg.types import EVERYTHING, UNASSIGNED, Scope, Support, level_name
from .antichain import Place, antichain, worth_adding
from .applicability import REASONS, Nominee, Situation, relation
from .briefing import fact_instead
from .budget import within_budget
from .by_use import by_use
from .calibration import kept_calibration
from .descent import paths_down
from .explain import why_shown
from .floors import Floors
from .items import Answer, Item
from .judge import Judged, judge, why_nothing
from .level import ancestors
from .lifts import lifts
from .nominate import Nominees, nominate
from .terms import surfaces
from .use import adjustments

# Most tasks are no error message; what answers one is imported where one is.
if TYPE_CHECKING:
    from .recovery import ErrorKey

__all__ = ["Answer", "Item", "retrieve"]


def retrieve(
    store: GraphStore,
    embedder: Embedder,
    task: str,
    *,
    project: str = "",
    domain: str = "",
    language: str = "",
    tools: Sequence[str] = (),
    budget_tokens: int = 2000,
    k: int = 8,
    strict: bool = False,
    floor: float | None = None,
    exclude: frozenset[str] = frozenset(),
    bodies: bool = False,
    transfer: bool = False,
    scope: Scope | None = None,
    witnesses: Scope = EVERYTHING,
    error: "ErrorKey | None" = None,
) -> Answer:
    """Answer a task with the most abstract memories that apply to it, or with none.

    Where none applies to a task like others of its project, a fact of the project is the answer;
    not with `strict` or `floor`.

    Args:
        project: whose memories may be read besides the shared ones; without it those of runs
            that belong to no project.
        domain: the kind of work; with it summaries of the same kind may be shown.
        language: the task's language; memories of another one are left out.
        tools: what the task works with; memories of other tools are left out.
        budget_tokens: how long `render.prompt_text` of the answer may get.
        k: how many memories are shown at most, those beneath another not counted.
        strict: hold memories against the higher floors.
        floor: hold every memory against this R, not against the floor of its kind.
        exclude: ids that are neither shown nor counted as evidence.
        bodies: show whole texts as far as the budget allows, not keys alone.
        transfer: do not hold back what was learned in other languages, see `search.search`; the
            language is then no condition.
        scope: which memories may be shown, where it does not follow from `project`.
        witnesses: whose runs may vote. They are neither shown nor named where they are outside
            `scope`, and only memories in `scope` are voted for.
        error: which error the task is, where it is an error message: memories that cite steps at
            which it was met come first, and no runs vote.

    Raises:
        StoreError: the store could not be read.
    """
    readable = scope if scope is not None else Scope.of(project or UNASSIGNED)
    situation = Situation(project=project, domain=domain, language=language, tools=tuple(tools))
    reading = store.reading()
    nominees = nominate(
        reading,
        embedder,
        task,
        scope=readable,
        witnesses=witnesses,
        transfer_from=language if transfer else "",
        exclude=exclude,
        vote=error is None,
    )
    conditions = replace(situation, language="") if transfer else situation
    calibration = kept_calibration(reading)
    floors = Floors(
        memories=nominees.question.memories,
        strict=strict,
        fixed=floor,
        fitted=calibration.floors if calibration else {},
    )
    if floor is None:
        terms = nominees.question.terms
        added = lifts(nominees.ordered, terms, calibration=calibration, floor=floors.of("insight"))
        floors = replace(floors, lifts=added)
    spoken: Mapping[str, float] = {}
    if error is not None:
        from .remedies import for_an_error, remedies

        found = remedies(reading, error, scope=readable, exclude=exclude)
        spoken = found.spoken
        nominees, floors = for_an_error(nominees, floors, found=found)
    judged = judge(nominees.ordered, conditions, floors)
    if not judged.fitting and floors.depend_on_runs(nominees.ordered):
        floors = replace(floors, runs=nominees.question.statistics.traces)
        judged = judge(nominees.ordered, conditions, floors)
    judged = by_use(
        judged,
        adjustments(store, [n.hit.id for n, _ in judged.fitting], domain=domain, reading=reading),
    )
    fitting = [n for n, _ in judged.fitting]
    places = antichain(fitting, _above(reading, fitting))
    items = _items(
        reading,
        places[:k],
        judged,
        nominees=nominees,
        situation=situation,
        scope=readable,
        met=frozenset(spoken),
    )
    if not items and project and floor is None and not strict:
        fact = fact_instead(reading, nominees, project=project, confidence=judged.lead.confidence)
        items = [fact] if fact else []
    fitted = within_budget(items, budget_tokens=budget_tokens, bodies=bodies)
    standing = len(places) + sum(len(item.beneath) for item in items)
    withheld = judged.refused.copy()
    withheld["more abstract"] = len(judged.fitting) - standing
    withheld["limit"] = len(places[k:])
    withheld["budget"] = fitted.left_out
    return Answer(
        id=content_id("answer", task, project, *(i.memory.id for i in fitted.items)),
        query=task,
        items=fitted.items,
        abstained=not fitted.items,
        reason="" if fitted.items else why_nothing(judged.lead, withheld),
        confidence=judged.lead.confidence,
        floor=judged.lead.floor,
        considered=len(nominees.ordered),
        withheld={reason: withheld[reason] for reason in REASONS if withheld[reason]},
        budget_tokens=budget_tokens,
        brief=fitted.brief,
    )


def _above(store: GraphStore, nominees: Sequence[Nominee]) -> dict[str, frozenset[str]]:
    """What stands above each nominee, over nodes out of scope too; one alone is not looked up."""
    ids = [n.hit.id for n in nominees]
    return ancestors(store.ancestry(ids)) if len(ids) > 1 else {}


def _items(
    store: GraphStore,
    places: Sequence[Place],
    judged: Judged,
    *,
    nominees: Nominees,
    situation: Situation,
    scope: Scope,
    met: frozenset[str],
) -> list[Item]:
    beneath = {p.nominee.hit.id: worth_adding(p, situation) for p in places}
    shown = {n.hit.id: n for p in places for n in (p.nominee, *beneath[p.nominee.hit.id])}
    verdicts = {n.hit.id: verdict for n, verdict in judged.fitting}
    support = store.support(list(shown))
    paths = paths_down(
        store,
        list(shown),
        towards={id: [leaf.id for leaf in n.votes.leaves] for id, n in shown.items() if n.votes},
        scope=scope,
    )
    written = surfaces(nominees.question.text)

    def item(nominee: Nominee, lower: tuple[Item, ...] = ()) -> Item:
        memory = nominee.hit.memory
        behind = support.get(memory.id, Support())
        return Item(
            memory=memory,
            level=level_name(memory.level),
            score=nominee.hit.score,
            confidence=verdicts[memory.id].confidence,
            why=why_shown(
                nominee,
                terms=nominees.question.terms,
                surfaces=written,
                support=behind,
                relation=relation(memory, situation),
                met=memory.id in met,
            ),
            text="",
            share=nominee.votes.share if nominee.votes else 0.0,
            path=paths[memory.id],
            support=behind,
            beneath=lower,
        )

    return [item(p.nominee, tuple(item(n) for n in beneath[p.nominee.hit.id])) for p in places]
