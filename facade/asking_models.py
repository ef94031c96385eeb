"""How a knowledge base has a language model look at what it holds already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..kg.types import LevelName
from .base import Base

# Asking takes modules that an answer does not need; they are imported where used.
if TYPE_CHECKING:
    from ..ingest.distillers.llm.options import LlmOptions
    from ..ingest.distillers.llm.session import Plan
    from ..ingest.redistill import Redistilled, Redistiller

ALL_LEVELS: tuple[LevelName, ...] = ("workflow", "summary", "insight")


class AskingModels(Base):
    """Runs, pairs and outcomes that a model is asked about, each with a plan first."""

    def redistill(
        self,
        *,
        llm: LlmOptions,
        where: str = "",
        levels: Sequence[LevelName] = ALL_LEVELS,
        limit: int | None = None,
        approve: Callable[[Plan], bool] | None = None,
        on_run: Callable[[int], None] | None = None,
    ) -> Redistilled:
        """Have a language model look again at runs that are in the store already.

        `where` says which, such as `distiller = 'rules'`. What rules made stays; what the model
        made of a run before gives way at the given levels. `approve` sees the plan, and where it
        says no nothing is sent or written.

        Raises:
            UsageError: `where` cannot be read, or `llm` names no model or one without a price.
            LlmError: the model cannot be asked at all.
        """
        from ..ingest.distillers.llm.session import Session
        from ..ingest.redistill import Redistilled

        work = self._redistiller(where, levels, limit)
        with Session(llm) as session:
            plan = session.plan(work.prompts(session))
            if approve and not approve(plan):
                return Redistilled()
            session.answer(plan.prompts)
            done = work.write(session, on_run=on_run)
            return replace(done, llm=session.report())

    def plan_redistill(
        self,
        *,
        llm: LlmOptions,
        where: str = "",
        levels: Sequence[LevelName] = ALL_LEVELS,
        limit: int | None = None,
    ) -> Plan:
        """Say what `redistill` would take; nothing is sent or written.

        Raises:
            UsageError: as `redistill`.
        """
        from ..ingest.distillers.llm.session import Session

        work = self._redistiller(where, levels, limit)
        with Session(llm) as session:
            return session.plan(work.prompts(session))

    def _redistiller(
        self, where: str, levels: Sequence[LevelName], limit: int | None
    ) -> Redistiller:
        from ..ingest.readers import load_readers
        from ..ingest.redistill import Choice, Redistiller

        choice = Choice(where=where, levels=tuple(levels), limit=limit)
        return Redistiller(self.store, self.embedder, choice, readers=load_readers())
