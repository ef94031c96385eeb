"""Commands that bring memories in."""

import os
import sys
from datetime import datetime
from pathlib import Path

import click

from ..ingest.packs import pack_head
from ..ingest.report import IngestReport
from ..serve import json_forms
from . import terminal
from .model_options import (
    Asked,
    batch_option,
    distiller_option,
    model_options,
    print_prompts,
    show_prompts_option,
    waiting_told,
    yes_option,
)
from .options import as_json, domain_option
from .shell import opened, print_json


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@domain_option
@click.option("--project", default="", help="Say that the runs belong to this repository.")
@click.option("--since", type=click.DateTime(), help="Only files changed on or after this day.")
@click.option("--limit", type=click.IntRange(min=1), help="Stop after this many new runs.")
@click.option("--dry-run", is_flag=True, help="Do everything but write.")
@distiller_option
@model_options
@batch_option
@yes_option
@show_prompts_option
@as_json
@click.pass_obj
def ingest(
    store: str,
    paths: tuple[Path, ...],
    domain: str,
    project: str,
    since: datetime | None,
    limit: int | None,
    dry_run: bool,
    distiller: str,
    asked: Asked,
    batch: bool,
    yes: bool,
    show_prompts: bool,
    as_json: bool,
) -> None:
    """Read finished runs and climb from each to workflows, a summary and insights.

    Without PATHS it takes this machine's own sessions (Claude Code, Codex, Gemini CLI, OpenCode
    and others) from where these programs keep them. Nothing is sent anywhere, unless
    --distiller llm asks for it; without --max-usd or --yes it then shows the plan and asks first.

    \b
    Example:
      stepladder ingest
      stepladder ingest runs/ more/*.traj --domain terminal --project acme/api
      stepladder ingest runs/ --distiller llm --model gpt-5-mini --max-usd 2
    """

    found = list(paths) or terminal.own_session_files(
        home=Path.home(), environment=os.environ, quiet=as_json
    )
    if distiller != "llm":
        asked.refuse(hint="Add --distiller llm")
    llm = asked.options(store, batch=batch) if distiller == "llm" else None
    days = since.astimezone() if since else None
    if llm and show_prompts:
        with opened(store) as kb:
            told = {"domain": domain, "project": project}
            print_prompts(kb.plan(found, llm=llm, limit=limit, since=days, **told))
        return
    report = IngestReport()
    interrupted = False
    with (
        opened(store) as kb,
        waiting_told(as_json=as_json),
        terminal.ingest_progress(quiet=as_json) as on_progress,
    ):
        try:
            kb.ingest(
                found,
                domain=domain,
                project=project,
                since=days,
                limit=limit,
                dry_run=dry_run,
                distiller=distiller,
                llm=llm,
                approve=asked.approve(yes=yes),
                on_progress=on_progress,
                report=report,
            )
        except KeyboardInterrupt:
            interrupted = True
    if as_json:
        print_json(json_forms.ingest_json(report, dry_run=dry_run))
    else:
        terminal.print_ingest(report, dry_run=dry_run)
    if interrupted:
        kept = report.new + report.updated
        click.echo(f"Stopped. The {kept} runs above are kept; run it again to go on.", err=True)
        sys.exit(130)


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--dry-run", is_flag=True, help="Check every row and write nothing.")
@click.option("--trust", is_flag=True, help="Do not mark the insights of a pack as untrusted.")
@as_json
@click.pass_obj
def import_(store: str, file: Path, dry_run: bool, trust: bool, as_json: bool) -> None:
    """Take memories made elsewhere, one JSON object a line.

    A pack from `stepladder export pack` is known by its first line: its checksum is checked, and
    its insights are marked as untrusted, and by their licence, unless --trust is given.

    \b
    Example:
      stepladder import pool.jsonl
      stepladder import team.pack.jsonl --dry-run
      echo '{"level": "insight", "title": "Pin the lock file in CI"}' > pool.jsonl
    """

    head = pack_head(file)
    rows, unreadable = json_forms.read_rows(file)
    if head:
        rows = rows[1:]
    with opened(store) as kb:
        report = kb.import_memories(
            rows,
            dry_run=dry_run,
            pack=head.name if head else "",
            untrusted=bool(head) and not trust,
        )
    if as_json:
        print_json(json_forms.import_json(report, unreadable, dry_run=dry_run))
    else:
        terminal.print_import(report, unreadable, dry_run=dry_run)
        if head:
            mark = "trusted as you asked" if trust else "marked as untrusted"
            click.echo(f"A pack under {head.licence or 'no licence'}; its new insights are {mark}.")
