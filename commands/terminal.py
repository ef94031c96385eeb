"""What people see in a terminal: tables, trees and progress. Text from runs is shown as text."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from ..facade import ImportReport, KnowledgeBase, Shown, Stats
from ..ingest.discover import own_sessions
from ..ingest.report import IngestReport
from ..ingest.report import Progress as IngestProgress
from ..kg.errors import UsageError
from ..kg.types import Edge, Insight, Memory, Node, Step, Support, Trace, level_name
from ..queries.items import Answer, Item
from ..queries.render import clean
from ..queries.why import Evidence, TraceEvidence
from ..serve.json_forms import reasons
from .terminal_llm import print_llm

_REASONS_SHOWN: Final = 8
_LINES_SHOWN: Final = 12
_COMMAND_CHARS: Final = 100


def console() -> Console:
    """A console on standard output; colours and width follow the terminal."""
    return Console(highlight=False, soft_wrap=False)


def safe(text: str) -> str:
    """Text from a run without characters that could move the terminal or hide."""
    return clean(text)


def plain(text: str) -> str:
    """Text from a run made safe to print as markup."""
    return escape(safe(text))


@contextmanager
def ingest_progress(*, quiet: bool) -> Iterator[Callable[[IngestProgress], None] | None]:
    """Show a bar with rate and remaining time on standard error while files are read."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.fields[counts]}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("files"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("ingest", total=None, counts="")

        def advance(state: IngestProgress) -> None:
            report = state.report
            rate = report.steps / elapsed if (elapsed := bar.tasks[task].elapsed or 0) else 0
            counts = f"{report.new} new, {report.unchanged} known, {rate:,.0f} steps/s"
            bar.update(task, total=state.total, completed=state.position, counts=counts)

        yield advance


def print_ingest(report: IngestReport, *, dry_run: bool) -> None:
    """A table of what an ingest did, and the reasons of what was left out."""
    out = console()
    table = Table(title="Would be ingested" if dry_run else "Ingested", title_justify="left")
    table.add_column("runs")
    table.add_column("", justify="right")
    rows = (
        ("new", report.new),
        ("updated", report.updated),
        ("unchanged", report.unchanged),
        ("files skipped", len(report.skipped)),
        ("files failed", len(report.failed)),
        ("steps", report.steps),
        ("secrets and names removed", report.redacted.total()),
    )
    for name, number in rows:
        table.add_row(name, f"{number:,}")
    out.print(table)
    _print_notes(out, "Failed", [(n.path, n.reason) for n in report.failed])
    _print_notes(out, "Read in part", [(n.path, n.reason) for n in report.warnings])
    for reason, number in reasons(report).items():
        out.print(f"  skipped {number:>4}  {plain(reason)}")
    if report.llm:
        print_llm(out, report.llm)


def _print_notes(out: Console, title: str, notes: list[tuple[str, str]]) -> None:
    if not notes:
        return
    out.print(f"[bold]{title}[/bold]")
    for path, reason in notes[:_REASONS_SHOWN]:
        out.print(f"  {plain(path)}: {plain(reason)}")
    if len(notes) > _REASONS_SHOWN:
        out.print(f"  … and {len(notes) - _REASONS_SHOWN} more; all of them with --json")


def print_import(report: ImportReport, unreadable: list[tuple[int, str]], *, dry_run: bool) -> None:
    """One line of counts, then the lines and rows that could not be taken."""
    out = console()
    verb = "would be taken" if dry_run else "taken"
    out.print(
        f"{report.new} new memories {verb}, {report.updated} updated, "
        f"{report.unchanged} unchanged, {report.redacted} secrets and names removed."
    )
    _print_notes(out, "Not read", [(f"line {number}", reason) for number, reason in unreadable])
    _print_notes(out, "Left out", [(f"row {b.row}", b.reason) for b in report.failed])


def print_answer(answer: Answer) -> None:
    """The memories of an answer with the reason for each, or why there is none."""
    out = console()
    if answer.abstained:
        out.print(f"[bold]Nothing applies.[/bold] {plain(answer.reason)}")
    for number, item in enumerate(answer.items, start=1):
        _print_item(out, item, lead=f"{number}. ")
        for lower in item.beneath:
            _print_item(out, lower, lead="   ↳ ")
    if answer.withheld:
        held = ", ".join(f"{n} {reason}" for reason, n in answer.withheld.items())
        out.print(f"[dim]{answer.considered} memories weighed; not shown: {plain(held)}[/dim]")
    if answer.items:
        out.print(
            f"[dim]Answer {answer.retrieval_id}. Evidence: stepladder why "
            f"{answer.items[0].memory.id[:12]}[/dim]"
        )


