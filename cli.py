"""The command line: parse, call `KnowledgeBase`, print. Data to stdout, progress to stderr."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if __package__ in (None, ""):  # `python cli.py` in a checkout
    from stepladder.kg.errors import StepladderError, UsageError
    from stepladder.kg.settings import Settings
else:
    from .kg.errors import StepladderError, UsageError
    from .kg.settings import Settings

if TYPE_CHECKING:
    from stepladder.kb import KnowledgeBase

EXAMPLES = Path(__file__).parent / "examples"
DEMO_TASK = "Fix a bug in a Python library: a test fails and the usual test runner is not installed"


class _Group(click.Group):
    """Turns our errors into one message, a hint and an exit code; keeps commands in order."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except StepladderError as error:
            click.echo(f"Error: {error}", err=True)
            if error.hint:
                click.echo(f"  {error.hint}", err=True)
            ctx.exit(2 if isinstance(error, UsageError) else 1)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON of a stable shape.")
project_option = click.option("--project", default="", help="The repository, such as acme/api.")
language_option = click.option(
    "--language", default="", help="The task's language, such as python."
)
domain_option = click.option(
    "--domain", default="", help="The field of work, such as data-analysis."
)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--store", default=None, metavar="PATH", help="Where the graph is kept. [STEPLADDER_STORE]"
)
@click.version_option(package_name="stepladder")
@click.pass_context
def main(ctx: click.Context, store: str | None) -> None:
    """Memory for coding agents: runs in, the most abstract lesson that applies out.

    \b
    Example:
      stepladder ingest
      stepladder query "tests fail only in CI: ModuleNotFoundError after the lock file changed"
    """
    settings = Settings.read(os.environ)
    ctx.obj = store or settings.store


@contextmanager
def _open(store: str) -> "Iterator[KnowledgeBase]":
    from stepladder.kb import KnowledgeBase

    with KnowledgeBase.open(store) as kb:
        yield kb


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


@main.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@domain_option
@click.option("--project", default="", help="Say that the runs belong to this repository.")
@click.option("--since", type=click.DateTime(), help="Only files changed on or after this day.")
@click.option("--limit", type=click.IntRange(min=1), help="Stop after this many new runs.")
@click.option("--dry-run", is_flag=True, help="Do everything but write.")
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
    as_json: bool,
) -> None:
    """Read finished runs and climb from each to workflows, a summary and insights.

    Without PATHS it takes this machine's own sessions (Claude Code, Codex, Gemini CLI, OpenCode
    and others) from where these programs keep them. Nothing is sent anywhere.

    \b
    Example:
      stepladder ingest
      stepladder ingest runs/ more/*.traj --domain terminal --project acme/api
    """
    from stepladder.ingest.pipeline import IngestReport
    from stepladder.serve import json_forms, terminal

    found = list(paths) or terminal.own_session_files(
        home=Path.home(), environment=os.environ, quiet=as_json
    )
    report = IngestReport()
    interrupted = False
    with _open(store) as kb, terminal.ingest_progress(quiet=as_json) as on_progress:
        try:
            kb.ingest(
                found,
                domain=domain,
                project=project,
                since=since.astimezone() if since else None,
                limit=limit,
                dry_run=dry_run,
                on_progress=on_progress,
                report=report,
            )
        except KeyboardInterrupt:
            interrupted = True
    if as_json:
        _print_json(json_forms.ingest_json(report, dry_run=dry_run))
    else:
        terminal.print_ingest(report, dry_run=dry_run)
    if interrupted:
        kept = report.new + report.updated
        click.echo(f"Stopped. The {kept} runs above are kept; run it again to go on.", err=True)
        sys.exit(130)


@main.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--dry-run", is_flag=True, help="Check every row and write nothing.")
@as_json
@click.pass_obj
def import_(store: str, file: Path, dry_run: bool, as_json: bool) -> None:
    """Take memories made elsewhere, one JSON object a line.

    \b
    Example:
      stepladder import pool.jsonl
      echo '{"level": "insight", "title": "Pin the lock file in CI"}' > pool.jsonl
    """
    from stepladder.serve import json_forms, terminal

    rows, unreadable = json_forms.read_rows(file)
    with _open(store) as kb:
        report = kb.import_memories(rows, dry_run=dry_run)
    if as_json:
        _print_json(json_forms.import_json(report, unreadable, dry_run=dry_run))
    else:
        terminal.print_import(report, unreadable, dry_run=dry_run)


