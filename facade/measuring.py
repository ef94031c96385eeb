"""How a knowledge base measures itself: its cards, its floors, its answers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from .base import Base, iso_time

# Measuring takes modules that an answer does not need; they are imported where used.
if TYPE_CHECKING:
    from ..queries.calibration import Calibration
    from ..queries.evaluation.card_effects import CardReport
    from ..queries.evaluation.store_report import StoreReport


class Measuring(Base):
    """What the graph says about cards and floors."""

    def card_effects(
        self,
        *,
        domain: str = "",
        difficulty: Mapping[str, float] | None = None,
        least_runs: int = 20,
    ) -> CardReport:
        """Compare the outcomes of runs with and without each card, at equal difficulty.

        `difficulty` gives the share in [0, 1] of other agents' runs that solved a task, by the id
        of the task or the run, the session's own id, or the file's name up to its first dot;
        without it only other runs of the same task tell how hard one is. Cards with fewer than
        `least_runs` runs are left out.

        Raises:
            StoreError: the store could not be read.
        """
        from ..queries.evaluation.card_effects import card_effects

        return card_effects(self.store, domain=domain, difficulty=difficulty, least_runs=least_runs)

    def calibrate(self, *, dry_run: bool = False, now: datetime | None = None) -> Calibration:
        """Fit the floors on the store's own graph, and keep them for the answers to come.

        Each run's task is asked again with what stands on it alone left out. With `dry_run`
        nothing is kept.

        Raises:
            StoreError: the store could not be read or written.
        """
        from ..queries.calibrate import calibrate
        from ..queries.calibration import keep_calibration

        found = calibrate(self.store, self.embedder, time=iso_time(now))
        if not dry_run:
            keep_calibration(self.store, found)
        return found

    def calibration(self) -> Calibration | None:
        """Return the floors that were last fitted, or None."""
        from ..queries.calibration import kept_calibration

        return kept_calibration(self.store)

    def evaluate(self, *, sample: int = 100) -> StoreReport:
        """Ask up to `sample` runs again with their task, project or domain left out.

        Raises:
            StoreError: the store could not be read.
        """
        from ..queries.evaluation.store_report import evaluate

        return evaluate(self.store, self.embedder, sample=sample)
