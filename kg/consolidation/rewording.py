"""Merged insights in the words of a model: whose, from what, and the words from before.

What a model wrote is kept with the store and marked on the insight itself. It stands as long as the
insights that were merged say what they said when it was written; then rules choose words again.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Final

from ..ids import content_id
from ..protocols import GraphStore
from ..types import Insight

SETTING: Final = "consolidation.words"
"""The name under which a store keeps what models wrote from what."""

WORDS: Final = ("title", "description", "content", "applies_when", "not_when")
"""What of a merged insight is written anew; everything else is the merge's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewording:
    """What is kept of one merged insight that a model put into words.

    `basis` stands for the words of the insights that were merged, `before` are the words that
    rules chose, and their `author` where that was a model.
    """

    model: str
    prompt: str
    time: str
    basis: str
    before: Mapping[str, str]


def rewordings(store: GraphStore) -> dict[str, Rewording]:
    """What is kept, by the ids of the merged insights; some may be gone."""
    kept = store.setting(SETTING)
    return {id: Rewording(**row) for id, row in json.loads(kept).items()} if kept else {}


def keep_rewordings(store: GraphStore, kept: Mapping[str, Rewording]) -> None:
    """Keep these in place of what was kept."""
    rows = {id: asdict(row) for id, row in kept.items()}
    store.set_setting(SETTING, json.dumps(rows, ensure_ascii=False, sort_keys=True))


def basis_of(leaves: Iterable[Insight]) -> str:
    """What stands for the words of some insights, in whatever order."""
    said = sorted(json.dumps([i.id, *words_of(i).values()]) for i in leaves)
    return content_id("words", *said)


def words_of(insight: Insight) -> dict[str, str]:
    """The words of an insight that a model may write anew."""
    return {name: getattr(insight, name) for name in WORDS}


def in_words(insight: Insight, words: Mapping[str, str], *, author: str) -> Insight:
    """A merged insight in the words of a model, trusted as far as what was merged."""
    return replace(insight, **words, author=author)  # type: ignore[arg-type]


def in_words_of_before(insight: Insight, reworded: Rewording) -> Insight:
    """A merged insight in the words that rules chose."""
    return replace(insight, **reworded.before)  # type: ignore[arg-type]


def in_kept_words(
    ruled: Insight, standing: Insight, *, reworded: Rewording, leaves: Iterable[Insight]
) -> Insight:
    """What rules make of a merge, in the words that stand where these are still a model's to keep.

    They are where a model wrote them from what the leaves still say.
    """
    if not standing.author or basis_of(leaves) != reworded.basis:
        return ruled
    return in_words(ruled, words_of(standing), author=standing.author)
