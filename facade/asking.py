"""What a knowledge base answers, and what comes back of its answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ..ingest.redact import Redactor
from ..kg.episodes import note_outcomes
from ..kg.ids import content_id
from ..kg.types import (
    UNASSIGNED,
    Batch,
    Edge,
    LevelName,
    OutcomeSource,
    OutcomeStatus,
    Retrieval,
    Scope,
)
from ..queries.answer import Answer, retrieve
from ..queries.by_use import with_holdout
from ..queries.search import Hit, search
from ..queries.use import Use, all_episodes, use_of
from .base import Base, as_scope, iso_time

# An agent waits for an answer at every prompt: what an answer does not need is imported where used.
if TYPE_CHECKING:
    from ..queries.recovery import ErrorKey, Recovery
    from ..queries.retrieval_log import RetrievalLog
    from ..queries.uplift import Uplift

_MAY_BE_ERROR = re.compile(
    r"""
    ^\s*(?: \S*[^\s:]:[\s\d] | \(\w+\): | E\s | FAIL | fatal | panic | Traceback | <\w+> )
    | \w*(?: Error | Exception | Failure | Warning )s?\b
    | \d+\ (?: failed | issues? | out\ of )
    | \bno\ (?: such | module | replacement | match | commit | test )
    | \bnot\ (?: found | been | recognized | permitted | defined | allowed | exist )
    | \b(?: does | did )\ ?n[o']t\b | \bcannot\b | \bcould\ not\b | \bunable\b
    | \b(?: denied | refused | timed\ out | exceeded | usage: | is\ required | failed\ with )
    | \b(?: invalid | unknown | unexpected | unresolved | unmatched | unsupported )\b
    | \bexit\ (?: code | status ) | \bmultiple\ occurrences\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What an error's line looks like. The rules for errors take a tenth of a hook's time to load, and
are not asked about every task. Source: all of 296 messages of public runs match."""

_LONGEST_ERROR = 200
"""Lines of a text that may be an error and nothing more. Chosen by us."""


class Asking(Base):
    """Tasks in, memories out, and the outcome back in."""

    def search(
        self,
        text: str,
        *,
        k: int = 10,
        levels: Sequence[LevelName] | None = None,
        scope: Scope | str | None = None,
        language: str = "",
        transfer: bool = False,
        exclude: Iterable[str] = (),
    ) -> list[Hit]:
        """Return the `k` best candidates at the given levels, best first, before a level is chosen.

        `scope` is a project's name (its memories and shared ones), a `Scope`, or None for
        everything in the store. With `transfer` memories of other languages than `language` are
        not held back.
        """
        return search(
            self.store,
            self.embedder,
            text,
            k=k,
            levels=levels,
            scope=as_scope(scope),
            language=language,
            transfer=transfer,
            exclude=frozenset(exclude),
        )

    def retrieve(
        self,
        task: str,
        *,
        project: str = "",
        domain: str = "",
        language: str = "",
        tools: Sequence[str] = (),
        budget_tokens: int = 2000,
        k: int = 8,
        strict: bool = False,
        floor: float | None = None,
        bodies: bool = False,
        exclude: Iterable[str] = (),
        record: bool = True,
        holdout: float = 0.0,
        now: datetime | None = None,
    ) -> Answer:
        """Answer a task with the most abstract memories that apply to it, or with none.

        The task may be an error message; what earlier runs learned from such an error comes first.
        Where nothing applies to a task like others of its project, a fact of the project that most
        of its runs bear out is the answer. The answer fits `budget_tokens`. `strict` asks for more
        certainty and takes no such fact, `floor` holds every memory against one score instead;
        `bodies` shows whole texts as far as the budget allows.
        It is recorded as a `Retrieval` under the answer's `retrieval_id`, so that a later run that
        saw it can be credited; not with `record=False`.
        `holdout` are the odds, in [0, 1], with which one item is withheld at random, so that
        `uplift` can tell what showing them does.
        """
        answer = retrieve(
            self.store,
            self.embedder,
            Redactor().text(task),
            project=project,
            domain=domain,
            language=language,
            tools=tuple(tools),
            budget_tokens=budget_tokens,
            k=k,
            strict=strict,
            floor=floor,
            bodies=bodies,
            exclude=frozenset(exclude),
            error=_error_in(task),
        )
        if not record:
            return answer
        return self._recorded(answer, project=project, domain=domain, holdout=holdout, now=now)

    def recoveries(
        self, error: str, *, project: str = "", exclude: Iterable[str] = (), k: int = 3
    ) -> tuple[Recovery, ...]:
        """Return the `k` commands that most likely repair an error, the likeliest first.

        `error` is a message or the output that ends in it. Example commands come from runs that
        the project may read; of other projects only programs that several of them used are named.
        `exclude` are ids of traces that do not count.

        Raises:
            StoreError: the store could not be read.
        """
        from ..ingest.steps.faults import find_fault
        from ..queries.recovery import ErrorKey, recoveries

        fault = find_fault(error)
        if fault is None:
            return ()
        key = ErrorKey(error_class=fault.error_class, signature=fault.signature)
        return recoveries(
            self.store,
            key,
            scope=Scope.of(project or UNASSIGNED),
            project=project,
            exclude=frozenset(exclude),
            k=k,
        )

    def briefing(
        self, project: str, *, budget_tokens: int = 400, now: datetime | None = None
    ) -> Answer:
        """Tell the facts of a project that hold before the task is known, or nothing.

        An answer that holds something is recorded as `retrieve` records its own.
        """
        from ..queries.briefing import briefing

        answer = briefing(self.store, project=project, budget_tokens=budget_tokens)
        return answer if answer.abstained else self._recorded(answer, project=project, now=now)

    def _recorded(
        self,
        answer: Answer,
        *,
        project: str,
        domain: str = "",
        holdout: float = 0.0,
        now: datetime | None,
    ) -> Answer:
        time = iso_time(now)
        id = content_id("r", answer.query, project, time)
        answer = with_holdout(replace(answer, retrieval_id=id), odds=holdout, seed=id)
        self._record(answer, project=project, domain=domain, holdout=holdout, time=time)
        return answer

    def _record(
        self, answer: Answer, *, project: str, domain: str, holdout: float, time: str
    ) -> None:
        node = Retrieval(
            id=answer.retrieval_id,
            created=time,
            scope=project or UNASSIGNED,
            query=answer.query[:2000],
            abstained=answer.abstained,
            confidence=answer.confidence,
            floor=answer.floor,
            domain=domain,
            holdout=holdout,
        )
        shown = (
            Edge(source=node.id, type="SHOWED", target=each.memory.id, rank=rank)
            for rank, item in enumerate(answer.items, start=1)
            for each in (item, *item.beneath)
        )
        withheld = (
            Edge(source=node.id, type="WITHHELD", target=id, rank=rank)
            for id, rank in answer.held_out
        )
        self.store.write(Batch(nodes=(node,), edges=(*shown, *withheld)))

    def feedback(
        self,
        retrieval_id: str,
        *,
        outcome: OutcomeStatus,
        used: Iterable[str] = (),
        source: OutcomeSource = "human",
        scope: Scope | str | None = None,
    ) -> tuple[str, ...]:
        """Say how the work went that an answer was given for; return what that is credited to.

        With `used` it is credited to those memories of the answer alone. Ids may be short.

        Raises:
            UsageError: there is no such retrieval in scope, or it did not show what was used.
        """
        from ..queries.feedback import reported

        batch, credited = reported(
            self.store,
            self.resolve(retrieval_id, scope=as_scope(scope)),
            outcome=outcome,
            used=used,
            source=source,
        )
        self.store.write(batch)
        note_outcomes(self.store, [n.id for n in batch.nodes])
        return credited

    def use(self, id: str) -> dict[str, Use]:
        """Count how often a memory was shown and used and how that went, by domain.

        Raises:
            UsageError: no node, or several, have this id.
        """
        return use_of(self.store, self.resolve(id))

    def retrievals(self, *, limit: int = 50, offset: int = 0) -> RetrievalLog:
        """Return the answers that were given, newest first, without the newest `offset` ones."""
        from ..queries.retrieval_log import retrieval_log

        return retrieval_log(self.store, limit=limit, offset=offset)

    def uplift(self) -> Uplift:
        """Estimate what shown memories did, from answers given with a holdout."""
        from ..queries.uplift import uplift

        return uplift(all_episodes(self.store))


def _error_in(text: str) -> ErrorKey | None:
    """The error that a text is, or None where it is more than an error.

    A message stands alone, or ends the output that a command left.
    """
    lines = text.strip().splitlines()
    if not lines or len(lines) > _LONGEST_ERROR:
        return None
    if not any(_MAY_BE_ERROR.search(line) for line in (lines[0], lines[-1])):
        return None
    from ..ingest.steps.faults import find_fault
    from ..queries.recovery import ErrorKey

    fault = find_fault(text)
    if fault is None or fault.error_class == "other":
        return None
    ends = (lines[0], lines[-1])
    if not any(fault.message.strip()[:60] in line for line in ends):
        return None
    return ErrorKey(error_class=fault.error_class, signature=fault.signature)
