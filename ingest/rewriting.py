"""Has a language model put merged insights into words that fit all their members."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from ..kg.consolidation.rewording import (
    Rewording,
    basis_of,
    in_words_of_before,
    keep_rewordings,
    rewordings,
    words_of,
)
from ..kg.consolidation.state import State, read_state
from ..kg.protocols import Embedder, GraphStore
from ..kg.types import Batch, Insight, Project
from .report import LlmReport
from .where import Fact, parse_where

if TYPE_CHECKING:
    from .distillers.llm.session import Session
    from .llm.model import Prompt

FIELDS: Final = ("author", "level", "scope", "project", "domain", "language", "members", "id")
"""What a filter can say of a merged insight. `author` is the model whose words it has, and empty
where they are a member's; `members` is how many insights were merged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """What became of the chosen merged insights.

    `written` counts those in words of the model, of which `changed` had others before; `stands`
    those that keep their words for want of an answer that passes. `llm` is None where nothing was
    asked.
    """

    merged: int = 0
    written: int = 0
    changed: int = 0
    stands: int = 0
    llm: LlmReport | None = None


class Rewriter:
    """Asks about the chosen merged insights, and writes the words that pass every check.

    The insights that were merged are the evidence, never other merged ones, so that an answer
    holds as long as they say the same.
    """

    def __init__(
        self, store: GraphStore, embedder: Embedder, *, where: str = "", limit: int | None = None
    ) -> None:
        """Choose merged insights by a filter that `where.parse_where` reads.

        Raises:
            UsageError: the filter cannot be read.
        """
        self._store = store
        self._embedder = embedder
        chosen = parse_where(where, fields=FIELDS)
        self._state = read_state(store)
        found = [i for _, i in sorted(self._state.merged.items()) if self._leaves(i)]
        held = [i for i in found if chosen.holds(_facts(i, self._state))]
        self._chosen = held[:limit]

    def prompts(self, session: "Session") -> list["Prompt"]:
        """What would be asked, a prompt a merged insight."""
        return [self._prompt(session, insight) for insight in self._chosen]

    def write(self, session: "Session", *, time: str) -> Rewritten:
        """Write what passed; each insight with its vector is one transaction."""
        written = changed = 0
        projects = [n.name for n in self._store.find("Project") if isinstance(n, Project)]
        for insight in self._chosen:
            new = self._told(session, insight, projects)
            if new is None:
                continue
            written += 1
            row = self._state.reworded.get(insight.id)
            if new == insight and row and row.basis == basis_of(self._leaves(insight)):
                continue
            prompt = self._prompt(session, insight).version
            self._note(insight, model=session.asker.model, prompt=prompt, time=time)
            self._write(new)
            changed += new != insight
        return Rewritten(
            merged=len(self._chosen),
            written=written,
            changed=changed,
            stands=len(self._chosen) - written,
        )

    def restore(self) -> int:
        """Give those in a model's words back the words of rules; return how many there were."""
        kept = rewordings(self._store)
        restored = [i for i in self._chosen if i.author and i.id in kept]
        for insight in restored:
            self._write(in_words_of_before(insight, kept[insight.id]))
        ids = {i.id for i in restored}
        keep_rewordings(self._store, {id: row for id, row in kept.items() if id not in ids})
        return len(restored)

    def _prompt(self, session: "Session", insight: Insight) -> "Prompt":
        from .distillers.llm.merged import merged_prompt

        return merged_prompt(self._leaves(insight), limits=session.limits)

    def _told(self, session: "Session", insight: Insight, projects: list[str]) -> Insight | None:
        from .distillers.llm.merged import MergedForm, refusal_of_merged, reworded

        told = session.asker.ask(self._prompt(session, insight), MergedForm)
        if told is None or insight.id not in self._store.get([insight.id]):
            return None
        row = self._state.reworded.get(insight.id)
        ruled = in_words_of_before(insight, row) if insight.author and row else insight
        new = reworded(insight, told, author=session.asker.model)
        reason = refusal_of_merged(
            new, told, ruled=ruled, members=self._leaves(insight), projects=projects
        )
        if reason:
            session.distiller.dropped[f"merged insight: {reason}"] += 1
        return None if reason else new

    def _note(self, insight: Insight, *, model: str, prompt: str, time: str) -> None:
        """Keep whose words come and what was there; noted first, so that they can be undone."""
        kept = rewordings(self._store)
        row = Rewording(
            model=model,
            prompt=prompt,
            time=time,
            basis=basis_of(self._leaves(insight)),
            before={**words_of(insight), "author": insight.author},
        )
        earlier = kept.get(insight.id)
        if insight.author and earlier:
            row = replace(row, before=earlier.before)
        keep_rewordings(self._store, {**kept, insight.id: row})

    def _write(self, insight: Insight) -> None:
        vector = self._embedder.encode([insight.key])[0]
        self._store.write(Batch(nodes=(insight,), vectors={insight.id: vector}))

    def _leaves(self, insight: Insight) -> list[Insight]:
        return list(_leaves(insight, self._state))


def _leaves(insight: Insight, state: State) -> Iterator[Insight]:
    return (state.insights[id] for id in state.leaves(insight.id) if id in state.insights)


def _facts(insight: Insight, state: State) -> dict[str, list[Fact]]:
    return {
        "author": [insight.author],
        "level": [insight.level],
        "scope": [insight.scope],
        "project": [insight.project],
        "domain": list(insight.domains) or [""],
        "language": list(insight.languages) or [""],
        "members": [len(state.leaves(insight.id))],
        "id": [insight.id],
    }
