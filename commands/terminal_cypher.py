"""What people see of the graph in Cypher: rows, the schema, the named queries."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import click
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..kg.cypher import Rows
from ..queries.library import NamedQuery, Parameter
from ..queries.schema import LabelInfo, PropertyInfo, Schema
from .terminal import console, plain, safe

_CELL_CHARS: Final = 400
_TITLE_CHARS: Final = 40
_SHOWN: Final = ("title", "name", "command", "signature", "query")
_NODE: Final = frozenset(("id", "labels", "properties"))
_RELATIONSHIP: Final = frozenset(("type", "start", "end", "properties"))
_PATH: Final = frozenset(("nodes", "relationships"))


def print_rows(rows: Rows) -> None:
    """The rows as a table; nodes, relationships and paths as Cypher would draw them."""
    out = console()
    table = Table(header_style="bold")
    for column in rows.columns:
        table.add_column(plain(column), overflow="fold")
    for row in rows.rows:
        table.add_row(*(Text(_cut(safe(cell(value)))) for value in row))
    if rows.rows:
        out.print(table)
    out.print(f"[dim]{_counted(rows)}, {rows.milliseconds:,.0f} ms[/dim]")
    tell_more(rows)


def print_csv(rows: Rows) -> None:
    """The rows as CSV with a head; what is no text or number is JSON."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows.columns)
    for row in rows.rows:
        writer.writerow([_csv_cell(value) for value in row])
    click.echo(text.getvalue(), nl=False)
    tell_more(rows)


def tell_more(rows: Rows) -> None:
    """Say on standard error what was cut, and what else there is to know."""
    for note in rows.notes:
        click.echo(f"Note: {note}", err=True)
    if rows.truncated:
        click.echo(
            f"Cut: the answer has {rows.why}. Narrow it, or allow more with --max-rows and "
            "--max-bytes.",
            err=True,
        )


def cell(value: Any) -> str:
    """A value for people."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _mapping(value)
    if isinstance(value, list):
        return f"[{', '.join(cell(v) for v in value)}]"
    return json.dumps(value)


def _mapping(value: Mapping[str, Any]) -> str:
    if value.keys() == _NODE:
        return _node(value)
    if value.keys() == _RELATIONSHIP:
        return f"{value['start']} {_arrow(value)} {value['end']}"
    if value.keys() == _PATH:
        return _path(value)
    return f"{{{', '.join(f'{name}: {cell(v)}' for name, v in value.items())}}}"


def _node(node: Mapping[str, Any]) -> str:
    own = node["properties"]
    title = _cut(next((str(own[name]) for name in _SHOWN if own.get(name)), ""), _TITLE_CHARS)
    words = (":" + ":".join(node["labels"]), str(node["id"] or ""), f"“{title}”" if title else "")
    return f"({' '.join(w for w in words if w)})"


def _path(path: Mapping[str, Any]) -> str:
    nodes: Sequence[Mapping[str, Any]] = path["nodes"]
    parts = [_node(nodes[0])]
    for relationship, before, node in zip(path["relationships"], nodes, nodes[1:], strict=False):
        onward = relationship["start"] == before["id"]
        arrow = _arrow(relationship)
        parts += [arrow if onward else f"<{arrow.removesuffix('>')}", _node(node)]
    return " ".join(parts)


def _arrow(relationship: Mapping[str, Any]) -> str:
    own = {n: v for n, v in relationship["properties"].items() if v not in (None, "")}
    inside = f" {cell(own)}" if own else ""
    return f"-[:{relationship['type']}{inside}]->"


def _csv_cell(value: Any) -> Any:
    if isinstance(value, list | dict | bool):
        value = json.dumps(value, ensure_ascii=False)
    return safe(value) if isinstance(value, str) else value


def _cut(text: str, chars: int = _CELL_CHARS) -> str:
    return text if len(text) <= chars else text[: chars - 1] + "…"


def _counted(rows: Rows) -> str:
    number = len(rows.rows)
    return f"{number:,} row{'' if number == 1 else 's'}"


def print_queries(queries: Iterable[NamedQuery]) -> None:
    """Each named query: what it answers and what it takes."""
    out = console()
    for query in queries:
        out.print(f"[bold]{query.name}[/bold]  {plain(query.title)}")
        out.print(Padding(Text(query.answers), (0, 0, 0, 2)))
        for parameter in query.parameters:
            out.print(Padding(Text(_taken(parameter), style="dim"), (0, 0, 0, 2)))
    out.print("\nRun one: stepladder cypher NAME --param name=value")


def _taken(parameter: Parameter) -> str:
    default = "" if parameter.required else f", {json.dumps(parameter.default)} if not given"
    return f"{parameter.name} ({parameter.type}{default}): {parameter.text}"


def print_schema(schema: Schema) -> None:
    """Labels with their properties, then relationships with their ends."""
    out = console()
    for label in schema.labels:
        out.print(f"[bold]:{label.name}[/bold] {label.count:,}  {plain(label.about)}")
        if label.count:
            out.print(Padding(_properties(label), (0, 0, 1, 2)))
    missing = [r.type for r in schema.relationships if not r.count]
    for relationship in schema.relationships:
        if relationship.count:
            out.print(
                f"[bold]-[:{relationship.type}]->[/bold] {relationship.count:,}  "
                f"{plain(relationship.about)}",
                markup=True,
            )
            for link in relationship.links:
                out.print(f"  (:{link.source}) to (:{link.target}) {link.count:,}")
            names = ", ".join(f"{p.name} ({p.type})" for p in relationship.properties)
            if names:
                out.print(f"  with {plain(names)}")
    if missing:
        out.print(f"[dim]None yet: {', '.join(missing)}[/dim]")


def _properties(label: LabelInfo) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right")
    table.add_column(no_wrap=True, style="dim")
    table.add_column()
    for info in label.properties:
        table.add_row(*_property(info))
    return table


def _property(info: PropertyInfo) -> tuple[str, str, str, str]:
    return info.name, f"{info.filled:,}", info.type, plain(info.about)
