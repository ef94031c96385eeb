"""Commands that show the graph in Cypher."""

import json
from collections.abc import Sequence
from typing import Any

import click

from ..kg.cypher import DEFAULT_LIMITS, CypherLimits
from ..kg.errors import UsageError
from ..queries.library import named_queries
from ..serve import cypher_json
from . import terminal_cypher
from .options import as_json
from .shell import opened, print_json


@click.command()
@click.argument("statement", required=False, metavar="STATEMENT_OR_NAME")
@click.option(
    "--param",
    "params",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter; may be repeated. A value that is JSON is taken as such.",
)
@click.option("--list", "list_all", is_flag=True, help="List the named queries.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv"]),
    default="table",
    show_default=True,
    help="For people, for programs, or for a spreadsheet.",
)
@click.option(
    "--max-rows",
    type=click.IntRange(min=1),
    default=DEFAULT_LIMITS.rows,
    show_default=True,
    help="Rows at most.",
)
@click.option(
    "--max-bytes",
    type=click.IntRange(min=1),
    default=DEFAULT_LIMITS.size_bytes,
    show_default=True,
    help="Bytes at most, counted as JSON.",
)
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0.1),
    default=DEFAULT_LIMITS.timeout_s,
    show_default=True,
    help="Seconds at most.",
)
@as_json
@click.pass_obj
def cypher(
    store: str,
    statement: str | None,
    params: tuple[str, ...],
    list_all: bool,
    form: str,
    max_rows: int,
    max_bytes: int,
    timeout_s: float,
    as_json: bool,
) -> None:
    """Run a Cypher statement that reads, or one of the named queries.

    \b
    Example:
      stepladder cypher --list
      stepladder cypher cross_domain_insights --param min_domains=2 --format csv
      stepladder cypher "MATCH (i:Insight)-[:APPLIES_TO]->(d:Domain) \\
        RETURN d.name, count(i) AS insights ORDER BY insights DESC"
    """
    as_json = as_json or form == "json"
    if list_all:
        if as_json:
            print_json(cypher_json.queries_json(named_queries()))
        else:
            terminal_cypher.print_queries(named_queries())
        return
    if not statement:
        raise UsageError(
            "Give a statement or the name of a query.",
            hint="List the named queries with: stepladder cypher --list",
        )
    limits = CypherLimits(rows=max_rows, size_bytes=max_bytes, timeout_s=timeout_s)
    with opened(store) as kb:
        rows = kb.cypher(statement, _parameters(params), limits=limits)
    if as_json:
        print_json(cypher_json.rows_json(rows))
        terminal_cypher.tell_more(rows)
    elif form == "csv":
        terminal_cypher.print_csv(rows)
    else:
        terminal_cypher.print_rows(rows)


def _parameters(pairs: Sequence[str]) -> dict[str, Any]:
    """`name=value` pairs as values; what is no JSON is a text."""
    values: dict[str, Any] = {}
    for pair in pairs:
        name, separator, text = pair.partition("=")
        if not separator or not name:
            raise UsageError(f"{pair!r} is no parameter.", hint="Write --param name=value.")
        try:
            values[name] = json.loads(text)
        except json.JSONDecodeError:
            values[name] = text
    return values


@click.command()
@as_json
@click.pass_obj
def schema(store: str, as_json: bool) -> None:
    """Show what the graph holds: labels, relationships and properties, in words and numbers.

    \b
    Example:
      stepladder schema
      stepladder schema --json
    """
    with opened(store) as kb:
        found = kb.schema()
    if as_json:
        print_json(cypher_json.schema_json(found))
    else:
        terminal_cypher.print_schema(found)
