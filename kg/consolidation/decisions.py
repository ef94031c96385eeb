"""What people decided about pairs of insights, and merges that they took back.

Decisions are kept with the store and not in the graph, so that a graph whose merges are undone is
the graph from before. `KEEP_APART` is an edge, because it is said of the graph.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..protocols import GraphStore

SETTING: Final = "consolidation.decisions"
"""The name under which a store keeps them."""

Pair = tuple[str, str]


def pair_of(a: str, b: str) -> Pair:
    """Two ids in order."""
    return (a, b) if a <= b else (b, a)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """Pairs that are the same, groups that must not be merged again, pairs left for later.

    `same` holds ids of insights; where two merged insights were said to be the same, `topics`
    holds one member of each, because a merged insight changes its id as it grows.
    """

    same: frozenset[Pair] = frozenset()
    topics: frozenset[Pair] = frozenset()
    rejected: tuple[tuple[str, ...], ...] = ()
    _groups: Mapping[str, frozenset[int]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def read(cls, store: GraphStore) -> "Decisions":
        """The decisions that a store keeps."""
        kept = store.setting(SETTING)
        values = json.loads(kept) if kept else {}
        return cls.of(
            same=(pair_of(a, b) for a, b in values.get("same", ())),
            topics=(pair_of(a, b) for a, b in values.get("topics", ())),
            rejected=values.get("rejected", ()),
        )

    @classmethod
    def of(
        cls,
        *,
        same: Iterable[Pair] = (),
        topics: Iterable[Pair] = (),
        rejected: Iterable[Sequence[str]] = (),
    ) -> "Decisions":
        """Decisions of these pairs and groups."""
        groups = tuple(sorted({tuple(sorted(set(g))) for g in rejected if len(set(g)) > 1}))
        places: dict[str, set[int]] = {}
        for number, group in enumerate(groups):
            for id in group:
                places.setdefault(id, set()).add(number)
        return cls(
            same=frozenset(same),
            topics=frozenset(topics),
            rejected=groups,
            _groups={id: frozenset(found) for id, found in places.items()},
        )

    def write(self, store: GraphStore) -> None:
        """Keep these decisions with a store."""
        values = {
            "same": sorted(self.same),
            "topics": sorted(self.topics),
            "rejected": list(self.rejected),
        }
        text = json.dumps(values, ensure_ascii=False, sort_keys=True)
        if any(values.values()) or store.setting(SETTING):
            store.set_setting(SETTING, text)

    def rejects(self, a: str, b: str) -> bool:
        """Tell whether a merge that held both was taken back."""
        nothing: frozenset[int] = frozenset()
        return bool(self._groups.get(a, nothing) & self._groups.get(b, nothing))

    def with_same(self, a: str, b: str) -> "Decisions":
        """These decisions, and that two insights are the same."""
        undone = self.without(a, b)
        return Decisions.of(
            same={*undone.same, pair_of(a, b)}, topics=undone.topics, rejected=undone.rejected
        )

    def with_topic(self, a: str, b: str) -> "Decisions":
        """These decisions, and that what stands above two insights belongs to one principle."""
        undone = self.without(a, b)
        return Decisions.of(
            same=undone.same, topics={*undone.topics, pair_of(a, b)}, rejected=undone.rejected
        )

    def with_rejected(self, groups: Iterable[Sequence[str]]) -> "Decisions":
        """These decisions, and that none of these groups is to be merged again."""
        added = [tuple(g) for g in groups]
        within = [frozenset(g) for g in added]
        return Decisions.of(
            same={p for p in self.same if not any(set(p) <= g for g in within)},
            topics={p for p in self.topics if not any(set(p) <= g for g in within)},
            rejected=[*self.rejected, *added],
        )

    def without_topics(self, leaves: Collection[str]) -> "Decisions":
        """These decisions without principles above any two of these insights."""
        kept = {p for p in self.topics if not set(p) <= set(leaves)}
        return Decisions.of(same=self.same, topics=kept, rejected=self.rejected)

    def without(self, a: str, b: str) -> "Decisions":
        """These decisions without any on two insights; groups that held both hold one of them."""
        pair = pair_of(a, b)
        rejected: list[tuple[str, ...]] = []
        for group in self.rejected:
            if a in group and b in group:
                rejected.append(tuple(id for id in group if id != a))
                rejected.append(tuple(id for id in group if id != b))
            else:
                rejected.append(group)
        return Decisions.of(same=self.same - {pair}, topics=self.topics - {pair}, rejected=rejected)
