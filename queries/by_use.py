"""The order of an answer after what became of earlier uses, and what is held out at random."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

from .items import Answer
from .judge import Judged


def by_use(judged: Judged, changes: Mapping[str, float]) -> Judged:
    """Nominees in the order that use gives them, without those it puts below their floor.

    `changes` are added to R, by id. The order without them is kept where there are none: the
    sorted margins are spread over the places, and every nominee moves from its place by its own
    change. What went well moves a memory up but lets none pass that does not fit.
    """
    if not changes:
        return judged
    steps = sorted((verdict.margin for _, verdict in judged.fitting), reverse=True)
    refused = judged.refused.copy()
    placed = []
    for step, (nominee, verdict) in zip(steps, judged.fitting, strict=True):
        change = changes.get(nominee.hit.id, 0.0)
        if verdict.margin + min(0.0, change) < 0:
            refused["use"] += 1
        else:
            placed.append((step + change, nominee, verdict))
    placed.sort(key=lambda p: -p[0])
    return replace(judged, fitting=tuple((n, v) for _, n, v in placed), refused=refused)


def with_holdout(answer: Answer, *, odds: float, seed: str) -> Answer:
    """The answer with one of its items, chosen at random, withheld with these odds.

    The same seed withholds the same item. Nothing moves up in its place.
    """
    chance = Random(seed)
    if not answer.items or chance.random() >= odds:
        return answer
    place = chance.randrange(len(answer.items))
    gone = answer.items[place]
    items = answer.items[:place] + answer.items[place + 1 :]
    lost = (gone, *gone.beneath)
    rank = place + 1
    return replace(
        answer,
        items=items,
        abstained=not items,
        reason=answer.reason if items else "What fits was held out at random.",
        withheld={**answer.withheld, "holdout": len(lost)},
        held_out=tuple((item.memory.id, rank) for item in lost),
    )
