"""`KnowledgeBase`: the facade over store, embedder, readers and distiller."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from .ingest.redact import Redactor
from .ingest.report import IngestOptions, IngestReport, Progress
from .kg import plugins
from .kg.cypher import DEFAULT_LIMITS, CypherLimits, Rows
from .kg.errors import EmbeddingError, UsageError
from .kg.ids import content_id
from .kg.protocols import Counts, Embedder, GraphStore
from .kg.settings import default_store
from .kg.stores import open_store
from .kg.types import (
    EVERYTHING,
    UNASSIGNED,
    Batch,
    Edge,
    LevelName,
    Memory,
    Node,
    OutcomeSource,
    OutcomeStatus,
    Retrieval,
    Scope,
    Support,
    Trace,
    memories,
)
from .queries.answer import Answer, retrieve
from .queries.briefing import briefing
from .queries.by_use import with_holdout
from .queries.feedback import reported
from .queries.search import Hit, search
from .queries.uplift import Uplift, uplift
from .queries.use import Use, all_episodes, use_of
from .queries.why import Evidence, evidence

# Reading runs takes many modules that an answer does not need; they are imported where used.
if TYPE_CHECKING:
    from .ingest.distillers.llm.session import LlmOptions, Plan
    from .ingest.imported import BadRow, Imported
    from .ingest.lesson_book import Verdict
    from .ingest.lessons import Lesson
    from .ingest.llm.model import Prompt
    from .ingest.protocols import Distiller
    from .ingest.turning_points import TurningPoint
    from .kg.consolidation.plan import Compared, Consolidation, RunSummary, Undone
    from .kg.consolidation.review import Suggestion
    from .kg.consolidation.review import Verdict as PairVerdict
    from .queries.cypher import CypherDoor
    from .queries.export import Exported
    from .queries.library import NamedQuery
    from .queries.schema import Schema

EMBEDDERS: Final[Mapping[str, str]] = {
    "static-256": "stepladder.kg.embedding.static:StaticEmbedder",
}
_BATCH_ROWS = 1000
_LAST_INGEST = "last_ingest"
_EMBEDDER = "embedder"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What an import did, counted in memories; `failed` names rows that could not be taken."""

    new: int = 0
    updated: int = 0
    unchanged: int = 0
    failed: tuple[BadRow, ...] = ()
    redacted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A node with what stands around it."""

    node: Node
    support: Support
    edges: tuple[Edge, ...]
    neighbours: Mapping[str, Node]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """What a knowledge base holds, and what the last ingest left out."""

    levels: Mapping[str, int]
    labels: Mapping[str, int]
    edges: Mapping[str, int]
    domains: Mapping[str, int]
    projects: Mapping[str, int]
    outcomes: Mapping[str, int]
    languages: Mapping[str, int]
    agents: Mapping[str, int]
    formats: Mapping[str, int]
    skipped: Mapping[str, int] = field(default_factory=dict)


class KnowledgeBase:
    """A graph of memories: runs in, answers out.

    Use it as a context manager, or call `close`.

    >>> with KnowledgeBase.open("memory.db") as kb:  # doctest: +SKIP
    ...     kb.ingest(["runs/"])
    ...     answer = kb.retrieve("tests fail only in CI after the lock file changed")
    """

    def __init__(self, store: GraphStore, embedder: Embedder) -> None:
        self.store = store
        self.embedder = embedder
        self._door: CypherDoor | None = None

    @classmethod
    def open(
        cls, address: str | Path | None = None, *, embedder: str | Embedder = "static-256"
    ) -> KnowledgeBase:
        """Open or make the store at a path or an address; by default in the user's data folder.

        Raises:
            StoreError: the store could not be opened.
            EmbeddingError: the store was made with another embedder.
        """
        if isinstance(embedder, str):
            embedder = _load_embedder(embedder)
        store = open_store(str(address or default_store()), embedder=embedder)
        kept = store.setting(_EMBEDDER)
        if kept is None:
            store.set_setting(_EMBEDDER, embedder.name)
        elif kept != embedder.name:
            store.close()
            raise EmbeddingError(
                f"The store's vectors come from {kept!r}, not from {embedder.name!r}.",
                hint=f"Open it with --embedder {kept}.",
            )
        return cls(store, embedder)

    def close(self) -> None:
        """Release the store."""
        if self._door is not None:
            self._door.close()
        self.store.close()

    def __enter__(self) -> KnowledgeBase:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

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
        from .ingest.distillers import load_distiller

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
            self.store.set_setting(_LAST_INGEST, json.dumps(reasons, sort_keys=True))
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
        from .ingest.distillers.llm.session import Session

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
        from .ingest.pipeline import Pipeline
        from .ingest.readers import load_readers

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
        from .ingest.distillers.llm.session import Session

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
        from .ingest.distillers.llm.session import PromptCollector

        collector = PromptCollector(limits=llm.limits)
        self._ingest(files, collector, replace(options, dry_run=True), IngestReport())
        return collector.prompts

    def import_memories(
        self, rows: Iterable[Mapping[str, Any]], *, dry_run: bool = False
    ) -> ImportReport:
        """Take memories that were made elsewhere; `ingest.imported.from_rows` says what a row has.

        A `parents` id must be among the rows or in the store; a row whose parent is not is taken
        without it and reported. With `dry_run` everything is checked and nothing written.
        """
        from .ingest.imported import from_rows

        made = from_rows(rows)
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
            unchanged=unchanged,
            failed=(*made.failed, *missing, *taken),
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
        from .ingest.imported import BadRow

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
        from .ingest.imported import BadRow

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
        from .ingest.pipeline import runs_in
        from .ingest.readers import load_readers
        from .ingest.turning_points import turning_points

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
        from .ingest.lesson_book import keep_lessons

        id = self.resolve(trace, scope=_scope(scope))
        return keep_lessons(self.store, self.embedder, lessons, trace=id)

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
            scope=_scope(scope),
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

        The answer fits `budget_tokens`. `strict` asks for more certainty, `floor` holds every
        memory against one score instead; `bodies` shows whole texts as far as the budget allows.
        It is recorded as a `Retrieval` under the answer's
        `retrieval_id`, so that a later run that saw it can be credited; not with `record=False`.
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
        )
        if not record:
            return answer
        return self._recorded(answer, project=project, domain=domain, holdout=holdout, now=now)

    def briefing(
        self, project: str, *, budget_tokens: int = 400, now: datetime | None = None
    ) -> Answer:
        """Tell the facts of a project that hold before the task is known, or nothing.

        An answer that holds something is recorded as `retrieve` records its own.
        """
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
        time = (now or datetime.now(UTC)).isoformat()
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
        batch, credited = reported(
            self.store,
            self.resolve(retrieval_id, scope=_scope(scope)),
            outcome=outcome,
            used=used,
            source=source,
        )
        self.store.write(batch)
        return credited

    def use(self, id: str) -> dict[str, Use]:
        """Count how often a memory was shown and used and how that went, by domain.

        Raises:
            UsageError: no node, or several, have this id.
        """
        return use_of(self.store, self.resolve(id))

    def uplift(self) -> Uplift:
        """Estimate what shown memories did, from answers given with a holdout."""
        return uplift(all_episodes(self.store))

    def show(self, id: str, *, scope: Scope | str | None = None) -> Shown:
        """Return a node, what supports it and what it is linked to; the id may be shortened.

        `scope` is as for `search`.

        Raises:
            UsageError: no node in scope, or several, have this id.
        """
        readable = _scope(scope)
        full_id = self.resolve(id, scope=readable)
        node = self.store.get([full_id])[full_id]
        edges = tuple(self.store.edges([full_id], scope=readable))
        around = self.store.get(
            sorted({e.source for e in edges} | {e.target for e in edges}), scope=readable
        )
        support = self.store.support([full_id]).get(full_id, Support())
        return Shown(node=node, support=support, edges=edges, neighbours=around)

    def why(self, id: str, *, scope: Scope | str | None = None) -> Evidence:
        """Return the way from a memory down to the steps that bear it out; the id may be short.

        `scope` is as for `search`.

        Raises:
            UsageError: no node in scope, or several, have this id.
        """
        readable = _scope(scope)
        return evidence(self.store, self.resolve(id, scope=readable), scope=readable)

    def resolve(self, id: str, *, scope: Scope = EVERYTHING) -> str:
        """Return the one id in scope that begins with `id`.

        Raises:
            UsageError: no node in scope, or several, have this id.
        """
        found = list(self.store.get(self.store.resolve(id), scope=scope))
        if id in found:
            return id
        if not found:
            raise UsageError(
                f"Nothing has the id {id!r}.", hint="Find one with: stepladder query 'your task'"
            )
        if len(found) > 1:
            raise UsageError(f"{id!r} is short for several: {', '.join(found)}.")
        return found[0]

    def consolidate(
        self, *, dry_run: bool = False, full: bool = False, now: datetime | None = None
    ) -> Consolidation:
        """Merge the insights that say the same, propose those that may, and record it.

        Only what is new and what it touches is looked at; with `full` everything is. A merge
        can be taken back with `unmerge`; `dry_run` writes nothing.

        Raises:
            StoreError: the store could not be read or written.
        """
        from .kg.consolidation.consolidate import Request, consolidate

        request = Request(full=full)
        return consolidate(
            self.store, self.embedder, time=_iso(now), dry_run=dry_run, request=request
        )

    def merges(self) -> list[RunSummary]:
        """Return the consolidations that stand, oldest first."""
        from .kg.consolidation.review import runs

        return runs(self.store)

    def unmerge(self, id: str, *, remember: bool = True) -> Undone:
        """Take back one merged insight or a whole consolidation; the id may be short.

        What stood there before comes back as it was. No later consolidation makes the merge
        again, unless `remember` is False.

        Raises:
            UsageError: the id is of no merged insight and of no consolidation.
        """
        from .kg.consolidation.undo import undo

        return undo(self.store, self.embedder, self.resolve(id), remember=remember)

    def keep_apart(self, a: str, b: str, *, now: datetime | None = None) -> Consolidation:
        """Say that two insights must never be merged, and take a merge of them apart.

        Raises:
            UsageError: one of them is no insight.
        """
        return self.decide(a, b, "apart", now=now)

    def suggestions(self, *, limit: int | None = None) -> list[Suggestion]:
        """Return the pairs that may say the same and wait for a verdict."""
        from .kg.consolidation.review import suggestions

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
        from .kg.consolidation.review import decide

        ends = self.resolve(a), self.resolve(b)
        return decide(self.store, self.embedder, *ends, verdict, time=_iso(now))

    def reconsider(self, a: str, b: str) -> bool:
        """Take back what was decided on two insights, and tell whether there was anything.

        Raises:
            UsageError: one of them is no insight.
        """
        from .kg.consolidation.review import reconsider

        return reconsider(self.store, self.resolve(a), self.resolve(b))

    def compare(self, a: str, b: str) -> Compared:
        """Return how near the words of two insights are, and what stands against a merge.

        Raises:
            UsageError: one of them is no insight.
        """
        from .kg.consolidation.review import compare

        return compare(self.store, self.embedder, self.resolve(a), self.resolve(b))

    def forget(self, ids: Iterable[str]) -> int:
        """Delete memories; a trace goes with everything that stands on it alone."""
        full_ids = [self.resolve(id) for id in ids]
        found = self.store.get(full_ids)
        traces = tuple(id for id, n in found.items() if isinstance(n, Trace))
        removed = self.store.write(Batch(retract=traces)).removed if traces else 0
        return removed + self.store.delete([id for id in full_ids if id not in traces])

    def cypher(
        self,
        statement: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        limits: CypherLimits = DEFAULT_LIMITS,
    ) -> Rows:
        """Run a Cypher statement that reads, or the named query of this name.

        Raises:
            UsageError: it does more than read, is wrong, or took more than the limits allow.
            StoreError: the store could not answer.
        """
        from .queries.library import is_name, named_query

        if is_name(statement):
            query = named_query(statement)
            statement, parameters = query.statement, query.values(parameters or {})
        return self._cypher_door().run(statement, parameters, limits=limits)

    def named_queries(self) -> tuple[NamedQuery, ...]:
        """Return the named queries that `cypher` runs, by name."""
        from .queries.library import named_queries

        return named_queries()

    def schema(self) -> Schema:
        """Return labels, relationships and properties with what they mean and their counts."""
        from .queries.schema import describe

        return describe(self._cypher_door().run)

    def export(self, form: str, file: str | Path, *, scope: Scope | str | None = None) -> Exported:
        """Write the graph to a file as `graphml` or `cypher`, without vectors.

        Raises:
            StoreError: the store could not be read, or the file not be written.
        """
        from .queries.export import export

        return export(self.store, form, Path(file), scope=_scope(scope))

    def _cypher_door(self) -> CypherDoor:
        from .queries.cypher import CypherDoor

        if self._door is None:
            self._door = CypherDoor(self.store)
        return self._door

    def stats(self) -> Stats:
        """Count what the knowledge base holds."""
        counts: Counts = self.store.counts()
        traces = [n for n in self.store.find("Trace") if isinstance(n, Trace)]
        kept = self.store.setting(_LAST_INGEST)
        return Stats(
            levels=counts.levels,
            labels=counts.labels,
            edges=counts.edges,
            domains=_tally(d for t in traces for d in t.domains),
            projects=_tally(t.project for t in traces),
            outcomes=_tally(t.outcome for t in traces),
            languages=_tally(x for t in traces for x in t.languages),
            agents=_tally(t.agent for t in traces),
            formats=_tally(t.format for t in traces),
            skipped=json.loads(kept) if kept else {},
        )


def _load_embedder(name: str) -> Embedder:
    embedder: Embedder = plugins.load(name, group="stepladder.embedders", built_in=EMBEDDERS)()
    return embedder


def _iso(now: datetime | None) -> str:
    return (now or datetime.now(UTC)).isoformat()


def _scope(scope: Scope | str | None) -> Scope:
    if scope is None:
        return EVERYTHING
    return Scope.of(scope) if isinstance(scope, str) else scope


def _tally(values: Iterable[str]) -> dict[str, int]:
    """Counts of the values that are not empty, the most frequent first, ties by name."""
    counted = Counter(v for v in values if v)
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))
