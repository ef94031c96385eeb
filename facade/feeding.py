"""What goes into a knowledge base, and out of it again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..kg.errors import UsageError
from ..kg.types import Batch, Edge, Insight, Memory, Node, Scope, Trace, memories
from .base import Base, as_scope

# Reading runs takes many modules that an answer does not need; they are imported where used.
if TYPE_CHECKING:
    from ..ingest.distillers.llm.session import LlmOptions, Plan
    from ..ingest.imported import BadRow, Imported
    from ..ingest.lesson_book import Verdict
    from ..ingest.lessons import Lesson
    from ..ingest.llm.model import Prompt
    from ..ingest.protocols import Distiller
    from ..ingest.report import IngestOptions, IngestReport, Progress
    from ..ingest.turning_points import TurningPoint

LAST_INGEST = "last_ingest"
"""The setting that keeps why files were left out of the last ingest."""
_BATCH_ROWS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What an import did, counted in memories; `failed` names rows that could not be taken."""

    new: int = 0
    updated: int = 0
    unchanged: int = 0
    failed: tuple[BadRow, ...] = ()
    redacted: int = 0


class Feeding(Base):
    """Runs, memories and lessons in; what is to be forgotten out."""

    def ingest(
        self,
        paths: Iterable[str | Path],
        *,
        domain: str = "",
        project: str = "",
        limit: int | None = None,
        since: datetime | None = None,
        dry_run: bool = False,
        distiller: str = "rules",
        llm: LlmOptions | None = None,
        approve: Callable[[Plan], bool] | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        report: IngestReport | None = None,
    ) -> IngestReport:
        """Read the runs in files and folders, climb from each, and keep what is new.

        Running it again adds nothing. `report` is filled as the work goes, so that a caller who
        interrupts it knows what was kept. With `llm` a language model is asked about each run that
        is not in the store yet, after `approve` has seen the plan; where it says no, nothing is
        done. Without `llm` nothing is sent anywhere.

        Raises:
            UsageError: a path does not exist, or `llm` names no model or one without a price.
            LlmError: the model cannot be asked at all.
            StoreError: the store could not be read or written.
        """
        from ..ingest.distillers import load_distiller
        from ..ingest.report import IngestOptions, IngestReport

        options = IngestOptions(
            domain=domain, project=project, limit=limit, since=since, dry_run=dry_run
        )
        report = report or IngestReport()
        files = [Path(p) for p in paths]
        if llm is None:
            self._ingest(files, load_distiller(distiller), options, report, on_progress)
        elif not self._ingest_with(llm, files, options, report, approve, on_progress):
            return report
        if not dry_run:
            reasons = Counter(n.reason for n in (*report.skipped, *report.failed))
            self.store.set_setting(LAST_INGEST, json.dumps(reasons, sort_keys=True))
        return report

    def plan(
        self,
        paths: Iterable[str | Path],
        *,
        llm: LlmOptions,
        domain: str = "",
        project: str = "",
        limit: int | None = None,
        since: datetime | None = None,
    ) -> Plan:
        """Say what `ingest` with a language model would take; nothing is sent or written.

        Raises:
            UsageError: a path does not exist, or `llm` names no model or one without a price.
        """
        from ..ingest.distillers.llm.session import Session
        from ..ingest.report import IngestOptions

        options = IngestOptions(domain=domain, project=project, limit=limit, since=since)
        with Session(llm) as session:
            return session.plan(self._prompts(llm, [Path(p) for p in paths], options))

    def _ingest(
        self,
        files: Sequence[Path],
        distiller: Distiller,
        options: IngestOptions,
        report: IngestReport,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        from ..ingest.pipeline import Pipeline
        from ..ingest.readers import load_readers

        pipeline = Pipeline(
            store=self.store, embedder=self.embedder, readers=load_readers(), distiller=distiller
        )
        pipeline.ingest(files, options=options, report=report, on_progress=on_progress)

    def _ingest_with(
        self,
        llm: LlmOptions,
        files: Sequence[Path],
        options: IngestOptions,
        report: IngestReport,
        approve: Callable[[Plan], bool] | None,
        on_progress: Callable[[Progress], None] | None,
    ) -> bool:
        """Ask about all runs, several at a time; then write them one by one. False if refused."""
        from ..ingest.distillers.llm.session import Session

        if options.dry_run:
            raise UsageError(
                "A dry run asks no model.", hint="See what it would take: stepladder plan"
            )
        with Session(llm) as session:
            plan = session.plan(self._prompts(llm, files, options))
            if approve and not approve(plan):
                return False
            try:
                session.answer(plan.prompts)
                self._ingest(files, session.distiller, options, report, on_progress)
            finally:
                report.llm = session.report()
        return True

    def _prompts(
        self, llm: LlmOptions, files: Sequence[Path], options: IngestOptions
    ) -> list[Prompt]:
        from ..ingest.distillers.llm.session import PromptCollector
        from ..ingest.report import IngestReport

        collector = PromptCollector(limits=llm.limits)
        self._ingest(files, collector, replace(options, dry_run=True), IngestReport())
        return collector.prompts

    def import_memories(
        self,
        rows: Iterable[Mapping[str, Any]],
        *,
        dry_run: bool = False,
        pack: str = "",
        untrusted: bool = False,
    ) -> ImportReport:
        """Take memories that were made elsewhere; `ingest.imported.from_rows` says what a row has.

        A `parents` id must be among the rows or in the store; a row whose parent is not is taken
        without it and reported. With `dry_run` everything is checked and nothing written.

        `pack` is the name of the pack that the rows come from; of such rows those that are known
        here by themselves are left as they are. With `untrusted` the memories are marked as
        somebody else's words, which every answer says.
        """
        from ..ingest.imported import from_rows

        made = from_rows(rows, pack=pack, untrusted=untrusted)
        edges, missing = self._with_known_ends(made)
        nodes, taken = self._without_own(made)
        recalled = memories(nodes)
        stored = self.store.get([m.id for m in recalled])
        unchanged = sum(stored.get(m.id) == m for m in recalled)
        if not dry_run:
            self._write_in_parts(nodes, edges)
        return ImportReport(
            new=sum(m.id not in stored for m in recalled),
            updated=len(stored) - unchanged,
            unchanged=unchanged + (len(taken) if pack else 0),
            failed=(*made.failed, *missing, *(() if pack else taken)),
            redacted=made.redacted.total(),
        )

    def _write_in_parts(self, nodes: Sequence[Node], edges: Sequence[Edge]) -> None:
        recalled = memories(nodes)
        vectors = self.embedder.encode([m.key for m in recalled])
        by_id = {m.id: v for m, v in zip(recalled, vectors, strict=True)}
        for start in range(0, len(nodes), _BATCH_ROWS):
            part = nodes[start : start + _BATCH_ROWS]
            held = {n.id: by_id[n.id] for n in part if n.id in by_id}
            self.store.write(Batch(nodes=tuple(part), vectors=held))
        for start in range(0, len(edges), _BATCH_ROWS):
            self.store.write(Batch(edges=tuple(edges[start : start + _BATCH_ROWS])))

    def _with_known_ends(self, made: Imported) -> tuple[list[Edge], list[BadRow]]:
        """Leave out edges to parents that are neither among the rows nor in the store."""
        from ..ingest.imported import BadRow

        elsewhere = sorted({e.target for e in made.edges if e.target not in made.nodes})
        known = {*made.nodes, *self.store.get(elsewhere)}
        missing = [
            BadRow(row=made.rows[e.source], reason=f"Parent {e.target!r} is not there; left out.")
            for e in made.edges
            if e.target not in known
        ]
        return [e for e in made.edges if e.target in known], missing

    def _without_own(self, made: Imported) -> tuple[list[Node], list[BadRow]]:
        """Leave out rows whose id belongs to a memory that was not imported."""
        from ..ingest.imported import BadRow

        own = {
            id
            for id, node in self.store.get(list(made.rows)).items()
            if not isinstance(node, Memory) or node.origin != "import"
        }
        taken = [
            BadRow(row=made.rows[id], reason=f"The id {id!r} belongs to a memory of ours.")
            for id in sorted(own)
        ]
        return [n for n in made.nodes.values() if n.id not in own], taken

    def turning_points(self, file: str | Path) -> dict[str, tuple[TurningPoint, ...]]:
        """Where the runs of a session file turned, by the ids of their traces; nothing is kept.

        Raises:
            ReadError: nothing of the file could be read.
        """
        from ..ingest.pipeline import runs_in
        from ..ingest.readers import load_readers
        from ..ingest.turning_points import turning_points

        runs = runs_in(Path(file), readers=load_readers())
        return {run.trace_id: turning_points(run) for run in runs}

    def record_lessons(
        self, lessons: Sequence[Lesson], *, trace: str, scope: Scope | str | None = None
    ) -> list[Verdict]:
        """Take what an agent learned in a run as candidate insights of the run's project.

        A lesson that cites no step, names its own project, is too long or repeats a known insight
        is refused with the reason; at most three are taken from one run.

        Raises:
            UsageError: there is no such run in scope.
        """
        from ..ingest.lesson_book import keep_lessons

        id = self.resolve(trace, scope=as_scope(scope))
        return keep_lessons(self.store, self.embedder, lessons, trace=id)

    def edit(self, id: str, changes: Mapping[str, str]) -> Insight:
        """Put an insight into other words and return it; the id may be short.

        `changes` are new texts by name: title, description, content, applies_when, not_when, kind,
        polarity. Secrets in them are removed; id, evidence and trust stay as they were.

        Raises:
            UsageError: no insight has this id, or its words are not a person's to change.
        """
        from ..ingest.editing import edited

        full_id = self.resolve(id)
        insight = edited(self.store.get([full_id])[full_id], changes)
        vector = self.embedder.encode([insight.key])[0]
        self.store.write(Batch(nodes=(insight,), vectors={insight.id: vector}))
        return insight

    def forget(self, ids: Iterable[str]) -> int:
        """Delete memories; a trace goes with everything that stands on it alone."""
        full_ids = [self.resolve(id) for id in ids]
        found = self.store.get(full_ids)
        traces = tuple(id for id, n in found.items() if isinstance(n, Trace))
        removed = self.store.write(Batch(retract=traces)).removed if traces else 0
        return removed + self.store.delete([id for id in full_ids if id not in traces])
