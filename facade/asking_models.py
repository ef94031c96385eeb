"""How a knowledge base has a language model look at what it holds already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from ..kg.episodes import note_outcomes
from ..kg.errors import UsageError
from ..kg.types import LevelName
from .base import Base, iso_time

# Asking takes modules that an answer does not need; they are imported where used.
if TYPE_CHECKING:
    from ..ingest.distillers.llm.options import LlmOptions
    from ..ingest.distillers.llm.pair_judge import Judged, PairsJudged
    from ..ingest.distillers.llm.session import Plan
    from ..ingest.judging import Agreement, Judging, OutcomesJudged
    from ..ingest.redistill import Redistilled, Redistiller
    from ..ingest.rewriting import Rewritten

VOTES: Final = 3
"""Votes on how a run ended: the fewest with a majority."""

ALL_LEVELS: Final[tuple[LevelName, ...]] = ("workflow", "summary", "insight")


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

    def rewrite_merged(
        self,
        *,
        llm: LlmOptions,
        where: str = "",
        limit: int | None = None,
        approve: Callable[[Plan], bool] | None = None,
        now: datetime | None = None,
    ) -> Rewritten:
        """Have a language model put merged insights into words that fit all their members.

        `where` says which, such as `author = ''`. Words that do not pass the checks are dropped,
        and those from before stay. What is written stands until a member's words change;
        `restore_merged` takes it back.

        Raises:
            UsageError: `where` cannot be read, or `llm` names no model or one without a price.
            LlmError: the model cannot be asked at all.
        """
        from ..ingest.distillers.llm.merged import MergedForm
        from ..ingest.distillers.llm.session import Session
        from ..ingest.rewriting import Rewriter, Rewritten

        work = Rewriter(self.store, self.embedder, where=where, limit=limit)
        with Session(llm) as session:
            plan = session.plan(work.prompts(session))
            if approve and not approve(plan):
                return Rewritten()
            session.answer(plan.prompts, MergedForm)
            done = work.write(session, time=iso_time(now))
            return replace(done, llm=session.report())

    def plan_rewrite_merged(
        self, *, llm: LlmOptions, where: str = "", limit: int | None = None
    ) -> Plan:
        """Say what `rewrite_merged` would take; nothing is sent or written.

        Raises:
            UsageError: as `rewrite_merged`.
        """
        from ..ingest.distillers.llm.session import Session
        from ..ingest.rewriting import Rewriter

        work = Rewriter(self.store, self.embedder, where=where, limit=limit)
        with Session(llm) as session:
            return session.plan(work.prompts(session))

    def restore_merged(self, *, where: str = "", limit: int | None = None) -> int:
        """Give merged insights in a model's words those of their members back, and count them.

        Raises:
            UsageError: `where` cannot be read.
        """
        from ..ingest.rewriting import Rewriter

        return Rewriter(self.store, self.embedder, where=where, limit=limit).restore()

    def judge_pairs(
        self,
        *,
        llm: LlmOptions,
        limit: int | None = None,
        approve: Callable[[Plan], bool] | None = None,
        now: datetime | None = None,
    ) -> PairsJudged:
        """Ask a language model about the suggested pairs, and decide where it is of one mind.

        Each pair is asked about twice with the order swapped. A verdict is kept with its model;
        `take_back` takes it back, with the merge that followed.

        Raises:
            UsageError: `llm` names no model or one without a price.
            LlmError: the model cannot be asked at all.
        """
        from ..ingest.distillers.llm.pair_judge import PairForm, PairsJudged, judge, prompts_of
        from ..ingest.distillers.llm.session import Session
        from ..kg.consolidation.review import suggestions

        pairs = suggestions(self.store, limit=limit)
        with Session(llm) as session:
            plan = session.plan(prompts_of(self.store, pairs))
            if approve and not approve(plan):
                return PairsJudged()
            session.answer(plan.prompts, PairForm)
            time = iso_time(now)
            done = judge(self.store, self.embedder, pairs, session=session, time=time)
            return replace(done, llm=session.report())

    def plan_judge_pairs(self, *, llm: LlmOptions, limit: int | None = None) -> Plan:
        """Say what `judge_pairs` would take; nothing is sent or written.

        Raises:
            UsageError: `llm` names no model or one without a price.
        """
        from ..ingest.distillers.llm.pair_judge import prompts_of
        from ..ingest.distillers.llm.session import Session
        from ..kg.consolidation.review import suggestions

        with Session(llm) as session:
            return session.plan(prompts_of(self.store, suggestions(self.store, limit=limit)))

    def verdicts(self) -> list[Judged]:
        """Return the verdicts of language models on pairs that stand, oldest first."""
        from ..ingest.distillers.llm.pair_judge import verdicts

        return verdicts(self.store)

    def take_back(self, a: str, b: str) -> Judged:
        """Take back a model's verdict on two insights, with the merge that followed from it.

        Raises:
            UsageError: there is no such verdict.
        """
        from ..ingest.distillers.llm.pair_judge import take_back

        found = [
            j
            for j in self.verdicts()
            if (j.a.startswith(a) and j.b.startswith(b))
            or (j.a.startswith(b) and j.b.startswith(a))
        ]
        if len(found) != 1:
            raise UsageError(
                f"{len(found)} verdicts of a model are on {a!r} and {b!r}.",
                hint="List them with: stepladder verdicts",
            )
        take_back(self.store, self.embedder, found[0])
        return found[0]

    def judge_outcomes(
        self,
        *,
        llm: LlmOptions,
        where: str = "",
        votes: int = VOTES,
        limit: int | None = None,
        approve: Callable[[Plan], bool] | None = None,
        on_run: Callable[[int], None] | None = None,
    ) -> OutcomesJudged:
        """Ask a language model how kept runs ended on whose end no verifier and nobody had a say.

        A verdict needs a majority of the `votes`. What a verifier or a person says is never
        overruled, now or later.

        Raises:
            UsageError: `where` cannot be read, or `llm` names no model or one without a price.
            LlmError: the model cannot be asked at all.
        """
        from ..ingest.distillers.llm.outcome_judge import OutcomeForm
        from ..ingest.distillers.llm.session import Session
        from ..ingest.judging import OutcomesJudged

        work = self._judging(llm, where, votes, limit, known=False)
        with Session(llm) as session:
            plan = session.plan(work.prompts())
            if approve and not approve(plan):
                return OutcomesJudged()
            session.answer(plan.prompts, OutcomeForm)
            done = work.write(session, on_run=on_run)
            note_outcomes(self.store, ())
            return replace(done, llm=session.report())

    def judge_agreement(
        self,
        *,
        llm: LlmOptions,
        where: str = "",
        votes: int = VOTES,
        limit: int | None = None,
        approve: Callable[[Plan], bool] | None = None,
    ) -> Agreement:
        """Measure how far a model's verdicts agree with those of verifiers and people.

        It is asked about the runs whose end is known, without being told; nothing is kept but its
        answers.

        Raises:
            UsageError: as `judge_outcomes`.
            LlmError: the model cannot be asked at all.
        """
        from ..ingest.distillers.llm.outcome_judge import OutcomeForm
        from ..ingest.distillers.llm.session import Session
        from ..ingest.judging import Agreement

        work = self._judging(llm, where, votes, limit, known=True)
        with Session(llm) as session:
            plan = session.plan(work.prompts())
            if approve and not approve(plan):
                return Agreement()
            session.answer(plan.prompts, OutcomeForm)
            return replace(work.compare(session), llm=session.report())

    def plan_judge(
        self,
        *,
        llm: LlmOptions,
        where: str = "",
        votes: int = VOTES,
        limit: int | None = None,
        known: bool = False,
    ) -> Plan:
        """Say what `judge_outcomes` would take, or `judge_agreement` where `known`.

        Raises:
            UsageError: as `judge_outcomes`.
        """
        from ..ingest.distillers.llm.session import Session

        work = self._judging(llm, where, votes, limit, known=known)
        with Session(llm) as session:
            return session.plan(work.prompts())

    def _judging(
        self, llm: LlmOptions, where: str, votes: int, limit: int | None, *, known: bool
    ) -> Judging:
        from ..ingest.judging import Judging
        from ..ingest.readers import load_readers

        return Judging(
            self.store,
            where=where,
            known=known,
            limit=limit,
            votes=votes,
            limits=llm.limits,
            readers=load_readers(),
        )

    def _redistiller(
        self, where: str, levels: Sequence[LevelName], limit: int | None
    ) -> Redistiller:
        from ..ingest.readers import load_readers
        from ..ingest.redistill import Choice, Redistiller

        choice = Choice(where=where, levels=tuple(levels), limit=limit)
        return Redistiller(self.store, self.embedder, choice, readers=load_readers())
