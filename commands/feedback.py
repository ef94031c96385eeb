"""Commands about what became of answers."""

import click

from ..serve import use_forms
from .options import as_json
from .shell import opened, print_json


@click.command()
@click.argument("retrieval_id")
@click.option(
    "--outcome",
    type=click.Choice(["success", "failure", "unknown"]),
    required=True,
    help="How the work ended that the answer was given for.",
)
@click.option("--used", multiple=True, metavar="ID", help="A memory of the answer that was used.")
@as_json
@click.pass_obj
def feedback(
    store: str, retrieval_id: str, outcome: str, used: tuple[str, ...], as_json: bool
) -> None:
    """Say how the work went that an answer was given for.

    It is credited to the memories named with --used, or else to all that the answer showed.

    \b
    Example:
      stepladder feedback r-52ab --outcome success --used insight-3f9a
    """
    with opened(store) as kb:
        credited = kb.feedback(
            retrieval_id, outcome=use_forms.outcome_of(outcome), used=used, source="human"
        )
    if as_json:
        print_json({"outcome": outcome, "credited": list(credited)})
    else:
        click.echo(f"{outcome}: credited to {', '.join(credited) or 'nothing'}")
