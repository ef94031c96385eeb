"""From files to the graph: read, redact, recognise, distil, embed, write; one run at a time."""

import hashlib
import logging
import re
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ..kg.episodes import note_outcomes
from ..kg.errors import ReadError, StepladderError
from ..kg.protocols import Embedder, GraphStore
from ..kg.types import Batch, Edge, Retrieval, Trace, memories
from . import nodes
from .clean import redacted
from .detect import BESIDE_RUNS, looks_like
from .domain import domain_of
from .lessons import lessons_on
from .marked import marked_in
from .outcome import SideCars
from .project import language_of, project_of
from .protocols import Distiller, TrajectoryReader
from .readers import reader_for
from .record import RunRecord
from .redact import Redactor
from .report import FileNote, IngestOptions, IngestReport, Progress
from .source import Source
from .steps.build import build
from .trajectory import Trajectory, Turn
from .walk import files_under

log = logging.getLogger(__name__)

_PART = "no run of its own: empty, or a part of one that another file of the session holds"
_BENCHMARK_TASK = re.compile(r"^([\w.-]+?)__([\w.-]+)-\d+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """The parts an ingest needs; `ingest` runs them over files."""

    store: GraphStore
    embedder: Embedder
    readers: tuple[TrajectoryReader, ...]
    distiller: Distiller

    def ingest(
        self,
        paths: Iterable[Path],
        *,
        options: IngestOptions,
        report: IngestReport,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> IngestReport:
        """Bring every run below `paths` into the store, and fill `report` as it goes.

        Each run is one transaction: an interrupted ingest keeps what is in the report.
        One bad file is reported and does not stop the rest.

        Raises:
            UsageError: a path does not exist.
            StoreError: the store could not be read or written.
        """
        files = list(files_under(paths, since=options.since))
        side_cars = SideCars()
        for position, file in enumerate(files):
            if options.limit is not None and report.new >= options.limit:
                break
            if on_progress:
                on_progress(Progress(file=file, position=position, total=len(files), report=report))
            self._file(file, side_cars=side_cars, options=options, report=report)
        return report

    def _file(
        self, file: Path, *, side_cars: SideCars, options: IngestOptions, report: IngestReport
    ) -> None:
        shown = Redactor().text(str(file))
        source = Source(file)
        report.files += 1
        try:
            report.size_bytes += file.stat().st_size
            reader = reader_for(source, self.readers)
            if reader is None:
                report.skipped.append(FileNote(path=shown, reason=_unread(source)))
                return
            any_run = False
            for trajectory in reader.read(source):
                any_run = True
                if options.limit is not None and report.new >= options.limit:
                    break
                self._run(trajectory, file, side_cars=side_cars, options=options, report=report)
            if not any_run:
                report.skipped.append(FileNote(path=shown, reason=_PART))
        except ReadError as error:
            reason = Redactor().text(str(error))
            report.failed.append(FileNote(path=shown, reason=reason))
        except OSError as error:
            reason = f"could not be read: {error.strerror}"
            report.failed.append(FileNote(path=shown, reason=reason))
        except StepladderError:
            raise
        except Exception as error:  # edge: one bad file must not stop the rest
            reason = _place_of(error)
            log.error("%s: %s", shown, reason)
            report.failed.append(FileNote(path=shown, reason=reason))

    def _run(
        self,
        trajectory: Trajectory,
        file: Path,
        *,
        side_cars: SideCars,
        options: IngestOptions,
        report: IngestReport,
    ) -> None:
        redactor = Redactor()
        trajectory = _complete(trajectory, file, side_cars=side_cars, options=options)
        trajectory = redacted(trajectory, redactor)
        if not any(t.role == "agent" for t in trajectory.turns):
            note = FileNote(path=trajectory.source, reason="no reply of an agent in it")
            report.skipped.append(note)
            return
        id = nodes.trace_id(trajectory.format, trajectory.id)
        trajectory, continues = self._without_copies(trajectory, id)
        content_hash = content_hash_of(trajectory)
        stored = self.store.get([id]).get(id)
        if not trajectory.turns or _is_known(stored, content_hash, trajectory, options=options):
            report.unchanged += 1
            return
        run = _record(trajectory, id)
        batch = self._batch(run, content_hash=content_hash, continues=continues)
        if stored is not None:
            batch = replace(self._with_lessons(batch, id), retract=(id,))
        if not options.dry_run:
            self.store.write(batch)
            if seen := [e.source for e in batch.edges if e.type == "IN_TRACE"]:
                note_outcomes(self.store, seen)
        if stored is None:
            report.new += 1
        else:
            report.updated += 1
        report.traces.append(id)
        report.redacted.update(redactor.counts)
        report.steps += len(run.steps)
        report.warnings.extend(
            FileNote(path=trajectory.source, reason=w) for w in trajectory.warnings
        )

    def _with_lessons(self, batch: Batch, id: str) -> Batch:
        """The batch with what an agent wrote down about the run before it was read again."""
        lessons, links = lessons_on(self.store, id)
        told = {n.id for n in lessons}
        known = {n.id for n in batch.nodes} | told
        if not lessons:
            return batch
        recalled = memories(lessons)
        encoded = self.embedder.encode([m.key for m in recalled])
        return replace(
            batch,
            nodes=(*batch.nodes, *lessons),
            edges=(*batch.edges, *(e for e in links if {e.source, e.target} <= known)),
            vectors={
                **batch.vectors,
                **{m.id: v for m, v in zip(recalled, encoded, strict=True)},
            },
        )

    def _seen(self, run: RunRecord) -> list[Edge]:
        """Link the retrievals of this store whose answers the run saw."""
        marked = marked_in(run.trajectory)
        known = self.store.get(marked) if marked else {}
        return [
            Edge(source=id, type="IN_TRACE", target=run.trace_id)
            for id, node in known.items()
            if isinstance(node, Retrieval)
        ]

    def _without_copies(self, trajectory: Trajectory, id: str) -> tuple[Trajectory, str]:
        """Leave out the leading turns that another trace holds already, and name that trace."""
        uids = [c.uid for c in trajectory.calls if c.uid]
        held = {u: t for u, t in self.store.known_actions(uids).items() if t != id}
        if not held:
            return trajectory, ""
        copied = [i for i, t in enumerate(trajectory.turns) if _is_copy(t, held)]
        if not copied:
            return trajectory, ""
        last = max(copied)
        kept = trajectory.turns[last + 1 :]
        continues = next(held[c.uid] for c in trajectory.turns[last].calls if c.uid in held)
        return replace(trajectory, turns=kept), continues

    def _batch(self, run: RunRecord, *, content_hash: str, continues: str) -> Batch:
        trace = nodes.trace_of(run, content_hash=content_hash)
        level_nodes, level_edges = nodes.level_zero(run, trace)
        distillate = self.distiller.distill(run)
        all_nodes = (*level_nodes, *distillate.nodes)
        edges = (*level_edges, *distillate.edges)
        edges = (*edges, *self._seen(run))
        if continues:
            edges = (*edges, Edge(source=run.trace_id, type="CONTINUES", target=continues))
        recalled = memories(all_nodes)
        vectors = self.embedder.encode([m.key for m in recalled])
        return Batch(
            nodes=all_nodes,
            edges=edges,
            vectors={m.id: v for m, v in zip(recalled, vectors, strict=True)},
        )


def runs_in(file: Path, *, readers: tuple[TrajectoryReader, ...]) -> Iterator[RunRecord]:
    """Yield the runs of a file as distillers see them, redacted; nothing is written.

    Raises:
        ReadError: nothing of the file could be read.
    """
    source = Source(file)
    reader = reader_for(source, readers)
    for trajectory in reader.read(source) if reader else ():
        known = _complete(trajectory, file, side_cars=SideCars(), options=IngestOptions())
        known = redacted(known, Redactor())
        if any(t.role == "agent" for t in known.turns):
            yield _record(known, nodes.trace_id(known.format, known.id))


def _unread(source: Source) -> str:
    kind = looks_like(source)
    if kind in BESIDE_RUNS:
        return f"no trajectory: {kind}"
    return f"not read yet: {kind}" if kind else "no trajectory"


def _place_of(error: Exception) -> str:
    """Say what went wrong in the program and where; its message may hold text of the file."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}"


def _complete(
    trajectory: Trajectory, file: Path, *, side_cars: SideCars, options: IngestOptions
) -> Trajectory:
    """Fill in what stands beside the file or was said by the caller."""
    outcome = trajectory.outcome
    if outcome.status == "unknown":
        outcome = side_cars.outcome_of(file, task_id=trajectory.task_id) or outcome
    told_domain, told_project = side_cars.named_in(file, task_id=trajectory.task_id)
    project = options.project or trajectory.project or told_project
    if not project and (benchmark := _BENCHMARK_TASK.match(trajectory.task_id)):
        project = f"{benchmark[1]}/{benchmark[2]}"
    project = project or project_of(trajectory.cwd, trajectory.repository_url)
    domain = options.domain or trajectory.domain or told_domain
    return replace(trajectory, outcome=outcome, project=project, domain=domain)


def _record(trajectory: Trajectory, id: str) -> RunRecord:
    scope = nodes.scope_of(trajectory.project)
    run = build(
        trajectory,
        trace_id=id,
        task_id=nodes.task_id(scope, trajectory.task_id, trajectory.task),
        project=trajectory.project,
        domain=trajectory.domain,
        language=trajectory.language,
    )
    if not run.language:
        run = replace(run, language=language_of(_files(run)))
    return run if run.domain else replace(run, domain=domain_of(run))


def _files(run: RunRecord) -> Iterator[str]:
    """Files the run touched, changed ones counting more than those it read."""
    for step in run.steps:
        yield from step.files
        yield from step.edits


def _is_copy(turn: Turn, held: dict[str, str]) -> bool:
    return any(c.uid in held for c in turn.calls)


def _is_known(
    stored: object, content_hash: str, trajectory: Trajectory, *, options: IngestOptions
) -> bool:
    """Tell whether the stored trace holds all of this run, or a longer copy of it."""
    if not isinstance(stored, Trace):
        return False
    if _tells_more(trajectory, stored, options=options):
        return False
    if stored.content_hash == content_hash:
        return True
    if stored.source == trajectory.source:
        return stored.steps > len(trajectory.calls)
    # Of two files that claim one id the same one must win, whichever is read first.
    now = (len(trajectory.calls), trajectory.ended, content_hash)
    return (stored.steps, stored.ended, stored.content_hash) > now


def _tells_more(trajectory: Trajectory, stored: Trace, *, options: IngestOptions) -> bool:
    """Tell whether a verdict, a domain or a project is news.

    It is where none was known before, where the same file says another one now, or the caller
    does; not where another copy of the run contradicts.
    """
    same_file = stored.source == trajectory.source
    told = (
        (trajectory.outcome.status, stored.outcome, "unknown", same_file),
        (trajectory.domain, "".join(stored.domains[:1]), "", same_file or bool(options.domain)),
        (trajectory.project, stored.project, "", same_file or bool(options.project)),
    )
    return any(
        now not in (then, nothing) and (then == nothing or corrected)
        for now, then, nothing, corrected in told
    )


def content_hash_of(trajectory: Trajectory) -> str:
    """A hash of what was said and done in a run, wherever its file lies."""
    said = repr((trajectory.task, trajectory.turns, trajectory.started, trajectory.ended))
    return hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