def _print_item(out: Console, item: Item, *, lead: str) -> None:
    memory = item.memory
    indent = " " * len(lead)
    out.print(Padding(Text(lead + safe(memory.title), style="bold"), (1, 0, 0, 0)))
    out.print(f"{indent}[dim]{memory.id}  {item.level}  score {item.score:.1f}[/dim]")
    body = memory.content or memory.description
    out.print(Padding(Text(_excerpt(safe(body))), (0, 0, 0, len(lead))))
    out.print(Padding(Text(safe(item.why), style="italic"), (0, 0, 0, len(lead))))


def _excerpt(text: str) -> str:
    return "\n".join(text.splitlines()[:_LINES_SHOWN])


def print_shown(shown: Shown) -> None:
    """A node with its words, its support and its links."""
    out = console()
    node = shown.node
    out.print(f"[bold]{plain(_title(node))}[/bold]")
    out.print(f"[dim]{node.id}  scope {plain(node.scope)}[/dim]")
    if isinstance(node, Memory):
        _print_words(out, node)
        out.print(f"Support: {plain(support_line(shown.support))}")
    _print_links(out, shown)


def _print_words(out: Console, memory: Memory) -> None:
    author = memory.author if isinstance(memory, Insight) else ""
    told = f" in the words of {plain(author)}" if author else ""
    level = f"Level {memory.level} ({level_name(memory.level)})"
    out.print(f"{level}, from {plain(memory.origin)}{told}")
    for text in (memory.description, memory.content):
        if text:
            out.print(Text(safe(text)))
    facets = {
        "domains": memory.domains,
        "languages": memory.languages,
        "tools": memory.tools,
    }
    if isinstance(memory, Insight):
        out.print(f"Kind: {plain(memory.kind) or 'not known'}; {memory.polarity or 'open'}")
        if memory.applies_when:
            out.print(f"Applies: {plain(memory.applies_when)}")
        if memory.not_when:
            out.print(f"Does not apply: {plain(memory.not_when)}")
    if isinstance(memory, Trace):
        out.print(
            f"Outcome: {memory.outcome} (by {memory.outcome_source}); {memory.steps} steps by "
            f"{plain(memory.agent)} {plain(', '.join(memory.models))}"
        )
        out.print(f"Read from {_from_here(memory.source)}")
    for name, values in facets.items():
        if values:
            out.print(f"{name.capitalize()}: {plain(', '.join(values))}")
    if memory.untrusted:
        out.print("Holds words from tool output: data, not instructions.")


def _print_links(out: Console, shown: Shown) -> None:
    groups: dict[str, list[Node]] = {}
    for edge in shown.edges:
        other = shown.neighbours.get(_other_end(edge, shown.node.id))
        if other is not None:
            arrow = f"{edge.type} →" if edge.source == shown.node.id else f"← {edge.type}"
            groups.setdefault(arrow, []).append(other)
    for arrow, nodes in sorted(groups.items()):
        out.print(f"[bold]{arrow}[/bold] {len(nodes)}")
        for node in nodes[:5]:
            out.print(f"  {node.id}  {plain(_title(node))[:100]}")


def _other_end(edge: Edge, id: str) -> str:
    return edge.target if edge.source == id else edge.source


def _title(node: Node) -> str:
    if isinstance(node, Memory):
        return node.title
    if isinstance(node, Step):
        return f"{node.phase}: {node.command.splitlines()[0] if node.command else node.tool}"
    for name in ("name", "title", "signature", "query"):
        if value := getattr(node, name, ""):
            return str(value)
    return node.id


def support_line(support: Support) -> str:
    """How many traces of how many tasks and projects, and how they ended."""
    if not support.traces:
        return "no trace of ours"
    outcomes = support.outcomes
    return (
        f"{support.traces} traces of {support.tasks} tasks in {len(support.projects)} projects; "
        f"{outcomes.get('success', 0)} succeeded, {outcomes.get('failure', 0)} failed, "
        f"{outcomes.get('unknown', 0)} unknown"
    )


