"""Options that name a language model, and what is asked before it is."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from ..kg.errors import UsageError
from ..kg.settings import Settings
from ..serve import json_forms
from .shell import print_json

if TYPE_CHECKING:
    from ..ingest.distillers.llm.options import LlmOptions
    from ..ingest.distillers.llm.session import Plan

_NAMES: Final = ("model", "base_url", "command", "price", "max_usd", "workers", "api_key_env")
distiller_option = click.option(
    "--distiller",
    default="rules",
    show_default=True,
    metavar="NAME",
    help="Who climbs: rules, which asks nobody, or llm, which asks a model as well.",
)
show_prompts_option = click.option(
    "--show-prompts", is_flag=True, help="Print what would be sent, and do nothing."
)
yes_option = click.option(
    "--yes", is_flag=True, help="Ask the model without showing the plan first."
)
where_option = click.option(
    "--where", default="", help="Which runs: \"agent = 'codex' AND steps > 20\"."
)
votes_option = click.option(
    "--votes",
    type=click.IntRange(min=1, max=15),
    default=3,
    show_default=True,
    help="How often the model is asked about a run.",
)
batch_option = click.option(
    "--batch",
    is_flag=True,
    help="Hand the questions in together; call it again later to fetch the answers.",
)
_OPTIONS: Final = (
    click.option("--model", default="", help="Name of the model, such as gpt-5-mini."),
    click.option("--base-url", default="", help="A server that speaks OpenAI's API."),
    click.option("--command", default="", help="A program that answers a prompt: 'claude -p'."),
    click.option(
        "--api-key-env", default="", metavar="NAME", help="The variable with the server's key."
    ),
    click.option("--price", default="", help="Dollars for a million tokens: INPUT,OUTPUT."),
    click.option("--max-usd", type=click.FloatRange(min=0), help="Never spend more than this."),
    click.option(
        "--workers",
        type=click.IntRange(min=1, max=64),
        default=4,
        show_default=True,
        help="Questions asked at the same time.",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a caller said of a model."""

    model: str
    base_url: str
    command: str
    price: str
    max_usd: float | None
    workers: int
    api_key_env: str

    def refuse(self, *, hint: str) -> None:
        """Tell a caller who describes a model where none is asked.

        Raises:
            UsageError: a model is described.
        """
        named = (self.model, self.base_url, self.command, self.price, self.api_key_env)
        if any(named) or self.max_usd is not None:
            raise UsageError("No model is asked here.", hint=hint)

    def options(self, store: str, *, batch: bool = False) -> "LlmOptions":
        """What to ask a model with; a name and a server that were not given are those of the
        environment.
        """
        from ..ingest.distillers.llm.options import LlmOptions
        from ..ingest.llm.ledger import beside

        values = {name: getattr(self, name) for name in _NAMES}
        if not self.command and not self.model:
            settings = Settings.read(os.environ)
            values["model"] = settings.model
            values["base_url"] = self.base_url or settings.base_url
        return LlmOptions(ledger=beside(store), batch=batch, **values)

    def approve(self, *, yes: bool) -> "Callable[[Plan], bool] | None":
        """Who is shown the plan before anything is asked; nobody where a cap was set."""
        return None if yes or self.max_usd is not None else agreed


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name a model; the command gets them as one argument, `asked`."""

    def gathered(*arguments: Any, **named: Any) -> Any:
        asked = Asked(**{name: named.pop(name) for name in _NAMES})
        return command(*arguments, asked=asked, **named)

    gathered.__name__, gathered.__doc__ = command.__name__, command.__doc__
    # Options that stand below the decorator were noted on the command itself.
    gathered.__click_params__ = getattr(command, "__click_params__", [])  # type: ignore[attr-defined]
    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered


@contextmanager
def waiting_told(*, as_json: bool) -> Iterator[None]:
    """Tell what is handed in where answers are still to come, and end there."""
    from ..ingest.llm.batches import BatchWaiting

    try:
        yield
    except BatchWaiting as waiting:
        if as_json:
            print_json({"batches": dict(waiting.batches), "calls": waiting.calls})
        else:
            click.echo(str(waiting))
            click.echo(waiting.hint, err=True)
        click.get_current_context().exit(0)


def agreed(plan: "Plan") -> bool:
    """Show a plan and ask whether to go on; true where nothing would be asked of a model.

    Raises:
        Abort: the answer is no.
        UsageError: there is nobody to answer.
    """
    if not plan.calls:
        return True
    click.echo(plan_line(plan), err=True)
    try:
        yes = click.confirm("Ask the model?", err=True)
    except click.Abort as error:
        raise UsageError(
            "Nothing was sent: nobody said yes.", hint="Set a cap with --max-usd, or add --yes"
        ) from error
    if not yes:
        raise click.Abort
    return True


def plan_line(plan: "Plan") -> str:
    """A plan in one line."""
    cost = "no price is known" if plan.usd is None else f"about ${plan.usd:.4f}"
    return (
        f"{plan.calls:,} calls, about {plan.input_tokens:,} tokens in and {plan.output_tokens:,} "
        f"out, {cost}, about {plan.seconds:,.0f} s"
    )


def tell_plan(plan: "Plan", *, as_json: bool, show_prompts: bool = False) -> None:
    """Print what asking would take, with `show_prompts` also what would be sent."""
    if as_json:
        print_json(json_forms.plan_json(plan, prompts=show_prompts))
        return
    if show_prompts:
        print_prompts(plan)
    click.echo(plan_line(plan))


def print_prompts(plan: "Plan") -> None:
    """Print what would be sent, word for word."""
    for number, prompt in enumerate(plan.prompts, start=1):
        click.echo(f"--- prompt {number} of {plan.calls} ({prompt.version}) ---")
        click.echo(f"{prompt.system}\n{prompt.user}")
