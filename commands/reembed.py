"""Changes the embedder of a store."""

import os

import click

from ..facade import KnowledgeBase
from ..kg.errors import UsageError
from ..kg.settings import Settings
from ..kg.stores import is_there, shown
from ..serve import llm_forms
from .options import as_json
from .shell import print_json

_REMOTE = "openai:"


@click.command()
@click.argument("embedder")
@click.option("--dry-run", is_flag=True, help="Count the texts, and embed nothing.")
@click.option("--yes", is_flag=True, help="Send the texts to a server without asking first.")
@as_json
@click.pass_obj
def reembed(store: str, embedder: str, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Change the embedder of a store: new vectors are made beside it, then put in place at once.

    EMBEDDER is static-256, `openai:MODEL` (a server that speaks OpenAI's API, at
    STEPLADDER_EMBEDDER_URL or OpenAI itself), or a plug-in. Stopped at any point the store answers
    as before; called again it goes on where it stopped.

    \b
    Example:
      stepladder reembed openai:text-embedding-3-small --dry-run
      stepladder reembed static-256
    """
    if not is_there(store):
        raise UsageError(f"There is no store at {shown(store)}.", hint="stepladder ingest")
    counted: list[int] = []

    def approve(texts: list[str]) -> bool:
        counted.append(len(texts))
        if dry_run or yes or not embedder.startswith(_REMOTE):
            return not dry_run
        place = Settings.read(os.environ).embedder_url or "OpenAI"
        click.echo(f"{len(texts):,} short texts would be sent to {place}.", err=True)
        try:
            return click.confirm("Send them?", err=True, abort=True)
        except click.Abort as error:
            raise UsageError("Nothing was sent: nobody said yes.", hint="Add --yes") from error

    def tell(done: int, total: int) -> None:
        click.echo(f"\r{done:,} of {total:,} texts", nl=done == total, err=True)

    done = KnowledgeBase.reembed(
        store, embedder=embedder, approve=approve, on_progress=None if as_json else tell
    )
    if as_json:
        print_json(llm_forms.reembedded_json(done, texts=counted[0]))
    elif done is None:
        click.echo(f"{counted[0]:,} texts would be embedded.")
    elif done.before == done.after:
        click.echo(f"The vectors come from {done.after} already.")
    else:
        click.echo(
            f"{done.memories:,} memories have vectors of {done.after} now; "
            f"{done.embedded:,} texts were embedded."
        )
        if done.after != Settings.read(os.environ).embedder:
            click.echo(f"From now on set STEPLADDER_EMBEDDER={embedder}", err=True)