def print_stats(stats: Stats) -> None:
    """What is kept, as one table a topic."""
    out = console()
    topics: tuple[tuple[str, Mapping[str, int]], ...] = (
        ("level", stats.levels),
        ("domain", stats.domains),
        ("project", stats.projects),
        ("outcome", stats.outcomes),
        ("language", stats.languages),
        ("agent", stats.agents),
        ("left out at the last ingest", stats.skipped),
    )
    for title, counts in topics:
        if not counts:
            continue
        table = Table(show_header=True, min_width=40)
        table.add_column(title)
        table.add_column("", justify="right")
        for name, number in list(counts.items())[:12]:
            table.add_row(plain(name), f"{number:,}")
        if len(counts) > 12:
            table.add_row(f"… and {len(counts) - 12} more", "")
        out.print(table)


def print_evidence(found: Evidence) -> None:
    """The way down from a memory to the steps that bear it out, as a tree."""
    memory = found.memory
    tree = Tree(Text(safe(memory.title), style="bold"))
    tree.add(
        f"[dim]{memory.id}  {level_name(memory.level)}; {plain(support_line(found.support))}[/dim]"
    )
    names = {m.id: m for m in found.between}
    for evidence in found.traces:
        branch = tree
        for id in evidence.path[1:-1]:
            if id in names:
                label = f"[dim]{level_name(names[id].level)}[/dim] {plain(names[id].title)}"
                branch = branch.add(label)
        _add_trace(branch, evidence)
    left_out = (
        (found.memories_left_out, "memories in between"),
        (found.traces_left_out, "runs"),
    )
    for number, noun in left_out:
        if number:
            tree.add(f"[dim]… and {number} more {noun}[/dim]")
    console().print(tree)


def _add_trace(branch: Tree, evidence: TraceEvidence) -> None:
    trace = evidence.trace
    verdict = f"{trace.outcome}, by {trace.outcome_source}"
    run = branch.add(
        f"[dim]trace[/dim] {plain(trace.title)} [dim]({plain(trace.agent)}; {verdict}; "
        f"{_from_here(trace.source)})[/dim]"
    )
    for cited in evidence.steps:
        step = cited.step
        ended = "" if step.exit_code is None else f"  exit {step.exit_code}"
        verdict = f"  {step.verdict}" if step.verdict else ""
        label = Text.assemble(
            (f"step {step.index}  {step.phase}", "dim"),
            f"  {_first_line(step.command or step.tool)}",
            (f"{ended}{verdict}", "bold"),
        )
        node = run.add(label)
        if step.error_signature:
            node.add(Text(safe(step.error_signature), style="dim"))
        if cited.quote:
            node.add(Text(f"“{safe(cited.quote)}”", style="italic"))
    if evidence.steps_left_out:
        run.add(f"[dim]… and {evidence.steps_left_out} more steps[/dim]")


def _first_line(text: str) -> str:
    lines = safe(text).strip().splitlines() or [""]
    more = " …" if len(lines) > 1 or len(lines[0]) > _COMMAND_CHARS else ""
    return lines[0][:_COMMAND_CHARS] + more


def own_session_files(*, home: Path, environment: Mapping[str, str], quiet: bool) -> list[Path]:
    """The session files of this machine's agents, named on standard error.

    Raises:
        UsageError: there are none.
    """
    found = own_sessions(home, environment)
    if not found:
        raise UsageError(
            "No sessions of a known agent on this machine.",
            hint="Name files or folders: stepladder ingest runs/",
        )
    if not quiet:
        err = Console(stderr=True, highlight=False)
        for sessions in found:
            err.print(
                f"{sessions.agent}: {len(sessions.files)} files in {plain(str(sessions.folder))}"
            )
    return [file for sessions in found for file in sessions.files]


def print_demo(store: str, *, examples: Path, task: str) -> None:
    """Ingest the sample runs, count what came of them, and answer a task."""
    out = console()
    out.print(f"[bold]$ stepladder ingest {examples.name}/[/bold]")
    with KnowledgeBase.open(store) as kb:
        report = kb.ingest(sorted(p for p in examples.iterdir() if p.is_dir()))
        levels = kb.stats().levels
        out.print(
            f"{report.new} runs with {report.steps} steps became "
            + f"{levels['workflow']} workflows, {levels['summary']} summaries and "
            + f"{levels['insight']} insights."
        )
        out.print(f'\n[bold]$ stepladder query "{plain(task)}"[/bold]')
        answer = kb.retrieve(task)
        print_answer(answer)
        if answer.items:
            id = answer.items[0].memory.id
            out.print(f"\n[bold]$ stepladder why {id}[/bold]")
            print_evidence(kb.why(id))


def _from_here(path: str) -> str:
    """A path as it is said in the current folder: shorter where it is below it."""
    below = Path(path).is_relative_to(Path.cwd())
    return plain(str(Path(path).relative_to(Path.cwd())) if below else path)
