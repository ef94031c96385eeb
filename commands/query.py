"""Commands that give answers and their evidence."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ..kg.types import Insight
from ..queries.render import prompt_text
from ..serve import json_forms
from . import terminal
from .options import (
    as_json,
    domain_option,
    holdout_option,
    language_option,
    project_option,
)
from .shell import opened, print_json
from .terminal_explain import print_explained

if TYPE_CHECKING:
    from ..queries.evaluation.card_effects import CardEffect


@click.command()
@click.argument("task")
@project_option
@domain_option
@language_option
@click.option("--tool", "tools", multiple=True, help="A tool the task uses; may be repeated.")
@click.option("--budget", "budget_tokens", default=2000, show_default=True, help="Tokens at most.")
@click.option("-k", default=5, show_default=True, help="How many memories at most.")
@click.option("--strict", is_flag=True, help="Ask for more certainty before answering.")
@holdout_option
@click.option("--explain", is_flag=True, help="Draw the part of the graph that was walked.")
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
    holdout: float,
    explain: bool,
    form: str,
    as_json: bool,
) -> None:
    """Answer a task with the most abstract memories that apply to it, or with none.

    \b
    Example:
      stepladder query "tests fail only in CI: ModuleNotFoundError after the lock file changed" \\
        --language python
    """

    with opened(store) as kb:
        answer = kb.retrieve(
            task,
            project=project,
            domain=domain,
            language=language,
            tools=tools,
            budget_tokens=budget_tokens,
            k=k,
            strict=strict,
            holdout=holdout,
        )
        walked = {id for i in answer.shown() for id in i.path} if explain else set()
        nodes = {id: kb.show(id).node for id in sorted(walked)}
    if as_json or form == "json":
        print_json(json_forms.answer_json(answer))
    elif form == "prompt":
        click.echo(prompt_text(answer))
    elif explain:
        print_explained(answer, nodes)
    else:
        terminal.print_answer(answer)


@click.command()
@click.argument("id")
@as_json
@click.pass_obj
def show(store: str, id: str, as_json: bool) -> None:
    """Show a memory: its words, its support, what it cites and what stands above it.

    Of a card also how the runs with it and without it ended, as `evaluate cards` says of all.

    \b
    Example:
      stepladder show insight-3f9a
    """

    with opened(store) as kb:
        shown = kb.show(id)
        card = isinstance(shown.node, Insight) and bool(shown.node.card)
        effects = kb.card_effects().of(shown.node.id) if card else ()
    if as_json:
        print_json({**json_forms.shown_json(shown), **(_effects_json(effects) if effects else {})})
        return
    terminal.print_shown(shown)
    if effects:
        from .terminal_measure import print_effects  # loads statistics that no answer needs

        print_effects(effects)


def _effects_json(effects: Sequence["CardEffect"]) -> dict[str, Any]:
    from ..serve.evaluation_forms import effect_json

    return {"effects": [effect_json(e) for e in effects]}


@click.command()
@click.argument("id")
@as_json
@click.pass_obj
def why(store: str, id: str, as_json: bool) -> None:
    """Show why a memory is believed: down to the exact steps, commands and exit codes.

    \b
    Example:
      stepladder why insight-3f9a
    """

    with opened(store) as kb:
        found = kb.why(id)
    if as_json:
        print_json(json_forms.evidence_json(found))
    else:
        terminal.print_evidence(found)