@main.command()
@click.argument("task")
@project_option
@domain_option
@language_option
@click.option("--tool", "tools", multiple=True, help="A tool the task uses; may be repeated.")
@click.option("--budget", "budget_tokens", default=2000, show_default=True, help="Tokens at most.")
@click.option("-k", default=5, show_default=True, help="How many memories at most.")
@click.option("--strict", is_flag=True, help="Ask for more certainty before answering.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "prompt", "json"]),
    default="table",
    show_default=True,
    help="For people, for an agent's prompt, or JSON.",
)
@as_json
@click.pass_obj
def query(
    store: str,
    task: str,
    project: str,
    domain: str,
    language: str,
    tools: tuple[str, ...],
    budget_tokens: int,
    k: int,
    strict: bool,
    form: str,
    as_json: bool,
) -> None:
    """Answer a task with the most abstract memories that apply to it, or with none.

    \b
    Example:
      stepladder query "tests fail only in CI: ModuleNotFoundError after the lock file changed" \\
        --language python
    """
    from stepladder.serve import json_forms, terminal

    with _open(store) as kb:
        answer = kb.retrieve(
            task,
            project=project,
            domain=domain,
            language=language,
            tools=tools,
            budget_tokens=budget_tokens,
            k=k,
            strict=strict,
        )
    if as_json or form == "json":
        _print_json(json_forms.answer_json(answer))
    elif form == "prompt":
        from stepladder.queries.render import prompt_text

        click.echo(prompt_text(answer))
    else:
        terminal.print_answer(answer)


@main.command()
@click.argument("id")
@as_json
@click.pass_obj
def show(store: str, id: str, as_json: bool) -> None:
    """Show a memory: its words, its support, what it cites and what stands above it.

    \b
    Example:
      stepladder show insight-3f9a
    """
    from stepladder.serve import json_forms, terminal

    with _open(store) as kb:
        shown = kb.show(id)
    if as_json:
        _print_json(json_forms.shown_json(shown))
    else:
        terminal.print_shown(shown)


@main.command()
@click.argument("id")
@as_json
@click.pass_obj
def why(store: str, id: str, as_json: bool) -> None:
    """Show why a memory is believed: down to the exact steps, commands and exit codes.

    \b
    Example:
      stepladder why insight-3f9a
    """
    from stepladder.serve import json_forms, terminal

    with _open(store) as kb:
        found = kb.why(id)
    if as_json:
        _print_json(json_forms.evidence_json(found))
    else:
        terminal.print_evidence(found)


@main.command()
@as_json
@click.pass_obj
def stats(store: str, as_json: bool) -> None:
    """Count what is kept: levels, domains, projects, outcomes, and what was left out.

    \b
    Example:
      stepladder stats --json
    """
    from stepladder.serve import json_forms, terminal

    with _open(store) as kb:
        counted = kb.stats()
    if as_json:
        _print_json(json_forms.stats_json(counted))
    else:
        terminal.print_stats(counted)


@main.command()
@click.argument("ids", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def forget(store: str, ids: tuple[str, ...], yes: bool) -> None:
    """Delete memories; a trace goes with everything that stands on it alone.

    \b
    Example:
      stepladder forget trace-52ab
    """
    with _open(store) as kb:
        full_ids = [kb.resolve(id) for id in ids]
        if not yes:
            click.confirm(f"Delete {', '.join(full_ids)}?", abort=True, err=True)
        removed = kb.forget(full_ids)
    click.echo(f"{removed} nodes deleted.")


@main.command()
@click.argument("task", default=DEMO_TASK)
@click.pass_context
def demo(ctx: click.Context, task: str) -> None:
    """Do all of it on the sample runs that come with Stepladder, in a store of its own.

    \b
    Example:
      stepladder demo
      stepladder demo "the edit tool says the text was not found"
    """
    import tempfile

    from stepladder.serve import terminal

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        store = str(Path(folder) / "demo.db")
        terminal.print_demo(store, examples=EXAMPLES, task=task)


if __name__ == "__main__":
    main()
