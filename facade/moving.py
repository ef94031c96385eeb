"""The whole graph to another store."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..kg.errors import UsageError
from ..kg.stores import is_there
from .base import Base

if TYPE_CHECKING:
    from ..kg.migrate import MigrateProgress, MigrateReport


class Moving(Base):
    """Copying everything there is."""

    def migrate(
        self,
        to: str,
        *,
        dry_run: bool = False,
        on_progress: Callable[[MigrateProgress], None] | None = None,
    ) -> MigrateReport:
        """Copy everything into the store at another address, then compare both.

        The store here stays as it is. What is there already is not written again, so that an
        interrupted migration goes on where it stopped. With `dry_run` nothing is made or written.

        Raises:
            UsageError: there is nothing to move, or no store serves the address.
            StoreError: a store could not be read or written, or both differ in the end.
            EmbeddingError: the other store was made with another embedder.
        """
        from ..ingest.report import JUDGED_PAIRS
        from ..kg.consolidation.decisions import SETTING as DECISIONS
        from ..kg.consolidation.rewording import SETTING as REWORDINGS
        from ..kg.episodes import SETTING as EPISODES
        from ..kg.migrate import migrate, plan
        from .feeding import LAST_INGEST

        settings = (LAST_INGEST, DECISIONS, JUDGED_PAIRS, REWORDINGS, EPISODES)
        if not self.store.counts().labels:
            raise UsageError(
                "There is nothing to move: the store is empty.",
                hint="Name the one to move: stepladder --store PATH migrate --to ADDRESS",
            )
        if dry_run and not is_there(to):
            return plan(self.store, None, on_progress=on_progress)
        with type(self).open(to, embedder=self.embedder) as other:
            if dry_run:
                return plan(self.store, other.store, on_progress=on_progress)
            return migrate(self.store, other.store, settings=settings, on_progress=on_progress)
