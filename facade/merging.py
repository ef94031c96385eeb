"""How a knowledge base merges insights that say the same, and how a person has a say in it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from .base import Base, iso_time

# Merging takes modules that an answer does not need; they are imported where used.
if TYPE_CHECKING:
    from ..kg.consolidation.plan import Compared, Consolidation, RunSummary, Undone
    from ..kg.consolidation.review import Suggestion
    from ..kg.consolidation.review import Verdict as PairVerdict


class Merging(Base):
    """Insights that say the same become one, and apart again."""

    def consolidate(
        self, *, dry_run: bool = False, full: bool = False, now: datetime | None = None
    ) -> Consolidation:
        """Merge the insights that say the same, propose those that may, and record it.

        Only what is new and what it touches is looked at; with `full` everything is. A merge
        can be taken back with `unmerge`; `dry_run` writes nothing. Where the store has grown by a
        quarter since its floors were fitted, they are fitted anew.

        Raises:
            StoreError: the store could not be read or written.
        """
        from ..kg.consolidation.consolidate import Request, consolidate
        from ..queries.calibration import outgrown

        time, request = iso_time(now), Request(full=full)
        found = consolidate(self.store, self.embedder, time=time, dry_run=dry_run, request=request)
        if not dry_run and outgrown(self.store):
            from ..queries.calibrate import calibrate
            from ..queries.calibration import keep_calibration

            keep_calibration(self.store, calibrate(self.store, self.embedder, time=time))
        return found

    def merges(self) -> list[RunSummary]:
        """Return the consolidations that stand, oldest first."""
        from ..kg.consolidation.review import runs

        return runs(self.store)

    def unmerge(self, id: str, *, remember: bool = True) -> Undone:
        """Take back one merged insight or a whole consolidation; the id may be short.

        What stood there before comes back as it was. No later consolidation makes the merge
        again, unless `remember` is False.

        Raises:
            UsageError: the id is of no merged insight and of no consolidation.
        """
        from ..kg.consolidation.undo import undo

        return undo(self.store, self.embedder, self.resolve(id), remember=remember)

    def keep_apart(self, a: str, b: str, *, now: datetime | None = None) -> Consolidation:
        """Say that two insights must never be merged, and take a merge of them apart.

        Raises:
            UsageError: one of them is no insight.
        """
        return self.decide(a, b, "apart", now=now)

    def suggestions(self, *, limit: int | None = None) -> list[Suggestion]:
        """Return the pairs that may say the same and wait for a verdict."""
        from ..kg.consolidation.review import suggestions

        return suggestions(self.store, limit=limit)

    def decide(
        self, a: str, b: str, verdict: PairVerdict, *, now: datetime | None = None
    ) -> Consolidation:
        """Keep a verdict on two insights and do what follows from it.

        `same` merges them, `broader` puts `a` above `b`, `narrower` the other way round,
        `opposite` and `apart` keep them apart. An earlier verdict on them is taken back.

        Raises:
            UsageError: one of them is no insight, or there is no such verdict.
        """
        from ..kg.consolidation.review import decide

        ends = self.resolve(a), self.resolve(b)
        return decide(self.store, self.embedder, *ends, verdict, time=iso_time(now))

    def reconsider(self, a: str, b: str) -> bool:
        """Take back what was decided on two insights, and tell whether there was anything.

        Raises:
            UsageError: one of them is no insight.
        """
        from ..kg.consolidation.review import reconsider

        return reconsider(self.store, self.resolve(a), self.resolve(b))

    def compare(self, a: str, b: str) -> Compared:
        """Return how near the words of two insights are, and what stands against a merge.

        Raises:
            UsageError: one of them is no insight.
        """
        from ..kg.consolidation.review import compare

        return compare(self.store, self.embedder, self.resolve(a), self.resolve(b))

    def compare_pairs(self, pairs: Sequence[tuple[str, str]]) -> tuple[Compared, ...]:
        """Return what `compare` says of each of some pairs, in their order, reading once.

        Raises:
            UsageError: one of them is no insight.
        """
        from ..kg.consolidation.review import compare_pairs

        known = {id: self.resolve(id) for id in sorted({id for pair in pairs for id in pair})}
        return compare_pairs(self.store, self.embedder, [(known[a], known[b]) for a, b in pairs])
