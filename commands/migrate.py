"""Moving the whole graph to another store."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from ..kg.errors import UsageError
from ..kg.migrate import MigrateProgress, MigrateReport
from ..kg.stores import same_place, shown
from ..serve.moving_forms import migrate_json
from .options import as_json
from .shell import opened, print_json
from .terminal import console


@click.command()
@click.option("--to", required=True, metavar="ADDRESS", help="The other store: address or path.")
@click.option("--dry-run", is_flag=True, help="Say what would be copied, and write nothing.")
@as_json
@click.pass_obj
def migrate(store: str, to: str, dry_run: bool, as_json: bool) -> None:
    """Copy the whole graph into another store, and check that all of it arrived.

    The store it comes from stays as it is. Run it again after an interruption: what is there
    already is not written twice. A server's password comes from NEO4J_PASSWORD.

    \b
    Example:
      stepladder migrate --to neo4j://localhost:7687
      stepladder --store neo4j://localhost:7687 migrate --to copy.db --dry-run
    """
    if same_place(store, to):
        raise UsageError(
            f"Both are the same store: {shown(to)}.",
            hint="Name another one with --to, or the one to copy from with --store.",
        )
    with opened(store) as kb, _progress(quiet=as_json) as on_progress:
        try:
            report = kb.migrate(to, dry_run=dry_run, on_progress=on_progress)
        except KeyboardInterrupt:
            click.echo("Stopped. What was copied is kept; run it again to go on.", err=True)
            sys.exit(130)
    if as_json:
        print_json(migrate_json(report, to=shown(to), dry_run=dry_run))
    else:
        _print(report, to=shown(to), dry_run=dry_run)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[MigrateProgress], None] | None]:
    """Show a bar on standard error while rows are copied and compared."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("nodes and relationships"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        tasks: dict[str, TaskID] = {}

        def advance(state: MigrateProgress) -> None:
            if state.phase not in tasks:
                tasks[state.phase] = bar.add_task(state.phase, total=state.total)
            bar.update(tasks[state.phase], completed=state.done)

        yield advance


def _print(report: MigrateReport, *, to: str, dry_run: bool) -> None:
    """How much there is of each kind, then what became of it."""
    out = console()
    title = "Would be copied" if dry_run else "Copied"
    table = Table(title=title, title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for kind, counts in (("nodes", report.nodes), ("relationships", report.edges)):
        table.add_section()
        table.add_row(f"[bold]{kind}[/bold]", f"{sum(counts.values()):,}")
        for name, number in sorted(counts.items()):
            table.add_row(f"  {name}", f"{number:,}")
    out.print(table)
    new = f"{report.added:,} nodes and {report.edges_added:,} relationships"
    if dry_run:
        click.echo(f"{new} would be new in {to}, {report.changed:,} would change.")
        return
    click.echo(f"{new} are new in {to}, {report.changed:,} changed, the rest was there.")
    click.echo(
        "Numbers and checksums of every label and type are the same on both sides, "
        f"{report.vectors:,} vectors included."
    )
    click.echo(f"Use it: stepladder --store {to} query 'your task'")
