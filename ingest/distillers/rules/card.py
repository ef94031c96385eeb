"""What a card of the catalogue is, and what a hit of one says."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from ....kg.ids import content_id
from ....kg.types import Insight, Polarity
from ...record import RunRecord

EPOCH = "2026-01-01T00:00:00Z"
"""`created` of an insight whose words come from the catalogue and not from a run."""

Kind = Literal[
    "iterative workflow discipline",
    "test-driven verification",
    "anti-pattern avoidance",
    "input validation and robustness",
    "API and interface compliance",
    "interaction protocol adherence",
    "environmental adaptation",
    "file and syntax management",
    "repository exploration",
    "algorithmic strategy",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One place in a run where a card holds: indexes of the steps that bear it out, in order.

    `quote` is what the agent said of it, shown only inside the run's own project.
    """

    steps: tuple[int, ...]
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A lesson that can be detected in the step record.

    `title` is the lesson as an imperative, at most 15 words. `situation` says in general words
    when one meets it. `seen` states what was observed, as narrowly as the detector does;
    `advice` what to do or to avoid. The text is shared between projects: it names public tools
    only. `languages` and `tools` restrict where it applies; empty means everywhere.
    """

    name: str
    title: str
    situation: str
    seen: str
    advice: str
    applies_when: str
    not_when: str
    kind: Kind
    polarity: Polarity
    detect: Callable[[RunRecord], Iterable[Hit]]
    languages: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    @property
    def insight_id(self) -> str:
        """The id of the card's insight, the same in every store."""
        return content_id("insight", "card", self.name)

    def insight(self) -> Insight:
        """The insight that every run with a hit supports."""
        return Insight(
            id=self.insight_id,
            created=EPOCH,
            title=self.title,
            description=self.situation,
            content=f"{self.seen} {self.advice}",
            kind=self.kind,
            polarity=self.polarity,
            applies_when=self.applies_when,
            not_when=self.not_when,
            languages=self.languages,
            tools=self.tools,
            card=self.name,
        )
