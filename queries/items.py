"""What an answer is made of."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..kg.types import LevelName, Memory, Support


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A memory in an answer.

    `score` is its own R; `confidence` is what was held against the floor: its own R, or that of
    the nearest earlier run below it where the vote brought it. `share` is its part of that vote,
    0 where words and meaning alone brought it. `path` leads from the memory down to a trace that
    supports it, as far as the asker may see. `beneath` are less abstract memories of the same
    project or environment that say more.
    """

    memory: Memory
    level: LevelName
    score: float
    confidence: float
    why: str
    text: str
    share: float = 0.0
    path: tuple[str, ...] = ()
    support: Support = field(default_factory=Support)
    beneath: tuple["Item", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was found for a task, or that nothing was and why.

    No item is above or below another one. `floor` is what `confidence` was held against;
    `considered` counts the memories that were scored, and `withheld` those that were not shown,
    by reason. `id` depends on the question and on what is shown; `retrieval_id` is the id under
    which the answer was recorded, empty where it was not.
    """

    id: str
    query: str
    items: tuple[Item, ...] = ()
    abstained: bool
    reason: str = ""
    confidence: float
    floor: float
    considered: int
    withheld: Mapping[str, int] = field(default_factory=dict)
    budget_tokens: int = 2000
    brief: bool = False
    """True where keys had to be cut to fit the budget."""
    retrieval_id: str = ""
    held_out: tuple[tuple[str, int], ...] = ()
    """Ids and ranks of what was withheld at random, to learn what showing it does."""

    def shown(self) -> Iterator[Item]:
        """Yield every item with those beneath it, in the order they are rendered."""
        for item in self.items:
            yield item
            yield from item.beneath
