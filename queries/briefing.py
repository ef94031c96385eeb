"""What an agent is told of a project whatever its task is: the project's own facts."""

from dataclasses import replace
from typing import Final, TypeGuard

from ..kg.ids import content_id
from ..kg.protocols import GraphStore
from ..kg.types import Insight, Node, Scope, Support, level_name
from .budget import within_budget
from .floors import adjusted
from .items import Answer, Item
from .nominate import Nominees

_LIKE_OTHERS: Final = 4.0
"""Smallest R of the best memory for a task to be taken for one of the project. Source: of tasks of
public runs that got no answer in their project four in five are above it, of 52 household tasks
one, of 132 tasks of other projects one in four."""

_LEAST_TASKS: Final = 2
"""Tasks that must bear a fact out. Chosen by us: what one run did need not be a habit."""

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
    facts = [n for n in found if _is_fact(n, project)]
    support = store.support([f.id for f in facts])

    def order(fact: Insight) -> tuple[bool, int, str]:
        return fact.kind != _WISH, -support.get(fact.id, Support()).traces, fact.id

    items = [
        _item(fact, support.get(fact.id, Support()), why="It is a fact of this project.")
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


def fact_instead(
    store: GraphStore, nominees: Nominees, *, project: str, confidence: float
) -> Item | None:
    """What is shown where nothing applies: the fact of the project that most runs bear out.

    How the tests of a project are run helps with any task there. It is looked for among what the
    nearest runs taught; a task that is like none of them, by the `confidence` of the best memory,
    gets no fact either.
    Source: of 261 tasks of public runs, asked in their project without what was learned from them,
    80 got no answer; a fact comes to 35 of these, and 20 of their runs led to just that fact.

    Raises:
        StoreError: the store could not be read.
    """
    if confidence < adjusted(_LIKE_OTHERS, nominees.question.memories):
        return None
    near = {n.hit.id: n.hit for n in nominees.ordered if n.hit.scope == project}
    facts = [
        hit.memory
        for hit in near.values()
        if _is_fact(hit.memory, project) and hit.memory.kind != _WISH
    ]
    support = store.support([f.id for f in facts])
    known = [f for f in facts if f.id in support and support[f.id].tasks >= _LEAST_TASKS]
    best = min(known, key=lambda f: (-support[f.id].traces, f.id), default=None)
    if best is None:
        return None
    item = _item(best, support[best.id], why="Nothing else fits; it is a fact of this project.")
    score = near[best.id].score
    return replace(item, score=score, confidence=score)


def _is_fact(node: Node, project: str) -> TypeGuard[Insight]:
    """Tell whether a node is a fact of a project; what is said of any project is none."""
    return isinstance(node, Insight) and not node.card and node.scope == project


def _item(fact: Insight, support: Support, *, why: str) -> Item:
    return Item(
        memory=fact,
        level=level_name(fact.level),
        score=0.0,
        confidence=0.0,
        why=why,
        text="",
        support=support,
    )
