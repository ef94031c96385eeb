"""What an agent is told of a project before it knows its task: the project's own facts."""

from typing import Final

from ..kg.ids import content_id
from ..kg.protocols import GraphStore
from ..kg.types import Insight, Scope, Support, level_name
from .budget import within_budget
from .items import Answer, Item

_MOST: Final = 5
_LOOKED_AT: Final = 500
_WISH: Final = "interaction protocol adherence"


def briefing(store: GraphStore, *, project: str, budget_tokens: int) -> Answer:
    """The facts of a project that most runs bear out, the user's wishes first; or none.

    Cards of the catalogue are no facts of a project: they wait for a task.

    Raises:
        StoreError: the store could not be read.
    """
    found = store.find(
        "Insight", where={"project": project}, scope=Scope.of(project), limit=_LOOKED_AT
    )
    facts = [n for n in found if isinstance(n, Insight) and not n.card and n.scope == project]
    support = store.support([f.id for f in facts])

    def order(fact: Insight) -> tuple[bool, int, str]:
        return fact.kind != _WISH, -support.get(fact.id, Support()).traces, fact.id

    items = [
        Item(
            memory=fact,
            level=level_name(fact.level),
            score=0.0,
            confidence=0.0,
            why="It is a fact of this project.",
            text="",
            support=support.get(fact.id, Support()),
        )
        for fact in sorted(facts, key=order)[:_MOST]
    ]
    fitted = within_budget(items, budget_tokens=budget_tokens)
    query = f"the start of a session in {project}"
    return Answer(
        id=content_id("answer", query, *(i.memory.id for i in fitted.items)),
        query=query,
        items=fitted.items,
        abstained=not fitted.items,
        reason="" if fitted.items else "Nothing is known of this project.",
        confidence=0.0,
        floor=0.0,
        considered=len(facts),
        budget_tokens=budget_tokens,
        brief=fitted.brief,
    )
