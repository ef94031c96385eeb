"""The insights that take part in a consolidation, ready to be compared with each other."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from ..terms import tokenize
from ..types import SHARED, Insight, Vector, join_text
from .guards import Marks, Veto, marks, veto
from .names import code_in
from .neighbours import near_pairs
from .plan import Compared
from .score import Described, Parts, Scorer
from .wording import Wording, stop_terms, wording

MUCH_MORE: Final = 4.0
"""A text with this many times the information of another one is no synonym of it. The shorter is
proposed as the broader one. Chosen by us."""

_WORDS_SHOWN: Final = 12
_SPREAD: Final = 200
_SMALL: Final = 50
_WORD: Final = re.compile(r"[\w'’-]+")

_DISTILLED: Final = "rules"
_OWN_PROJECT: Final = re.compile(
    r"\b(?:this|our|my)\s+(?:project|repo|repository|codebase)\b", re.IGNORECASE
)


def is_tied(insight: Insight) -> bool:
    """Tell whether an insight speaks of its own project, so that it means nothing elsewhere."""
    said = join_text(insight.full, insight.applies_when, insight.not_when)
    return insight.scope != SHARED and _OWN_PROJECT.search(said) is not None


def commands_of(insight: Insight) -> tuple[str, ...]:
    """The commands that a fact of a project is about, none where it is no such fact.

    A fact says what a command is for in a fixed sentence, so that the command is what it says.
    """
    is_fact = insight.origin == _DISTILLED and not insight.card
    return tuple(code_in(insight.title)) if is_fact else ()


class Blocks(Protocol):
    """What people or the graph have against merging insights."""

    def between(self, a: str, b: str) -> Veto | None:
        """What stands against merging two ids, None where nothing does."""
        ...

    def mentions(self, id: str) -> bool:
        """Tell whether anything is said of an id at all."""
        ...


def _numbered(values: Sequence[tuple[str, ...]]) -> NDArray[np.intp]:
    """A number for each value, the same for equal ones; 0 for nothing."""
    numbers: dict[tuple[str, ...], int] = {(): 0}
    return np.array([numbers.setdefault(v, len(numbers)) for v in values], np.intp)


class Pool:
    """Insights in the order of their ids, with their words, vectors and marks.

    `blocks` says what stands against a merge besides words.
    """

    def __init__(
        self,
        insights: Sequence[Insight],
        scorer: Scorer,
        *,
        blocks: Blocks,
        wordings: Sequence[Wording] | None = None,
        vectors: Sequence[Vector] = (),
    ) -> None:
        self.insights = tuple(insights)
        self.ids = tuple(i.id for i in self.insights)
        self.place = {id: k for k, id in enumerate(self.ids)}
        self._scorer = scorer
        self._blocks = blocks
        self._wordings = tuple(wordings or (wording(i) for i in self.insights))
        self._described: Described = scorer.describe(self.ids, self._wordings, vectors=vectors)
        self._tied = tuple(is_tied(i) for i in self.insights)
        self._commands = _numbered([commands_of(i) for i in self.insights])
        self._cards = _numbered([(i.card,) if i.card else () for i in self.insights])
        self._scopes = np.unique([i.scope for i in self.insights], return_inverse=True)[1]
        self._marks: dict[int, Marks] = {}
        self._scored: dict[tuple[int, ...], NDArray[np.float32]] = {}
        self._words_of: dict[int, dict[str, str]] = {}

    def __len__(self) -> int:
        return len(self.insights)

    def near(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float32]]:
        """Pairs of places with their nearness, for all pairs that may matter.

        What speaks of its own project is of no matter to another project; of two facts about
        other commands, and of two cards, neither matters to the other.
        """
        i, j = near_pairs(self._described.vectors[0])
        tied = np.array(self._tied, bool)
        matters = (self._scopes[i] == self._scopes[j]) | ~(tied[i] | tied[j])
        for said in (self._commands, self._cards):
            matters &= (said[i] == 0) | (said[j] == 0) | (said[i] == said[j])
        i, j = i[matters], j[matters]
        return i, j, self.parts(i, j).nearness

    def parts(self, i: NDArray[np.intp], j: NDArray[np.intp]) -> Parts:
        """The nearness of pairs of places, and its parts."""
        return self._scorer.parts(self._described, i, j)

    def read_ahead(self, groups: Sequence[Sequence[int]]) -> None:
        """Score the pairs of each of many small groups at once, for `matrix` to be asked next."""
        small = [tuple(group) for group in groups if len(group) <= _SMALL]
        if not small:
            return
        ends = [np.triu_indices(len(group), 1) for group in small]
        found = [(np.array(g, np.intp), *pair) for g, pair in zip(small, ends, strict=True)]
        first = np.concatenate([at[rows] for at, rows, _ in found])
        second = np.concatenate([at[columns] for at, _, columns in found])
        stops = np.cumsum([len(rows) for _, rows, _ in found])[:-1]
        scored = np.split(self.parts(first, second).nearness, stops)
        self._scored.update(zip(small, scored, strict=True))

    def matrix(self, members: Sequence[int]) -> NDArray[np.float64]:
        """The nearness of all pairs of some places, -inf where they must be apart."""
        count = len(members)
        at = np.array(members, np.intp)
        rows, columns = np.triu_indices(count, 1)
        result = np.zeros((count, count))
        known = self._scored.pop(tuple(members), None)
        result[rows, columns] = (
            self.parts(at[rows], at[columns]).nearness if known is None else known
        )
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
            if self.veto(members[row], members[column]) is not None:
                result[row, column] = -np.inf
        return np.asarray(np.minimum(result, result.T) + np.maximum(result, result.T))

    def veto(self, a: int, b: int) -> Veto | None:
        """What stands against merging two places, None where nothing does."""
        blocked = self._blocks.between(self.ids[a], self.ids[b])
        if blocked is not None:
            return blocked
        if self._scopes[a] != self._scopes[b] and (self._tied[a] or self._tied[b]):
            return Veto("project", "one speaks of its own project")
        found = veto(self.marks(a), self.marks(b))
        if found is None and self.says_much_more(a, b):
            return Veto("narrower", "one says four times as much as the other")
        return found

    def says_much_more(self, a: int, b: int) -> bool:
        """Tell whether one of two texts has four times the information of the other."""
        less, more = sorted(float(self._described.information[k]) for k in (a, b))
        return more > MUCH_MORE * less

    def marks(self, place: int) -> Marks:
        """What the guards read off one insight."""
        known = self._marks.get(place)
        if known is None:
            known = marks(self.insights[place], self._wordings[place])
            self._marks[place] = known
        return known

    def copies(self) -> dict[int, int]:
        """A number for each place, the same for those with the same words, polarity and tools.

        What somebody decided on is no copy of anything.
        """
        numbers: dict[tuple[object, ...], int] = {}
        found: dict[int, int] = {}
        for place, insight in enumerate(self.insights):
            if not self._blocks.mentions(insight.id):
                text = self._wordings[place].text.casefold().rstrip(".! ")
                scope = insight.scope if self._tied[place] else ""
                key = (text, insight.polarity, frozenset(insight.tools), scope)
                found[place] = numbers.setdefault(key, len(numbers))
        return found

    def reach(self, groups: Sequence[Sequence[int]]) -> list[dict[str, float]]:
        """How near the words of each insight of a group are to those of others outside the group.

        Higher is more general; one answer a group.
        """
        ids = [[self.ids[m] for m in group] for group in groups]
        places = [m for group in groups for m in group]
        without = [some for some in ids for _ in some]
        found = iter(self._scorer.reach(self._described.vectors[0][places], without=without))
        return [{id: float(next(found)) for id in some} for some in ids]

    def spread(self, groups: Sequence[Sequence[int]]) -> list[tuple[float, tuple[int, int]]]:
        """The mean nearness of the places of each group, and the pair that is furthest apart.

        Of many places the first are looked at.
        """
        if not groups:
            return []
        some = [np.array(group[:_SPREAD], np.intp) for group in groups]
        ends = [np.triu_indices(len(at), 1) for at in some]
        first = np.concatenate([at[rows] for at, (rows, _) in zip(some, ends, strict=True)])
        second = np.concatenate([at[columns] for at, (_, columns) in zip(some, ends, strict=True)])
        near = self.parts(first, second).nearness
        starts = np.cumsum([0, *(len(rows) for rows, _ in ends)]).tolist()
        found: list[tuple[float, tuple[int, int]]] = []
        for start, end in pairwise(starts):
            least = start + int(near[start:end].argmin())
            pair = (int(first[least]), int(second[least]))
            found.append((float(near[start:end].mean()), pair))
        return found

    def compared(self, pairs: Sequence[tuple[int, int]]) -> tuple[Compared, ...]:
        """Pairs of places side by side, the smaller place first in each."""
        ordered = [(min(p), max(p)) for p in pairs]
        at = np.array(ordered, np.intp).reshape(-1, 2)
        parts = self.parts(at[:, 0], at[:, 1])
        return tuple(self._compared(a, b, parts, row) for row, (a, b) in enumerate(ordered))

    def _compared(self, a: int, b: int, parts: Parts, row: int) -> Compared:
        mine, other = self._words(a), self._words(b)
        return Compared(
            a=self.ids[a],
            b=self.ids[b],
            nearness=round(float(parts.nearness[row]), 4),
            cosine=round(float(parts.cosine[row]), 4),
            terms=round(float(parts.terms[row]), 4),
            lead=round(float(parts.lead[row]), 4),
            crowd=round(float(parts.crowd[row]), 4),
            veto=self.veto(a, b),
            shared=tuple(mine[t] for t in self._rarest(t for t in mine if t in other)),
            only_a=tuple(mine[t] for t in self._rarest(t for t in mine if t not in other)),
            only_b=tuple(other[t] for t in self._rarest(t for t in other if t not in mine)),
            title_a=self.insights[a].title,
            title_b=self.insights[b].title,
        )

    def _words(self, place: int) -> dict[str, str]:
        """The first word of each stem of a text, by stem."""
        known = self._words_of.get(place)
        if known is None:
            known = {}
            for word in _WORD.findall(self._wordings[place].text):
                for term in tokenize(word):
                    if term not in stop_terms():
                        known.setdefault(term, word)
            self._words_of[place] = known
        return known

    def _rarest(self, terms: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(terms, key=lambda t: (-self._scorer.idf(t), t))[:_WORDS_SHOWN])
