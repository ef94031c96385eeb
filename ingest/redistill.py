"""Has a language model look again at runs that are in the store already."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..kg.protocols import Embedder, GraphStore
from ..kg.types import Batch, LevelName, Memory, Summary, level_name, memories
from .kept_runs import FIELDS, KeptRun, choose, kept_run, record_of
from .protocols import Distillate, TrajectoryReader
from .record import RunRecord
from .report import LlmReport
from .where import parse_where

if TYPE_CHECKING:
    from .distillers.llm.session import Session
    from .llm.model import Prompt

_MODEL = "llm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Redistilled:
    """What became of the chosen runs.

    `written` counts runs with an answer, `stands` those whose memories stay as they were for want
    of one. `added`, `changed` and `removed` count memories of the model. `llm` is None where
    nothing was asked.
    """

    runs: int = 0
    written: int = 0
    stands: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    llm: LlmReport | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which runs, and which levels above them; `where` is read by `where.parse_where`."""

    where: str = ""
    levels: tuple[LevelName, ...] = ("workflow", "summary", "insight")
    limit: int | None = None


class Redistiller:
    """Asks about the chosen runs and writes what comes of it, one run at a time.

    The question about a run is the one that an ingest asks, so an answer is paid for once. What
    rules made stays. What the model made of a run before gives way to what it makes now, unless
    another run bears it out too or a merge holds it.
    """

    def __init__(
        self,
        store: GraphStore,
        embedder: Embedder,
        choice: Choice,
        *,
        readers: tuple[TrajectoryReader, ...],
    ) -> None:
        """Choose runs.

        Raises:
            UsageError: the filter cannot be read.
        """
        self._store = store
        self._embedder = embedder
        self._choice = choice
        self._filter = parse_where(choice.where, fields=FIELDS)
        self._readers = readers
        self._chosen: list[str] | None = None

    def prompts(self, session: "Session") -> list["Prompt"]:
        """What would be asked, a prompt a run."""
        return [session.prompt_of(run) for _, run in self._runs()]

    def write(
        self, session: "Session", *, on_run: Callable[[int], None] | None = None
    ) -> Redistilled:
        """Write what the model said of each run; each run is one transaction."""
        runs = written = added = changed = removed = 0
        for kept, run in self._runs():
            runs += 1
            if on_run:
                on_run(runs)
            told = session.distiller.told(run, below=_summary_of(kept), levels=self._choice.levels)
            if told is None:
                continue
            report = self._store.write(self._batch(told))
            written += 1
            added += report.added
            changed += report.changed
            removed += self._give_way(kept, told)
        return Redistilled(
            runs=runs,
            written=written,
            stands=runs - written,
            added=added,
            changed=changed,
            removed=removed,
        )

    def _runs(self) -> Iterator[tuple[KeptRun, RunRecord]]:
        """The chosen runs; they stay the same, whatever is written meanwhile."""
        if self._chosen is None:
            levels, limit = self._choice.levels, self._choice.limit
            self._chosen = choose(self._store, self._filter, levels=levels, limit=limit)
        for id in self._chosen:
            kept = kept_run(self._store, id)
            if kept is not None:
                yield kept, record_of(kept, readers=self._readers)

    def _batch(self, told: Distillate) -> Batch:
        recalled = memories(told.nodes)
        vectors = self._embedder.encode([m.key for m in recalled])
        return Batch(
            nodes=told.nodes,
            edges=told.edges,
            vectors={m.id: v for m, v in zip(recalled, vectors, strict=True)},
        )

    def _give_way(self, kept: KeptRun, told: Distillate) -> int:
        """Take away what the model said of this run before and does not say now."""
        now = {n.id for n in told.nodes}
        before = [
            m.id
            for m in kept.above
            if m.origin == _MODEL and m.id not in now and _is_of(m, self._choice.levels)
        ]
        edges = self._store.edges(before, types=("GENERALIZES_TO", "CITES"))
        merged = {e.source for e in edges if e.merge_run}
        support = self._store.support(before)
        alone = [id for id in before if id not in merged and support[id].traces <= 1]
        ours = {kept.trace.id, *(m.id for m in kept.above)}
        steps = {s.id for s in kept.steps}
        shared = set(before) - set(alone) - merged
        self._store.delete_edges(
            [
                e
                for e in edges
                if (e.target in shared and e.source in ours)
                or (e.source in shared and e.target in steps)
            ]
        )
        return self._store.delete(alone)


def _summary_of(kept: KeptRun) -> str:
    """The summary that insights of a run stand on: the model's own, else the rules'."""
    found = [m for m in kept.above if isinstance(m, Summary) and m.task == kept.trace.task]
    return next((m.id for m in sorted(found, key=lambda m: (m.origin != _MODEL, m.id))), "")


def _is_of(memory: Memory, levels: Sequence[LevelName]) -> bool:
    return level_name(memory.level) in levels
